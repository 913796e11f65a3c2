-- parityd's database, schema 26: how many programs showed a feature is no longer counted. Nobody read it, and each program
-- wrote a hundred rows for it.

ALTER TABLE features DROP COLUMN programs;
