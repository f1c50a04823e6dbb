-- What targets and sessions are named, each once: a part of a name is looked for
-- here, and not in every call.
CREATE TABLE search_values (
	field TEXT NOT NULL,                 -- targets or session
	value TEXT NOT NULL,
	PRIMARY KEY (field, value)
) WITHOUT ROWID;
INSERT INTO search_values SELECT DISTINCT 'targets', name FROM call_targets;
INSERT INTO search_values SELECT DISTINCT 'session', session FROM calls WHERE session <> '';
-- What else a search looks for. Few calls have a code or a message.
CREATE INDEX calls_session ON calls(session, id);
CREATE INDEX calls_code ON calls(code, id) WHERE code <> '';
CREATE INDEX calls_message ON calls(message, id) WHERE message <> '';
