-- parityd's database: what people decided about findings.

CREATE TABLE triage (  -- one decision a row; the newest holds
  id INTEGER PRIMARY KEY,
  finding INTEGER NOT NULL REFERENCES findings (id),
  status TEXT NOT NULL,
  issue TEXT NOT NULL,    -- address of the issue it was filed as or is known as; may be empty
  note TEXT NOT NULL,
  checked TEXT NOT NULL,  -- what the person checked, for the draft
  who TEXT NOT NULL,
  at INTEGER NOT NULL     -- Unix milliseconds
) STRICT;
CREATE INDEX triage_finding ON triage (finding, id);
