-- No query finds a note by seq alone: only saves had to keep its index.
ALTER TABLE notes DROP CONSTRAINT notes_seq_key;
