-- blocks is content without its front matter as the JSON document of a block editor,
-- and blocks_of the SHA-256 of the content that it was made of; NULL: it will be made.
-- blocks_base is the content at the time when somebody changed blocks alone; NULL:
-- nobody has, or it was read back. Only mirrors write blocks_of and blocks_base.
ALTER TABLE pages ADD COLUMN blocks JSONB, ADD COLUMN blocks_of BYTEA, ADD COLUMN blocks_base TEXT;
ALTER TABLE pages ALTER COLUMN content SET DEFAULT '';

CREATE OR REPLACE FUNCTION pages_stamp() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NEW.blocks_of IS NULL THEN
			NEW.blocks_base := CASE WHEN NEW.content = '' AND NEW.blocks IS NOT NULL THEN '' END;
		END IF;
	ELSIF OLD.blocks_base IS NOT NULL AND NEW.blocks_base IS NULL THEN
		NULL; -- a mirror has read the blocks back
	ELSIF NEW.blocks_of IS DISTINCT FROM OLD.blocks_of THEN
		IF (NEW.tenant, NEW.id, NEW.path, NEW.title, NEW.front_matter, NEW.content) IS NOT DISTINCT FROM
			(OLD.tenant, OLD.id, OLD.path, OLD.title, OLD.front_matter, OLD.content) THEN
			RETURN NEW; -- a mirror has made the blocks: the page is the same
		END IF;
	ELSIF NEW.content <> OLD.content THEN
		NEW.blocks_of := NULL;
		IF NEW.blocks IS DISTINCT FROM OLD.blocks THEN
			NEW.blocks_base := NULL;
		ELSIF OLD.blocks_base IS NULL THEN
			NEW.blocks := NULL; -- who edited old blocks would undo the change of content
		END IF;
	ELSIF NEW.blocks IS NULL AND OLD.blocks IS NOT NULL THEN
		NEW.blocks_of := NULL;
		NEW.blocks_base := NULL;
	ELSIF NEW.blocks IS DISTINCT FROM OLD.blocks AND OLD.blocks_base IS NULL THEN
		NEW.blocks_base := OLD.content;
	END IF;
	NEW.version := nextval('pages_version');
	NEW.updated_at := now();
	RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION pages_record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_OP = 'UPDATE' THEN
		IF NEW.version = OLD.version THEN
			RETURN NULL;
		END IF;
	END IF;
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
