-- name: card-sections
-- code: ES621
-- what: The card has all its sections: description, licence, author, statistics, fields, templates, uses, methodology, limitations.
-- why: Who takes the dataset must see what it is for, how it was made, and that it is not for training.
-- mend: Assemble again; a card that is edited by hand must keep its headings.
-- needs: card
--: rows
SELECT origin, NULL::VARCHAR AS slot, "row", found, required, message
FROM facts_found
WHERE code = 'ES621'
ORDER BY position
--: summary
SELECT
  'all sections, none empty' AS required,
  CASE WHEN count(*) = 0 THEN 'complete' ELSE format('{:,} faults', count(*)) END AS found,
  '' AS note
FROM facts_found
WHERE code = 'ES621'
