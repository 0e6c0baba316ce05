"""Pages are written from templates, and not with a claim that is false."""

from pathlib import Path

import pytest
from jinja2 import DictLoader, UndefinedError

from validation import pages

TEMPLATE = """{% filter filled(indent="  ") %}
- On {{ matrix }} the power is {{ power | number(".3f") }}, and z-std is the
least stable of all.
{% endfilter %}
{% for m in sizes %}
| {{ m }} |
{% endfor %}
"""
VALUES = {"matrix": "Robust <AP>", "power": 0.63812, "sizes": (2, 10)}


@pytest.fixture(autouse=True)
def template(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages._TEMPLATES, "loader", DictLoader({"page": TEMPLATE}))


def test_a_value_that_is_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="'power' is undefined"):
        pages.rendered("page", matrix="Robust AP", sizes=())


def test_false_claims_are_named_and_stop_the_page() -> None:
    claims = {"On Robust": True, "z-std is the least stable": False, "the power is": False}
    with pytest.raises(pages.FalseClaimError) as caught:
        pages.rendered("page", claims, **VALUES)
    lines = str(caught.value).splitlines()
    assert lines[1:] == ["- z-std is the least stable", "- the power is"]


def test_every_template_can_be_read() -> None:
    folder = Path(pages.__file__).parent
    for path in folder.rglob("*.jinja"):
        pages._TEMPLATES.parse(path.read_text(encoding="utf-8"))
