-- name: close
-- what: Every pair of slots of different groups over the threshold, the later one first, and what became of it.
WITH met AS (
  SELECT
    CASE WHEN a.position < b.position THEN a.position ELSE b.position END AS early,
    CASE WHEN a.position < b.position THEN b.position ELSE a.position END AS late,
    a.facts = b.facts AS same_facts,
    any_value(pairs.cosine) AS cosine
  FROM pairs
  JOIN entries AS a ON a.text = pairs.a
  JOIN entries AS b ON b.text = pairs.b
  WHERE a.rank <> b.rank
  GROUP BY ALL
)
SELECT
  late.slot_id,
  early.slot_id AS of_slot,
  cosine,
  CASE
    WHEN NOT same_facts THEN 'facts_differ'
    WHEN late_fate.fate = 'fell' AND early_fate.fate = 'kept' THEN 'fell'
    ELSE 'other_fell'
  END AS fate
FROM met
JOIN entries AS late ON late.position = met.late
JOIN entries AS early ON early.position = met.early
JOIN fates AS late_fate ON late_fate.rank = late.rank
JOIN fates AS early_fate ON early_fate.rank = early.rank
ORDER BY met.late, met.early
