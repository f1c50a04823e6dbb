-- A search reads all that was written and is not in the index yet. By default this is up
-- to 4 MB, more than all texts of a wiki of 10,000 cards: there every search read the
-- whole table instead. The bound is the least that PostgreSQL takes, 64 KB.
ALTER INDEX card_words SET (gin_pending_list_limit = 64);
ALTER INDEX card_content SET (gin_pending_list_limit = 64);
SELECT gin_clean_pending_list('card_words'), gin_clean_pending_list('card_content');
