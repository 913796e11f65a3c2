-- parityd's database, schema 9: what makes a finding vanish.

CREATE TABLE attributions (  -- the search over neutralisers for what a program was reduced to
  program INTEGER PRIMARY KEY REFERENCES programs (id),
  neutraliser TEXT NOT NULL,  -- one line that reads back; empty: none was found
  words TEXT NOT NULL,        -- the same for people
  workaround TEXT NOT NULL,   -- Python that a user could write; empty: none
  caveat TEXT NOT NULL,       -- of the workaround
  why TEXT NOT NULL,
  ablations TEXT NOT NULL,    -- JSON: [{"words", "answer"}], in the order of their answers
  runs INTEGER NOT NULL,
  seconds REAL NOT NULL,      -- of worker time
  at INTEGER NOT NULL
) STRICT;

ALTER TABLE findings ADD COLUMN neutraliser TEXT NOT NULL DEFAULT '';
ALTER TABLE findings ADD COLUMN workaround TEXT NOT NULL DEFAULT '';
