-- What a start compares with the files, without what lists and links need of each page: that is most of the table.
CREATE INDEX stamps_of_pages ON pages (file, size, modified, recent);
