-- name: parquet-readable
-- code: ES622
-- what: datasets.load_dataset reads the Parquet file, and gives the features of the record schema.
-- why: This is the way in which users read the dataset.
-- mend: Assemble again.
-- needs: 
--: rows
SELECT origin, NULL::VARCHAR AS slot, "row", found, required, message
FROM facts_found
WHERE code = 'ES622'
ORDER BY position
--: summary
SELECT
  'read by datasets.load_dataset' AS required,
  CASE WHEN count(*) = 0 THEN 'read' ELSE format('{:,} faults', count(*)) END AS found,
  '' AS note
FROM facts_found
WHERE code = 'ES622'
