"""The part of the bibliography that is made of the BibTeX entries of the package."""

from __future__ import annotations

import re
import unicodedata

from cdfscore.report.methods import entries
from cdfscore.stats.schemes.base import schemes
from cdfscore.stats.significance.contract import significance_tests

#: Combining characters by the commands of TeX.
_ACCENTS = {"'": "\N{COMBINING ACUTE ACCENT}", "v": "\N{COMBINING CARON}"}
_WHERE = ("journal", "booktitle", "publisher", "school", "institution", "note")


def source_list() -> str:
    """Return the list of the entries, each with the schemes and tests that name it."""
    return "\n".join(_line(name, entry) for name, entry in sorted(entries().items()))


def users_of(name: str) -> list[str]:
    """Return the schemes and the tests whose source names a paper, such as "Johnson (1949)"."""
    members = [
        *((each, schemes.load(each).source) for each in schemes.names()),
        *((each, significance_tests.load(each).source) for each in significance_tests.names()),
    ]
    return [member for member, source in members if name in with_each_year(source)]


def with_each_year(source: str) -> str:
    """Return a source with "Fisher (1915, 1921)" as "Fisher (1915), Fisher (1921)"."""
    return re.sub(r"(\w+) \((\d{4}), (\d{4})\)", r"\1 (\2), \1 (\3)", source)


def _line(name: str, entry: str) -> str:
    fields = {
        key: _text(value)
        for key, value in re.findall(r"(\w+) = \{(.*?)\}(?=,\s+\w+ = |,?\s*\n)", entry)
    }
    where = next((fields[each] for each in _WHERE if each in fields), "")
    volume = f" {fields['volume']}" if "volume" in fields else ""
    number = fields.get("number", "")
    number = f"({number})" if number and volume else f", {number}" * bool(number)
    edition = f", {fields['edition']} edition" if "edition" in fields else ""
    pages = f", {fields['pages']}" if "pages" in fields else ""
    doi = f" [doi:{fields['doi']}](https://doi.org/{fields['doi']})." if "doi" in fields else ""
    users = users_of(name)
    cited = f" For {', '.join(f'`{each}`' for each in users)}." if users else ""
    title = fields["title"] + "." * (fields["title"][-1] not in "?!")
    return (
        f"- **{name}**. {_people(fields['author'])}: {title} "
        f"{where}{volume}{number}{edition}{pages}.{doi}{cited}"
    )


def _people(authors: str) -> str:
    """Return the authors of an entry, the given names first."""
    people = [" ".join(reversed(each.split(", "))) for each in authors.split(" and ")]
    *first, last = people
    return f"{', '.join(first)} and {last}" if first else last


def _text(value: str) -> str:
    """Return a field without the commands of TeX."""
    value = re.sub(r"\{\\(['v])\{?(\w)\}?\}", lambda found: found[2] + _ACCENTS[found[1]], value)
    value = unicodedata.normalize("NFC", value)
    value = value.replace("``", '"').replace("''", '"').replace("\\&", "&").replace("--", "–")
    return re.sub(r"[{}]", "", value).replace("`", "'")
