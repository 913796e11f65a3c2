-- parityd's database, schema 30: programs whose verdict rests on a warm worker's word, which may not hold.

CREATE TABLE trust (
  program INTEGER PRIMARY KEY REFERENCES programs (id),
  unsettled INTEGER NOT NULL,  -- examinations by workers that have not been looked at since
  again INTEGER NOT NULL       -- times it was put back into the queue because such a word did not hold
) STRICT;
CREATE INDEX trust_unsettled ON trust (program) WHERE unsettled > 0;
