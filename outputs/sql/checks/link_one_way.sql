-- name: link-one-way
-- code: ES608
-- what: Where a record links to another, that one links back; none links to itself.
-- why: A linkage group must be found from each of its members.
-- mend: Assemble again; if a file was edited by hand, take the edit back.
-- needs: records
-- fields: id linked_prompt_ids
--: rows
SELECT
  links.origin,
  links.shown AS slot,
  links.row AS "row",
  links.linked AS found,
  'a link back' AS required,
  CASE
    WHEN links.linked = links.id THEN format('{} links to itself', links.shown)
    ELSE format('{} links to {}, which does not link back', links.shown, links.linked)
  END AS message
FROM links
WHERE EXISTS (SELECT 1 FROM records WHERE records.id = links.linked)
  AND (
    links.linked = links.id
    OR NOT EXISTS (SELECT 1 FROM links AS back WHERE back.id = links.linked AND back.linked = links.id)
  )
ORDER BY links.row, links.linked
--: summary
SELECT
  'every link is returned' AS required,
  format('{:,} links', count(*)) AS found,
  '' AS note
FROM links
