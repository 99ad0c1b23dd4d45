-- name: excerpt-grounded
-- code: ES631
-- what: A reference context is the excerpt that was held against its source when it was filled, and holds the answer where the template's answer is grounded.
-- why: An excerpt that no source has makes the expected answer an invention.
-- mend: Assemble again; if a file was edited by hand, take the edit back.
-- needs: plan records filled
-- fields: id reference_context
-- note: Excerpts are held against the source before a reply is journaled, so the journal's are the ones that stand in it.
--: rows
WITH held AS (
  SELECT
    placed.row, placed.shown, placed.origin, placed.reference_context AS context, filled.*,
    trim(regexp_replace(lower(placed.reference_context), '[^\p{L}\p{N}]+', ' ', 'g')) AS context_words,
    trim(regexp_replace(lower(filled.answer), '[^\p{L}\p{N}]+', ' ', 'g')) AS answer_words
  FROM placed
  JOIN filled ON filled.id = placed.id
),
judged AS (
  SELECT
    *,
    CASE
      WHEN context IS DISTINCT FROM filled_context THEN 'is not the excerpt that was filled'
      WHEN grounded AND answer_words <> '' AND NOT contains(context_words, answer_words) THEN 'does not hold the answer'
    END AS fault
  FROM held
)
SELECT
  origin,
  shown AS slot,
  "row",
  fault AS found,
  'an excerpt of its source' AS required,
  format('the reference context of {} {}: ''{}''', shown, fault, left(replace(coalesce(context, 'null'), chr(10), ' '), 60)) AS message
FROM judged
WHERE fault IS NOT NULL
ORDER BY "row"
--: summary
SELECT
  'every context an excerpt of its source' AS required,
  format('{:,} contexts, {:,} of them altered by their strategy', count(records.reference_context), count(*) FILTER (WHERE filled.altered)) AS found,
  '' AS note
FROM records
JOIN filled ON filled.id = records.id
