-- parityd's database, schema 12: what findings do on other torches, and programs that run again on a new one.

CREATE TABLE rechecks (  -- rounds of a finding's reduced program by fresh processes under some torch
  id INTEGER PRIMARY KEY,
  finding INTEGER NOT NULL REFERENCES findings (id),
  torch TEXT NOT NULL,
  python TEXT NOT NULL,
  device TEXT NOT NULL,
  newest INTEGER NOT NULL,  -- 1: the newest torch that was known then
  result TEXT NOT NULL CHECK (result IN ('still', 'gone', 'different', 'cannot')),
  hits INTEGER NOT NULL,    -- rounds that showed the finding
  rounds INTEGER NOT NULL,
  reason TEXT NOT NULL,     -- in words
  who TEXT NOT NULL,
  at INTEGER NOT NULL       -- Unix milliseconds
) STRICT;
CREATE INDEX rechecks_finding ON rechecks (finding, id);

CREATE TABLE sentinels (  -- programs queued again because a torch was new
  program INTEGER PRIMARY KEY REFERENCES programs (id),
  original INTEGER NOT NULL REFERENCES programs (id),  -- the same text, which ran before
  torch_before TEXT NOT NULL,                          -- it was consistent there
  torch TEXT NOT NULL
) STRICT;

CREATE VIEW v_rechecks AS  -- what findings do on other torches
SELECT r.finding, r.torch, r.device, r.result, r.hits || ' of ' || r.rounds AS shown, r.reason, r.who,
  datetime(r.at / 1000, 'unixepoch') AS at_utc
FROM rechecks r;

CREATE VIEW v_sentinels AS  -- what a new torch made of programs that were consistent before
SELECT s.program, s.original, s.torch_before, s.torch, p.state, p.verdict, p.kind
FROM sentinels s
JOIN programs p ON p.id = s.program;
