"""The command line as a process of its own: its streams, its exit status, what it imports."""

import errno
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

import cdfscore.cli
import cdfscore.cli.methods
from cdfscore.__main__ import main
from cdfscore.errors import OutputError, PlugInError, RNotAvailableError

SCRIPT = Path(sysconfig.get_path("scripts")) / "cdfscore"
SCORES = "topic,a,b\n301,0,1\n302,3,1\n"
E_STD = b"topic,a,b\n301,0.5,1.0\n302,1.0,0.5\n"
HEAVY = ("scipy", "scipy.optimize", "statsmodels", "pandas", "matplotlib", "numba", "pyarrow")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s.csv").write_text(SCORES)
    return tmp_path


def run(folder: Path, command: str, **options) -> subprocess.CompletedProcess[bytes]:
    """Run a line of the shell in which $CDFSCORE is the command."""
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={"CDFSCORE": str(SCRIPT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        timeout=60,
        check=False,
        **options,
    )


def test_scores_from_standard_input_to_standard_output(folder: Path) -> None:
    done = run(folder, "$CDFSCORE standardize - --scheme empirical", input=SCORES.encode())
    assert (done.returncode, done.stdout) == (0, E_STD)
    assert done.stderr.startswith(b"cdfscore: 2 topics x 2 systems standardized by E-std")


def test_scores_through_pipes_of_the_shell(folder: Path) -> None:
    done = run(folder, "$CDFSCORE standardize <(cat s.csv) --scheme empirical -o >(cat); wait $!")
    assert (done.returncode, done.stdout) == (0, E_STD)


@pytest.mark.clause("errors.2", "errors.4")
def test_bad_input_is_one_sentence_and_status_2(folder: Path) -> None:
    done = run(folder, "$CDFSCORE standardize - --scheme normal", input=b"topic,a\n301,x\n")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"cdfscore: standard input, line 2, column 'a': 'x' is not")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.one_in(2)
@pytest.mark.clause("errors.4")
@pytest.mark.parametrize(
    "command",
    [
        "standardize s.csv --scheme z",
        pytest.param("schemes", marks=pytest.mark.long),
        pytest.param("--help", marks=pytest.mark.long),
    ],
)
def test_reader_that_leaves_early_gets_no_traceback(folder: Path, command: str) -> None:
    long = "topic,a,b\n" + "".join(f"{i},0.{i},1\n" for i in range(20_000))
    (folder / "s.csv").write_text(long)
    done = run(folder, f"$CDFSCORE {command} | head -1 > first.txt; exit ${{PIPESTATUS[0]}}")
    assert done.returncode in (0, 141)  # 0 where the pipe holds all
    assert b"Error" not in done.stderr
    assert b"Traceback" not in done.stderr
    assert len((folder / "first.txt").read_text().splitlines()) == 1


@pytest.mark.one_in(3)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("command", ["schemes", "standardize s.csv --scheme z"])
def test_full_disk_is_one_sentence(folder: Path, command: str) -> None:
    done = run(folder, f"$CDFSCORE {command} > /dev/full")
    assert done.returncode == 2
    assert done.stderr.startswith(b"cdfscore: ")
    assert done.stderr == b"cdfscore: standard output cannot be written: No space left on device\n"
    assert done.stderr.count(b"\n") == 1


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("standardize s.csv --scheme z >&-", b"standard output is closed"),
        ("standardize - --scheme z <&-", b"standard input is closed"),
    ],
)
def test_closed_stream_is_one_sentence(folder: Path, command: str, said: bytes) -> None:
    done = run(folder, f"$CDFSCORE {command}")
    assert done.returncode == 2
    assert done.stderr.startswith(b"cdfscore: " + said)
    assert done.stderr.count(b"\n") == 1


def loaded_by(code: str) -> list[str]:
    """Return which of the heavy packages a fresh interpreter has loaded after `code`."""
    report = f"; import sys; print(*(m for m in {HEAVY} if m in sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code + report], capture_output=True, text=True, check=True
    )
    return done.stderr.split()


def command_line(*lines: str) -> str:
    return (
        "import contextlib, sys, cdfscore.cli; "
        f"lines = {[line.split() for line in lines]}; "
        'exec(\'for line in lines:\\n sys.argv = ["cdfscore", *line]\\n'
        " with contextlib.suppress(SystemExit): cdfscore.cli.main()')"
    )


def test_import_loads_nothing_heavy() -> None:
    assert loaded_by("import cdfscore") == []


def test_start_loads_nothing_heavy() -> None:
    """Of all lines in one process, as none may load anything."""
    lines = ("--help", "--version", "standardize --help", "apply --help")
    assert loaded_by(command_line(*lines)) == []


def test_list_of_schemes_loads_no_pandas() -> None:
    # kernel names its rules and kernels from what computes them, which numba compiles.
    assert set(loaded_by(command_line("schemes"))) <= {"scipy", "scipy.optimize", "numba"}


def test_standardizing_a_csv_loads_no_pyarrow(folder: Path) -> None:
    path = folder / "s.csv"
    loaded = loaded_by(command_line(f"standardize {path} --scheme empirical"))
    assert not {"matplotlib", "numba", "statsmodels", "scipy.optimize"} & set(loaded)


