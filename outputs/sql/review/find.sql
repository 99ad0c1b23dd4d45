-- name: find
-- what: The records that a search finds: those that hold the words, or whose id or group they are; none without words.
SELECT "row" FROM records
WHERE $words <> '' AND (contains(sought, $words) OR id = $words OR lower(group_id) = $words)
