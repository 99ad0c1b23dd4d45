-- name: collisions
-- what: Which groups meet: one row for two groups of which two members say the same.
CREATE OR REPLACE TABLE collisions AS
SELECT least(a.rank, b.rank) AS earlier, greatest(a.rank, b.rank) AS later
FROM pairs
JOIN entries AS a ON a.text = pairs.a
JOIN entries AS b ON b.text = pairs.b
WHERE a.facts = b.facts AND a.rank <> b.rank
GROUP BY ALL
