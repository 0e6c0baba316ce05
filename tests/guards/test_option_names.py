"""Messages of commands name options as they are typed, before a file is read or work is done."""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer

from cdfscore import Standardizer, compare
from cdfscore.comparison.sensitivity import sensitivity
from cdfscore.errors import CdfscoreError, ScoresError, SignificanceError
from cdfscore.stats.significance import dunnett
from tests.cli.conftest import Files, Run, Sentence, Write
from tests.commands import commands

FILES: Files = {
    "s.csv": "topic,a,b,c\n1,0.1,0.2,0.4\n2,0.4,0.5,0.1\n3,0.3,0.9,0.2\n4,0.5,0.1,0.3\n",
    "four.csv": "a,b,c,d\n0.1,0.2,0.4,0.3\n0.4,0.5,0.1,0.2\n0.3,0.9,0.2,0.5\n0.5,0.1,0.3,0.3\n",
    "gap.csv": "topic,a,b,c\n1,0.1,,0.4\n2,0.4,0.5,0.1\n3,0.3,0.9,0.2\n",
    "mean.csv": "topic,a,b,c\n1,0.1,0.2,0.4\n2,0.4,0.5,0.1\nall,0.25,0.35,0.25\n",
    "numbers.csv": "n,a\n1,3\n2,7\n",
    "folder": None,
}
#: Commands, and what each says that could be typed.
MISTAKES = {
    "standardize gap.csv --scheme normal": "choose a policy by --missing omit, zero or drop_topic",
    "compare gap.csv --test max_t --missing omit": "for example by --missing drop_topic",
    "standardize s.csv --scheme normal --missing none": "--missing none is not accepted",
    "standardize s.csv --scheme normal --constant 'a b'": "--constant 'a b' is not accepted",
    "standardize mean.csv --scheme normal": "keep it by --keep-topic all",
    "standardize numbers.csv --scheme normal": "say --topic-column n if they are topic numbers, or",
    "compare s.csv --test tukey_hsd --adjust BH": "--adjust BH would correct",
    "compare s.csv --test paired_t --alpha 0": "--alpha 0.0 is not accepted",
    "diagnose s.csv --bootstrap -1": "--bootstrap -1 is not accepted",
    "experiment within s.csv --scheme raw --out o --alpha 0.1 --alpha 0.05": (
        "--alpha 0.1 --alpha 0.05 is not accepted"
    ),
    "experiment reference-size four.csv --scheme normal --out o --systems 99": "--systems 99 is",
    "verify s.csv --scheme z --via ssh": "--via ssh is not accepted",
    "merge s.csv --depth 0": "--depth 0 is not accepted; expected a whole number of at least 1",
    "merge s.csv --lambda -1 --weights s.csv": "--lambda -1.0 is not accepted; expected",
    "merge s.csv --duplicates no": "--duplicates no is not accepted; expected one of refuse, best",
    "verify s.csv --scheme z --adjust BH": "--adjust needs --test",
    "compare s.csv --test tukey_hsd --adjust holm": "expected --adjust none, or no correction",
    "compare s.csv --test friedman --adjust BH": "expected --adjust none, or no correction",
    "standardize s.csv --scheme z --lower-is-better d": "or --all-lower-is-better for all topics",
    "standardize s.csv --scheme z --lower-is-better b": (
        "there is no topic 'b', on which lower is given as better, and 'b' is a system; expected "
        "labels of topics (1, 2, 3, 4), or"
    ),
    "standardize s.csv --scheme z --lower-is-better 1,2": (
        "there is no topic '1,2', on which lower is given as better; several are given as "
        "--lower-is-better 1 --lower-is-better 2; expected labels of topics (1, 2, 3, 4), or"
    ),
    "correlate s.csv s.csv --lower-is-better '3, 9'": "as --lower-is-better 3 --lower-is-better 9;",
    "compare s.csv --test sign --scheme gamma --lower-is-better 1": (
        "expected --reflect-at X, a number that no score exceeds, so that x becomes X - x, or"
    ),
    "compare s.csv --test sign --scheme beta --lower-is-better 1": (
        "expected --reflect-at 1, so that x becomes 1 - x, or another scheme"
    ),
    "diagnose s.csv --lower-is-better b": "and 'b' is a system; expected labels of topics (1, 2",
    "correlate s.csv s.csv --lower-is-better b": "and 'b' is a system; expected labels of topics",
    "standardize s.csv --scheme z --leave-one-out --lower-is-better b": "and 'b' is a system",
    # A setting of a test or a scheme is typed like this.
    "compare s.csv --test permutation:seed=-1": "permutation: seed=-1 is not accepted",
    "diagnose s.csv --test permutation:seed=-1": "permutation: seed=-1 is not accepted",
}


