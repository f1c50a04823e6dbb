CREATE TABLE calls (
	id        INTEGER PRIMARY KEY,       -- when it began: Unix µs * 1024 + a number
	client    TEXT NOT NULL,
	proven    INTEGER NOT NULL,
	session   TEXT NOT NULL,
	transport TEXT NOT NULL,
	role      TEXT NOT NULL,
	source    TEXT NOT NULL,
	tool      TEXT NOT NULL,
	effect    TEXT NOT NULL,
	outcome   TEXT NOT NULL,
	code      TEXT NOT NULL,
	message   TEXT NOT NULL,
	waited    INTEGER NOT NULL,          -- µs
	worked    INTEGER NOT NULL,          -- µs
	request   INTEGER NOT NULL,          -- bytes
	response  INTEGER NOT NULL,          -- bytes
	digest    TEXT NOT NULL,
	parent    INTEGER NOT NULL,          -- id; 0: none
	targets   TEXT NOT NULL,             -- JSON; '': none
	changes   TEXT NOT NULL,             -- JSON; '': none
	detail    TEXT NOT NULL              -- JSON; '': none
);
CREATE INDEX calls_client ON calls(client, id);
CREATE INDEX calls_source ON calls(source, id);
CREATE INDEX calls_tool ON calls(tool, id);
CREATE INDEX calls_effect ON calls(effect, id);
CREATE INDEX calls_outcome ON calls(outcome, id);
CREATE TABLE call_targets (
	name TEXT NOT NULL,
	call INTEGER NOT NULL,
	PRIMARY KEY (name, call)
) WITHOUT ROWID;
CREATE INDEX call_targets_call ON call_targets(call);
