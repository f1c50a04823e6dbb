CREATE TABLE signing_key (
    kid        TEXT    PRIMARY KEY,
    private    TEXT    NOT NULL, -- PKCS #8, PEM
    made_at    BIGINT NOT NULL,
    signs_from BIGINT NOT NULL,
    known_to   BIGINT NOT NULL  -- after this nobody accepts it; 0: it is the youngest
);
CREATE TABLE api_key (
    id         BIGINT PRIMARY KEY,
    name       TEXT    NOT NULL,
    prefix     TEXT    NOT NULL,
    digest     TEXT    NOT NULL UNIQUE, -- SHA-256 of the key
    roles      TEXT    NOT NULL,
    rate_limit BIGINT NOT NULL, -- requests an hour
    active     BIGINT NOT NULL,
    made_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL, -- 0: never
    contact    TEXT    NOT NULL,
    about      TEXT    NOT NULL
);
CREATE TABLE account (
    name     TEXT    PRIMARY KEY, -- of its card
    email    TEXT    NOT NULL UNIQUE,
    password TEXT    NOT NULL, -- bcrypt; '': no login by password
    role     TEXT    NOT NULL,
    active   BIGINT NOT NULL
);
CREATE TABLE revoked (
    subject TEXT    PRIMARY KEY, -- a subject or the jti of a token
    before  BIGINT NOT NULL     -- tokens that were issued until then
);
