-- name: answer-leak
-- code: ES628
-- what: The correct answer does not stand in a closed-book prompt, where options are not what the prompt gives.
-- why: A question that holds its answer measures reading, not knowledge.
-- mend: Reject the record's group, so that the next run makes it again.
-- needs: plan records filled
-- fields: id prompt
-- note: Answers are known from the journal. Lettered options are left out, and so are templates whose answer is chosen
--   from what they show (`meta: {choices: true}`), prompts with an excerpt, and answers of fewer than four characters.
--: rows
WITH asked AS (
  SELECT
    placed.row, placed.shown, placed.origin, filled.answer,
    ' ' || trim(regexp_replace(lower(filled.answer), '[^\p{L}\p{N}]+', ' ', 'g')) || ' ' AS answer_words,
    ' ' || trim(regexp_replace(
      lower(regexp_replace(placed.prompt, '(?m)^\s*[A-H][).]\s.*$', '', 'g')), '[^\p{L}\p{N}]+', ' ', 'g'
    )) || ' ' AS prompt_words
  FROM placed
  JOIN filled ON filled.id = placed.id
  WHERE filled.closed AND length(filled.answer) >= 4
)
SELECT
  origin,
  shown AS slot,
  "row",
  left(answer, 60) AS found,
  'not in the prompt' AS required,
  format('the closed-book prompt of {} holds its answer: ''{}''', shown, left(answer, 60)) AS message
FROM asked
WHERE length(answer_words) > 2 AND contains(prompt_words, answer_words)
ORDER BY "row"
--: summary
SELECT
  'no answer in its own closed-book prompt' AS required,
  format('{:,} closed-book prompts with an answer', count(*)) AS found,
  '' AS note
FROM records
JOIN filled ON filled.id = records.id
WHERE filled.closed AND length(filled.answer) >= 4
