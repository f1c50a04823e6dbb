CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB NOT NULL);

CREATE TABLE documents (
	workspace TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
	body TEXT NOT NULL, content BLOB NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL,
	PRIMARY KEY (workspace, kind, id)
) WITHOUT ROWID;
CREATE INDEX documents_source ON documents (workspace, kind, source);
CREATE INDEX documents_target ON documents (workspace, kind, target);

CREATE TABLE revisions (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE, workspace TEXT NOT NULL, note TEXT NOT NULL, parent TEXT NOT NULL,
	time BIGINT NOT NULL, author TEXT NOT NULL, run TEXT NOT NULL, deleted BOOLEAN NOT NULL,
	attributes TEXT NOT NULL, text TEXT NOT NULL, checksum TEXT NOT NULL, signature TEXT NOT NULL
);
CREATE INDEX revisions_note ON revisions (workspace, note, seq);

CREATE TABLE notes (
	workspace TEXT NOT NULL, id TEXT NOT NULL, seq BIGINT NOT NULL UNIQUE, revision TEXT NOT NULL, deleted BOOLEAN NOT NULL,
	class TEXT NOT NULL, title_key TEXT NOT NULL, path_key TEXT NOT NULL, record TEXT NOT NULL,
	PRIMARY KEY (workspace, id)
);
CREATE INDEX notes_newest ON notes (workspace, deleted, seq);
CREATE INDEX notes_class ON notes (workspace, class, deleted, seq);
CREATE INDEX notes_title ON notes (workspace, title_key, deleted, id);
CREATE INDEX notes_path ON notes (workspace, path_key, deleted, id) WHERE path_key <> '';

CREATE TABLE text_links (
	workspace TEXT NOT NULL, source TEXT NOT NULL, id TEXT NOT NULL, target TEXT NOT NULL, target_key TEXT NOT NULL, kind TEXT NOT NULL,
	PRIMARY KEY (workspace, source, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX text_links_newest ON text_links (workspace, id);
-- Without statistics SQLite takes an index only if it holds all columns of a query.
CREATE INDEX text_links_target ON text_links (workspace, target_key, id, source, target, kind);

CREATE VIRTUAL TABLE note_words USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');
