-- name: links
-- what: One row a link from a record to another, as the record names it.
CREATE OR REPLACE VIEW links AS
SELECT placed.row, placed.id, placed.shown, placed.origin, placed.group_id, unnest(placed.linked_prompt_ids) AS linked
FROM placed
