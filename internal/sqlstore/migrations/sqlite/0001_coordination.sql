CREATE TABLE sqlstore_leases (
	name    TEXT PRIMARY KEY,
	owner   TEXT NOT NULL,
	token   INTEGER NOT NULL,
	expires INTEGER NOT NULL             -- Unix, ns, as all times
) WITHOUT ROWID;
CREATE TABLE sqlstore_idempotency (
	scope   TEXT NOT NULL,
	key     TEXT NOT NULL,
	digest  BLOB NOT NULL,
	answer  BLOB,
	expires INTEGER NOT NULL,
	PRIMARY KEY (scope, key)
);
CREATE INDEX sqlstore_idempotency_expires ON sqlstore_idempotency(expires);
CREATE TABLE sqlstore_rates (
	name    TEXT PRIMARY KEY,
	begins  INTEGER NOT NULL,
	expires INTEGER NOT NULL,
	taken   INTEGER NOT NULL
) WITHOUT ROWID;
