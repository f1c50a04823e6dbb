CREATE TABLE sqlstore_leases (
	name    TEXT PRIMARY KEY,
	owner   TEXT NOT NULL,
	token   BIGINT NOT NULL,
	expires BIGINT NOT NULL             -- Unix, ns, as all times
);
CREATE TABLE sqlstore_idempotency (
	scope   TEXT NOT NULL,
	key     TEXT NOT NULL,
	digest  BYTEA NOT NULL,
	answer  BYTEA,
	expires BIGINT NOT NULL,
	PRIMARY KEY (scope, key)
);
CREATE INDEX sqlstore_idempotency_expires ON sqlstore_idempotency(expires);
CREATE TABLE sqlstore_rates (
	name    TEXT PRIMARY KEY,
	begins  BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	taken   BIGINT NOT NULL
);
