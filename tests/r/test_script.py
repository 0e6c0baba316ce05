"""The stand-alone script reads what Python reads, and writes the same digits as R in process."""

import contextlib
import csv
import io
import subprocess
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare, parse_scheme, read_scores, scheme_names
from cdfscore.comparison.pairs import needs_baseline
from cdfscore.errors import ScoresError, SignificanceError
from cdfscore.models.goals import goals
from cdfscore.r.analysis import Analysis
from cdfscore.r.script import TextFile, encode_script
from cdfscore.r.session import RSession
from cdfscore.r.verify import Verification
from cdfscore.scores.how import How
from cdfscore.scores.reading import text_layout
from cdfscore.scores.tables import unguarded
from cdfscore.standardization.policies import ConstantPolicy, MissingPolicy, UnfittedPolicy
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.schemes import Normal
from cdfscore.stats.significance.contract import significance_tests
from tests.verified import of_each_system, result_of

pytestmark = pytest.mark.usefixtures("rinterface")

AWKWARD = (
    'query,"b,m""25", lsa ,é#1,NA\n'
    "051,0.1,NA,0.002877, 1e-5 \n"
    "Ünï  #2,.5,+3,-0.0,\n"
    '"q, ""3""",7.,1E2,NaN,nan\n'
    "NA,5e-324,1.7976931348623157e308,0.30000000000000004,123456789012345678901234567890\n"
)
LAYOUTS = {
    "awkward": (AWKWARD.encode(), {}),
    "byte order mark, carriage returns": (
        b"\xef\xbb\xbf" + AWKWARD.replace("\n", "\r\n").encode(),
        {},
    ),
    "tabs": (b"topic\ta b\tc\n1\t0.1\t\n2\t0.2\t0.3\n\n\n", {}),
    "labels behind an apostrophe": (b"topic,'=1+1,''@b,'c'\n'-t,0.1,0.2,1\n2,-0.3,0.4,1\n", {}),
    "no topics": (b"a,b\n0.1,0.2\n0.3,0.4\n", {}),
    "no topics, as said": (b"a,b\n1,2\n3,4\n", {"topic_column": False}),
    "topics in the second column": (
        b"a,id,b\n0.1,x,0.2\n0.3,y,NA\n",
        {"topic_column": "id", "systems_as_rows": False},
    ),
    "row names of R": (b'"a" "b"\n"301" 0.5 1\n"302" 0.25 2\n'.replace(b" ", b","), {}),
    "carriage returns in labels": (
        b'topic,"a\rb","a\r\nb","\xc3\xbc\r"\r\n"3\r\n01",0.1,,"0.2"\r302,0.3,0.4,0.5\n',
        {},
    ),
    "systems as rows": (b"run,301,302\nbm25,0.1,0.2\nlsa,0.3,0.4\n", {"systems_as_rows": True}),
}


#: R code that runs scripts, each with its arguments after it on a line, as Rscript runs one.
#: The output of each goes to a file beside the script, and so does what is said, with the status.
_EACH = r"""
for (line in readLines(commandArgs(TRUE), encoding = "UTF-8")) {
  words <- strsplit(line, "\t", fixed = TRUE)[[1]]
  commandArgs <- function(trailingOnly) words[-1]
  quit <- function(save, status) stop(structure(class = c("quit", "error", "condition"),
                                                list(message = "", call = NULL, status = status)))
  out <- file(paste0(words[1], ".out"), "wb")
  said <- file(paste0(words[1], ".said"), "wb")
  sink(out)
  sink(said, type = "message")
  status <- tryCatch({sys.source(words[1], new.env(parent = globalenv())); 0},
                     quit = function(q) q$status, error = function(e) {message(e); 1})
  message("status ", status)
  sink()
  sink(type = "message")
  close(out)
  close(said)
}
"""


def write_script(
    script: Path, scheme: str, files: list[Path], *, missing: str = "omit", **how: object
) -> None:
    texts = [TextFile(path, text_layout(path, How(**how))) for path in files]
    script.write_bytes(encode_script(Analysis(parse_scheme(scheme), "limit", missing), texts, "x"))


