-- parityd's database, schema 17: consistent programs are drawn without reading what the others hold.

CREATE INDEX programs_consistent ON programs (verdict, state, id) WHERE state = 'finished' AND verdict = 'consistent';
