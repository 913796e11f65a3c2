-- parityd's database, schema 28: a reading goes on with what came of its programs.

ALTER TABLE readings ADD COLUMN follows INTEGER REFERENCES replies (id);  -- whose outcomes were told; NULL: nothing was
ALTER TABLE readings ADD COLUMN round INTEGER NOT NULL DEFAULT 0;         -- of the conversation: 0, then 1, 2, …
CREATE INDEX readings_follows ON readings (follows) WHERE follows IS NOT NULL;

DROP VIEW v_readings;
CREATE VIEW v_readings AS  -- what each reading brought; repairs count for their first program, failed requests not
SELECT g.id, g.kind, g.chapter, g.torch, g.torch_before, g.reply, g.follows, g.round,
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
