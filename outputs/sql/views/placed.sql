-- name: placed
-- what: Records with the slot that each of them fills; without a plan, or with a foreign id, the slot is null.
CREATE OR REPLACE VIEW placed AS
SELECT
  records.*,
  slots.slot_id,
  slots.group_id,
  slots.origin,
  coalesce(slots.slot_id, records.id, 'row ' || records.row) AS shown
FROM records
LEFT JOIN slots ON slots.record_id = records.id
