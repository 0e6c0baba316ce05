"""BibTeX of the programs that computed the numbers of a page."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import TYPE_CHECKING

from cdfscore._version import __version__

if TYPE_CHECKING:
    from cdfscore.report.page.analysis import Analysis

#: Packages whose arithmetic is in the numbers, by the names of their distributions, and the papers
#: that they ask to be cited by.
PAPERS = {
    "numpy": "Harris et al. (2020)",
    "scipy": "Virtanen et al. (2020)",
    "pandas": "McKinney (2010)",
    "statsmodels": "Seabold and Perktold (2010)",
}
# The authors and the title are those of the file CITATION.cff.
_CDFSCORE = """\
@misc{{cdfscore,
  author = {{{{The cdfscore developers}}}},
  title = {{cdfscore}},
  note = {{Version {version}}}
}}
"""
# As citation() of R has it, with the version, which a reader needs to compute the same.
_R = """\
@manual{{r,
  author = {{{{R Core Team}}}},
  title = {{R: A Language and Environment for Statistical Computing}},
  organization = {{R Foundation for Statistical Computing}}, address = {{Vienna, Austria}},
  year = {{{year}}}, note = {{{version}}}, url = {{https://www.R-project.org/}}
}}
"""


def cited_software(analysis: Analysis) -> list[str]:
    """Return the programs: cdfscore, its packages with their papers, and R if it was run."""
    found = [f"The cdfscore developers, cdfscore {__version__}"]
    found += [f"{paper}, {name} {version(name)}" for name, paper in PAPERS.items()]
    return [*found, *(f"R Core Team ({_year(r)}), {r}" for r in _r_version(analysis))]


def entries_of_software(analysis: Analysis) -> list[str]:
    """Return the entries of the programs that have no paper: cdfscore, and R if it was run."""
    return [
        _CDFSCORE.format(version=__version__),
        *(_R.format(year=_year(r), version=r) for r in _r_version(analysis)),
    ]


def _r_version(analysis: Analysis) -> list[str]:
    """Return the version of R as R states it; empty if R was not run."""
    return [] if analysis.r.table is None else [analysis.r.table.attrs["r_version"]]


def _year(r_version: str) -> str:
    """Return the year of a version, "2022" of "R version 4.2.2 (2022-10-31)".

    >>> _year("R version 4.2.2 Patched (2022-11-10 r83330)")
    '2022'
    """
    found = re.search(r"\((\d{4})-", r_version)
    return found[1] if found else "n.d."
