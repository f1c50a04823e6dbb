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
-- What a start compares with the files, without what lists and links need of each page: that is most of the table.
CREATE INDEX stamps_of_pages ON pages (file, size, modified, recent);
-- Pages that are not UTF-8, which moves count.
CREATE INDEX foreign_pages ON pages (file) WHERE instr(head, '"foreign":true') > 0;

CREATE TABLE tags (
  page    INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE,
  tag     TEXT NOT NULL, -- folded
  written TEXT NOT NULL,
  PRIMARY KEY (page, tag)
) WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (tag);

CREATE TABLE properties (
  page  INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE,
  key   TEXT NOT NULL,
  value TEXT NOT NULL
);
CREATE INDEX properties_of_page ON properties (page);
CREATE INDEX properties_by_key ON properties (key, value);

CREATE TABLE tasks (
  page  INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE,
  line  INTEGER NOT NULL,
  done  INTEGER NOT NULL,
  state TEXT NOT NULL,    -- the character in the box, or the word
  word  INTEGER NOT NULL, -- it has a word in the place of a box
  text  TEXT NOT NULL,
  planning TEXT NOT NULL, -- lines SCHEDULED and DEADLINE of a block of Logseq
  PRIMARY KEY (page, line)
) WITHOUT ROWID;

CREATE TABLE headings (
  page  INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE,
  line  INTEGER NOT NULL,
  level INTEGER NOT NULL,
  text  TEXT NOT NULL,
  PRIMARY KEY (page, line)
) WITHOUT ROWID;

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

-- The words of a page, without its text; rowid is the page.
CREATE VIRTUAL TABLE words USING fts5 (title, tags, body, content='', contentless_delete=1, tokenize='ascii');
-- The words of all pages, with how many pages have each: a view, which takes no room.
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
