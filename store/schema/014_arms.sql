-- parityd's database, schema 14: what each arm of the scheduler has earned, old pulls counting less.

CREATE TABLE arms (
  name TEXT PRIMARY KEY,   -- 'strategy/dtypes'
  reward REAL NOT NULL,    -- points, discounted
  cost REAL NOT NULL,      -- dollars, worker time included, discounted
  pulls INTEGER NOT NULL,  -- ever
  at INTEGER NOT NULL      -- of the last one; Unix milliseconds
) STRICT;

CREATE VIEW v_arms AS  -- what the scheduler chooses among
SELECT name, pulls, round(reward, 3) AS points, round(cost, 6) AS dollars,
  CASE WHEN cost > 0 THEN round(reward / cost, 1) END AS points_a_dollar, datetime(at / 1000, 'unixepoch') AS last_utc
FROM arms;
