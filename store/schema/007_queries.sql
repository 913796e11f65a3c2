-- parityd's database, schema 7: findings by operator and dtype, groups made by hand, what changed.

CREATE TABLE finding_operators (  -- aten operators of the graph captured where a finding was first shown
  finding INTEGER NOT NULL REFERENCES findings (id),
  name TEXT NOT NULL,           -- whole: aten.max.dim
  operator TEXT NOT NULL GENERATED ALWAYS AS (  -- without library and overload: max
    CASE WHEN name GLOB 'aten.*' OR name GLOB 'prims.*'
      THEN substr(substr(name, instr(name, '.') + 1), 1, instr(substr(name, instr(name, '.') + 1) || '.', '.') - 1)
      ELSE name END) STORED,
  PRIMARY KEY (finding, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX finding_operators_operator ON finding_operators (operator, finding);
CREATE INDEX finding_operators_name ON finding_operators (name, finding);

CREATE TABLE finding_dtypes (  -- of the leaves that differ, and those the program names
  finding INTEGER NOT NULL REFERENCES findings (id),
  dtype TEXT NOT NULL,
  PRIMARY KEY (finding, dtype)
) STRICT, WITHOUT ROWID;
CREATE INDEX finding_dtypes_dtype ON finding_dtypes (dtype, finding);

INSERT OR IGNORE INTO finding_operators (finding, name)
SELECT f.id, o.value FROM findings f
JOIN examinations e ON e.program = f.program AND e.purpose = 'gate'
JOIN runs r ON r.examination = e.id AND r.mode = e.compiled, json_each(r.facts, '$.operators') o;
INSERT OR IGNORE INTO finding_dtypes (finding, dtype)
SELECT f.id, l.dtype FROM findings f
JOIN examinations e ON e.program = f.program AND e.purpose = 'gate'
JOIN measurements m ON m.examination = e.id AND m.expected = 'eager' AND m.actual = e.compiled
JOIN measured_leaves l ON l.measurement = m.id AND l.detail <> '';

-- ---- Groups made by hand. A finding merged into another keeps its row, its occurrences and their reasons; what is
-- counted and listed follows `head`.

ALTER TABLE findings ADD COLUMN merged_into INTEGER REFERENCES findings (id);  -- null: it stands for itself
ALTER TABLE findings ADD COLUMN head INTEGER REFERENCES findings (id);         -- derived: the last along merged_into
ALTER TABLE findings ADD COLUMN alarm TEXT NOT NULL DEFAULT '';  -- why it may hold more than one cause; empty: it does not
ALTER TABLE occurrences ADD COLUMN blamed_pass TEXT NOT NULL DEFAULT '';       -- of the compiler; empty: not asked
ALTER TABLE occurrences ADD COLUMN moved_to INTEGER REFERENCES findings (id);  -- split off by hand: counts there now
CREATE INDEX findings_merged ON findings (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX findings_head ON findings (head) WHERE head IS NOT NULL;

CREATE TABLE grouping_changes (  -- who merged or split what, when and why; undone ones stay
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  note TEXT NOT NULL,
  what TEXT NOT NULL CHECK (what IN ('merge', 'split')),
  finding INTEGER NOT NULL REFERENCES findings (id),  -- merge: the one that goes; split: the one that is divided
  other INTEGER NOT NULL REFERENCES findings (id),    -- merge: the one that stays; split: the new one
  undone_at INTEGER,
  undone_by TEXT
) STRICT;
CREATE INDEX grouping_changes_finding ON grouping_changes (finding);
CREATE INDEX grouping_changes_other ON grouping_changes (other);

CREATE TABLE status_changes (  -- kept by a trigger, whoever changes it
  finding INTEGER NOT NULL REFERENCES findings (id),
  at INTEGER NOT NULL,
  was TEXT NOT NULL,
  became TEXT NOT NULL
) STRICT;
CREATE INDEX status_changes_at ON status_changes (at);
CREATE TRIGGER findings_status AFTER UPDATE OF status ON findings WHEN new.status <> old.status BEGIN
  INSERT INTO status_changes VALUES (new.id, unixepoch() * 1000, old.status, new.status);
END;

DROP TRIGGER occurrences_count;
CREATE TRIGGER occurrences_count AFTER INSERT ON occurrences BEGIN
  UPDATE findings SET occurrences = occurrences + 1 WHERE id = new.finding;
  -- A program that shows two findings of one group counts once.
  UPDATE findings SET occurrences = occurrences + 1
  WHERE id = (SELECT head FROM findings WHERE id = new.finding) AND NOT EXISTS (
    SELECT 1 FROM occurrences o JOIN findings f ON f.id = o.finding
    WHERE o.program = new.program AND o.finding <> new.finding AND o.moved_to IS NULL
      AND coalesce(f.head, f.id) = (SELECT head FROM findings WHERE id = new.finding));
END;

-- ---- Order and counts leave merged findings out.

DROP INDEX findings_order;
CREATE INDEX findings_order ON findings (
  disposition <> 'ready',
  CASE reach WHEN 'ordinary' THEN 0 WHEN 'unknown' THEN 1 WHEN 'config' THEN 2 ELSE 3 END,
  severity, id) WHERE merged_into IS NULL;
DROP INDEX findings_counts;
CREATE INDEX findings_counts ON findings (created_at, disposition, occurrences) WHERE merged_into IS NULL;
CREATE INDEX findings_queue ON findings (id) WHERE status = 'new' AND disposition = 'ready' AND merged_into IS NULL;

-- ---- Views: docs/database.md has an example of each.

DROP VIEW v_findings;
CREATE VIEW v_findings AS  -- findings, the ones worth reading first on top; not those merged into another
SELECT f.id, f.kind, f.stage, f.status, f.disposition, f.severity, f.reach, f.side, f.occurrences,
  (SELECT group_concat(operator, ', ') FROM (SELECT DISTINCT operator FROM finding_operators WHERE finding = f.id))
    AS operators,
  (SELECT group_concat(dtype, ', ') FROM finding_dtypes WHERE finding = f.id) AS dtypes,
  f.title, f.torch, f.device, f.hits || ' of ' || f.rounds AS confirmed, f.alarm, f.next_step, f.why,
  datetime(f.created_at / 1000, 'unixepoch') AS created_utc
FROM findings f
WHERE f.merged_into IS NULL
ORDER BY f.disposition <> 'ready',
  CASE f.reach WHEN 'ordinary' THEN 0 WHEN 'unknown' THEN 1 WHEN 'config' THEN 2 ELSE 3 END, f.severity, f.id;

CREATE VIEW v_occurrences AS  -- which program shows which finding, and why it is the same one
SELECT coalesce(f.head, f.id) AS finding, o.program, p.origin, p.strategy, o.why, o.blamed_pass,
  nullif(o.finding, coalesce(f.head, f.id)) AS merged_from, datetime(o.at / 1000, 'unixepoch') AS seen_utc
FROM occurrences o
JOIN findings f ON f.id = o.finding
JOIN programs p ON p.id = o.program
WHERE o.moved_to IS NULL;

CREATE VIEW v_verdicts AS  -- first programs by what became of them
SELECT c.state, nullif(c.verdict, '') AS verdict, p.kind, p.origin, count(*) AS programs
FROM chains c
JOIN programs p ON p.id = c.last
GROUP BY 1, 2, 3, 4;

CREATE VIEW v_replies AS  -- what replies cost, by day (UTC), provider and strategy
SELECT date(reserved_at / 1000, 'unixepoch') AS day, provider, model, strategy, count(*) AS replies,
  sum(state IN ('failed', 'unknown')) AS failed, sum(prompt_tokens) AS prompt_tokens,
  sum(completion_tokens) AS completion_tokens, sum(charged_nano_dollars) / 1e9 AS dollars
FROM replies
GROUP BY 1, 2, 3, 4;

CREATE VIEW v_events AS  -- the daemon's own log
SELECT e.id, datetime(e.at / 1000, 'unixepoch') AS at_utc, e.level, e.what, e.text
FROM events e;

CREATE VIEW v_changes AS  -- what happened to findings, and what people asked for: who, when, why
SELECT datetime(at / 1000, 'unixepoch') AS at_utc, finding, what, who, text FROM (
  SELECT created_at AS at, id AS finding, 'found' AS what, 'parityd' AS who, title AS text FROM findings
  UNION ALL
  SELECT at, finding, what, who, 'with finding ' || other || iif(note = '', '', ': ' || note) FROM grouping_changes
  UNION ALL
  SELECT undone_at, finding, what || ' undone', undone_by, 'with finding ' || other
  FROM grouping_changes WHERE undone_at IS NOT NULL
  UNION ALL
  SELECT at, finding, 'status', '', was || ' became ' || became FROM status_changes
  UNION ALL
  SELECT at, NULL, what, 'parityd', text FROM events WHERE level <> 'info'
  UNION ALL
  SELECT created_at, NULL, command, who, coalesce(result, 'waiting') FROM requests
);
