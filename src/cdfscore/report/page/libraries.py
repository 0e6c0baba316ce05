"""Scripts and styles of the page's libraries, from the packages that are installed.

DataTables comes with ``itables``, and Vega, Vega-Lite and Vega-Embed with ``vl-convert-python``, so
that no copy is kept here and the page needs no network.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from cdfscore.errors import MissingDependencyError

_PACKAGES = {"jinja2": "Jinja", "itables": "itables", "vl_convert": "vl-convert-python"}


class Libraries(NamedTuple):
    """The scripts of tables and charts, the style of tables, and what they are."""

    tables: str
    tables_style: str
    charts: str
    told: str


def require_page_libraries() -> None:
    """Raise `MissingDependencyError` if a package that a page needs is not installed."""
    for module, package in _PACKAGES.items():
        if find_spec(module) is None:
            raise MissingDependencyError(
                f"a report needs {package}, which is not installed; run pip install "
                "'cdfscore[report]'"
            )


def libraries() -> Libraries:
    """Return the scripts; raises `MissingDependencyError`."""
    require_page_libraries()
    import vl_convert

    # Found and not imported, as that takes a second.
    spec = find_spec("itables")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "html"
    told = (
        f"Tables: DataTables (MIT license), of itables {version('itables')}. Charts: Vega "
        f"{vl_convert.get_vega_version()} and Vega-Lite {vl_convert.get_vegalite_versions()[-1]} "
        f"(BSD license), of vl-convert {version('vl-convert-python')}."
    )
    return Libraries(
        (folder / "dt_bundle.js").read_text(encoding="utf-8"),
        (folder / "dt_bundle.css").read_text(encoding="utf-8"),
        _charts(),
        told,
    )


@cache
def _charts() -> str:
    """Return the scripts of charts, which vl-convert bundles anew in 1.5 s each time."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle
