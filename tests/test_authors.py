"""Functions of a person's own: errors in them, and names that two packages have."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdfscore import Standardizer, compare, datasets, diagnose, parse_scheme, parse_test
from cdfscore.common import catalogue
from cdfscore.errors import FitError, PlugInError, SchemeError, SignificanceError
from cdfscore.plots.comparison import plot_volcano
from cdfscore.report.comparison import caption
from cdfscore.report.methods import methods, results
from cdfscore.schemes import bandwidth_rule, smoothing_kernel
from cdfscore.stats.effect_size import effect
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Normal
from cdfscore.stats.schemes.base import schemes
from cdfscore.stats.schemes.kernel import KERNELS
from cdfscore.stats.significance.contract import Rows, Sizes, paired, significance_tests, unpaired

SCORES = datasets.load_cranfield("ap").iloc[:12, :4]


@dataclass(frozen=True)
class Own(Normal):
    """Normal, with an error in a method."""

    wrong: str = "nothing"

    def __post_init__(self) -> None:
        failing(self.wrong == "__post_init__")

    @property
    def minimum_scores(self) -> int:
        return failing(self.wrong == "minimum_scores") or 2

    def estimate(self, scores: Array) -> dict[str, Array]:
        failing(self.wrong == "estimate")
        return super().estimate(scores)

    def evaluate(self, x: Array, mean: Array, sd: Array) -> Array:
        failing(self.wrong == "evaluate")
        return super().evaluate(x, mean, sd)

    def inverse(self, p: Array, mean: Array, sd: Array) -> Array:
        failing(self.wrong == "inverse")
        return super().inverse(p, mean, sd)

    def support(self, mean: Array, sd: Array) -> tuple[Array, Array]:
        failing(self.wrong == "support")
        return super().support(mean, sd)

    def crps(self, y: Array, mean: Array, sd: Array) -> Array | None:
        failing(self.wrong == "crps")
        return None


def failing(wrong: bool = True) -> Any:
    if wrong:
        raise KeyError("two\nlines")


def check(settings: object) -> None:
    failing()


def location(x: Array, settings: object) -> Array:
    return np.asarray(failing())


def least_p(sizes: Sizes, settings: object) -> float:
    return float(failing())


def critical_difference(result: object, systems: int, alpha: float) -> float:
    return float(failing())


@paired(source="nobody")
def own_test(x: Array, y: Array, *, wrong: str = "an error") -> Rows:
    """Return what is no result."""
    return {
        "nothing": lambda: None,
        "words": lambda: Rows("a", 0.5),  # type: ignore[arg-type]
        "a number too much": lambda: Rows(np.zeros(len(x) + 1), 0.5),
    }.get(wrong, failing)()


def rows(x: Array, y: Array) -> Rows:
    """Return no number that matters."""
    return Rows(x[:, 0] - y[:, 0], 0.5)


def own_kernel(u: Array) -> Array:
    return np.asarray(failing())


def own_rule(scores: Array) -> float:
    return float(failing())


@effect(paired=True, method="none")
def own_effect(x: Array, y: Array, conf_level: float) -> Any:
    """Return nothing, or an error."""
    return failing(conf_level != 0.9)


fast = unpaired(source="nobody")(rows)


@fast.for_pairs
def of_pairs(scores: Array, first: object, second: object) -> Rows:
    return Rows(failing(), 0.5)


def fitted(scheme: Any) -> Any:
    return Standardizer(scheme).standardize(SCORES)


@pytest.mark.clause("errors.1")
@pytest.mark.filterwarnings("ignore::cdfscore.errors.CdfscoreWarning")
@pytest.mark.parametrize(
    ("call", "whose", "function"),
    [
        *(
            (lambda each=each: fitted(Own(wrong=each)), "scheme own", each)
            for each in ("__post_init__", "minimum_scores", "estimate", "evaluate")
        ),
        *(
            (lambda each=each: diagnose(SCORES, [Own(wrong=each)], bootstrap=0), "scheme own", each)
            for each in ("support", "crps")
        ),
        (
            lambda: Own(wrong="inverse").fit([0.1, 0.2]).quantile([0.5]),
            "scheme own",
            "inverse",
        ),
        (lambda: compare(SCORES, own_test), "significance test own_test", "own_test"),
        (lambda: compare(SCORES, fast), "significance test rows", "of_pairs"),
        *(
            (
                lambda own=own: compare(SCORES, paired(source="nobody", **own)(rows)),
                "significance test rows",
                next(iter(own)),
            )
            for own in (
                {"check": check},
                {"location": location},
                {"least_p": least_p},
                {"critical_difference": critical_difference},
            )
        ),
        (lambda: own_effect([0.1, 0.2], [0.3, 0.5]), "effect size own_effect", "own_effect"),
        (lambda: fitted("kernel:kernel=own_kernel"), "kernel own_kernel", "own_kernel"),
        (lambda: fitted("kernel:bandwidth=own_rule"), "bandwidth rule own_rule", "own_rule"),
    ],
)
def test_an_error_of_an_author_names_the_function(
    call: Callable[[], Any], whose: str, function: str
) -> None:
    smoothing_kernel(sd=1.0)(own_kernel)
    bandwidth_rule()(own_rule)
    with pytest.raises(PlugInError) as caught:
        call()
    assert str(caught.value) == (
        f"{whose}: the function {function} of the module tests.test_authors raises KeyError: "
        r"'two\nlines'"
    )
    assert isinstance(caught.value.__cause__, KeyError)
    frames = traceback.extract_tb(caught.value.__cause__.__traceback__)
    assert {function, "failing"} <= {frame.name for frame in frames}


def test_the_package_of_a_function_is_named() -> None:
    with pytest.raises(PlugInError) as caught:
        catalogue.of_author(np.linalg.inv, "law x")(np.zeros((2, 2)))
    numpy = f"numpy {np.__version__}"
    told = f"law x: the function inv of {numpy} raises LinAlgError: Singular matrix"
    assert str(caught.value) == told


@pytest.mark.parametrize("error", [FitError("few"), MemoryError("9 GiB")])
def test_an_error_that_has_a_meaning_is_as_it_was(error: Exception) -> None:
    def stopped() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        catalogue.of_author(stopped, "law x")()
    assert caught.value is error


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("nothing", "'NoneType' object has no attribute"),
        ("words", "could not convert string to float: 'a'"),
        ("a number too much", "shape mismatch: value array of shape (7,)"),
    ],
)
def test_a_function_that_returns_no_rows_is_refused(wrong: str, told: str) -> None:
    with pytest.raises(SignificanceError) as caught:
        compare(SCORES, own_test.chosen({"wrong": wrong}))
    assert str(caught.value).startswith(
        f"significance test own_test of the module {__name__}: the function did not return Rows "
        f"with a number, or one for each row: {told}"
    )


def test_an_effect_size_that_is_no_three_numbers_is_refused() -> None:
    with pytest.raises(SignificanceError) as caught:
        own_effect([0.1, 0.2], [0.3, 0.5], conf_level=0.9)
    assert str(caught.value) == (
        f"effect size own_effect of the module {__name__}: the function returned None; expected an "
        "estimate and two ends, each of shape (1,)"
    )


def in_package(package: str) -> dict[str, str]:
    """Return the modules of a package with a scheme, a test and a kernel of one name each."""
    own = package.removeprefix("cdfscore_")
    scheme = (
        "from dataclasses import dataclass\nfrom cdfscore.schemes import Normal\n"
        "@dataclass(frozen=True)\nclass {}(Normal):\n    '''Normal.'''\n"
    )
    test = (
        "from cdfscore.stats.significance.contract import Rows, paired\n"
        "@paired(source='nobody')\ndef {}(x, y):\n    return Rows(x[:, 0], 0.5)\n"
    )
    kernel = (
        "from cdfscore.schemes import smoothing_kernel\nfrom scipy.special import ndtr\n"
        "@smoothing_kernel(sd=1.0)\ndef {}(u):\n    return ndtr(u)\n"
    )
    return {
        "__init__": f"from {package} import logistic, same_kernel\n",
        "same": scheme.format("Same"),
        f"of_{own}": scheme.format(f"Of{own.capitalize()}"),
        "same_test": test.format("same_test"),
        f"test_{own}": test.format(f"test_{own}"),
        "same_kernel": kernel.format("same_kernel"),
        "logistic": kernel.format("logistic"),
        f"kernel_{own}": kernel.format(f"kernel_{own}"),
    }


@pytest.fixture
def two_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    points = []
    for package in ("cdfscore_a", "cdfscore_b"):
        (tmp_path / package).mkdir()
        for name, text in in_package(package).items():
            (tmp_path / package / f"{name}.py").write_text(text, encoding="utf-8")
            group = "cdfscore.significance" if "test" in name else "cdfscore.schemes"
            if "kernel" in text:
                group = "cdfscore.kernels"
            if name != "__init__":
                points.append(EntryPoint(name, f"{package}.{name}", group))
    before, own = {*sys.modules}, {**KERNELS.own}
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        catalogue, "entry_points", lambda group: [each for each in points if each.group == group]
    )
    for each in (schemes, significance_tests, KERNELS):
        monkeypatch.delitem(vars(each), "_places", raising=False)
    yield
    for each in (schemes, significance_tests, KERNELS):
        vars(each).pop("_places", None)
    KERNELS.own.clear()
    KERNELS.own.update(own)
    for name in {*sys.modules} - before:
        if name.startswith(("cdfscore_a", "cdfscore_b")):
            del sys.modules[name]


BOTH = "is in cdfscore_a.{0} and in cdfscore_b.{0}; expected one of them, without the others"


@pytest.mark.clause("scheme.8")
@pytest.mark.usefixtures("two_packages")
@pytest.mark.parametrize("first", ["a", "b"])
def test_only_the_name_that_two_packages_have_is_refused(first: str) -> None:
    """Whichever is imported first, and though both import the doubled kernels themselves."""
    for package in sorted("ab", key=lambda each: each != first):
        assert str(parse_scheme(f"of_{package}").fit([0.1, 0.3])) != ""
        assert compare(SCORES, f"test_{package}").table["p_value"].eq(0.5).all()
        fitted(f"kernel:kernel=kernel_{package}")
    assert parse_test("paired_t").test.name in significance_tests.names()
    for call, error, told in (
        (lambda: parse_scheme("same"), SchemeError, BOTH.format("same")),
        (lambda: parse_test("same_test"), SignificanceError, BOTH.format("same_test")),
        (
            lambda: fitted("kernel:kernel=same_kernel"),
            SchemeError,
            BOTH.format("same_kernel"),
        ),
        (
            lambda: fitted("kernel:kernel=logistic"),
            SchemeError,
            "is in cdfscore and in cdfscore_a.logistic and in cdfscore_b.logistic; expected one",
        ),
    ):
        with pytest.raises(error) as caught:
            call()
        assert told in str(caught.value)
    assert {"same", "of_a", "of_b"}.intersection(schemes.names()) == {"of_a", "of_b"}
    assert "logistic" not in [*KERNELS]


@dataclass(frozen=True)
class OfTheMiddle(Normal):
    """Normal by another name."""

    basis = "by the middle of the scores of"
    source = "nobody (2020)"


@paired(source="nobody", label="test of nothing")
def with_a_label(x: Array, y: Array, *, wrong: float = 0.0) -> Rows:
    """Return no number that matters."""
    return rows(x, y)


def test_what_an_object_says_of_itself_is_told() -> None:
    """As of those that are installed, though no entry point names them."""
    found = compare(SCORES, with_a_label.chosen({"wrong": 1.0}), scheme=OfTheMiddle())
    assert "Test: test of nothing (wrong 1.0)" in caption(found)
    assert "by the test of nothing (wrong 1.0) at level 0.05" in results(found)
    told = methods(found)
    assert "by the middle of the scores of the 4 systems" in told
    assert "were tested by the test of nothing (" in told
    axes = plot_volcano(found)
    assert "test of nothing (wrong 1.0), alpha 0.05, 12 topics" in axes.get_title()
