"""What is compared: the test, its correction, effect size and level, and the pairs of systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdfscore.common.catalogue import note_of, traces
from cdfscore.common.costs import check_cost
from cdfscore.common.text import kept, listed
from cdfscore.errors import ScoresError, SignificanceError, did_you_mean
from cdfscore.standardization.standardized import Factors, Standardized
from cdfscore.standardization.standardizer import How, name_of
from cdfscore.stats.adjustment import check_method
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.numerics.numbers import between_0_and_1
from cdfscore.stats.schemes.base import scheme_label
from cdfscore.stats.significance import contract

# --- Arguments of `compare` ---


Test = str | contract.ChosenTest | contract.SignificanceTest[Any]


def chosen_test(test: Test | None) -> contract.ChosenTest:
    """Return a test with its settings; raises `SignificanceError` if `test` is not one."""
    if test is None:
        raise SignificanceError(
            "no test is given; expected test='paired_t' for two systems, test='max_t' for several "
            f"systems, or another test: {_names()}"
        )
    if isinstance(test, str):
        test = contract.parse_test(test)
    elif isinstance(test, contract.SignificanceTest):
        test = test.chosen({})
    if not isinstance(test, contract.ChosenTest):
        raise SignificanceError(
            f"test={test!r} is not accepted; expected a significance test such as paired_t, or its "
            f"spelling such as 'paired_t'; the tests are {_names()}"
        )
    return test


def _names() -> str:
    names = contract.significance_tests.names()
    return ", ".join(name for name in names if in_compare(contract.significance_tests.load(name)))


def check_of_pairs(chosen: contract.ChosenTest) -> None:
    """Raise `SignificanceError` unless the test compares pairs of systems."""
    if not isinstance(chosen.test, contract.TwoSamples | contract.PairsTogether):
        raise SignificanceError(
            f"{chosen.test.name} is a test of {chosen.test.samples}; expected one that compares "
            "pairs of systems, such as paired_t or tukey_hsd"
        )


def check_of_collections(chosen: contract.ChosenTest) -> None:
    """Raise `SignificanceError` unless the test is of samples on different topics."""
    if chosen.test.samples != "unpaired":
        tests = map(contract.significance_tests.load, contract.significance_tests.names())
        names = [each.name for each in tests if each.samples == "unpaired"]
        raise SignificanceError(
            f"{chosen.test.name} cannot compare systems on different topics; expected an unpaired "
            f"test: {', '.join(names)}"
        )


def in_compare(test: contract.SignificanceTest[Any]) -> bool:
    """Tell whether `compare` runs a test: all but those of the scores of one system."""
    return not isinstance(test, contract.OneSample)


def check_of_systems(chosen: contract.ChosenTest) -> None:
    """Raise `SignificanceError` for a test of the scores of one system."""
    name = chosen.test.name
    if not in_compare(chosen.test):
        raise SignificanceError(
            f"{name} tests the scores of one system against a value; expected a test of two "
            "systems or more, such as paired_t, or a call of "
            f"cdfscore.stats.significance.{name} with the scores of the system"
        )


def check_options_of_pairs(
    chosen: contract.ChosenTest, baselines: Sequence[str], effect: str | None
) -> None:
    """Raise `SignificanceError` for baselines and effect sizes that do not go with the test."""
    test = chosen.test
    if not isinstance(test, contract.TwoSamples | contract.PairsTogether) and (baselines or effect):
        raise SignificanceError(
            f"{test.name} does not compare pairs of systems; expected no baseline and no effect "
            "size, or a test of pairs such as paired_t"
        )
    if needs_baseline(test) and len(baselines) != 1:
        given = f"{' and '.join(baselines)} are given" if baselines else "none is given"
        raise SignificanceError(
            f"{test.name} compares systems with one baseline, and {given}; expected "
            "baselines='NAME' once, with the name of a system"
        )


def needs_baseline(test: contract.SignificanceTest[Any]) -> bool:
    """Tell whether a test is of systems against one baseline."""
    return isinstance(test, contract.PairsTogether) and test.one_baseline


def check_different(schemes: Sequence[How]) -> None:
    """Raise `SignificanceError` for no scheme, and for one that is given twice."""
    if not schemes:
        raise SignificanceError("no scheme is given; expected one or more, such as 'raw'")
    names = list(map(name_of, schemes))
    for name in names:
        if names.count(name) > 1:
            raise SignificanceError(
                f"the scheme {name} is given twice; expected each scheme once, even with different "
                "policies"
            )


def conclusive_test(test: Test) -> contract.ChosenTest:
    """Return a test that tells which pairs are significant; raises `SignificanceError`."""
    chosen = chosen_test(test)
    check_of_pairs(chosen)
    if needs_baseline(chosen.test):
        raise SignificanceError(
            f"{chosen.test.name} compares systems with one baseline only; expected a test of all "
            "pairs, such as paired_t or max_t"
        )
    check_symmetric(chosen, "conclusions")
    return chosen


def adjustment_of(chosen: contract.ChosenTest, adjust: str | None) -> str:
    """Return the correction; default: holm, none for one p value or a simultaneous test."""
    simultaneous = isinstance(chosen.test, contract.Simultaneous)
    alone = isinstance(chosen.test, contract.AllSystems)
    if adjust is None:
        return "none" if simultaneous or alone else "holm"
    check_method(adjust)
    if alone and adjust != "none":
        raise SignificanceError(
            f"adjust={adjust!r} corrects several p values, and {chosen.test.name} gives only one; "
            "expected adjust='none', or no correction"
        )
    if simultaneous and adjust != "none":
        raise SignificanceError(
            f"adjust={adjust!r} would correct {chosen.test.name} a second time, because its p "
            "values hold for the whole family; expected adjust='none', or no correction"
        )
    return adjust


def effect_of(chosen: contract.ChosenTest, effect: str | None) -> str:
    """Return the name of an effect size; the default is that of the test."""
    if effect:
        return str(effect_sizes.load(effect).name)
    return chosen.test.effect if effect is None else effect


def check_alpha(alpha: float) -> float:
    """Return the level as a float; raise `SignificanceError` if it is not between 0 and 1."""
    return between_0_and_1("alpha", alpha, SignificanceError)


def check_symmetric(chosen: contract.ChosenTest, use: str) -> None:
    """Raise `SignificanceError` unless a test for this use is a two-sided test of a difference."""
    shows, settings = chosen.test.shows, chosen.settings
    if shows != "difference":
        raise SignificanceError(
            f"{use} need a test of a difference, and a small p value of {chosen} shows {shows}; "
            "expected a test such as paired_t or max_t"
        )
    if settings.get("alternative", "two-sided") != "two-sided" or settings.get("null_value", 0):
        raise SignificanceError(
            f"{use} need a two-sided test of no difference, and {chosen} is not; expected the "
            "settings alternative=two-sided and null_value=0"
        )


def check_letters(chosen: contract.ChosenTest, baselines: Sequence[str]) -> None:
    """Raise `SignificanceError` if a comparison has no letters and no diagram."""
    check_of_pairs(chosen)
    use = "letters and diagrams"
    if baselines:
        raise SignificanceError(
            f"{use} need all pairs, but only pairs with the baselines {', '.join(baselines)} are "
            "compared; expected no baselines"
        )
    check_symmetric(chosen, use)


# --- Pairs of systems ---


#: The pairs of two collections that differ only by chance if the collections are comparable.
ITSELF = "pairs of a system with itself"


@dataclass(frozen=True, eq=False)
class Family:
    """Pairs of systems by position; each test is of the first against the second.

    A family `at_once` has no pairs: one test is of all systems. In a family of two collections,
    the first `split` systems are those of the first collection.
    """

    systems: tuple[str, ...]
    baselines: tuple[str, ...]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    at_once: bool = False
    split: int = 0

    @classmethod
    def of(
        cls, systems: Sequence[str], baselines: Sequence[str] = (), *, at_once: bool = False
    ) -> Family:
        """Return all pairs, or each other system against each baseline, two baselines once, or no
        pair, of one test of all systems; `ScoresError` for fewer than two.
        """
        if len(systems) < 2:
            number = "is 1 system" if len(systems) == 1 else f"are {len(systems)} systems"
            raise ScoresError(f"there {number} to compare; expected 2 or more")
        if at_once:
            first = second = np.array([], dtype=np.intp)
        elif not baselines:
            n = math.comb(len(systems), 2)
            instead = "fewer systems or a baseline"
            check_cost(f"{n:,} pairs of systems", instead, pair_of_systems=n)
            first, second = np.triu_indices(len(systems), 1)
        else:
            positions = [_position(name, systems) for name in baselines]
            pairs = [
                (system, baseline)
                for rank, baseline in enumerate(positions)
                for system in range(len(systems))
                if system != baseline and system not in positions[:rank]
            ]
            first, second = np.array(pairs, dtype=np.intp).T
        return cls(tuple(systems), tuple(baselines), first, second, at_once)

    @classmethod
    def of_collections(cls, a: Sequence[str], b: Sequence[str]) -> Family:
        """Return each system of one collection against each of another, itself included."""
        n = len(a) * len(b)
        check_cost(f"{n:,} pairs of systems", "fewer systems", pair_of_systems=n)
        first, second = np.divmod(np.arange(n), len(b))
        return cls((*a, *b), (), first, len(a) + second, split=len(a))

    @property
    def kinds(self) -> dict[str, NDArray[np.bool_]]:
        """The kinds of pairs, each with its pairs; each kind is corrected on its own."""
        if not self.split:
            return {"pairs": np.full(len(self), True)}
        same = np.array([a == b for a, b in zip(*self.names, strict=True)], dtype=np.bool_)
        kinds = {ITSELF: same, "pairs of different systems": ~same}
        return {kind: own for kind, own in kinds.items() if own.any()}

    def part(self, own: NDArray[np.bool_]) -> Family:
        """Return the family of some of the pairs."""
        return replace(self, first=self.first[own], second=self.second[own])

    @property
    def names(self) -> tuple[list[str], list[str]]:
        """The first and second systems by name; all systems at once are the first, without one."""
        if self.at_once:
            return ["all systems"], [""]
        every = np.array(self.systems, dtype=object)
        return every[self.first].tolist(), every[self.second].tolist()

    @property
    def labels(self) -> list[str]:
        """The pairs as text, "a - b"."""
        if self.at_once:
            return self.names[0]
        return [f"{a} - {b}" for a, b in zip(*self.names, strict=True)]

    def __len__(self) -> int:
        return 1 if self.at_once else len(self.first)

    def __str__(self) -> str:
        """Describe the hypotheses of the family."""
        count = f"{len(self):,} {'hypothesis' if len(self) == 1 else 'hypotheses'}"
        if self.at_once:
            return f"all {len(self.systems)} systems at once, {count}"
        if self.split:
            kinds = " and ".join(f"{own.sum():,} {kind}" for kind, own in self.kinds.items())
            return (
                f"each of {self.split} systems of the first collection with each of "
                f"{len(self.systems) - self.split} of the second, {kinds}"
            )
        if not self.baselines:
            return f"all pairs of {len(self.systems)} systems, {count}"
        which = f"baseline{'s' * (len(self.baselines) > 1)} {', '.join(map(kept, self.baselines))}"
        return f"each other system against the {which}, {count}"


def baseline_names(baselines: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of baselines, each once; raises `SignificanceError` if they are others."""
    if isinstance(baselines, str):
        return (baselines,)
    names = tuple(baselines) if isinstance(baselines, Iterable) else (baselines,)
    if not all(isinstance(name, str) for name in names):
        raise SignificanceError(
            f"baselines={baselines!r} is not accepted; expected the name of a system, as text, or "
            "a list of names"
        )
    for name in names:
        if names.count(name) > 1:
            raise SignificanceError(f"the baseline {name!r} is given twice; expected each once")
    return names


