-- plain is the content without tags, with its entities decoded, and folded; title is the
-- whole name, folded. NULL: the store fills it when it is opened.
ALTER TABLE card ADD COLUMN plain TEXT;
ALTER TABLE card ADD COLUMN title TEXT;
DROP INDEX card_content;
CREATE INDEX card_plain ON card USING gin (plain gin_trgm_ops) WITH (gin_pending_list_limit = 64);
