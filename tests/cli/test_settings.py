"""``cdfscore schemes`` and ``cdfscore tests`` print what each setting accepts."""

import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from cdfscore.cli.methods import settings_of_scheme
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import LinearScheme, Parameters, schemes
from cdfscore.stats.significance.contract import significance_tests


def entries(out: str) -> dict[str, list[str]]:
    """Return the lines of each member of a list."""
    found: dict[str, list[str]] = {}
    for line in out.splitlines():
        if not line.startswith(" "):
            found[line.partition(" ")[0]] = own = []
        else:
            own.append(line)
    return found


def words_of(hint: Any) -> list[Any]:
    """Return the words that a type permits."""
    members = [hint, *typing.get_args(hint)]
    return [
        word for each in members if typing.get_origin(each) is Literal for word in each.__args__
    ]


@pytest.mark.parametrize(
    ("command", "catalogue"), [("schemes", schemes), ("tests", significance_tests)]
)
def test_each_setting_has_a_line_with_every_word(
    cdfscore: Callable[..., Any], command: str, catalogue: Any
) -> None:
    status, out, err = cdfscore(command)
    assert (status, err) == (0, "")
    listed = entries(out)
    assert list(listed) == catalogue.names()
    for name in catalogue.names():
        hints = catalogue._settings(catalogue.load(name))
        own = [line.strip() for line in listed[name] if line.startswith("        ")]
        assert [line.partition(":")[0] for line in own] == list(hints)
        for line, hint in zip(own, hints.values(), strict=True):
            said = line.partition(":")[2].replace(",", " ").split()
            assert set(words_of(hint)) <= set(said)


@pytest.mark.parametrize("catalogue", [schemes, significance_tests], ids=["schemes", "tests"])
def test_every_word_is_accepted(catalogue: Any) -> None:
    for name in catalogue.names():
        member = catalogue.load(name)
        required = getattr(member, "example", {})
        for setting, hint in catalogue._settings(member).items():
            for word in words_of(hint):
                catalogue.make(name, {**required, setting: word})


@dataclass(frozen=True)
class Shifted(LinearScheme):
    """Scheme of a plug-in that checks nothing."""

    by: float = 0.5
    ends: Literal["raise", "shrink"] | None = None

    formula, source = "y = x + by", ""

    def __post_init__(self) -> None:
        if isinstance(self.by, str):
            raise TypeError("expected 2, of any kind")

    def estimate(self, scores: Array) -> Parameters:
        return {}

    def evaluate(self, x: Array) -> Array:
        return x + self.by


def test_a_plug_in_without_checks_is_told_by_its_types() -> None:
    assert settings_of_scheme(Shifted) == {"by": "a number", "ends": "raise, shrink, or None"}
