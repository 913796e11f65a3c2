-- parityd's database, schema 3: which side is wrong, how ordinary a finding is, and what inputs held.

ALTER TABLE findings ADD COLUMN side TEXT NOT NULL DEFAULT 'unknown';     -- compiled, eager, unknown
ALTER TABLE examinations ADD COLUMN inputs TEXT NOT NULL DEFAULT '{}';    -- JSON: what is unusual about its inputs

-- Worth reading first: ready, then what ordinary inputs show, then severity.
DROP INDEX findings_order;
CREATE INDEX findings_order ON findings (
  disposition <> 'ready',
  CASE reach WHEN 'ordinary' THEN 0 WHEN 'unknown' THEN 1 WHEN 'config' THEN 2 ELSE 3 END,
  severity, id);

DROP VIEW v_findings;
CREATE VIEW v_findings AS  -- findings, the ones worth reading first on top
SELECT f.id, f.kind, f.stage, f.status, f.disposition, f.severity, f.reach, f.side, f.occurrences, f.title, f.torch,
  f.device, f.hits || ' of ' || f.rounds AS confirmed, f.next_step, f.why,
  datetime(f.created_at / 1000, 'unixepoch') AS created_utc
FROM findings f
ORDER BY f.disposition <> 'ready',
  CASE f.reach WHEN 'ordinary' THEN 0 WHEN 'unknown' THEN 1 WHEN 'config' THEN 2 ELSE 3 END, f.severity, f.id;
