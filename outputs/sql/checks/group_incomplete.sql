-- name: group-incomplete
-- code: ES609
-- what: A linkage group is in the dataset with all its members, and each of them links to all others.
-- why: A triple of which one is missing measures something else than a triple.
-- mend: Assemble again; a group is published whole or not at all.
-- needs: records
-- fields: id linked_prompt_ids
--: rows
WITH member AS (
  SELECT groups.group_id, groups.size, slots.record_id, slots.slot_id, slots.origin, placed.row, slots.position
  FROM groups
  JOIN slots USING (group_id)
  LEFT JOIN placed ON placed.slot_id = slots.slot_id
),
short AS (
  SELECT
    group_id,
    any_value(size) AS size,
    count(DISTINCT slot_id) FILTER (WHERE "row" IS NOT NULL) AS present,
    any_value(origin) AS origin,
    min("row") AS "row",
    string_agg(DISTINCT slot_id, ', ' ORDER BY slot_id) FILTER (WHERE "row" IS NULL) AS absent
  FROM member
  GROUP BY group_id
  HAVING count(DISTINCT slot_id) FILTER (WHERE "row" IS NOT NULL) NOT IN (0, any_value(size))
),
ought AS (
  SELECT a.record_id AS left_id, b.record_id AS right_id
  FROM member AS a
  JOIN member AS b ON b.group_id = a.group_id AND a.position < b.position
  WHERE a.row IS NOT NULL AND b.row IS NOT NULL
  UNION
  SELECT a.linked, b.linked
  FROM links AS a
  JOIN links AS b ON b.row = a.row AND a.linked < b.linked
  SEMI JOIN records AS first ON first.id = a.linked
  SEMI JOIN records AS second ON second.id = b.linked
  WHERE a.linked <> a.id
    AND b.linked <> b.id
),
apart AS (
  SELECT DISTINCT least(left_id, right_id) AS left_id, greatest(left_id, right_id) AS right_id FROM ought
  EXCEPT
  SELECT least(id, linked), greatest(id, linked) FROM links
)
SELECT
  origin,
  group_id AS slot,
  "row",
  format('{} of {} members', present, size) AS found,
  format('{} members', size) AS required,
  format('group {} has {} of its {} members; missing: {}', group_id, present, size, absent) AS message
FROM short
UNION ALL
SELECT
  l.origin,
  l.shown,
  l.row,
  'no link',
  'a link to ' || r.shown,
  format('{} and {} are of one group and do not link to each other', l.shown, r.shown)
FROM apart
JOIN placed AS l ON l.id = apart.left_id
JOIN placed AS r ON r.id = apart.right_id
ORDER BY "row", slot
--: summary
SELECT
  'every group whole' AS required,
  format('{:,} linked records', count(*) FILTER (WHERE len(linked_prompt_ids) > 0)) AS found,
  '' AS note
FROM records
