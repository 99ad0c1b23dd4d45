"""What the Hub of Hugging Face knows: licences, task categories, size categories and languages, without asking it.

Licences: huggingface/hub-docs `docs/hub/repositories-licenses.md`. Task categories: huggingface/huggingface.js
`packages/tasks/src/pipelines.ts`. Size categories: datasets `utils/resources/size_categories.json`. Languages: the
two-letter codes of ISO 639-1; three letters are taken as ISO 639-3 without a list. As of 2025-06; the Hub may know more
since, so an unknown name is reported with the list's date.
"""

import re

AS_OF = "2025-06"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LICENSES: frozenset[str] = _words("""
    apache-2.0 mit openrail bigscience-openrail-m creativeml-openrail-m bigscience-bloom-rail-1.0
    bigcode-openrail-m afl-3.0 artistic-2.0 bsl-1.0 bsd bsd-2-clause bsd-3-clause bsd-3-clause-clear c-uda cc
    cc0-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0
    cc-by-nc-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0
    cdla-sharing-1.0 cdla-permissive-1.0 cdla-permissive-2.0 wtfpl ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1
    eupl-1.2 agpl-3.0 gfdl gpl gpl-2.0 gpl-3.0 lgpl lgpl-2.1 lgpl-3.0 isc h-research intel-research lppl-1.3c
    ms-pl apple-ascl apple-amlr mpl-2.0 odc-by odbl openmdw-1.0 openrail++ osl-3.0 postgresql ofl-1.1 ncsa
    unlicense zlib pddl lgpl-lr deepfloyd-if-license fair-noncommercial-research-license llama2 llama3 llama3.1
    llama3.2 llama3.3 llama4 gemma unknown other
""")

LICENSE_NAMES: dict[str, str] = {
    "apache-2.0": "Apache License 2.0",
    "cc0-1.0": "CC0 1.0 (no rights reserved)",
    "cc-by-4.0": "CC BY 4.0 (attribution required, free to use otherwise)",
    "cc-by-sa-4.0": "CC BY-SA 4.0 (attribution required, share alike)",
    "cc-by-nc-4.0": "CC BY-NC 4.0 (attribution required, no commercial use)",
    "cc-by-nc-sa-4.0": "CC BY-NC-SA 4.0 (attribution required, no commercial use, share alike)",
    "mit": "MIT License",
    "odc-by": "Open Data Commons Attribution License",
    "pddl": "Open Data Commons Public Domain Dedication and License",
}

TASK_CATEGORIES: frozenset[str] = _words("""
    any-to-any audio-classification audio-text-to-text audio-to-audio automatic-speech-recognition
    depth-estimation document-question-answering feature-extraction fill-mask graph-ml image-classification
    image-feature-extraction image-segmentation image-text-to-text image-to-3d image-to-image image-to-text
    image-to-video keypoint-detection mask-generation multiple-choice object-detection other question-answering
    reinforcement-learning robotics sentence-similarity summarization table-question-answering table-to-text
    tabular-classification tabular-regression tabular-to-text text-classification text-generation text-ranking
    text-retrieval text-to-3d text-to-audio text-to-image text-to-speech text-to-video text2text-generation
    time-series-forecasting token-classification translation unconditional-image-generation video-classification
    video-text-to-text visual-document-retrieval visual-question-answering voice-activity-detection
    zero-shot-classification zero-shot-image-classification zero-shot-object-detection
""")

SIZE_CATEGORIES: tuple[tuple[int, str], ...] = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
    (100_000_000, "10M<n<100M"),
    (1_000_000_000, "100M<n<1B"),
)
"""The upper end of each category, exclusive, and its name."""

LANGUAGES: frozenset[str] = _words("""
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee
    el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is
    it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms
    mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si
    sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh
    yi yo za zh zu
""")


def size_category(records: int) -> str:
    """The Hub's name for a dataset of so many records."""
    return next((name for end, name in SIZE_CATEGORIES if records < end), "1B<n<10B")


def hub_language(tag: str) -> str:
    """The code that the Hub has for a BCP 47 tag: its language without script or region."""
    return tag.split("-", maxsplit=1)[0].lower()


def known_language(code: str) -> bool:
    """Whether a code is one of ISO 639-1, or has the form of ISO 639-3."""
    return code in LANGUAGES or re.fullmatch(r"[a-z]{3}", code) is not None