OPTIONS = {p.name for _, c in commands() for p in c.params if p.opts[0].startswith("-")}
KEYWORD = re.compile(rf"\b({'|'.join(sorted(OPTIONS))})s?=")


@pytest.mark.parametrize("typed", MISTAKES)
def test_a_message_names_an_option_as_it_is_typed(sentence: Sentence, typed: str) -> None:
    message = sentence(FILES, shlex.split(typed))
    assert MISTAKES[typed] in message
    if ":seed" not in typed and "beta" not in typed:  # which have settings of such names
        assert not KEYWORD.search(message), message


def test_the_same_mistake_in_python_names_the_argument() -> None:
    with pytest.raises(CdfscoreError, match="missing='none' is not accepted"):
        Standardizer("normal", missing="none")  # type: ignore[arg-type]


def test_a_mistake_in_a_file_is_none_of_an_option(
    cdfscore: Run, write: Write, tmp_path: Path
) -> None:
    write(FILES)
    assert cdfscore("standardize", "s.csv", "--scheme", "z", "--save-factors", "F.json").status == 0
    factors = tmp_path / "F.json"
    factors.write_text(factors.read_text().replace('"limit"', '"lim"'))
    assert "F.json: constant: 'lim' is not accepted" in cdfscore("apply", "F.json", "s.csv").err


#: Options that take one value, given two, and how to give them.
REPEATED = {
    "compare s.csv --test paired_t --lower-is-better 1 2": (
        "--lower-is-better takes one value and is repeated for others: --lower-is-better 1 "
        "--lower-is-better 2"
    ),
    "compare s.csv --lower-is-better 'a b' 2 --test paired_t": "--lower-is-better 'a b' --lower-is",
    "compare s.csv --test paired_t --baseline=a b": "--baseline a --baseline b",
    "compare s.csv --test paired_t --baseline a b --effect d_z": "--baseline a --baseline b",
    "diagnose s.csv --scheme z normal kernel": "repeated for others: --scheme z --scheme normal",
    "standardize s.csv --scheme z --keep-topic all mean": "--keep-topic all --keep-topic mean",
}


@pytest.mark.parametrize("typed", REPEATED)
def test_a_second_value_of_an_option_is_answered_with_how_to_give_it(
    cdfscore: Run, write: Write, typed: str
) -> None:
    write(FILES)
    status, _, err = cdfscore(*shlex.split(typed))
    assert status == 2
    assert "unexpected extra argument" in err
    assert REPEATED[typed] in " ".join(err.split())


def test_one_argument_too_many_is_no_second_value(cdfscore: Run, write: Write) -> None:
    write(FILES)
    for typed in ("correlate s.csv s.csv s.csv", "correlate s.csv --scheme normal s.csv four.csv"):
        err = " ".join(cdfscore(*typed.split()).err.split())
        assert "unexpected extra argument" in err
        assert "repeated" not in err


def test_a_second_file_is_no_second_value(cdfscore: Run, write: Write) -> None:
    write(FILES)
    for typed in (
        "standardize s.csv none.csv --scheme z",
        "compare s.csv none.csv --baseline a --test sign",
        # Which of the words is the file?
        "compare --test paired_t --scheme normal s.csv none.csv",
        "compare --baseline a s.csv --test paired_t none.csv",
        "compare --test paired_t --baseline=a s.csv none.csv",
    ):
        err = " ".join(cdfscore(*typed.split()).err.split())
        assert err == "cdfscore: none.csv cannot be read: No such file or directory"


