-- What headings, tasks and tags of a page are is read otherwise than before, so every page
-- is read again, as one that was just modified.
UPDATE pages SET recent = 1;
