-- parityd's database: issues that are known at pytorch/pytorch, what findings may be known as, and what people decided.

CREATE TABLE known_issues (  -- facts only; how old they are stands in state_values: known_as_of
  number INTEGER PRIMARY KEY,
  title TEXT NOT NULL,       -- for matching, never shown
  state TEXT NOT NULL,       -- open, closed, unknown
  operators TEXT NOT NULL,   -- JSON array
  trait TEXT NOT NULL,
  kind TEXT NOT NULL,
  stage TEXT NOT NULL,
  device TEXT NOT NULL,      -- cpu, cuda, any
  error TEXT NOT NULL,
  guessed INTEGER NOT NULL   -- 1: read off a title and labels by `parityd known sync`
) STRICT;

CREATE TABLE known_queries (  -- what is asked of known_issues about a finding; kept to ask again
  finding INTEGER PRIMARY KEY REFERENCES findings (id),
  query TEXT NOT NULL         -- JSON
) STRICT;

CREATE TABLE known_matches (  -- the answers, the likeliest first
  finding INTEGER NOT NULL REFERENCES findings (id),
  rank INTEGER NOT NULL,
  issue INTEGER NOT NULL,
  confident INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (finding, rank)
) STRICT;
CREATE INDEX known_matches_issue ON known_matches (issue, finding);