def run_each(runs: dict[Path, list[Path]]) -> list[tuple[str, str, int]]:
    """Run scripts with their files in one R in a plain locale.

    Returns what each writes, what it says, and its status.
    """
    (folder,) = {script.parent for script in runs}
    lines = ["\t".join(map(str, (script, *files))) for script, files in runs.items()]
    (folder / "runs.txt").write_text("".join(f"{line}\n" for line in lines))
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", _EACH, folder / "runs.txt"],
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "LC_ALL": "C"},
        capture_output=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    found = []
    for script in runs:
        said, _, status = Path(f"{script}.said").read_text().rpartition("status ")
        found.append((Path(f"{script}.out").read_bytes().decode(), said, int(status)))
    return found


def written(runs: dict[Path, list[Path]]) -> list[str]:
    """Run scripts that have nothing to note, and return what they write."""
    found = run_each(runs)
    assert [said for _, said, status in found if status or "note" in said] == []
    return [out for out, *_ in found]


def cells(text: str) -> dict[tuple[str, str], str]:
    """Return the standardized scores, as they are written, by topic and system."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == ["quantity", "topic", "system", "value"]
    own = [row for row in rows[1:] if row[0] == "standardized score"]
    assert [label for row in own for label in row[1:3] if label[0] in "=+-@"] == []
    topics, systems = (unguarded([row[i] for row in own]) for i in (1, 2))
    return {(t, s): row[3] for t, s, row in zip(topics, systems, own, strict=True)}


def digits(value: float) -> str:
    return "NA" if np.isnan(value) else f"{value:.17g}"


def test_script_reads_what_python_reads(tmp_path: Path) -> None:
    expected, runs = [], {}
    for number, (content, how) in enumerate(LAYOUTS.values()):
        path = tmp_path / f"scores{number}.csv"
        path.write_bytes(content)
        frame = read_scores(path, **how)
        expected.append(
            {
                (str(topic), system): digits(frame.loc[topic, system])
                for topic in frame.index
                for system in frame.columns
            }
        )
        write_script(tmp_path / f"{number}.R", "raw", [path], **how)
        runs[tmp_path / f"{number}.R"] = [path]
    for name, own, text in zip(LAYOUTS, expected, written(runs), strict=True):
        assert cells(text) == own, name


@pytest.mark.long
@pytest.mark.clause("read_scores.2")
def test_script_reads_every_decimal_to_the_nearest_double(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    texts = [f"{k / 1e6:.6f}" for k in (2877, 5754, 11227, 11508, 22454, 23016)]  # R misreads
    texts += [f"{k / 1e6:.6f}" for k in rng.integers(0, 10**6, 4000)]
    texts += [repr(float(x)) for x in rng.random(4000)]
    texts += [
        repr(float(x)) for x in rng.integers(0, 2**63, 4000).view(np.float64) if abs(x) < np.inf
    ]
    texts += [
        f"{x:.{d}e}" for x, d in zip(rng.random(2000), rng.integers(0, 60, 2000), strict=True)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("topic,a\n" + "".join(f"t{i},{text}\n" for i, text in enumerate(texts)))
    write_script(tmp_path / "check.R", "raw", [path])
    found = cells(*written({tmp_path / "check.R": [path]}))
    assert [found[f"t{i}", "a"] for i in range(len(texts))] == [digits(float(t)) for t in texts]


@pytest.mark.clause("verify.1")
def test_script_has_the_digits_of_r_in_process(tmp_path: Path, scores: pd.DataFrame) -> None:
    path, reference = tmp_path / "scores.csv", tmp_path / "reference.csv"
    scores.iloc[[3, 0, 4]].to_csv(path)
    scores.to_csv(reference)
    spellings = (
        "empirical:convention=mid",
        "normal",
        "uniform:A=0.3,B=0.4",
        "kernel:bandwidth=0.002877",
        "kernel",
        "exponential",
        "sum",
        "from_scipy:dist=beta,floc=-0.01,fscale=1.02",
    )
    runs, session = (
        {tmp_path / f"{k}.R": [path, reference] for k in range(len(spellings))},
        RSession(),
    )
    for script, spelling in zip(runs, spellings, strict=True):
        write_script(script, spelling, [path, reference], missing="raise")
    for spelling, text in zip(spellings, written(runs), strict=True):
        found = Standardizer(spelling).standardize(scores.iloc[[3, 0, 4]], scores)
        by_r = Verification.of(found).in_process(session, {})
        lines = ["quantity,topic,system,value"] + [
            f'{quantity.name},"{topic}","{system}",{digits(quantity.values[i, j])}'
            for quantity in by_r.quantities
            for j, system in enumerate(quantity.systems)
            for i, topic in enumerate(quantity.topics)
        ]
        assert text.splitlines() == lines, spelling


def test_script_notes_another_file_and_refuses_another_number_of_files(
    tmp_path: Path, scores: pd.DataFrame
) -> None:
    path, script = tmp_path / "scores.csv", tmp_path / "check.R"
    scores.to_csv(path)
    analysis = Analysis(parse_scheme("z"), "limit", "raise")
    script.write_bytes(encode_script(analysis, [TextFile(path, text_layout(path))], "check.R"))
    (scores + 1).to_csv(path)
    other = subprocess.run(["Rscript", script, path], capture_output=True, text=True, check=True)
    assert f"note: {path} is not the file that this script was written for" in other.stderr
    assert len(other.stdout.splitlines()) == 1 + 6 * 7 + 7
    none = subprocess.run(["Rscript", script], capture_output=True, text=True, check=False)
    expected = "expected 1 file name, that of the scores: Rscript --vanilla check.R scores.csv\n"
    assert (none.returncode, none.stderr) == (2, expected)


UNREADABLE: list[tuple[str, bytes | None, str]] = [
    ("none.csv", None, "none.csv is not a file; expected 1 file name, that of the scores"),
    (".", None, ". is not a file"),
    ("x.rds", b"\x1f\x8b\x08\0", "x.rds cannot be read as a table of scores: it is not text"),
    (
        "semicolons.csv",
        b"topic;a;b\n301;0,1;0,2\n302;0,3;0,4\n",
        "the number of fields is 1 in the first line and 3 in the next lines",
    ),
    (
        "spaces.csv",
        b"topic a b\n301 0.1 0.2\n302 0.3 0.4\n",
        "expected labels and scores, separated by commas",
    ),
    ("empty.csv", b"", "empty.csv cannot be read as a table of scores"),
]


@pytest.mark.clause("verify.1")
def test_the_script_says_which_file_it_cannot_read(tmp_path: Path, scores: pd.DataFrame) -> None:
    path, runs = tmp_path / "scores.csv", {}
    scores.to_csv(path)
    for number, (name, content, _) in enumerate(UNREADABLE):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        write_script(tmp_path / f"{number}.R", "z", [path])
        runs[tmp_path / f"{number}.R"] = [Path(name)]
    for (*_, expected), (out, said, status) in zip(UNREADABLE, run_each(runs), strict=True):
        assert (status, out, said.count("\n")) == (2, "", 1), said
        assert expected in said


def test_the_script_writes_the_scores_and_fails_where_the_test_stops(tmp_path: Path) -> None:
    values = np.repeat(np.random.default_rng(1).random((25, 1)), 2, axis=1)
    topics = pd.Index([f"t{k}" for k in range(25)], name="topic")
    pd.DataFrame(values, topics, ["a", "b"]).to_csv(tmp_path / "s.csv")
    files = [TextFile(tmp_path / "s.csv", text_layout(tmp_path / "s.csv"))]
    found = compare(read_scores(tmp_path / "s.csv"), "paired_t", effect="")
    (tmp_path / "check.R").write_bytes(Verification.of(found).script(files, "check.R"))
    command = ["Rscript", tmp_path / "check.R", tmp_path / "s.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "note: the test has no number, as it stops: the data are constant" in done.stderr
    assert 'standardized score,"t24","b",' in done.stdout
    assert 'p value,"","a - b",NA' in done.stdout


def test_script_cannot_read_what_is_no_text(tmp_path: Path, scores: pd.DataFrame) -> None:
    scores.to_parquet(tmp_path / "scores.parquet")
    for path in ("-", tmp_path / "scores.parquet", tmp_path):
        with pytest.raises(ScoresError, match="cannot be read by an R script; expected a CSV"):
            text_layout(path)


#: R code that prints what is wrong with the definitions of each script. A function is looked at
#: once by its text. A text of the analysis may also name a function.
_DEFINITIONS = r"""
known <- new.env()
looked_at <- function(line) {
  text <- paste(deparse(line), collapse = "\n")
  if (is.null(known[[text]]))
    known[[text]] <- list(names = all.names(line),
                          used = codetools::findGlobals(eval(line[[3]]), FALSE)$functions)
  known[[text]]
}
for (path in commandArgs(TRUE)) {
  lines <- as.list(parse(path, encoding = "UTF-8"))
  named <- vapply(lines, function(l) l[[1]] == "<-" && is.name(l[[2]]) && is.call(l[[3]]) &&
                    l[[3]][[1]] == "function", NA)
  names <- vapply(lines[named], function(l) as.character(l[[2]]), "")
  functions <- setNames(lapply(lines[named], looked_at), names)
  words <- unlist(strsplit(unlist(lapply(lines[!named], deparse)), "[^A-Za-z0-9_.]+"))
  reached <- new <- intersect(words, names)
  while (length(new)) {
    of <- unlist(Map(function(f, name) setdiff(f$names, name), functions[new], new))
    new <- setdiff(intersect(of, names), reached)
    reached <- c(reached, new)
  }
  used <- unique(unlist(lapply(functions, function(f) f$used)))
  missing <- setdiff(used[!vapply(used, exists, NA, mode = "function")], c(names, "component"))
  cat(paste0(basename(path), ":"), setdiff(names, reached), missing, names[duplicated(names)], "\n")
}
"""


def of_test(scores: pd.DataFrame, test: Any, baselines: Any, effect: Any = None) -> dict[str, Any]:
    """Return the parts of a script for a test."""
    found = of_each_system(
        Standardizer("normal").standardize(scores), test, baselines=baselines, effect=effect
    )
    return {"parts": Verification.of(found).parts[:1]}


_POLICIES = {
    "constant": get_args(ConstantPolicy),
    "missing": get_args(MissingPolicy),
    "unfitted": get_args(UnfittedPolicy),
    "lower_is_better": (True, ("a", "b")),
    "extra_topics": ("drop",),
}
_GOALS = (
    "paired_t:difference=0.1",
    "one_way:difference=0.5,systems=3",
    "two_way:difference=0.5,systems=3",
    "interval:width=0.5",
    "generalizability:reliability=0.9",
    "dependability:reliability=0.9",
)


def test_each_goal_is_here() -> None:
    assert {goal.partition(":")[0] for goal in _GOALS} == set(goals.names())


@pytest.mark.clause("verify.1")
def test_a_script_has_the_definitions_that_it_needs_and_no_other(
    tmp_path: Path, scores: pd.DataFrame
) -> None:
    """For each scheme, policy, test with each effect size, and further analysis.

    With a published table, for an analysis with and one without a test.
    """
    scores.to_csv(tmp_path / "s.csv")
    files = [TextFile(tmp_path / "s.csv", text_layout(tmp_path / "s.csv"))]
    given: dict[str, Any] = {"scheme": Normal(), "constant": "limit", "missing": "raise"}
    analyses: dict[str, dict[str, Any]] = {
        name: {"scheme": parse_scheme(name)} for name in scheme_names()
    }
    analyses |= {f"{name}-{own}": {name: own} for name, of in _POLICIES.items() for own in of}
    for name in significance_tests.names():
        chosen = significance_tests.load(name).chosen_example()
        baselines = "sys0" if needs_baseline(chosen.test) else ()
        analyses[name] = of_test(scores, chosen, baselines)
        for effect in effect_sizes.names():
            with contextlib.suppress(SignificanceError):  # an effect size of other samples
                analyses[f"{name}-{effect}"] = of_test(scores, chosen, baselines, effect)
    apart = scores + np.arange(scores.shape[1])  # a reliability needs a variance of systems
    for name, options in {
        "anova": {"formula": "score ~ topic + system"},
        "mixed": {"formula": "score ~ system", "random": ["topic"]},
        **{f"plan-{goal.partition(':')[0]}": {"goal": goal} for goal in _GOALS},
    }.items():
        analyses[name] = {"parts": Verification.of(result_of(apart, "raw", **options)).parts}
    tables = dict.fromkeys(("table-paired_t", "table-raw", "table-anova"), "pairs.csv")
    analyses |= {name: analyses[name.removeprefix("table-")] for name in tables}
    for name, own in analyses.items():
        script = encode_script(Analysis(**given | own), files, "x", tables.get(name))
        assert (b"show_published" in script) == (name in tables)
        (tmp_path / f"{name}.R").write_bytes(script)
    paths = [tmp_path / f"{name}.R" for name in sorted(analyses)]
    command = ["Rscript", "-e", _DEFINITIONS, *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [line.strip() for line in done.stdout.splitlines()]
    assert found == [f"{name}.R:" for name in sorted(analyses)]
