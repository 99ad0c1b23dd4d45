-- name: context-shown
-- code: ES624
-- what: A reference context stands in the prompt: each of its passages, as it is.
-- why: A model is scored on what it was shown.
-- mend: Reject the record's group, so that the next run makes it again.
-- needs: records
-- fields: prompt reference_context
--: rows
WITH passage AS (
  SELECT "row", shown, origin, prompt, trim(unnest(string_split(reference_context, chr(10) || chr(10))), chr(10) || ' ') AS text
  FROM placed
  WHERE reference_context IS NOT NULL
)
SELECT
  any_value(origin) AS origin,
  any_value(shown) AS slot,
  "row",
  'not in the prompt' AS found,
  'shown in the prompt' AS required,
  format(
    'the prompt of {} does not show its reference context: ''{}''',
    any_value(shown), first(left(replace(text, chr(10), ' '), 60) ORDER BY text)
  ) AS message
FROM passage
WHERE text <> '' AND NOT contains(prompt, text)
GROUP BY "row"
ORDER BY "row"
--: summary
SELECT
  'every context in its prompt' AS required,
  format('{:,} records with a context', count(reference_context)) AS found,
  '' AS note
FROM records
