-- parityd's database, schema 2: what workers did and had done.

CREATE TABLE worker_histories (  -- what the warm process of a suspect had run before it
  program INTEGER PRIMARY KEY REFERENCES programs (id),
  earlier TEXT NOT NULL         -- JSON array of programs' ids, oldest first
) STRICT;

CREATE TABLE worker_seconds (   -- where the time of workers goes
  day INTEGER NOT NULL,         -- Unix days
  worker_group TEXT NOT NULL,
  occupation TEXT NOT NULL,     -- import, prime, eager, compile, compare, reset, canary, gate, idle
  seconds REAL NOT NULL,
  PRIMARY KEY (day, worker_group, occupation)
) STRICT, WITHOUT ROWID;

-- The newest examination on an environment says which of a device's environments is the present one.
CREATE INDEX examinations_environment ON examinations (environment);

CREATE VIEW v_worker_seconds AS  -- a day (UTC), a group, what it did and which share of its time that was
SELECT date(day * 86400, 'unixepoch') AS day, worker_group, occupation, round(seconds, 1) AS seconds,
  round(seconds / sum(seconds) OVER (PARTITION BY day, worker_group), 4) AS share
FROM worker_seconds;

CREATE VIEW v_state_dependent AS  -- differences that only a process with a past showed
SELECT o.program, p.kind, p.explanation, coalesce(json_array_length(h.earlier), 0) AS programs_before, o.text,
  datetime(o.at / 1000, 'unixepoch') AS seen_utc
FROM oddities o
JOIN programs p ON p.id = o.program
LEFT JOIN worker_histories h ON h.program = o.program
WHERE o.what = 'state_dependent';