def test_comparing_loads_no_solvers(folder: Path) -> None:
    line = f"compare {folder / 's.csv'} --scheme empirical --test paired_t -o {folder / 'o.csv'}"
    assert not {"matplotlib", "numba", "scipy.optimize"} & set(loaded_by(command_line(line)))


@pytest.mark.clause("errors.4")
@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (MemoryError("Unable to allocate 9 GiB"), 4, "memory ran out (Unable to allocate 9 GiB)"),
        (MemoryError(), 4, "memory ran out"),
        (
            ValueError("two\nlines"),
            5,
            r"a fault of cdfscore: ValueError: two\nlines; please report",
        ),
        (OSError("cannot load libllvmlite.so"), 5, "OSError: cannot load libllvmlite.so"),
        (OSError(errno.EACCES, "no", "x.so"), 5, "'x.so'"),
        (OSError(errno.ENOSPC, "No space"), 2, "standard output cannot be written: No space"),
        (EOFError("the file is cut"), 5, "EOFError: the file is cut"),
        (BrokenPipeError(), 141, ""),
        (KeyboardInterrupt(), 130, "cdfscore: interrupted\n"),
        (KeyboardInterrupt("nothing is written"), 130, "interrupted; nothing is written"),
        (RNotAvailableError("no R"), 3, "no R"),
        (OutputError("bad"), 2, "bad"),
        (PlugInError("mine"), 2, f"mine; the file {os.sep}"),
    ],
)
def test_what_ends_a_command_has_its_status(
    error: BaseException, status: int, said: str, monkeypatch, capsys, tmp_path: Path
) -> None:
    def failing() -> None:
        """Raise the error within a command."""
        raise error

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr(sys, "argv", ["cdfscore", "schemes"])
    monkeypatch.setattr(cdfscore.cli.methods, "schemes", failing)
    monkeypatch.setattr(cdfscore.cli, "command", cdfscore.cli.command.__wrapped__)
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert ended.value.code == status
    assert said in told
    assert len(told.splitlines()) == (status != 141)
    kept = [path.read_text() for path in tmp_path.iterdir()]
    is_kept = status == 5 or isinstance(error, PlugInError)
    assert [str(error).splitlines()[0] in text for text in kept] == [True] * is_kept


@pytest.mark.parametrize(
    "callback",
    [
        "import weakref; each = set(); kept = weakref.ref(each, sent); del each",
        "each = type('Each', (), {'__del__': sent})(); del each",
        "import ctypes; ctypes.CFUNCTYPE(None, ctypes.py_object)(sent)(0)",
    ],
)
def test_an_interrupt_that_python_drops_is_repeated(callback: str) -> None:
    """Python only prints an error of a callback, such as that of an import."""
    code = (
        "import signal, sys, time, cdfscore.cli, cdfscore.__main__ as own\n"
        "def sent(_): signal.raise_signal(signal.SIGINT)\n"
        f"def run(): exec({callback!r}, {{'sent': sent}}); time.sleep(50)\n"
        "cdfscore.cli.main = run\n"
        "own.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"cdfscore: interrupted\n")


def test_an_error_that_is_lost_at_the_end_is_told_once() -> None:
    code = (
        "import cdfscore.cli, cdfscore.__main__ as own\n"
        "def lost(_): raise ValueError('lost')\n"
        "cdfscore.cli.main = lambda: None\n"
        "own.main()\n"
        "own.each = type('Each', (), {'__del__': lost})()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "ValueError: lost" in done.stderr
    assert done.stderr.count("Error") == 1


def test_settings_of_others_end_no_command(folder: Path) -> None:
    (folder / ".numba_config.yaml").write_text("{[no yaml")
    inline = "PYTHONOPTIMIZE=2 MPLBACKEND=module://matplotlib_inline.backend_inline"
    done = run(folder, f"{inline} $CDFSCORE plot pairs s.csv --scheme empirical -o m.svg")
    assert done.returncode == 0, done.stderr
    done = run(folder, "$CDFSCORE standardize s.csv --scheme kernel:kernel=logistic")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"cdfscore: numba cannot be imported: while parsing")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["comp"], ["compare"]),
        (["compare", "--refl"], ["--reflect-at"]),
        (["experiment", "ha"], ["halves"]),
    ],
)
def test_bash_completes_commands_and_options(
    folder: Path, typed: list[str], expected: list[str]
) -> None:
    """By the function that the shell gets, with the words that the shell sets."""
    done = run(
        folder,
        f'PATH="$PATH:{SCRIPT.parent}"; eval "$(_CDFSCORE_COMPLETE=source_bash cdfscore)"; '
        f"COMP_WORDS=(cdfscore {' '.join(typed)}); COMP_CWORD={len(typed)}; "
        '_cdfscore_completion cdfscore; printf "%s\\n" "${COMPREPLY[@]}"; complete -p cdfscore',
    )
    own = ["complete", "-o", "default", "-F", "_cdfscore_completion", "cdfscore"]
    assert (done.stdout.decode().split(), done.stderr) == ([*expected, *own], b"")
