-- name: group-shape
-- code: ES633
-- what: Members of a linkage group share dimension, subdimension, domain, geography, difficulty and strategy; without a plan, groups of a subdimension are of one size.
-- why: A group is one question asked in several ways; a member from another cell asks another question.
-- mend: Assemble again; if a file was edited by hand, take the edit back.
-- needs: records
-- fields: id linked_prompt_ids
-- note: With a plan the size of groups is judged by ES609.
--: rows
WITH linked AS (
  SELECT a.row, a.shown, a.origin, b.row AS other_row, b.shown AS other, [
    CASE WHEN a.dimension <> b.dimension THEN 'dimension' END,
    CASE WHEN a.subdimension <> b.subdimension THEN 'subdimension' END,
    CASE WHEN a.source_domain <> b.source_domain THEN 'source_domain' END,
    CASE WHEN a.geography <> b.geography THEN 'geography' END,
    CASE WHEN a.difficulty <> b.difficulty THEN 'difficulty' END,
    CASE WHEN a.adversarial_strategy <> b.adversarial_strategy THEN 'adversarial_strategy' END
  ] AS fields
  FROM links
  JOIN placed AS a ON a.row = links.row
  JOIN placed AS b ON b.id = links.linked
  WHERE a.row < b.row
),
apart AS (
  SELECT *, array_to_string(list_filter(fields, lambda field: field IS NOT NULL), ', ') AS differing FROM linked
),
sizes AS (
  SELECT "row", shown, subdimension, 1 + len(list_distinct(list_filter(linked_prompt_ids, lambda other: other <> id))) AS size
  FROM placed
  WHERE NOT (SELECT has_plan FROM settings)
),
usual AS (
  SELECT subdimension, mode(size) AS size FROM sizes GROUP BY subdimension
)
SELECT
  origin,
  shown AS slot,
  "row",
  differing || ' differ' AS found,
  'one cell' AS required,
  format('{} and {} are of one group and differ in {}', shown, other, differing) AS message
FROM apart
WHERE differing <> ''
UNION ALL
SELECT
  NULL,
  sizes.shown,
  sizes.row,
  format('a group of {}', sizes.size),
  format('groups of {}', usual.size),
  format('{} stands in a group of {}, groups of {} are of {}', sizes.shown, sizes.size, sizes.subdimension, usual.size)
FROM sizes
JOIN usual USING (subdimension)
WHERE sizes.size <> usual.size
ORDER BY "row", message
--: summary
SELECT
  'one cell and one size' AS required,
  format('{:,} linked records', count(*) FILTER (WHERE len(linked_prompt_ids) > 0)) AS found,
  '' AS note
FROM records
