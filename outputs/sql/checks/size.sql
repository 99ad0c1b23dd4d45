-- name: size
-- code: ES601
-- what: The number of records lies in the accepted range, both ends included.
-- why: A short dataset has holes where its quotas promise records; a long one was filled twice.
-- mend: Run again to fill what is open, or change `acceptance.size`.
-- needs: plan
--: rows
SELECT
  'acceptance.size' AS origin,
  NULL::VARCHAR AS slot,
  NULL::BIGINT AS "row",
  format('{:,}', n) AS found,
  format('{:,} to {:,}', size_low, size_high) AS required,
  format('the dataset has {:,} records, {:,} to {:,} are required', n, size_low, size_high) AS message
FROM settings, (SELECT count(*) AS n FROM records)
WHERE n NOT BETWEEN size_low AND size_high
--: summary
SELECT
  format('{:,} to {:,} records', size_low, size_high) AS required,
  format('{:,}', (SELECT count(*) FROM records)) AS found,
  CASE WHEN partial THEN format('partial plan of {:,} slots', planned) ELSE '' END AS note
FROM settings
