-- name: spared
-- what: How many close pairs were kept because they differ in a fact.
SELECT spared FROM compared
