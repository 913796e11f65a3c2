-- parityd's database, schema 10: how far a finding reaches.

CREATE TABLE extents (  -- the sweep over variants of what a program was reduced to
  program INTEGER PRIMARY KEY REFERENCES programs (id),
  sentence TEXT NOT NULL,  -- empty: nothing could be told
  tried TEXT NOT NULL,     -- JSON: [{"aspect", "value", "unit", "shows"}], shows null where it cannot be told
  runs INTEGER NOT NULL,
  seconds REAL NOT NULL,   -- of worker time
  at INTEGER NOT NULL
) STRICT;

ALTER TABLE findings ADD COLUMN extent TEXT NOT NULL DEFAULT '';
