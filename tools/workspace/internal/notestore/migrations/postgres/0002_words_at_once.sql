-- By default the words of new notes wait in a list of up to 4 MB. Every search reads it, and the planner
-- rather reads the words of all notes, a hundred times as long.
ALTER INDEX notes_words SET (fastupdate = off);
SELECT gin_clean_pending_list('notes_words');
