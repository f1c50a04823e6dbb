-- Each revision names the one before, so the history of a note is found by their ids. The index by note costs each
-- save a page.
DROP INDEX revisions_note;
