-- name: open_cells
-- what: The open quota cells, in the order of the plan.
SELECT * FROM open_cells ORDER BY position
