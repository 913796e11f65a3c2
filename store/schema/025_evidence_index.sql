-- parityd's database, schema 25: whether a program is evidence is known without reading all findings.

CREATE INDEX findings_program ON findings (program);
CREATE INDEX oddities_program ON oddities (program);
