-- name: slots-filled
-- code: ES618
-- what: Each slot of the plan has its record.
-- why: The plan is the contract; a slot without a record is a quota that was not met, however well the totals look.
-- mend: Run again: it fills what is open, and nothing that is paid for is asked again.
-- needs: plan
--: rows
SELECT
  origin,
  missing_slots[1] AS slot,
  NULL::BIGINT AS "row",
  format('{:,} of {:,}', planned - missing, planned) AS found,
  format('{:,} records', planned) AS required,
  format(
    '{:,} of {:,} records are missing in {} / {} / {} / {}: {}{}',
    missing, planned, subdimension, source_domain, geography, difficulty,
    array_to_string(missing_slots[1:3], ', '), CASE WHEN missing > 3 THEN format(' and {:,} more', missing - 3) ELSE '' END
  ) AS message
FROM open_cells
ORDER BY position
--: summary
SELECT
  format('{:,} slots', count(*)) AS required,
  format('{:,} filled', count(*) FILTER (WHERE EXISTS (SELECT 1 FROM records WHERE records.id = slots.record_id))) AS found,
  CASE WHEN (SELECT partial FROM settings) THEN 'partial plan' ELSE '' END AS note
FROM slots
