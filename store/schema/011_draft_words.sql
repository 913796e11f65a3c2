-- parityd's database, schema 11: titles and summaries that a model wrote.

CREATE TABLE draft_words (  -- each finding that a model was asked to describe, once
  finding INTEGER PRIMARY KEY REFERENCES findings (id),
  writer TEXT NOT NULL,     -- provider and model
  title TEXT NOT NULL,
  summary TEXT NOT NULL,
  why TEXT NOT NULL,        -- the template's words stand instead; empty: these do
  at INTEGER NOT NULL
) STRICT;
