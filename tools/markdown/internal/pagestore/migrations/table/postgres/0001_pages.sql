CREATE SEQUENCE pages_version;

-- content is the page: title and front_matter are read from it. version grows with
-- every change of any page and never repeats, also when a page is deleted and made
-- again, so that a change WHERE version = … finds nothing that was changed since.
CREATE TABLE pages (
	tenant       TEXT NOT NULL,
	id           TEXT NOT NULL,
	path         TEXT NOT NULL,
	title        TEXT NOT NULL DEFAULT '',
	front_matter JSONB NOT NULL DEFAULT '{}',
	content      TEXT NOT NULL,
	version      BIGINT NOT NULL DEFAULT 0,
	updated_at   TIMESTAMPTZ NOT NULL DEFAULT now(),
	PRIMARY KEY (tenant, id),
	UNIQUE (tenant, path)
);

-- A row for each change. A reader that goes by number would miss what commits late;
-- by xid it knows which transactions have ended.
CREATE TABLE pages_outbox (
	number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	tenant TEXT NOT NULL,
	page   TEXT NOT NULL,
	xid    XID8 NOT NULL DEFAULT pg_current_xact_id(),
	at     TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX pages_outbox_xid ON pages_outbox (tenant, xid);

-- Tells one database from another that has the same address.
CREATE TABLE pages_database (id UUID NOT NULL DEFAULT gen_random_uuid());
INSERT INTO pages_database DEFAULT VALUES;

-- Who writes pages needs no right to write the outbox.
CREATE FUNCTION pages_stamp() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
	NEW.version := nextval('pages_version');
	NEW.updated_at := now();
	RETURN NEW;
END $$;

CREATE FUNCTION pages_record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_OP <> 'INSERT' THEN
		INSERT INTO pages_outbox (tenant, page) VALUES (OLD.tenant, OLD.id);
	END IF;
	IF TG_OP = 'INSERT' THEN
		INSERT INTO pages_outbox (tenant, page) VALUES (NEW.tenant, NEW.id);
	ELSIF TG_OP = 'UPDATE' THEN
		IF (NEW.tenant, NEW.id) <> (OLD.tenant, OLD.id) THEN
			INSERT INTO pages_outbox (tenant, page) VALUES (NEW.tenant, NEW.id);
		END IF;
	END IF;
	RETURN NULL;
END $$;

-- Once for a statement and with nothing in it: notifications of a transaction that
-- are equal are sent once.
CREATE FUNCTION pages_announce() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('pages', '');
	RETURN NULL;
END $$;

CREATE TRIGGER pages_stamp BEFORE INSERT OR UPDATE ON pages FOR EACH ROW EXECUTE FUNCTION pages_stamp();
CREATE TRIGGER pages_record AFTER INSERT OR UPDATE OR DELETE ON pages FOR EACH ROW EXECUTE FUNCTION pages_record();
CREATE TRIGGER pages_announce AFTER INSERT OR UPDATE OR DELETE ON pages FOR EACH STATEMENT EXECUTE FUNCTION pages_announce();

-- Everybody but a superuser sees the rows of one tenant: the one that the connection
-- names, or those without a tenant.
ALTER TABLE pages ENABLE ROW LEVEL SECURITY;
ALTER TABLE pages FORCE ROW LEVEL SECURITY;
ALTER TABLE pages_outbox ENABLE ROW LEVEL SECURITY;
CREATE POLICY pages_tenant ON pages USING (tenant = coalesce(current_setting('lectern.tenant', true), ''));
CREATE POLICY pages_outbox_tenant ON pages_outbox USING (tenant = coalesce(current_setting('lectern.tenant', true), ''));