def once() -> Iterator[tuple[str, Any, str, list[str]]]:
    """Yield each option of one value or none: command, option, its name, the other arguments."""
    for name, command in commands():
        for own in command.params:
            if own.param_type_name == "argument" or own.multiple:
                continue
            others = [each for each in command.params if each.required and each is not own]
            typed = [
                word
                for each in others
                for word in (
                    ["s.csv"] if each.param_type_name == "argument" else [each.opts[0], "1"]
                )
            ]
            yield from ((name, own, option, typed) for option in own.opts)


@pytest.mark.parametrize("equals", [False, True])
def test_an_option_of_one_value_is_refused_twice(cdfscore: Run, write: Write, equals: bool) -> None:
    """Only the last would be used, without a word on the first."""
    write(FILES)
    tried = set()
    for name, own, spelled, typed in once():
        given, said = [spelled, "1", spelled, "2"], ", as 1 and 2"
        if own.is_flag:
            given, said = [spelled, spelled], ""
        elif equals:
            sign = "=" if spelled.startswith("--") else ""
            given = [f"{spelled}{sign}1", f"{spelled}{sign}2"]
        long = next(each for each in own.opts if each.startswith("--"))
        status, out, err = cdfscore(*name.split(), *typed, *given)
        assert (status, out) == (2, "")
        assert err == f"cdfscore: {long} is given twice{said}; expected once\n"
        tried.add(name)
    assert tried == {
        name
        for name, command in commands()
        if any(each.param_type_name == "option" for each in command.params)
    }


def test_an_option_is_refused_three_times(sentence: Sentence) -> None:
    run = ["standardize", "s.csv", "--scheme", "z", "--constant=limit", "--constant", "a b"]
    said = "--constant is given 3 times, as limit, 'a b' and raise; expected once"
    assert said in sentence(FILES, [*run, "--constant", "raise"])


def test_help_and_options_that_are_repeated_may_be_given_twice(cdfscore: Run, write: Write) -> None:
    write(FILES)
    assert cdfscore("verify", "--help", "--scheme", "z", "--scheme", "raw", "-h").status == 0
    run = ["compare", "s.csv", "--test", "paired_t", "--out", "o.csv"]
    assert cdfscore(*run, "--scheme", "z", "--scheme", "raw").status == 0


def test_typer_has_what_its_commands_are_spelled_by() -> None:
    """Not documented by Typer: the base of its errors, and what its parser returns."""
    base = typer.BadParameter.__base__
    assert base is not None
    assert base.__name__ == "UsageError"
    error: Any = base("one sentence")
    error.message += ", with more"
    assert error.format_message() == "one sentence, with more"
    command = dict(commands())["compare"]
    context = command.make_context("compare", ["s.csv", "--test", "sign"])
    words = ["s.csv", "t.csv", "--test", "sign", "--scheme", "z", "--test=max_t"]
    values, extra, order = command.make_parser(context).parse_args(words)
    assert (values["scores"], values["test"]) == (("s.csv", "t.csv"), "max_t")
    assert (values["scheme"], extra) == (["z"], [])
    assert [each.name for each in order if each.name == "test"] == ["test", "test"]
    with pytest.raises(base, match=r"unexpected extra argument"):
        dict(commands())["correlate"].make_context("correlate", ["s.csv", "t.csv", "u.csv"])


