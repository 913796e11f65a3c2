-- parityd's database, schema 31: what became of the graphs of a screen's compiled run.

ALTER TABLE examinations ADD COLUMN graphs TEXT NOT NULL DEFAULT '';  -- 'compiled', 'sampled', 'interpreted'; '': not told
CREATE INDEX examinations_graphs ON examinations (at) WHERE graphs <> '';
