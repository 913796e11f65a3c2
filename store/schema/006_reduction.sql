-- parityd's database, schema 6: what programs are reduced to, and all signatures by which a finding is known.

CREATE TABLE reductions (  -- the smaller program that shows the same, before the gate has seen it
  program INTEGER PRIMARY KEY REFERENCES programs (id),
  text TEXT NOT NULL,
  options TEXT NOT NULL,               -- JSON
  statements_before INTEGER NOT NULL,  -- of functions that compute
  statements INTEGER NOT NULL,
  lines INTEGER NOT NULL,              -- that are not empty
  trials INTEGER NOT NULL,
  seconds REAL NOT NULL,
  why TEXT NOT NULL,                   -- it ended there
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE failed_trials (  -- texts of a reduction under way that do not show the finding; gone when it has ended
  program INTEGER NOT NULL REFERENCES programs (id),
  text TEXT NOT NULL,
  PRIMARY KEY (program, text)
) STRICT, WITHOUT ROWID;

CREATE TABLE raw_signatures (  -- what whole programs showed, of which a finding turned out to be the cause
  hash TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  finding INTEGER NOT NULL REFERENCES findings (id)
) STRICT, WITHOUT ROWID;
INSERT INTO raw_signatures (hash, text, finding) SELECT signature_hash, signature_text, id FROM findings;

ALTER TABLE findings ADD COLUMN statements_before INTEGER NOT NULL DEFAULT 0;
ALTER TABLE findings ADD COLUMN statements INTEGER NOT NULL DEFAULT 0;
