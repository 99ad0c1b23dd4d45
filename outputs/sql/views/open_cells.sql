-- name: open_cells
-- what: Quota cells of the plan that have fewer records than slots: how many are missing, and which slots.
CREATE OR REPLACE VIEW open_cells AS
SELECT
  slots.subdimension,
  slots.source_domain,
  slots.geography,
  slots.difficulty,
  any_value(slots.origin) AS origin,
  count(*) AS planned,
  count(*) FILTER (WHERE records.id IS NULL) AS missing,
  list(slots.slot_id ORDER BY slots.position) FILTER (WHERE records.id IS NULL) AS missing_slots,
  min(slots.position) AS position
FROM slots
LEFT JOIN (SELECT DISTINCT id FROM records) AS records ON records.id = slots.record_id
GROUP BY ALL
HAVING count(*) FILTER (WHERE records.id IS NULL) > 0
