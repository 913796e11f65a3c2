-- parityd's database: what PyTorch's debugging tools told of findings.

CREATE TABLE blobs (  -- texts by what they hold: the same text is kept once
  hash TEXT PRIMARY KEY,        -- 32 hex digits of xxh3 over text
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE inspections (  -- one run of a tool; the newest of a tool is shown
  id INTEGER PRIMARY KEY,
  finding INTEGER NOT NULL REFERENCES findings (id),
  tool TEXT NOT NULL,
  blob TEXT NOT NULL REFERENCES blobs (hash),
  torch TEXT NOT NULL,
  device TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX inspections_finding ON inspections (finding, tool, id);

CREATE VIEW v_inspections AS
SELECT i.finding, i.tool, i.torch, i.device, length(b.text) AS characters, i.blob,
  datetime(i.at / 1000, 'unixepoch') AS run_utc
FROM inspections i
JOIN blobs b ON b.hash = i.blob;
