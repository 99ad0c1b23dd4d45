-- name: files-agree
-- code: ES623
-- what: The JSONL file holds the records of the Parquet file, in the same order, and datasets reads the same features from both.
-- why: Two formats of one dataset that differ are two datasets.
-- mend: Assemble again; both files are written in one go.
-- needs: jsonl
--: rows
SELECT origin, NULL::VARCHAR AS slot, "row", found, required, message
FROM facts_found
WHERE code = 'ES623'
ORDER BY position
--: summary
SELECT
  'the same records in both files' AS required,
  CASE WHEN count(*) = 0 THEN 'the same' ELSE format('{:,} faults', count(*)) END AS found,
  '' AS note
FROM facts_found
WHERE code = 'ES623'
