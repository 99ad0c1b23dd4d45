-- name: forget
-- what: Drop what is known of a group's decision.
DELETE FROM decisions WHERE group_id = $chosen