def test_arguments_in_a_text_become_options() -> None:
    """Whole arguments alone, with values that Python would read; others stay as they are."""
    spelled = dict(commands())["compare"].with_options
    for text, expected in {
        "by missing='omit', 'zero' or 'nan'; or": "by --missing omit, zero or nan; or",
        "missing='zero' would": "--missing zero would",
        "keep_topics=['a b', \"c,'\"], or": "--keep-topic 'a b' --keep-topic 'c,'\"'\"'', or",
        "name it by topic_column=...: a, b": "name it by --topic-column: a, b",
        "say topic_column=False if": "say --no-topic-column if",
        "systems_as_rows=True turns it": "--systems-as-rows turns it",
        "systems_as_rows=False if": "--topics-as-rows if",
        "or lower_is_better=True for": "or --all-lower-is-better for",
        "expected reflect_at=X, a": "expected --reflect-at X, a",
        "alpha=1e-05 is not accepted": "--alpha 1e-05 is not accepted",
        # No option of this command, the setting of a test, and labels.
        "say via='rscript'": "say via='rscript'",
        "permutation: seed=-1 is not": "permutation: seed=-1 is not",
        "permutation:B=99,seed=5": "permutation:B=99,seed=5",
        "the system 'seed=5' of a/seed=5.csv": "the system 'seed=5' of a/seed=5.csv",
        "seed=5a is not": "seed=5a is not",
        "topic alpha=305 is constant": "topic alpha=305 is constant",
        "one of 'bm25', 'rm3 alpha=0.5'": "one of 'bm25', 'rm3 alpha=0.5'",
        "the baseline seed=1, and (seed=2": "the baseline seed=1, and (seed=2",
        "alpha=0.5.csv: line 3": "alpha=0.5.csv: line 3",
        "expected effect=None": "expected no --effect",
        "x id=[" + "1" * 99 + "_a": "x id=[" + "1" * 99 + "_a",
    }.items():
        assert spelled(text) == expected


#: Outputs that cannot be written, with the message; SCORES is not there, and is not missed.
OUTPUTS = {
    "compare s.csv --test paired_t --out l.xlsx": "--out: l.xlsx ends in '.xlsx'; expected .csv",
    "compare s.csv --test paired_t --letters l.tex": "--letters: l.tex ends in '.tex'; expected",
    "compare s.csv --test paired_t --diagram d.gif": "--diagram: d.gif ends in '.gif'; expected",
    "compare s.csv --test paired_t --out o.csv --diagram -": "--diagram: standard output is not",
    "compare s.csv --test paired_t --letters no/l.csv": "no/l.csv cannot be written: there is no",
    "diagnose s.csv --out d.tex": "--out: d.tex ends in '.tex'",
    "diagnose s.csv --plot d.csv": "--plot: d.csv ends in '.csv'; expected .svg, .pdf or .png",
    "model s.csv --formula score~topic --out m.xlsx": "--out: m.xlsx ends in '.xlsx'",
    "model s.csv --formula score~topic --contrasts m.json": "--contrasts: m.json ends in '.json'",
    "mixed-model s.csv --formula score~system --out m.xlsx": "--out: m.xlsx ends in '.xlsx'",
    "mixed-model s.csv --formula score~system --contrasts m.md": "--contrasts: m.md ends in '.md'",
    "mixed-model s.csv --formula score~system --variances v.md": "--variances: v.md ends in '.md'",
    "mixed-model s.csv --formula score~system --coefficients c.md": "--coefficients: c.md ends in",
    "plan s.csv --goal interval:width=1 --out p.xlsx": "--out: p.xlsx ends in '.xlsx'",
    "plan s.csv --goal interval:width=1 --plot p.csv": "--plot: p.csv ends in '.csv'; expected",
    "correlate s.csv t.csv --out c.tex": "--out: c.tex ends in '.tex'",
    "verify s.csv --scheme z --out v.tex": "--out: v.tex ends in '.tex'",
    "standardize s.csv --scheme z --out s.json": "--out: s.json ends in '.json'",
    "standardize s.csv --scheme z --save-factors f.csv": "--save-factors: f.csv ends in '.csv'",
    "standardize s.csv --scheme z --save-factors no/f.json": "no/f.json cannot be written: there",
    "standardize s.csv --scheme z --out folder": "folder ends in ''|folder is a folder",
    "merge a.run b.run --out m.csv": "--out: m.csv ends in '.csv'; expected .run, .txt or .trec",
    "merge a.run b.run --out no/m.run": "no/m.run cannot be written: there is no",
    "measure r.run --qrels q --measure AP --out s.json": "--out: s.json ends in '.json'",
    "apply f.json s.csv --out s.tex": "--out: s.tex ends in '.tex'",
    "measure s.run --qrels q.txt --measure AP --out s.json": "--out: s.json ends in '.json'",
    "plot volcano s.csv --out o.csv": "--out: o.csv ends in '.csv'",
    "report s.csv --out r.pdf": "--out: r.pdf ends in '.pdf'; expected .html",
    "verify s.csv --scheme z --script check.py": "--script: check.py ends in '.py'; expected .R",
    "verify s.csv --scheme z --script no/check.R": "no/check.R cannot be written: there is no",
}


