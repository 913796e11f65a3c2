-- parityd's database, schema 32: the words of docs/glossary.md.

-- A CHECK constraint can only be replaced in the schema's own text; what is stored stays valid:
-- https://www.sqlite.org/lang_altertable.html#otheralter
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''gating''', '''confirming''') WHERE type = 'table' AND name = 'programs';
PRAGMA writable_schema = RESET;

ALTER TABLE programs RENAME COLUMN gate_hits TO confirmation_hits;
ALTER TABLE programs RENAME COLUMN gate_rounds TO confirmation_rounds;
ALTER TABLE findings RENAME COLUMN reach TO "trigger";

UPDATE programs SET state = 'confirming' WHERE state = 'gating';
DELETE FROM chain_tally WHERE state = 'gating';
UPDATE programs SET origin = 'residual' WHERE origin = 'rest';
UPDATE examinations SET purpose = CASE purpose
  WHEN 'gate' THEN 'confirmation'
  WHEN 'final_gate' THEN 'final_confirmation'
  WHEN 'closer' THEN 'controls'
  WHEN 'beyond' THEN 'masked'
  WHEN 'rest' THEN 'residual'
  WHEN 'ladder' THEN 'stages'
  WHEN 'reach' THEN 'trigger' END
WHERE purpose IN ('gate', 'final_gate', 'closer', 'beyond', 'rest', 'ladder', 'reach');
UPDATE worker_seconds SET occupation = 'confirmation' WHERE occupation = 'gate';
