-- parityd's database, schema 16: what invalid programs were asked to be mended for, and what came of it.

CREATE TABLE repairs (  -- one invalid program whose repair was asked for, or not
  program INTEGER PRIMARY KEY REFERENCES programs (id),
  class TEXT NOT NULL,   -- of its error: prompts/error_class.h
  round INTEGER NOT NULL,  -- 1 for a first program's
  result TEXT NOT NULL CHECK (result IN
    ('asked', 'program', 'lost_operators', 'duplicate', 'no_program', 'failed', 'declined')),
  at INTEGER NOT NULL    -- Unix milliseconds
) STRICT;
CREATE INDEX repairs_at ON repairs (at);
CREATE INDEX programs_parent ON programs (parent) WHERE parent IS NOT NULL;

CREATE VIEW v_repairs AS  -- each repair with the program that answers it
SELECT r.program, r.class, r.round, r.result, c.id AS answer, coalesce(c.valid, 0) AS valid,
  c.id IS NOT NULL AND c.valid = 0 AND c.error_key <> '' AND c.error_key = p.error_key AS same_error,
  datetime(r.at / 1000, 'unixepoch') AS at_utc
FROM repairs r JOIN programs p ON p.id = r.program
LEFT JOIN programs c ON c.parent = r.program AND c.round = r.round;
