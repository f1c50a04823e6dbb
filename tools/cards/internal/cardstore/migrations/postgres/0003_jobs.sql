-- A job is a request that is carried out after its answer.
CREATE TABLE job (
    id       BIGINT PRIMARY KEY,
    subject  TEXT    NOT NULL, -- who asked, and may see it
    state    TEXT    NOT NULL, -- queued, running, completed or failed
    done     BIGINT NOT NULL, -- terms that were looked for
    total    BIGINT NOT NULL,
    answer   TEXT    NOT NULL, -- JSON, of a job that is completed
    error    TEXT    NOT NULL, -- of a job that failed
    made_at  BIGINT NOT NULL,
    seen_at  BIGINT NOT NULL  -- when the hub that runs it last said so
);
