-- plain is the content without tags, with its entities decoded, and folded; title is the
-- whole name, folded. NULL: the store fills it when it is opened.
ALTER TABLE card ADD COLUMN plain TEXT;
ALTER TABLE card ADD COLUMN title TEXT;
DROP TRIGGER card_text_insert;
DROP TRIGGER card_text_delete;
DROP TRIGGER card_text_update;
DROP TABLE card_text;

-- Substrings of names and contents, by threes of characters.
CREATE VIRTUAL TABLE card_text USING fts5 (words, plain, content = 'card', content_rowid = 'id', tokenize = 'trigram');
INSERT INTO card_text (card_text, rank) VALUES ('usermerge', 2);
INSERT INTO card_text (card_text) VALUES ('rebuild');
CREATE TRIGGER card_text_insert AFTER INSERT ON card BEGIN
    INSERT INTO card_text (rowid, words, plain) VALUES (new.id, new.words, new.plain);
END;
CREATE TRIGGER card_text_delete AFTER DELETE ON card BEGIN
    INSERT INTO card_text (card_text, rowid, words, plain) VALUES ('delete', old.id, old.words, old.plain);
END;
CREATE TRIGGER card_text_update AFTER UPDATE OF words, plain ON card BEGIN
    INSERT INTO card_text (card_text, rowid, words, plain) VALUES ('delete', old.id, old.words, old.plain);
    INSERT INTO card_text (rowid, words, plain) VALUES (new.id, new.words, new.plain);
END;
