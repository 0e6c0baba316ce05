"""Mistakes in a scheme of another package, each with what the message must say about it."""

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import pytest

from cdfscore.common import catalogue
from cdfscore.stats.schemes import Normal
from cdfscore.stats.schemes.base import schemes
from tests.cli.conftest import Run, Sentence, Write

ROOT = Path(__file__).parents[2]

PYTHON = '''"""The Gumbel distribution, fitted by moments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.schemes import Distribution


@dataclass(frozen=True)
class Gumbel(Distribution):
    """The Gumbel distribution of the scores of a topic."""

    formula = "y = exp(-exp(-(x - location) / scale))"
    source = "method of moments"
    minimum_scores = 2

    def estimate(self, scores):
        mean, sd = mean_and_sd(scores)
        scale = sd * 0.7796968012336761
        return {"location": mean - 0.5772156649015329 * scale, "scale": scale}

    def evaluate(self, x, location, scale):
        return np.exp(-np.exp(-(x - location) / scale))

    def support(self, location, scale):
        return location - np.inf, location + np.inf

    def constant(self, location, scale):
        return np.equal(scale, 0)
'''
R = """standardize <- function(x, scores) {
  s <- sd(scores) * 0.7796968012336761
  m <- mean(scores) - 0.5772156649015329 * s
  exp(-exp(-(x - m) / s))
}
"""
SCORES = {"s.csv": "topic,a,b,c\n301,0.1,0.2,0.3\n302,0.4,0.5,0.6\n"}
STANDARDIZE = "standardize s.csv --scheme gumbel -o OUT.csv --save-factors F.json"
DIAGNOSE = "diagnose s.csv --scheme gumbel --bootstrap 0 -o OUT.csv"
VERIFY = "verify s.csv --scheme gumbel"
PlugIn = Callable[[str, str], None]


@pytest.fixture
def plug_in(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PlugIn]:
    """Write the Python and the R file of a package that adds the scheme gumbel."""
    folder = tmp_path_factory.mktemp("site") / "cdfscore_gumbel"
    folder.mkdir()
    (folder / "__init__.py").touch()
    own = EntryPoint("gumbel", "cdfscore_gumbel.gumbel", "cdfscore.schemes")

    def points(group: str) -> list[EntryPoint]:
        return [*entry_points(group=group), *([own] if group == own.group else [])]

    def write(python: str, r: str) -> None:
        (folder / "gumbel.py").write_text(python, encoding="utf-8")
        (folder / "gumbel.R").write_text(r, encoding="utf-8")

    monkeypatch.syspath_prepend(folder.parent)
    monkeypatch.setattr(catalogue, "entry_points", points)
    monkeypatch.delitem(vars(schemes), "_places", raising=False)
    monkeypatch.setattr(Normal, "evaluate", Normal.evaluate)  # which a plug-in may replace
    yield write
    vars(schemes).pop("_places", None)
    for name in ("cdfscore_gumbel", "cdfscore_gumbel.gumbel"):
        sys.modules.pop(name, None)


