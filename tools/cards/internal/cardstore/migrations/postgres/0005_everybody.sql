-- A class without clauses was everybody. It is named, so that a rule which names nobody,
-- or a text that is lost, lets in nobody.
UPDATE class SET clauses = 'anyone' WHERE clauses = '';
