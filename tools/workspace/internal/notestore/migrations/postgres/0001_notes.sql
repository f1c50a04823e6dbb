CREATE TABLE settings (name TEXT PRIMARY KEY, value BYTEA NOT NULL);

CREATE TABLE documents (
	workspace TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL,
	body TEXT NOT NULL, content BYTEA NOT NULL, source TEXT COLLATE "C" NOT NULL, target TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (workspace, kind, id)
);
CREATE INDEX documents_source ON documents (workspace, kind, source);
CREATE INDEX documents_target ON documents (workspace, kind, target);

CREATE TABLE revisions (
	seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	id TEXT COLLATE "C" NOT NULL UNIQUE, workspace TEXT COLLATE "C" NOT NULL, note TEXT COLLATE "C" NOT NULL, parent TEXT NOT NULL,
	time BIGINT NOT NULL, author TEXT NOT NULL, run TEXT NOT NULL, deleted BOOLEAN NOT NULL,
	attributes TEXT NOT NULL, text TEXT NOT NULL, checksum TEXT NOT NULL, signature TEXT NOT NULL
);
CREATE INDEX revisions_note ON revisions (workspace, note, seq);

CREATE TABLE notes (
	workspace TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, seq BIGINT NOT NULL UNIQUE, revision TEXT NOT NULL, deleted BOOLEAN NOT NULL,
	class TEXT COLLATE "C" NOT NULL, title_key TEXT COLLATE "C" NOT NULL, path_key TEXT COLLATE "C" NOT NULL, record TEXT NOT NULL, words TSVECTOR NOT NULL,
	PRIMARY KEY (workspace, id)
);
CREATE INDEX notes_newest ON notes (workspace, deleted, seq);
CREATE INDEX notes_class ON notes (workspace, class, deleted, seq);
CREATE INDEX notes_title ON notes (workspace, title_key);
CREATE INDEX notes_path ON notes (workspace, path_key) WHERE path_key <> '';
CREATE INDEX notes_words ON notes USING gin (words);

CREATE TABLE text_links (
	workspace TEXT COLLATE "C" NOT NULL, source TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL,
	target TEXT NOT NULL, target_key TEXT COLLATE "C" NOT NULL, kind TEXT NOT NULL,
	PRIMARY KEY (workspace, source, id)
);
CREATE UNIQUE INDEX text_links_newest ON text_links (workspace, id);
CREATE INDEX text_links_target ON text_links (workspace, target_key);
