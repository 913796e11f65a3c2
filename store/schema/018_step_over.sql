-- parityd's database, schema 18: which neutralisers held in an examination's compiled runs.

ALTER TABLE examinations ADD COLUMN neutralisers TEXT NOT NULL DEFAULT '';  -- as findings.neutraliser; '': none held
