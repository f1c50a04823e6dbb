-- Every query finds a note of a seq by notes_newest: the index of seq alone costs each save two pages. It came
-- with UNIQUE, which only a new table is without.
CREATE TABLE notes_without_index (
	workspace TEXT NOT NULL, id TEXT NOT NULL, seq BIGINT NOT NULL, revision TEXT NOT NULL, deleted BOOLEAN NOT NULL,
	class TEXT NOT NULL, title_key TEXT NOT NULL, path_key TEXT NOT NULL, record TEXT NOT NULL,
	PRIMARY KEY (workspace, id)
);
INSERT INTO notes_without_index SELECT * FROM notes;
DROP TABLE notes;
ALTER TABLE notes_without_index RENAME TO notes;
CREATE INDEX notes_newest ON notes (workspace, deleted, seq);
CREATE INDEX notes_class ON notes (workspace, class, deleted, seq);
CREATE INDEX notes_title ON notes (workspace, title_key, deleted, id);
CREATE INDEX notes_path ON notes (workspace, path_key, deleted, id) WHERE path_key <> '';
