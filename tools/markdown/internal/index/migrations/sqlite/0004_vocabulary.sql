-- The words of all pages, with how many pages have each: a view of the table words, which takes no room.
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
