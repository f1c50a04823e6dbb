-- The words of notes that were saved last, between spaces, until some dozens of them go into note_words
-- together. NULL: what note_words has under this seq is of a note that was changed or deleted.
CREATE TABLE fresh_words (seq INTEGER PRIMARY KEY, words TEXT);
