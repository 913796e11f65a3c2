-- parityd's database, schema 15.
-- What replies cost, to the fields in which APIs count: tokens written to a cache have a price of their own, and hidden
-- reasoning is most of some models' output.

ALTER TABLE replies ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;  -- of prompt_tokens
ALTER TABLE replies ADD COLUMN reasoning_tokens INTEGER NOT NULL DEFAULT 0;    -- of completion_tokens
ALTER TABLE replies ADD COLUMN usage_estimated INTEGER NOT NULL DEFAULT 0;     -- 1: the server counted nothing
