-- name: duplicates
-- code: ES610
-- what: No two prompts of different groups say the same: their cosine is not over `dedup.threshold`.
-- why: A prompt that stands twice counts twice, and the dataset is smaller than its size says.
-- mend: Mark the later group as fallen, so that the next run makes it again.
-- needs: records embedder
-- fields: prompt
-- note: Members of one linkage group are rephrasings and may be close. Prompts that differ in a number, date, amount,
--   negation or jurisdiction are not duplicates, where `dedup.facts_distinguish` is true.
--: rows
WITH numbered AS (
  SELECT *, row_number() OVER (ORDER BY "row") - 1 AS position FROM placed
)
SELECT
  late.origin,
  late.shown AS slot,
  late.row AS "row",
  format('cosine {:.4f}', cosine) AS found,
  format('at most {:g}', settings.threshold) AS required,
  format(
    '{} says the same as {} in row {}: cosine {:.4f}, at most {:g} is accepted',
    late.shown, early.shown, early.row, cosine, settings.threshold
  ) AS message
FROM settings, alike
JOIN numbered AS early ON early.position = alike.early
JOIN numbered AS late ON late.position = alike.late
ORDER BY late.row, early.row
--: summary
SELECT
  format('no cosine over {:g}', settings.threshold) AS required,
  format('{:,} pairs', (SELECT count(*) FROM alike)) AS found,
  CASE WHEN settings.spared > 0
    THEN format('{:,} close pairs differ in a number, date, amount, negation or jurisdiction', settings.spared)
    ELSE '' END AS note
FROM (SELECT settings.*, (SELECT any_value(spared) FROM compared) AS spared FROM settings) AS settings
