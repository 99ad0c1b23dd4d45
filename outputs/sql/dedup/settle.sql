-- name: settle
-- what: One round: an open group falls if it meets a kept earlier one, and is kept once all earlier ones that it meets fell.
UPDATE fates
SET fate = settled.fate
FROM (
  SELECT
    collisions.later AS rank,
    CASE
      WHEN bool_or(before.fate = 'kept') THEN 'fell'
      WHEN bool_and(before.fate = 'fell') THEN 'kept'
    END AS fate
  FROM collisions
  JOIN fates AS before ON before.rank = collisions.earlier
  JOIN fates AS here ON here.rank = collisions.later AND here.fate = 'open'
  GROUP BY collisions.later
) AS settled
WHERE fates.rank = settled.rank AND settled.fate IS NOT NULL
