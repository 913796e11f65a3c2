-- parityd's database, schema 22: which findings the operator's command was run for.

CREATE TABLE notifications (
  finding INTEGER PRIMARY KEY REFERENCES findings (id),
  state TEXT NOT NULL,              -- off, waiting, running, sent, failed, dropped
  attempts INTEGER NOT NULL,        -- how often the command was begun
  begun_at INTEGER,                 -- the last time
  result TEXT NOT NULL              -- how it ended then; empty: it has not
) STRICT;
CREATE INDEX notifications_open ON notifications (finding) WHERE state IN ('waiting', 'running');
CREATE INDEX notifications_begun ON notifications (begun_at) WHERE begun_at IS NOT NULL;

-- What was ready before there were notifications is no news.
INSERT INTO notifications (finding, state, attempts, begun_at, result)
SELECT id, 'off', 0, NULL, '' FROM findings WHERE disposition = 'ready';
