"""The language of a text is told by its commonest words."""

import pytest

from evalspec.runtime.sources.language import foreign

ENGLISH = "The fund is required to publish the value of its shares on the first day of each month and to keep it. "
FRENCH = "La caisse est tenue de publier la valeur des parts le premier jour de chaque mois et de la garder. "
SPANISH = "El fondo debe publicar el valor de sus participaciones el primer día de cada mes y no cambiarlo. "
GERMAN = "Der Fonds ist verpflichtet, den Wert der Anteile am ersten Tag des Monats zu nennen und das zu belegen. "


@pytest.mark.parametrize(
    ("text", "language", "reason"),
    [
        (ENGLISH, "en", None),
        (ENGLISH, "en-CA", None),
        (FRENCH, "en", "it is in French and not in English"),
        (SPANISH, "en", "it is in Spanish and not in English"),
        (GERMAN, "en", "it is in German and not in English"),
        (FRENCH, "fr", None),
        (ENGLISH, "fr", "it is in English and not in French"),
        (ENGLISH * 3 + FRENCH, "en", None),
        ("基金必须公布 每月第一天 的份额价值 " * 20, "en", "it is not in English"),
        (ENGLISH, "cy", None),
        ("", "en", None),
    ],
)
def test_a_text_in_another_language_is_named(text: str, language: str, reason: str | None) -> None:
    assert foreign(text * 10, language) == reason


def test_words_of_no_language_are_left_alone_where_only_sure_cases_count() -> None:
    assert (foreign("word " * 200, "en", surely=True), foreign("word " * 200, "en")) == (None, "it is not in English")
