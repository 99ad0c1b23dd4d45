-- name: compared
-- what: One row: how many pairs of rows of different groups are close, and kept because they differ in a fact.
CREATE OR REPLACE TABLE compared AS
SELECT count(*) AS spared
FROM pairs
JOIN entries AS a ON a.text = pairs.a
JOIN entries AS b ON b.text = pairs.b
WHERE a.facts <> b.facts AND a.rank <> b.rank AND (pairs.a <> pairs.b OR a.position < b.position)
