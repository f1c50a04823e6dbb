-- Revisions are never deleted, so the next seq is the greatest and one, and AUTOINCREMENT only has each save
-- write a page more to remember that. A new table would take as long as copying every text; without the word
-- the rows of the table are the same. RESET reads the schema again, and a table that comes and goes has other
-- connections read it.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'seq INTEGER PRIMARY KEY AUTOINCREMENT', 'seq INTEGER PRIMARY KEY') WHERE type = 'table' AND name = 'revisions';
PRAGMA writable_schema = RESET;
DELETE FROM sqlite_sequence WHERE name = 'revisions';
CREATE TABLE schema_changed (x);
DROP TABLE schema_changed;
