"""Letters that look alike: the skeleton of a text is what a reader takes it for.

Compatibility forms (full-width, mathematical) come from Unicode's NFKC; Greek and Cyrillic letters that pass for Latin
ones are the table below. Only used to warn: a look-alike label is text.
"""

from __future__ import annotations

import unicodedata

_ALIKE = str.maketrans(
    "аеорсухіјѕԁһӏкмтвнгԛԝьΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβεικνορτυχγωηιϲϳ" + "АВЕКМНОРСТУХІЈЅԌԚԜ",
    "aeopcyxijsdhlkmtbhrqwbABEZHIKMNOPTYXaBeiKvopTuxywnicj" + "ABEKMHOPCTYXIJSGQW",
)
_INVISIBLE = {"Cc", "Cf", "Mn", "Me"}


def skeleton(text: str) -> str:
    """The text in plain letters: forms unified, marks and invisible characters dropped, case and spaces gone."""
    unified = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text.translate(_ALIKE)))
    seen = (char for char in unified.translate(_ALIKE) if unicodedata.category(char) not in _INVISIBLE)
    return "".join("".join(seen).translate(_ALIKE).split()).replace("_", "").casefold()
