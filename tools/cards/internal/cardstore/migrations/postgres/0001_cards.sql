-- A card is a live or trashed card. key is its whole name's key; words is the part
-- of its name that a search by name looks at. class_id says who may read it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE TABLE card (
    id         BIGINT  PRIMARY KEY,
    position   BIGINT  NOT NULL,
    key        TEXT    COLLATE "C" NOT NULL UNIQUE,
    name       TEXT    NOT NULL,
    words      TEXT    NOT NULL,
    left_id    BIGINT,
    right_id   BIGINT,
    type_id    BIGINT  NOT NULL,
    codename   TEXT,
    content    TEXT    NOT NULL,
    class_id   BIGINT  NOT NULL,
    trash      INTEGER NOT NULL DEFAULT 0,
    created_at BIGINT  NOT NULL,
    updated_at BIGINT  NOT NULL,
    updater    TEXT    NOT NULL,
    act_id     BIGINT  NOT NULL
);
CREATE INDEX card_position ON card (trash, position);
CREATE INDEX card_updated ON card (trash, updated_at);
CREATE INDEX card_left ON card (left_id, position);
CREATE INDEX card_right ON card (right_id);
CREATE INDEX card_type ON card (type_id, position);

-- Substrings of names and contents, by threes of characters.
CREATE INDEX card_words ON card USING gin (words gin_trgm_ops);
CREATE INDEX card_content ON card USING gin (content gin_trgm_ops);

-- A class is a set of people: those who are in one of the groups of every clause.
CREATE TABLE class (
    id      BIGINT PRIMARY KEY,
    clauses TEXT   NOT NULL UNIQUE
);

-- A reference is a name in the content of a card, whether or not a card has it.
CREATE TABLE reference (
    referer_id BIGINT NOT NULL,
    kind       TEXT   NOT NULL,
    key        TEXT   COLLATE "C" NOT NULL,
    PRIMARY KEY (referer_id, kind, key)
);
CREATE INDEX reference_key ON reference (key);

-- A revision is a card as an act left it.
CREATE TABLE revision (
    card_id  BIGINT NOT NULL,
    position BIGINT NOT NULL,
    act_id   BIGINT NOT NULL,
    action   TEXT   NOT NULL,
    actor    TEXT   NOT NULL,
    acted_at BIGINT NOT NULL,
    changes  TEXT   NOT NULL,
    name     TEXT   NOT NULL,
    type_id  BIGINT NOT NULL,
    content  TEXT   NOT NULL,
    class_id BIGINT NOT NULL,
    PRIMARY KEY (card_id, position)
);
CREATE INDEX revision_act ON revision (act_id);
