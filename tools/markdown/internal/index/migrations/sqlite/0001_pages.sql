CREATE TABLE pages (
  id       INTEGER PRIMARY KEY,
  file     TEXT NOT NULL UNIQUE,
  size     INTEGER NOT NULL,
  modified INTEGER NOT NULL, -- Unix nanoseconds
  recent   INTEGER NOT NULL, -- modified just before it was read
  title    TEXT NOT NULL,
  head     TEXT NOT NULL,    -- JSON of what lists show
  links    TEXT NOT NULL     -- JSON
);
CREATE TABLE tags (page INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE, tag TEXT NOT NULL, written TEXT NOT NULL, PRIMARY KEY (page, tag)) WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (tag);
CREATE TABLE properties (page INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE, key TEXT NOT NULL, value TEXT NOT NULL);
CREATE INDEX properties_of_page ON properties (page);
CREATE INDEX properties_by_key ON properties (key, value);
CREATE TABLE tasks (page INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE, line INTEGER NOT NULL, done INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (page, line)) WITHOUT ROWID;
CREATE TABLE headings (page INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE, line INTEGER NOT NULL, level INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (page, line)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (title, tags, body, content='', contentless_delete=1, tokenize='ascii', prefix='3');
