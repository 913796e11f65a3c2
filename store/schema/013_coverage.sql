-- parityd's database, schema 13: what the compiler said it did, and which program made it do so first.

CREATE TABLE features (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,  -- 'lowering:aten.amax.default', 'counter:inductor.extern_calls#2'
  kind TEXT NOT NULL,         -- what stands before the colon
  listed INTEGER NOT NULL,    -- 1: some torch lists it among what it can do, reached or not
  first_program INTEGER REFERENCES programs (id),  -- NULL: never reached
  first_at INTEGER,           -- Unix milliseconds
  programs INTEGER NOT NULL   -- how many showed it
) STRICT;
CREATE INDEX features_kind ON features (kind, name);
CREATE INDEX features_first ON features (first_program);

ALTER TABLE programs ADD COLUMN new_features INTEGER NOT NULL DEFAULT 0;  -- features that no earlier program showed
CREATE INDEX programs_new_features ON programs (id) WHERE new_features > 0;

CREATE VIEW v_coverage AS  -- how much of what the compiler can do was reached
SELECT kind, count(first_program) AS reached, sum(listed) AS listed,
  count(first_program) FILTER (WHERE listed = 1) AS reached_of_listed
FROM features
GROUP BY kind;
