-- The person's approval that let the call through; '': nobody was asked.
ALTER TABLE calls ADD COLUMN approval TEXT NOT NULL DEFAULT '';
