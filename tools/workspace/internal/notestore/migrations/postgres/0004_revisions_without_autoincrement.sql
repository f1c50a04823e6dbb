-- Only SQLite has it.
SELECT 1;
