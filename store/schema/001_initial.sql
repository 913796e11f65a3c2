-- parityd's database, schema 1. Times are Unix milliseconds, money is in nano-dollars, JSON is text.
-- One daemon writes; `requests` is the one table other processes insert into. The tables below "Derived" are kept by
-- triggers so that counts cost the same with ten programs or a million; the views at the end are what queries by hand
-- should use.

-- ---- Facts

CREATE TABLE state_values (  -- the daemon's own small state
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE environments (  -- what programs ran on
  id INTEGER PRIMARY KEY,
  torch TEXT NOT NULL,
  python TEXT NOT NULL,
  device TEXT NOT NULL,       -- cpu, cuda
  device_name TEXT NOT NULL,
  sandbox TEXT NOT NULL,
  text TEXT NOT NULL          -- torch.utils.collect_env's report; empty until it is known
) STRICT;

CREATE TABLE replies (  -- one request to a language model; booked before it is sent
  id INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  strategy TEXT NOT NULL,
  purpose TEXT NOT NULL,                        -- generate, repair
  program INTEGER REFERENCES programs (id),     -- repair: the invalid program
  state TEXT NOT NULL CHECK (state IN ('reserved', 'answered', 'failed', 'unknown')),
  processed INTEGER NOT NULL DEFAULT 0,         -- its program, or its lack of one, has been taken in
  class TEXT NOT NULL,                          -- what the answer held, once processed
  finish TEXT NOT NULL,
  origin TEXT NOT NULL,                         -- builtin: corpus, mutant, composed
  prompt_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  reserved_nano_dollars INTEGER NOT NULL,
  cost_nano_dollars INTEGER NOT NULL,
  -- what it counts against the budget: a request whose outcome is not known stays charged at its reservation
  charged_nano_dollars INTEGER GENERATED ALWAYS AS (
    CASE WHEN state IN ('reserved', 'unknown') THEN reserved_nano_dollars ELSE cost_nano_dollars END) VIRTUAL,
  latency_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  error TEXT NOT NULL,
  seed INTEGER NOT NULL,
  reserved_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  prompt TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX replies_reserved ON replies (id) WHERE state = 'reserved';
CREATE INDEX replies_unprocessed ON replies (id) WHERE state = 'answered' AND processed = 0;
CREATE INDEX replies_charged ON replies (reserved_at, charged_nano_dollars);
CREATE INDEX replies_program ON replies (program) WHERE program IS NOT NULL;

CREATE TABLE programs (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,                -- hash of the normalised syntax tree: a program runs once
  origin TEXT NOT NULL,                         -- reply, repair, corpus, mutant, composed, import
  source TEXT NOT NULL,                         -- file name of an import
  strategy TEXT NOT NULL,
  reply INTEGER REFERENCES replies (id),
  parent INTEGER REFERENCES programs (id),      -- the invalid program a repair answers
  root INTEGER NOT NULL REFERENCES programs (id),  -- first program of a repair chain; own id otherwise
  round INTEGER NOT NULL,                       -- 0 first program, 1.. repairs
  state TEXT NOT NULL CHECK (state IN ('queued', 'repairing', 'gating', 'finished')),
  next_step TEXT NOT NULL,
  why TEXT NOT NULL,
  gate_hits INTEGER NOT NULL,
  gate_rounds INTEGER NOT NULL,
  suspect INTEGER NOT NULL DEFAULT 0,           -- 1 once it has entered the gate
  options TEXT NOT NULL,                        -- JSON
  verdict TEXT CHECK (verdict IN ('consistent', 'invalid', 'inconsistent', 'excused', 'unstable')),
  kind TEXT,
  rule TEXT,
  explanation TEXT,
  leaves TEXT,                                  -- JSON array of paths
  error_key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  text TEXT NOT NULL,
  -- The one definition of a valid program: eager ran, or eager raised and compiled accepted (a missing check, which is
  -- inconsistent). An unstable program ran too: only its numbers cannot be compared.
  valid INTEGER GENERATED ALWAYS AS (
    state = 'finished' AND coalesce(verdict, 'invalid') <> 'invalid') VIRTUAL
) STRICT;
CREATE INDEX programs_state ON programs (state, id, created_at);
CREATE INDEX programs_root ON programs (root);
CREATE INDEX programs_suspect ON programs (created_at) WHERE suspect = 1;

CREATE TABLE examinations (  -- one job about a program: a screen, a round of the gate, a ladder
  id INTEGER PRIMARY KEY,
  program INTEGER NOT NULL REFERENCES programs (id),
  purpose TEXT NOT NULL,
  round INTEGER NOT NULL,
  environment INTEGER REFERENCES environments (id),
  compiled TEXT NOT NULL,       -- the program's own compiled mode
  same INTEGER,                 -- torch._dynamo.utils.same; null where it was not asked or could not judge
  same_detail TEXT NOT NULL,
  warnings TEXT NOT NULL,       -- JSON array
  worker_seconds REAL NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX examinations_program ON examinations (program);

CREATE TABLE runs (  -- one mode of an examination
  examination INTEGER NOT NULL REFERENCES examinations (id),
  mode TEXT NOT NULL,
  outcome TEXT NOT NULL,        -- ran, raised, died, hung
  step TEXT NOT NULL,
  error_class TEXT,             -- innermost class, when it raised
  facts TEXT NOT NULL,          -- JSON: the whole outcome
  PRIMARY KEY (examination, mode)
) STRICT, WITHOUT ROWID;

CREATE TABLE measurements (  -- one pair of modes compared
  id INTEGER PRIMARY KEY,
  examination INTEGER NOT NULL REFERENCES examinations (id),
  expected TEXT NOT NULL,
  actual TEXT NOT NULL,
  leaves INTEGER NOT NULL,      -- compared
  differing INTEGER NOT NULL    -- of those, different in any way
) STRICT;
CREATE INDEX measurements_examination ON measurements (examination);

CREATE TABLE measured_leaves (  -- leaves that differ between some pair of the examination; equal ones are only counted
  id INTEGER PRIMARY KEY,
  measurement INTEGER NOT NULL REFERENCES measurements (id),
  path TEXT NOT NULL,
  dtype TEXT NOT NULL,
  max_absolute REAL,            -- null: not a number
  max_relative REAL,
  detail TEXT NOT NULL,
  facts TEXT NOT NULL           -- JSON: the whole measurement
) STRICT;
CREATE INDEX measured_leaves_measurement ON measured_leaves (measurement);

CREATE TABLE verdicts (  -- what the rules made of one examination
  examination INTEGER PRIMARY KEY REFERENCES examinations (id),
  verdict TEXT NOT NULL,
  kind TEXT,
  rule TEXT NOT NULL,
  explanation TEXT NOT NULL,
  leaves TEXT NOT NULL          -- JSON array of paths
) STRICT;

CREATE TABLE findings (
  id INTEGER PRIMARY KEY,
  signature_hash TEXT NOT NULL UNIQUE,
  signature_text TEXT NOT NULL,
  kind TEXT NOT NULL,
  stage TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('new', 'filed', 'known', 'fixed', 'regressed', 'wontfix', 'false_positive')),
  disposition TEXT NOT NULL,    -- ready, umbrella(issue), held(reason)
  severity INTEGER NOT NULL,    -- 1 worst; 0 when not ready
  reach TEXT NOT NULL,
  title TEXT NOT NULL,
  explanation TEXT NOT NULL,
  device TEXT NOT NULL,
  torch TEXT NOT NULL,
  program INTEGER NOT NULL REFERENCES programs (id),
  environment INTEGER REFERENCES environments (id),
  hits INTEGER NOT NULL,
  rounds INTEGER NOT NULL,
  next_step TEXT NOT NULL,
  why TEXT NOT NULL,
  occurrences INTEGER NOT NULL DEFAULT 0,  -- derived
  created_at INTEGER NOT NULL,
  reduced TEXT NOT NULL
) STRICT;
CREATE INDEX findings_order ON findings (disposition <> 'ready', severity, id);  -- worth reading first
CREATE INDEX findings_counts ON findings (created_at, disposition, occurrences);

CREATE TABLE occurrences (  -- programs that show a finding
  finding INTEGER NOT NULL REFERENCES findings (id),
  program INTEGER NOT NULL REFERENCES programs (id),
  why TEXT NOT NULL,            -- why it is the same finding
  at INTEGER NOT NULL,
  PRIMARY KEY (finding, program)
) STRICT, WITHOUT ROWID;
CREATE INDEX occurrences_program ON occurrences (program);
CREATE INDEX occurrences_at ON occurrences (at);

CREATE TABLE drafts (
  finding INTEGER PRIMARY KEY REFERENCES findings (id),
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  repro TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE oddities (  -- seen, and no finding: state_dependent, flaky
  id INTEGER PRIMARY KEY,
  program INTEGER NOT NULL REFERENCES programs (id),
  what TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX oddities_what ON oddities (what, at);

CREATE TABLE harness_failures (  -- parityd's own failures; never findings
  id INTEGER PRIMARY KEY,
  program INTEGER REFERENCES programs (id),
  text TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX harness_failures_at ON harness_failures (at);

CREATE TABLE requests (  -- what other processes ask of the daemon; who asked and what came of it
  id INTEGER PRIMARY KEY,
  command TEXT NOT NULL,
  arguments TEXT NOT NULL,      -- JSON
  who TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  result TEXT,                  -- null until applied
  ended_at INTEGER
) STRICT;
CREATE INDEX requests_pending ON requests (id) WHERE result IS NULL;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  level TEXT NOT NULL,
  what TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;

-- ---- Derived

CREATE TABLE chains (  -- a first program with its repairs
  root INTEGER PRIMARY KEY REFERENCES programs (id),
  last INTEGER NOT NULL REFERENCES programs (id),  -- its newest program, whose state and verdict are the chain's
  state TEXT NOT NULL,
  verdict TEXT NOT NULL,        -- empty: none yet
  valid INTEGER NOT NULL,       -- 1 once one of its programs is valid
  repaired INTEGER NOT NULL,    -- 1 when that one is a repair
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX chains_created ON chains (created_at, state, verdict, valid, repaired);

CREATE TABLE chain_tally (  -- how many chains look like this
  state TEXT NOT NULL,
  verdict TEXT NOT NULL,
  valid INTEGER NOT NULL,
  repaired INTEGER NOT NULL,
  chains INTEGER NOT NULL,
  PRIMARY KEY (state, verdict, valid, repaired)
) STRICT, WITHOUT ROWID;

CREATE TABLE reply_tally (
  state TEXT PRIMARY KEY,
  replies INTEGER NOT NULL,
  prompt_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  charged_nano_dollars INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE spending (  -- charges by the minute of their reservation
  minute INTEGER PRIMARY KEY,   -- Unix minutes
  charged_nano_dollars INTEGER NOT NULL
) STRICT;

CREATE TRIGGER programs_begin_chain AFTER INSERT ON programs WHEN new.root = new.id BEGIN
  INSERT INTO chains VALUES (new.id, new.id, new.state, coalesce(new.verdict, ''), new.valid, 0, new.created_at);
END;
CREATE TRIGGER programs_extend_chain AFTER INSERT ON programs WHEN new.root <> new.id BEGIN
  UPDATE chains SET last = new.id, state = new.state, verdict = coalesce(new.verdict, ''),
    valid = max(valid, new.valid), repaired = max(repaired, new.valid AND new.round > 0)
  WHERE root = new.root;
END;
CREATE TRIGGER programs_move_chain AFTER UPDATE OF state, verdict ON programs BEGIN
  UPDATE chains SET
    state = iif(last = new.id, new.state, state),
    verdict = iif(last = new.id, coalesce(new.verdict, ''), verdict),
    valid = max(valid, new.valid),
    repaired = max(repaired, new.valid AND new.round > 0)
  WHERE root = new.root;
END;

CREATE TRIGGER chains_count AFTER INSERT ON chains BEGIN
  INSERT INTO chain_tally VALUES (new.state, new.verdict, new.valid, new.repaired, 1)
  ON CONFLICT DO UPDATE SET chains = chains + 1;
END;
CREATE TRIGGER chains_recount AFTER UPDATE ON chains BEGIN
  UPDATE chain_tally SET chains = chains - 1
  WHERE state = old.state AND verdict = old.verdict AND valid = old.valid AND repaired = old.repaired;
  INSERT INTO chain_tally VALUES (new.state, new.verdict, new.valid, new.repaired, 1)
  ON CONFLICT DO UPDATE SET chains = chains + 1;
END;

CREATE TRIGGER replies_count AFTER INSERT ON replies BEGIN
  INSERT INTO reply_tally VALUES (new.state, 1, new.prompt_tokens, new.completion_tokens, new.charged_nano_dollars)
  ON CONFLICT DO UPDATE SET replies = replies + 1, prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    charged_nano_dollars = charged_nano_dollars + excluded.charged_nano_dollars;
  INSERT INTO spending VALUES (new.reserved_at / 60000, new.charged_nano_dollars)
  ON CONFLICT DO UPDATE SET charged_nano_dollars = charged_nano_dollars + excluded.charged_nano_dollars;
END;
CREATE TRIGGER replies_recount
AFTER UPDATE OF state, prompt_tokens, completion_tokens, reserved_nano_dollars, cost_nano_dollars ON replies BEGIN
  UPDATE reply_tally SET replies = replies - 1, prompt_tokens = prompt_tokens - old.prompt_tokens,
    completion_tokens = completion_tokens - old.completion_tokens,
    charged_nano_dollars = charged_nano_dollars - old.charged_nano_dollars
  WHERE state = old.state;
  INSERT INTO reply_tally VALUES (new.state, 1, new.prompt_tokens, new.completion_tokens, new.charged_nano_dollars)
  ON CONFLICT DO UPDATE SET replies = replies + 1, prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    charged_nano_dollars = charged_nano_dollars + excluded.charged_nano_dollars;
  UPDATE spending SET charged_nano_dollars = charged_nano_dollars - old.charged_nano_dollars + new.charged_nano_dollars
  WHERE minute = old.reserved_at / 60000;
END;

CREATE TRIGGER occurrences_count AFTER INSERT ON occurrences BEGIN
  UPDATE findings SET occurrences = occurrences + 1 WHERE id = new.finding;
END;

-- Substring search over findings.
CREATE VIRTUAL TABLE findings_text USING fts5 (
  title, signature_text, explanation, reduced, content = 'findings', content_rowid = 'id', tokenize = 'trigram');
CREATE TRIGGER findings_index AFTER INSERT ON findings BEGIN
  INSERT INTO findings_text (rowid, title, signature_text, explanation, reduced)
  VALUES (new.id, new.title, new.signature_text, new.explanation, new.reduced);
END;
CREATE TRIGGER findings_reindex AFTER UPDATE OF title, signature_text, explanation, reduced ON findings BEGIN
  INSERT INTO findings_text (findings_text, rowid, title, signature_text, explanation, reduced)
  VALUES ('delete', old.id, old.title, old.signature_text, old.explanation, old.reduced);
  INSERT INTO findings_text (rowid, title, signature_text, explanation, reduced)
  VALUES (new.id, new.title, new.signature_text, new.explanation, new.reduced);
END;

-- ---- Views for queries by hand: sqlite3 -readonly parityd.db 'SELECT * FROM v_findings'

CREATE VIEW v_findings AS  -- findings, the ones worth reading first on top
SELECT f.id, f.kind, f.stage, f.status, f.disposition, f.severity, f.occurrences, f.title, f.torch, f.device,
  f.hits || ' of ' || f.rounds AS confirmed, f.next_step, f.why,
  datetime(f.created_at / 1000, 'unixepoch') AS created_utc
FROM findings f
ORDER BY f.disposition <> 'ready', f.severity, f.id;

CREATE VIEW v_programs AS  -- programs without their text, with what happens next
SELECT p.id, p.root, p.round, p.origin, p.strategy, p.state, p.valid, p.verdict, p.kind, p.rule, p.explanation,
  p.gate_hits, p.gate_rounds, p.next_step, p.why, datetime(p.created_at / 1000, 'unixepoch') AS created_utc
FROM programs p;

CREATE VIEW v_chains AS  -- first programs: what became of each, repairs included
SELECT c.root, c.last, c.state, nullif(c.verdict, '') AS verdict, c.valid, c.repaired,
  datetime(c.created_at / 1000, 'unixepoch') AS created_utc
FROM chains c;

CREATE VIEW v_differences AS  -- every leaf that differs, with the pair of modes it was measured between
SELECT e.program, e.purpose, e.round, m.expected, m.actual, l.path, l.dtype, l.max_absolute, l.max_relative, l.detail
FROM measured_leaves l
JOIN measurements m ON m.id = l.measurement
JOIN examinations e ON e.id = m.examination
WHERE l.detail <> '' OR l.max_absolute > 0;

CREATE VIEW v_spending AS  -- dollars a day (UTC)
SELECT date(minute * 60, 'unixepoch') AS day, sum(charged_nano_dollars) / 1e9 AS dollars
FROM spending GROUP BY 1;
