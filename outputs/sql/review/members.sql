-- name: members
-- what: The records of one group, in the order of its slots.
SELECT * EXCLUDE (sought) FROM records WHERE group_id = $chosen ORDER BY place
