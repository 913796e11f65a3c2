-- parityd's database, schema 23: a decision does not wait behind a million programs to import.

CREATE INDEX requests_decisions ON requests (id) WHERE result IS NULL AND command <> 'import';
