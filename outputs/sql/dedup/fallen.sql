-- name: fallen
-- what: Groups that fell, each with the first kept group that it meets, and the closest members of the two.
WITH met AS (
  SELECT collisions.later, min(collisions.earlier) AS earlier
  FROM collisions
  JOIN fates AS fallen ON fallen.rank = collisions.later AND fallen.fate = 'fell'
  JOIN fates AS kept ON kept.rank = collisions.earlier AND kept.fate = 'kept'
  GROUP BY collisions.later
),
members AS (
  SELECT met.later, late.group_id, late.slot_id, early.group_id AS of_group, early.slot_id AS of_slot, pairs.cosine
  FROM met
  JOIN entries AS late ON late.rank = met.later
  JOIN entries AS early ON early.rank = met.earlier
  JOIN pairs ON pairs.a = least(late.text, early.text) AND pairs.b = greatest(late.text, early.text)
  WHERE late.facts = early.facts
)
SELECT group_id, slot_id, of_group, of_slot, cosine
FROM members
QUALIFY row_number() OVER (PARTITION BY later ORDER BY cosine DESC, of_slot, slot_id) = 1
ORDER BY later
