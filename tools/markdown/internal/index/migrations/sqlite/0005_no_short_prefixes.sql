-- An index of the first three letters of words serves searches for exactly three letters
-- alone, and was a third of the file. Pages that were read before are read again.
DROP TABLE vocabulary;
DROP TABLE words;
CREATE VIRTUAL TABLE words USING fts5 (title, tags, body, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
DELETE FROM pages;