def _position(name: str, systems: Sequence[str]) -> int:
    if name in systems:
        return list(systems).index(name)
    raise SignificanceError(
        f"the baseline {name!r} is not a system of the scores{did_you_mean(name, systems)}; "
        f"expected one of {listed([repr(system) for system in systems])}"
    )


# --- Notes: on schemes, topics, policies, the reference and the family ---


def check_directions(standardized: Sequence[Standardized]) -> None:
    """Raise `SignificanceError` if lower is better on a topic by one scheme and not by another."""
    first, *others = standardized
    for other in others:
        common = set(first.used.topics) & set(other.used.topics)
        for by, not_by in ((first, other), (other, first)):
            apart = common & set(by.reversed_topics) - set(not_by.reversed_topics)
            if apart:
                schemes = [str(each.factors.fitted.scheme) for each in (by, not_by)]
                raise SignificanceError(
                    f"lower is better on {kept(*sorted(apart))} by {schemes[0]}, and higher is "
                    f"better by {schemes[1]}; expected the same lower_is_better for all schemes"
                )


def different_topics(topics: dict[str, tuple[str, ...]]) -> list[str]:
    """Return a note if the schemes have different topics."""
    if len(set(map(len, topics.values()))) > 1:
        numbers = (f"{scheme_label(scheme)} on {len(own):,}" for scheme, own in topics.items())
        return [f"the schemes are compared on different numbers of topics: {', '.join(numbers)}"]
    if len(set(topics.values())) == 1:
        return []
    union = list(dict.fromkeys(topic for own in topics.values() for topic in own))
    sets = {scheme: set(own) for scheme, own in topics.items()}
    without = "; ".join(
        f"{scheme_label(scheme)} without {kept(*(t for t in union if t not in own))}"
        for scheme, own in sets.items()
    )
    return [f"the schemes are compared on different topics: {without}"]


