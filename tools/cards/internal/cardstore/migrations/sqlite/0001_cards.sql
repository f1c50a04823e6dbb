-- A card is a live or trashed card. key is its whole name's key; words is the part
-- of its name that a search by name looks at. class_id says who may read it.
CREATE TABLE card (
    id         INTEGER PRIMARY KEY,
    position   INTEGER NOT NULL,
    key        TEXT    NOT NULL UNIQUE,
    name       TEXT    NOT NULL,
    words      TEXT    NOT NULL,
    left_id    INTEGER,
    right_id   INTEGER,
    type_id    INTEGER NOT NULL,
    codename   TEXT,
    content    TEXT    NOT NULL,
    class_id   INTEGER NOT NULL,
    trash      INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    updater    TEXT    NOT NULL,
    act_id     INTEGER NOT NULL
);
CREATE INDEX card_position ON card (trash, position);
CREATE INDEX card_updated ON card (trash, updated_at);
CREATE INDEX card_left ON card (left_id, position);
CREATE INDEX card_right ON card (right_id);
CREATE INDEX card_type ON card (type_id, position);

-- Substrings of names and contents, by threes of characters.
CREATE VIRTUAL TABLE card_text USING fts5 (words, content, content = 'card', content_rowid = 'id', tokenize = 'trigram');
CREATE TRIGGER card_text_insert AFTER INSERT ON card BEGIN
    INSERT INTO card_text (rowid, words, content) VALUES (new.id, new.words, new.content);
END;
CREATE TRIGGER card_text_delete AFTER DELETE ON card BEGIN
    INSERT INTO card_text (card_text, rowid, words, content) VALUES ('delete', old.id, old.words, old.content);
END;
CREATE TRIGGER card_text_update AFTER UPDATE OF words, content ON card BEGIN
    INSERT INTO card_text (card_text, rowid, words, content) VALUES ('delete', old.id, old.words, old.content);
    INSERT INTO card_text (rowid, words, content) VALUES (new.id, new.words, new.content);
END;

-- A class is a set of people: those who are in one of the groups of every clause.
CREATE TABLE class (
    id      INTEGER PRIMARY KEY,
    clauses TEXT NOT NULL UNIQUE
);

-- A reference is a name in the content of a card, whether or not a card has it.
CREATE TABLE reference (
    referer_id INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    PRIMARY KEY (referer_id, kind, key)
) WITHOUT ROWID;
CREATE INDEX reference_key ON reference (key);

-- A revision is a card as an act left it.
CREATE TABLE revision (
    card_id  INTEGER NOT NULL,
    position INTEGER NOT NULL,
    act_id   INTEGER NOT NULL,
    action   TEXT    NOT NULL,
    actor    TEXT    NOT NULL,
    acted_at INTEGER NOT NULL,
    changes  TEXT    NOT NULL,
    name     TEXT    NOT NULL,
    type_id  INTEGER NOT NULL,
    content  TEXT    NOT NULL,
    class_id INTEGER NOT NULL,
    PRIMARY KEY (card_id, position)
) WITHOUT ROWID;
CREATE INDEX revision_act ON revision (act_id);
