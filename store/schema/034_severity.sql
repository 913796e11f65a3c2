-- parityd's database, schema 34: severity runs from 1 to 5 and comes first in the order of findings.

UPDATE findings SET severity = CASE
    WHEN "trigger" = 'edge' OR reduced LIKE '%torch.ops.aten.%' OR reduced LIKE '%torch.ops.prims.%'
      OR reduced LIKE '%torch.ops.quantized%' OR reduced LIKE '%torch.ops.inductor.%'
      OR reduced LIKE '%torch.ops.mkldnn.%' THEN 5
    WHEN kind = 'metadata' THEN iif(severity = 2 AND title NOT LIKE '%shares memory%', 4, 3)
    ELSE severity
  END
WHERE disposition = 'ready';

-- Asked again with what newer queries hold.
DELETE FROM known_queries;

UPDATE source_units SET area = 'GPU code generation'
WHERE file LIKE '\_inductor/codegen/simd%' ESCAPE '\' OR file LIKE '\_inductor/codegen/triton%' ESCAPE '\'
  OR file LIKE '\_inductor/codegen/cuda%' ESCAPE '\'
  OR file IN ('_inductor/codegen/cpp_wrapper_gpu.py', '_inductor/codegen/multi_kernel.py', '_inductor/tiling_utils.py');

DROP INDEX findings_order;
CREATE INDEX findings_order ON findings (
  disposition <> 'ready',
  severity,
  CASE "trigger" WHEN 'ordinary' THEN 0 WHEN 'unknown' THEN 1 WHEN 'config' THEN 2 ELSE 3 END,
  id) WHERE merged_into IS NULL;

DROP VIEW v_findings;
CREATE VIEW v_findings AS  -- findings, the ones worth reading first on top; not those merged into another
SELECT f.id, f.kind, f.stage, f.status, f.disposition, f.severity, f."trigger", f.side, f.occurrences,
  (SELECT group_concat(operator, ', ') FROM (SELECT DISTINCT operator FROM finding_operators WHERE finding = f.id))
    AS operators,
  (SELECT group_concat(dtype, ', ') FROM finding_dtypes WHERE finding = f.id) AS dtypes,
  f.title, f.torch, f.device, f.hits || ' of ' || f.rounds AS confirmed, f.alarm, f.next_step, f.why,
  datetime(f.created_at / 1000, 'unixepoch') AS created_utc
FROM findings f
WHERE f.merged_into IS NULL
ORDER BY f.disposition <> 'ready', f.severity,
  CASE f."trigger" WHEN 'ordinary' THEN 0 WHEN 'unknown' THEN 1 WHEN 'config' THEN 2 ELSE 3 END, f.id;