def edited(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


def python(name: str, old: str, new: str, *fragments: str, command: str = STANDARDIZE) -> Any:
    return pytest.param(edited(PYTHON, old, new), R, command, fragments, id=name)


def in_r(name: str, old: str, new: str, *fragments: str) -> list[Any]:
    """Return a mistake in the R twin, in this process and by Rscript."""
    return [
        pytest.param(PYTHON, edited(R, old, new), f"{VERIFY}{via}", fragments, id=f"{name}{via}")
        for via in ("", " --via rscript")
    ]


ESTIMATED = '{"location": mean - 0.5772156649015329 * scale, "scale": scale}'
Y = "np.exp(-np.exp(-(x - location) / scale))"
#: The class and its package, in messages on what it has and what its methods return.
OWN = "gumbel of the module cdfscore_gumbel.gumbel"
CANNOT = "the scheme 'gumbel' cannot be loaded: the plug-in module cdfscore_gumbel.gumbel cannot be"
GUMBEL = "the scheme 'gumbel' cannot be loaded: Gumbel in the module cdfscore_gumbel.gumbel"


@pytest.mark.parametrize(
    ("code", "twin", "command", "fragments"),
    [
        python("module that is not there", "import numpy as", "import numppy as", CANNOT, "numppy"),
        python(
            "another function in place of ours",
            "@dataclass(frozen=True)",
            "import cdfscore.stats.schemes\n\ndef no(*_):\n    return 0\n\n"
            "cdfscore.stats.schemes.Normal.evaluate = no\n\n@dataclass(frozen=True)",
            "the plug-in module cdfscore_gumbel.gumbel replaces "
            "cdfscore.stats.schemes.normal.Normal.evaluate when it is imported; expected a module",
        ),
        python("syntax", "import numpy as np", "import numpy)", CANNOT, "gumbel.py, line 7"),
        python(
            "end of the program at the import",
            "import numpy as np\n",
            "import numpy as np\nimport sys\n\nsys.exit(7)\n",
            CANNOT,
            "(SystemExit: 7)",
        ),
        python(
            "end of the program in a function",
            ESTIMATED,
            "exit(7)",
            "the function estimate of the module cdfscore_gumbel.gumbel raises SystemExit: 7",
        ),
        python(
            "annotated attribute",
            "    minimum_scores = 2",
            "    minimum_scores: int = 2",
            CANNOT,
            "minimum_scores is annotated",
        ),
        python(
            "domain that is a number",
            "    minimum_scores = 2",
            "    domain = 3",
            f"{OWN}: domain is 3; expected its two ends, such as (0.0, math.inf)",
        ),
        python("name of the class", "class Gumbel", "class Gumbell", "expected Gumbel in the mod"),
        python("no scheme", "(Distribution)", "", GUMBEL, "is not a scheme; expected a class deri"),
        python("no dataclass", "@dataclass(frozen=True)", "", GUMBEL, "is not a frozen dataclass"),
        python(
            "no method", "def support", "def ends", GUMBEL, "does not define the method support"
        ),
        python(
            "setting without a default",
            "    minimum_scores = 2",
            "    shape: float",
            f"{GUMBEL} has no default for the setting shape; expected one",
        ),
        python("no formula", "formula =", "form =", GUMBEL, "has no formula; expected a sentence"),
        python(
            "tuple of parameters",
            ESTIMATED,
            "mean, scale",
            f"{OWN}: estimate returned (array(",
            "expected a dict of arrays with the names that evaluate takes, location, scale",
        ),
        python(
            "names of parameters",
            '"location": mean',
            '"loc": mean',
            f"{OWN}: estimate returned the parameters loc, scale; expected",
        ),
        python(
            "parameter without the last axis",
            '"scale": scale}',
            '"scale": scale[..., 0]}',
            f"{OWN}: estimate returned an array of float64 of shape (2,) for scale, for scores of ",
            "expected numbers of shape (2, 'k'), where k is 1 for one number per topic",
        ),
        python(
            "y of another shape",
            Y,
            f"{Y}[..., :1]",
            f"{OWN}: evaluate returned an array of float64 of shape (2, 1); expected an array of ",
            "shape (2, 3)",
        ),
        python(
            "no y",
            f"return {Y}",
            f"y = {Y}",
            f"{OWN}: evaluate returned None; expected",
        ),
        python(
            "y of text",
            Y,
            f"({Y}).astype(str)",
            f"{OWN}: evaluate returned an array of <U",
        ),
        python(
            "constant of numbers",
            "np.equal(scale, 0)",
            "scale",
            f"{OWN}: constant returned an array of float64 of shape (2, 1); expected an array of b",
        ),
        python(
            "constant of another shape",
            "np.equal(scale, 0)",
            "np.equal(scale, 0)[..., 0]",
            f"{OWN}: constant returned an array of bool of shape (2,); expected an array of bool ",
        ),
        python(
            "support of two numbers",
            "location - np.inf, location + np.inf",
            "-np.inf, np.inf",
            f"{OWN}: support returned -inf; expected an array of numbers of shape (3, 1)",
            command=DIAGNOSE,
        ),
        python(
            "crps of another shape",
            "    def support",
            "    def crps(self, y, location, scale):\n        return y[:, 0]\n\n    def support",
            f"{OWN}: crps returned an array of float64 of shape (3,); expected an array of ",
            command=DIAGNOSE,
        ),
        python(
            "denominators that are one number",
            "    def support",
            "    def denominators(self, location, scale):\n        return 7\n\n    def support",
            f"{OWN}: denominators returned 7; expected an array of numbers of shape (2, 1)",
        ),
    ],
)
def test_mistake_in_python_is_one_sentence(
    plug_in: PlugIn,
    sentence: Sentence,
    code: str,
    twin: str,
    command: str,
    fragments: tuple[str, ...],
) -> None:
    plug_in(code, twin)
    message = sentence(SCORES, command.split())
    for fragment in fragments:
        assert fragment in message


@pytest.mark.one_in(2)
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize(
    ("code", "twin", "command", "fragments"),
    [
        python(
            "tolerance that is a number",
            "    minimum_scores = 2",
            "    tolerance = 64",
            f"{OWN}: tolerance is 64; expected one such as Tolerance(16, 'two solvers'), of cdf",
            command=VERIFY,
        ),
        *in_r(
            "syntax",
            "s <- sd(scores) *",
            "s <- sd(scores)) *",
            "R cannot read the twin ",
            "gumbel.R: line 2, column 18: unexpected ')'",
        ),
        *in_r(
            "error on reading",
            "standardize <-",
            "library(nowhere)\nstandardize <-",
            "R cannot read the twin ",
            "gumbel.R: there is no package called",
        ),
        *in_r(
            "name of the function",
            "standardize",
            "standardise",
            "gumbel.R does not define the function standardize; expected standardize <- function(",
        ),
        *in_r(
            "no function",
            R,
            "standardize <- 3\n",
            "gumbel.R does not define the function standardize; expected standardize <- function(",
        ),
        *in_r(
            "one number",
            "exp(-exp(-(x - m) / s))",
            "0.5",
            "R stops: Error: topic 301: standardize returned 1 value of type double; expected 3 ",
        ),
        *in_r(
            "text",
            "exp(-exp(-(x - m) / s))",
            "as.character(x)",
            "topic 301: standardize returned 3 values of type character; expected 3 numbers",
        ),
    ],
)
def test_mistake_that_r_finds_is_one_sentence(
    plug_in: PlugIn,
    sentence: Sentence,
    code: str,
    twin: str,
    command: str,
    fragments: tuple[str, ...],
) -> None:
    test_mistake_in_python_is_one_sentence(plug_in, sentence, code, twin, command, fragments)


@pytest.mark.usefixtures("rinterface")
def test_without_a_mistake_r_agrees(plug_in: PlugIn, write: Write, cdfscore: Run) -> None:
    plug_in(PYTHON, R)
    write(SCORES)
    assert cdfscore(*STANDARDIZE.split()).status == 0
    assert cdfscore(*DIAGNOSE.replace("OUT", "D").split()).status == 0
    done = cdfscore(*VERIFY.split())
    assert (done.status, "agrees with R version" in done.out) == (0, True)


def test_the_list_of_schemes_ends_with_the_sentence(plug_in: PlugIn, cdfscore: Run) -> None:
    plug_in("1 / 0", R)
    done = cdfscore("schemes")
    assert (done.status, done.err.startswith(f"cdfscore: {CANNOT}")) == (2, True)
    assert "normal (cdf)" in done.out


#: The messages of the guide, each with a mistake in the Python or the R file that has it.
OF_THE_GUIDE = {
    "the plug-in module ... cannot be imported": (PYTHON, "import numpy as", "import numppy as"),
    "the function estimate of cdfscore-plug-in ... raises": (PYTHON, ESTIMATED, "1 / 0"),
    "expected Gumbel in the module ...": (PYTHON, "class Gumbel", "class Gumbell"),
    "is not a frozen dataclass": (PYTHON, "@dataclass(frozen=True)", ""),
    "does not define the method ...": (PYTHON, "def support", "def ends"),
    "... of cdfscore-plug-in ...: evaluate returned an array of ...": (PYTHON, Y, f"{Y}[..., :1]"),
    "tolerance is 64": (PYTHON, "    minimum_scores = 2", "    tolerance = 64"),
    "R cannot read the twin ...": (R, "sd(scores)", "sd(scores))"),
    "does not define the function standardize": (R, "standardize", "standardise"),
}


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize(("message", "mistake"), OF_THE_GUIDE.items(), ids=OF_THE_GUIDE)
def test_the_guide_has_the_message(
    plug_in: PlugIn, sentence: Sentence, message: str, mistake: tuple[str, str, str]
) -> None:
    cell = message.replace("Gumbel", "Laplace")
    message = message.replace("cdfscore-plug-in", "the module cdfscore_gumbel.gumbel")
    assert f"\n| {cell} | " in (ROOT / "docs" / "own_scheme.md").read_text(encoding="utf-8")
    wrong = edited(*mistake)
    plug_in(*((wrong, R) if mistake[0] == PYTHON else (PYTHON, wrong)))
    said = sentence(SCORES, VERIFY.split())
    assert all(part.strip() in said for part in message.split("..."))
