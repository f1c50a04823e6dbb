-- What links call a page, and what they call: both folded, and of links the last part.
CREATE TABLE names (
  key  TEXT NOT NULL,
  kind INTEGER NOT NULL,
  page INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE,
  PRIMARY KEY (key, kind, page)
) WITHOUT ROWID;
CREATE INDEX names_of_page ON names (page);
CREATE TABLE link_keys (
  key  TEXT NOT NULL,
  page INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE,
  PRIMARY KEY (key, page)
) WITHOUT ROWID;
CREATE INDEX link_keys_of_page ON link_keys (page);
-- Pages that were read before are read again.
DELETE FROM pages;
INSERT INTO words (words) VALUES ('delete-all');
