-- name: link-dangling
-- code: ES607
-- what: Each id in `linked_prompt_ids` is the id of a record of the dataset.
-- why: Consistency is scored over linked prompts; a link that leads nowhere leaves its group without a score.
-- mend: Assemble again; a group is published whole or not at all.
-- needs: records
-- fields: id linked_prompt_ids
--: rows
SELECT
  links.origin,
  links.shown AS slot,
  links.row AS "row",
  links.linked AS found,
  'an id of the dataset' AS required,
  format('{} links to {}, which is no record of the dataset', links.shown, coalesce(links.linked, 'null')) AS message
FROM links
WHERE NOT EXISTS (SELECT 1 FROM records WHERE records.id = links.linked)
ORDER BY links.row, links.linked
--: summary
SELECT
  'no link without its record' AS required,
  format('{:,} of {:,} links lead nowhere', count(*) FILTER (WHERE NOT there), count(*)) AS found,
  '' AS note
FROM (SELECT EXISTS (SELECT 1 FROM records WHERE records.id = links.linked) AS there FROM links)
