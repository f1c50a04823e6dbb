-- A job is a request that is carried out after its answer.
CREATE TABLE job (
    id       INTEGER PRIMARY KEY,
    subject  TEXT    NOT NULL, -- who asked, and may see it
    state    TEXT    NOT NULL, -- queued, running, completed or failed
    done     INTEGER NOT NULL, -- terms that were looked for
    total    INTEGER NOT NULL,
    answer   TEXT    NOT NULL, -- JSON, of a job that is completed
    error    TEXT    NOT NULL, -- of a job that failed
    made_at  INTEGER NOT NULL,
    seen_at  INTEGER NOT NULL  -- when the hub that runs it last said so
);
