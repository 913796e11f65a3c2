-- parityd's database, schema 19: which programs may become parents of mutants, by where they came from.

CREATE INDEX programs_parents ON programs (origin, new_features > 0, id) WHERE state = 'finished' AND verdict = 'consistent';
