-- name: card-header
-- code: ES620
-- what: README.md starts with a YAML header that the Hub takes: language, licence, tags, task categories, name, size, data files.
-- why: The Hub refuses a push whose header it cannot read, and shows nothing of what it does not know.
-- mend: Change `card` in generation_config.yaml and assemble again.
-- needs: 
--: rows
SELECT origin, NULL::VARCHAR AS slot, "row", found, required, message
FROM facts_found
WHERE code = 'ES620'
ORDER BY position
--: summary
SELECT
  'a header that the Hub takes' AS required,
  CASE WHEN count(*) = 0 THEN 'valid' ELSE format('{:,} faults', count(*)) END AS found,
  '' AS note
FROM facts_found
WHERE code = 'ES620'
