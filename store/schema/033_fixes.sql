-- parityd's database, schema 33: changes of torch's Python files that a language model proposed for findings.

CREATE TABLE fixes (  -- one try: a question to a model and what became of its answer
  id INTEGER PRIMARY KEY,
  finding INTEGER NOT NULL REFERENCES findings (id),
  number INTEGER NOT NULL,             -- of the finding's tries on this torch
  at INTEGER NOT NULL,                 -- when the model was asked; Unix milliseconds
  result TEXT NOT NULL,                -- FixResult in store/findings/fixes.h
  why TEXT NOT NULL,                   -- of a failure, in words
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  nano_dollars INTEGER NOT NULL,       -- charged, or reserved until the answer is there
  seconds REAL NOT NULL,               -- of all checks
  torch TEXT NOT NULL,
  device TEXT NOT NULL,
  reply TEXT REFERENCES blobs (hash),  -- the raw answer; NULL: none
  diff TEXT REFERENCES blobs (hash),   -- unified; NULL: no change
  test TEXT REFERENCES blobs (hash),   -- its regression test; NULL: none
  changed_lines INTEGER NOT NULL,      -- added and removed
  functions TEXT NOT NULL,             -- JSON array of "torch/_inductor/lowering.py:cat"
  files TEXT NOT NULL,                 -- JSON array: path, before, after (SHA-256)
  checks TEXT NOT NULL,                -- JSON array, in the order in which they ran
  also_gone TEXT NOT NULL,             -- JSON array of other findings that vanish
  newest TEXT NOT NULL,                -- what became of it on the newest torch, in words; empty: not tried
  UNIQUE (finding, at)
) STRICT;
CREATE INDEX fixes_at ON fixes (at, nano_dollars);

CREATE VIEW v_fixes AS
SELECT f.finding, f.number, f.torch, f.device, f.provider, f.model, f.result,
  coalesce((SELECT json_extract(c.value, '$.name') FROM json_each(f.checks) c
    WHERE json_extract(c.value, '$.result') <> 'accepted' LIMIT 1), '') AS failed_check,
  f.why, f.changed_lines, (SELECT group_concat(n.value, ', ') FROM json_each(f.functions) n) AS functions,
  f.prompt_tokens, f.completion_tokens, f.nano_dollars / 1e9 AS dollars, f.seconds, f.newest,
  (SELECT b.text FROM blobs b WHERE b.hash = f.diff) AS diff,
  datetime(f.at / 1000, 'unixepoch') AS asked_utc
FROM fixes f;
