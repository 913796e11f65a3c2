-- parityd's database, schema 21: what went wrong, counted, and how well parityd itself does.

CREATE TABLE alarms (  -- a row a kind of fault (store/work/event_kind.h) and whom it concerns
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,        -- a provider's or a group's name; empty: the daemon as a whole
  times INTEGER NOT NULL,       -- ever; `events` has one row where a repetition was told
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  text TEXT NOT NULL,           -- the last one's
  over_at INTEGER,              -- null: it holds, or is of a kind that happens and passes
  PRIMARY KEY (kind, subject)
) STRICT, WITHOUT ROWID;

CREATE TABLE checks (  -- parityd's tests of itself by day
  day INTEGER NOT NULL,         -- Unix days
  name TEXT NOT NULL,           -- canary
  passed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  PRIMARY KEY (day, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE outgoing (  -- what goes out or comes in beside replies, which have rows of their own
  path TEXT PRIMARY KEY,        -- backup, drafts, …
  succeeded_at INTEGER,
  failed_at INTEGER,
  failure TEXT NOT NULL         -- the last one's
) STRICT, WITHOUT ROWID;

CREATE VIEW v_alarms AS  -- faults that happened here, the last ones on top
SELECT a.kind, a.subject, a.times, a.text, datetime(a.first_at / 1000, 'unixepoch') AS first_utc,
  datetime(a.last_at / 1000, 'unixepoch') AS last_utc, datetime(a.over_at / 1000, 'unixepoch') AS over_utc
FROM alarms a
ORDER BY a.last_at DESC;
