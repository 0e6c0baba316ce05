"""Arguments that are refused, each with what the message must say about it."""

import pytest

from tests.cli.conftest import Sentence

FILES = {
    "s.csv": "topic,a,b,c\n301,0.1,0.2,0.3\n302,0.4,0.5,0.6\n",
    "u.csv": "a,b,c\n0.1,0.2,0.3\n0.4,0.5,0.6\n",
    "one.csv": "topic,a\n301,0.1\n302,0.4\n",
    "other.csv": "topic,a,b\n302,0.4,0.5\n401,0.1,0.2\n",
    "u3.csv": "a,b\n0.1,0.2\n0.4,0.5\n0.7,0.9\n",
    "folder": None,
}


def row(name: str, arguments: str, *fragments: str):
    return pytest.param(arguments.split(), fragments, id=name)


def scheme(name: str, text: str, *fragments: str):
    return row(
        name, f"standardize s.csv -o OUT.csv --save-factors F.json --scheme {text}", *fragments
    )


def normal(name: str, arguments: str, *fragments: str):
    return row(name, f"standardize --scheme normal {arguments}", *fragments)


@pytest.mark.parametrize(
    ("arguments", "fragments"),
    [
        scheme("unknown scheme", "gumbel", "no scheme 'gumbel'", "empirical", "normal", "minmax"),
        scheme("scheme misspelt", "nromal", "no scheme 'nromal'", "did you mean 'normal'?"),
        scheme("scheme in capitals", "Uniform", "no scheme 'Uniform'", "did you mean 'uniform'?"),
        scheme("name elsewhere", "ecdf", "no scheme 'ecdf'", "did you mean 'empirical'?"),
        scheme("path for a scheme", "../normal", "no scheme '../normal'"),
        scheme("unknown setting", "uniform:C=1", "no setting 'C'", "settings are A, B"),
        scheme("setting of a scheme without", "raw:A=1", "raw has no setting 'A'", "no settings"),
        scheme("setting twice", "uniform:A=1,A=2", "'uniform:A=1,A=2'", "'A' is given twice"),
        scheme("setting without a value", "uniform:A=", "'A='", "key=value"),
        scheme("setting without a key", "uniform:=1", "'=1'", "key=value"),
        scheme("A below 0", "uniform:A=-1", "A=-1", "expected a number above 0"),
        scheme("A is NaN", "uniform:A=nan", "A=nan", "expected a number above 0"),
        scheme("A is a word", "uniform:A=x", "A=x", "expected a number"),
        scheme("B above 1", "uniform:B=2", "B=2", "[0, 1]"),
        scheme("bandwidth 0", "kernel:bandwidth=0", "bandwidth=0", "above 0", "nrd0, nrd,"),
        scheme("bandwidth a word", "kernel:bandwidth=silverman", "'silverman'", "nrd0"),
        scheme("rule misspelt", "kernel:bandwidth=sj_di", "'sj_di' is", "did you mean 'sj_dpi'?"),
        scheme("rule as in R", "kernel:bandwidth=SJ", "'SJ' is", "did you mean 'sj'?"),
        scheme("ties in capitals", "empirical:convention=MID", "did you mean 'mid'?"),
        scheme("kernel misspelt", "kernel:kernel=Cosine", "'Cosine' is", "did you mean 'cosine'?"),
        scheme("convention", "empirical:convention=foo", "convention=foo", "'strict'", "'mid'"),
        scheme("unknown law", "from_scipy:dist=foo", "dist='foo'", "expected one of norm, "),
        scheme("discrete law", "from_scipy:dist=binom", "dist='binom'", "beta, "),
        scheme("law of many maxima", "from_scipy:dist=johnsonsu", "johnsonsu", "several maxima"),
        scheme("no law", "from_scipy:dist=__doc__", "dist='__doc__'", "one of norm, "),
        scheme("shape of a law without", "from_scipy:dist=norm,f0=1", "f0", "no shape"),
        scheme("law that needs", "from_scipy:dist=beta,floc=0.2", "beta needs fscale", "fscale=1"),
        scheme("law without a fit", "from_scipy:dist=gamma,floc=0.2", "'301'", "no parameters"),
        scheme("unknown policy", "z --constant foo", "--constant foo", "limit", "trec_eval"),
        scheme("unknown missing", "z --missing foo", "--missing foo", "omit", "zero, drop_topic"),
        scheme("half for z", "z --constant half", "--constant half", "a cdf", "not for z"),
        scheme("urbano2019", "minmax --constant urbano2019", "constant urbano2019 is", "minmax"),
        scheme("matters", "kernel --constant matters", "constant matters is", "mean and an sd"),
        *(
            row(
                f"reference of raw scores, {command.split()[0]}",
                f"{command} --reference s.csv",
                "--reference s.csv has no effect on raw scores",
                "such as empirical, or no",
            )
            for command in (
                "standardize s.csv --scheme raw -o OUT.csv",
                "compare s.csv -o OUT.csv",
                "plot volcano s.csv --scheme raw -o OUT.svg",
                "report s.csv -o OUT.html",
                "verify s.csv --scheme raw",
                "model s.csv --formula topic+system -o OUT.csv",
                "plan s.csv --goal interval:width=0.1",
            )
        ),
        normal("reference is not there", "s.csv --reference r.csv", "r.csv cannot be read"),
        normal("one reference system", "s.csv --reference one.csv", "one.csv: topic '301'", "2"),
        normal(
            "reference of other topics",
            "s.csv --reference other.csv",
            "s.csv, by the reference other.csv",
            "1 of 2 topics",
            "'301'",
            "'302' to '401'",
        ),
        normal(
            "labels in the scores only",
            "s.csv --reference u.csv",
            "s.csv, by the reference u.csv",
            "labels in both or in neither",
        ),
        normal(
            "labels in the reference only",
            "u.csv --reference s.csv",
            "u.csv, by the reference s.csv",
            "no topic labels",
            "'301'",
        ),
        normal(
            "another number of topics without labels",
            "u.csv --reference u3.csv",
            "u.csv, by the reference u3.csv",
            "2 topics without labels",
            "fitted to 3",
        ),
        normal("standard input twice", "- --reference -", "SCORES and --reference", "one at most"),
        normal(
            "OUT in no folder", "s.csv -o no/OUT.csv", "no/OUT.csv cannot be written: there is no"
        ),
        normal("OUT below a file", "s.csv -o u.csv/OUT.csv", "cannot be written: Not a directory"),
        normal("OUT for Excel", "s.csv -o OUT.xlsx", "OUT.xlsx", ".csv, .tsv or .parquet"),
        normal("OUT is a folder", "s.csv -o folder", "folder is a folder", "expected the name of"),
        normal("OUT has a long name", f"s.csv -o {'x' * 300}.csv", "cannot be written", "too long"),
        normal("OUT is SCORES", "s.csv -o ./s.csv", "--out would overwrite SCORES, s.csv"),
        normal("OUT is the reference", "s.csv --reference u.csv -o u.csv", "overwrite --reference"),
        normal("factors onto SCORES", "s.csv --save-factors s.csv", "overwrite SCORES, s.csv"),
        normal("factors onto OUT", "s.csv -o OUT.csv --save-factors ./OUT.csv", "--save-factors"),
        normal("both to standard output", "s.csv --save-factors -", "--save-factors", "--out, -"),
        normal(
            "factors in no folder",
            "s.csv -o OUT.csv --save-factors no/F.json",
            "no/F.json cannot be written",
        ),
        normal(
            "factors into a folder", "s.csv -o OUT.csv --save-factors folder", "folder is a folder"
        ),
        row("factors from standard input", "apply - s.csv", "FACTORS", "standard input"),
    ],
)
def test_arguments_are_refused(
    sentence: Sentence, arguments: list[str], fragments: tuple[str, ...]
) -> None:
    message = sentence(FILES, arguments)
    for fragment in fragments:
        assert fragment in message


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ("standardize s.csv", "Missing option '--scheme'"),
        ("standardize --scheme z", "Missing argument 'SCORES'"),
        ("correlate s.csv u.csv s.csv", "unexpected extra argument"),
        ("standardize s.csv --scheme z --policy half", "No such option: --policy"),
        ("standardize s.csv --scheme z --topic-column a --no-topic-column", "exclude each other"),
        ("standardise s.csv", "No such command 'standardise'"),
        ("apply s.csv", "Missing argument 'SCORES'"),
        ("schemes s.csv", "there is no scheme 's.csv'"),
        ("schemes --all", "No such option: --all"),
    ],
)
def test_usage_is_explained(refused: Sentence, arguments: str, fragment: str) -> None:
    message = refused(FILES, arguments.split())
    assert fragment in message
    assert "Traceback" not in message
