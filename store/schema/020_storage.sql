-- parityd's database, schema 20: what is shown is what was written, and what may be forgotten.

ALTER TABLE blobs ADD COLUMN made_at INTEGER NOT NULL DEFAULT 0;  -- Unix milliseconds; 0: before schema 20
CREATE INDEX inspections_blob ON inspections (blob);

-- 32 hex digits of xxh3 over title, body, repro and the finding's reduced program; empty: before schema 20.
ALTER TABLE drafts ADD COLUMN hash TEXT NOT NULL DEFAULT '';
