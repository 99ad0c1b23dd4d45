-- name: alike
-- what: Every pair of rows of different groups that says the same; the earlier row first. Positions count from 0.
CREATE OR REPLACE TABLE alike AS
SELECT a.position AS early, b.position AS late, pairs.cosine
FROM pairs
JOIN entries AS a ON a.text = pairs.a
JOIN entries AS b ON b.text = pairs.b
WHERE a.facts = b.facts AND a.rank <> b.rank AND a.position < b.position
UNION
SELECT b.position, a.position, pairs.cosine
FROM pairs
JOIN entries AS a ON a.text = pairs.a
JOIN entries AS b ON b.text = pairs.b
WHERE a.facts = b.facts AND a.rank <> b.rank AND b.position < a.position