def joined(notes: dict[str, list[str]]) -> list[str]:
    """Join the notes of all schemes, each once; a note of some schemes names them in words."""
    found = []
    for note in dict.fromkeys(chain(*notes.values())):
        schemes = [scheme_label(scheme) for scheme, own in notes.items() if note in own]
        found.append(note if len(schemes) == len(notes) else note_of(", ".join(schemes), note))
    return found


def traces_of(chosen: contract.ChosenTest, effect: str) -> list[str]:
    """Return the `traces` of a test and an effect size, if there is one."""
    return traces([chosen.test, *([effect_sizes.load(effect)] if effect else [])])


def policies_of(factors: dict[str, Factors], name: str) -> str:
    """Return the policy of all schemes, or each policy with its schemes: "omit (z, normal)"."""
    schemes = dict[str, list[str]]()
    for scheme, own in factors.items():
        schemes.setdefault(getattr(own, name), []).append(scheme)
    if len(schemes) == 1:
        return next(iter(schemes))
    return ", ".join(f"{policy} ({', '.join(own)})" for policy, own in schemes.items())


def of_shown_pairs(chosen: contract.ChosenTest, family: Family) -> list[str]:
    """Return a note if the family of the p values is larger than that of the pairs shown."""
    if not (
        isinstance(chosen.test, contract.Simultaneous) and chosen.test.of_all and family.baselines
    ):
        return []
    return [
        f"p values and intervals hold for all pairs of the {len(family.systems)} systems; only "
        "pairs with the baselines are shown"
    ]
