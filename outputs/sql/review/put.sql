-- name: put
-- what: Put what a decision on a group comes to.
INSERT INTO decisions VALUES ($chosen, $state)