@pytest.mark.parametrize("typed", OUTPUTS)
def test_an_output_is_refused_before_a_file_is_read(sentence: Sentence, typed: str) -> None:
    message = sentence({"folder": None}, typed.split())
    assert any(fragment in message for fragment in OUTPUTS[typed].split("|"))


def test_every_option_that_names_an_output_is_tried() -> None:
    tried = {(typed.split()[0], typed.split()[-2]) for typed in OUTPUTS}
    known = (
        *("--out", "--letters", "--diagram", "--plot", "--save-factors", "--script"),
        *("--contrasts", "--variances", "--coefficients"),
    )
    there = {
        (name, opt)
        for name, command in commands()
        for parameter in command.params
        for opt in parameter.opts
        if opt in known and " " not in name  # experiments write to a folder that they make
    }
    assert there - tried == set()


#: Commands, and what they say.
EARLY_MISTAKES = {
    "compare s.csv --test dunnett": (
        "dunnett compares systems with one baseline, and none is given; expected --baseline NAME"
    ),
    "compare s.csv --test max_t_baseline --baseline a --baseline c": (
        "max_t_baseline compares systems with one baseline, and a and c are given; expected "
        "--baseline NAME once"
    ),
    "verify s.csv --scheme raw --test dunnett": "expected --baseline NAME once",
    "verify s.csv --scheme raw --test dunnett --baseline a --baseline b": "and a and b are given",
    "diagnose s.csv --test dunnett": (
        "dunnett compares systems with one baseline only; expected a "
        "test of all pairs, such as paired_t or max_t"
    ),
    "compare s.csv --test paired_t --baseline a --baseline a": "the baseline 'a' is given twice",
    "compare s.csv --test paired_t --scheme N-std --scheme normal": (
        "the scheme normal is given twice; expected each scheme once"
    ),
    "diagnose s.csv --scheme normal --scheme normal": "normal",
    "verify s.csv --scheme raw --test paired_t --alpha 2": "--alpha 2.0 is not accepted",
}


@pytest.mark.parametrize("typed", EARLY_MISTAKES)
def test_a_mistake_is_told_before_a_file_is_read(sentence: Sentence, typed: str) -> None:
    files: Files = {"folder": None}
    message = sentence(files, shlex.split(typed))
    assert EARLY_MISTAKES[typed] in message
    assert "s.csv" not in message
    assert "index" not in message


NOT_SCORES = pd.DataFrame({"a": ["no", "number"]})


def test_so_it_is_in_python() -> None:
    with pytest.raises(ScoresError):  # of the scores, if nothing else is wrong
        compare(NOT_SCORES, "paired_t")
    wrong: dict[str, Callable[[], object]] = {
        "the scheme raw is given twice": lambda: compare(
            NOT_SCORES, "paired_t", scheme=["raw", "raw"]
        ),
        "the scheme z is given twice": lambda: sensitivity(NOT_SCORES, ["raw", "z", "z"]),
        "the baseline 'a' is given twice": lambda: compare(
            NOT_SCORES, "paired_t", baselines=["a", "a"]
        ),
        "and none is given; expected baselines='NAME' once": lambda: compare(NOT_SCORES, "dunnett"),
    }
    for message, act in wrong.items():
        with pytest.raises(SignificanceError, match=message):
            act()


def test_a_test_of_columns_names_columns() -> None:
    scores = np.random.default_rng(1).random((5, 4))
    with pytest.raises(CdfscoreError, match=r"second systems of the pairs are columns 1, 2; exp"):
        dunnett(scores, [(0, 1), (3, 2)])
