-- MergeIndex merges parts of about one size from two on, where SQLite would wait for
-- four. (PostgreSQL changes its indexes here.)
INSERT INTO card_text (card_text, rank) VALUES ('usermerge', 2);
