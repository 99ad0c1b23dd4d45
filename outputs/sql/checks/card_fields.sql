-- name: card-fields
-- code: ES634
-- what: The fields that the card lists, with their types, are the columns of the Parquet file; so are the features of its header, where it has any.
-- why: Who writes a reader by the card must find what it says.
-- mend: Make the card again: evalspec card.
-- needs: card records
--: rows
SELECT origin, NULL::VARCHAR AS slot, "row", found, required, message
FROM facts_found
WHERE code = 'ES634'
ORDER BY position
--: summary
SELECT
  'the columns of the Parquet file' AS required,
  CASE WHEN count(*) = 0 THEN 'the same' ELSE format('{:,} faults', count(*)) END AS found,
  '' AS note
FROM facts_found
WHERE code = 'ES634'
