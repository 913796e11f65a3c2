-- parityd's database, schema 27: the sources of the torches under test, and what a model was given of them to read.

CREATE TABLE source_torches (  -- each torch whose sources were read
  id INTEGER PRIMARY KEY,
  torch TEXT NOT NULL UNIQUE,   -- its version
  fingerprint TEXT NOT NULL,    -- of the files that were read; empty: reading them has not ended
  first_at INTEGER NOT NULL,    -- Unix milliseconds
  read_at INTEGER NOT NULL      -- when they were read last
) STRICT;

CREATE TABLE source_texts (  -- by what they hold: most units are the same in many torches
  hash TEXT PRIMARY KEY,        -- 32 hex digits of xxh3 over the text
  characters INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  text BLOB NOT NULL            -- zlib
) STRICT;

CREATE TABLE source_units (  -- functions, methods and registrations
  torch INTEGER NOT NULL REFERENCES source_torches (id),
  file TEXT NOT NULL,           -- relative to the folder of the package
  name TEXT NOT NULL,           -- qualified
  first_line INTEGER NOT NULL,
  area TEXT NOT NULL,           -- lowerings, decompositions, graph passes, …
  text TEXT NOT NULL REFERENCES source_texts (hash),
  code TEXT NOT NULL,           -- hash without comments, docstrings and layout: the same code behaves alike
  facts TEXT NOT NULL,          -- JSON: what registers it, for which operators, what it calls
  trivial INTEGER NOT NULL,
  PRIMARY KEY (torch, file, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX source_units_text ON source_units (text);

CREATE TABLE source_promises (  -- what eager promises of an operator: schemas, signature, docstring
  torch INTEGER NOT NULL REFERENCES source_torches (id),
  operator TEXT NOT NULL,
  promise BLOB NOT NULL,        -- zlib
  PRIMARY KEY (torch, operator)
) STRICT;

CREATE TABLE readings (  -- a chapter given to a model
  id INTEGER PRIMARY KEY,
  reply INTEGER NOT NULL UNIQUE REFERENCES replies (id),
  kind TEXT NOT NULL CHECK (kind IN ('chapter', 'change')),
  chapter TEXT NOT NULL,        -- its key
  torch TEXT NOT NULL,
  torch_before TEXT NOT NULL,   -- of a change; else empty
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX readings_chapter ON readings (chapter, id);

CREATE TABLE reading_units (  -- what stood in it, as it was then
  reading INTEGER NOT NULL REFERENCES readings (id),
  file TEXT NOT NULL,
  name TEXT NOT NULL,
  code TEXT NOT NULL,
  PRIMARY KEY (reading, file, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX reading_units_unit ON reading_units (file, name, code);

CREATE TABLE hypotheses (  -- what a reply says that compiled code does otherwise than eager
  id INTEGER PRIMARY KEY,
  reply INTEGER NOT NULL REFERENCES replies (id),
  place INTEGER NOT NULL,       -- in the reply: 1, 2, …
  text TEXT NOT NULL,
  program INTEGER REFERENCES programs (id),  -- that is to show it; NULL: the reply has none, or it was known already
  UNIQUE (reply, place)
) STRICT;
CREATE INDEX hypotheses_program ON hypotheses (program) WHERE program IS NOT NULL;

CREATE INDEX programs_reply ON programs (reply) WHERE reply IS NOT NULL;

CREATE VIEW v_readings AS  -- what each reading brought; repairs count for their first program, failed requests not
SELECT g.id, g.kind, g.chapter, g.torch, g.torch_before, g.reply,
  (SELECT count(*) FROM hypotheses h WHERE h.reply = g.reply) AS hypotheses,
  (SELECT count(*) FROM programs p WHERE p.reply = g.reply) AS programs,
  (SELECT count(*) FROM programs p JOIN chains c ON c.root = p.root WHERE p.reply = g.reply AND c.valid = 1) AS valid,
  (SELECT count(*) FROM programs p JOIN chains c ON c.root = p.root
    WHERE p.reply = g.reply AND c.verdict = 'inconsistent') AS inconsistent,
  (SELECT count(DISTINCT h.id) FROM programs p JOIN programs r ON r.root = p.root
    JOIN occurrences o ON o.program = r.id JOIN findings f ON f.id = o.finding
    JOIN findings h ON h.id = coalesce(f.head, f.id)
    WHERE p.reply = g.reply AND h.disposition = 'ready') AS ready,
  datetime(g.at / 1000, 'unixepoch') AS at_utc
FROM readings g
JOIN replies y ON y.id = g.reply AND y.state IN ('reserved', 'answered');

CREATE VIEW v_hypotheses AS  -- what was supposed, and what became of it
SELECT h.id, h.reply, g.chapter, h.text, h.program, p.verdict, p.kind, o.finding
FROM hypotheses h
LEFT JOIN readings g ON g.reply = h.reply
LEFT JOIN programs p ON p.id = h.program
LEFT JOIN occurrences o ON o.program = h.program;
