-- parityd's database, schema 24: findings are tried on other devices, too, which says nothing about torches.

ALTER TABLE rechecks ADD COLUMN device_name TEXT NOT NULL DEFAULT '';   -- model of the GPU or CPU; empty: not recorded
ALTER TABLE rechecks ADD COLUMN elsewhere INTEGER NOT NULL DEFAULT 0;   -- 1: another device than the finding's

DROP VIEW v_rechecks;
CREATE VIEW v_rechecks AS  -- what findings do on other torches and devices
SELECT r.finding, r.torch, r.device, r.device_name, r.elsewhere, r.result, r.hits || ' of ' || r.rounds AS shown,
  r.reason, r.who, datetime(r.at / 1000, 'unixepoch') AS at_utc
FROM rechecks r;
