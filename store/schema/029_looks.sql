-- parityd's database, schema 29: what a hypothesis's program did at the place that it names.

ALTER TABLE hypotheses ADD COLUMN seen TEXT;  -- as a model is told; NULL: nobody looked; empty: the look failed
