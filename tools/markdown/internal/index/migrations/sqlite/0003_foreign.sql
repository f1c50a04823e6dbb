-- Pages that are not UTF-8, which moves count.
CREATE INDEX foreign_pages ON pages (file) WHERE instr(head, '"foreign":true') > 0;
