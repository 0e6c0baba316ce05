"""The R code of docs/reticulate.md prints what the page says."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

PAGE = Path(__file__).parents[1] / "docs" / "reticulate.md"
BLOCKS = re.findall(
    r"^```r\n(.*?)^```\n\n```\n(.*?)^```",
    PAGE.read_text(encoding="utf-8"),
    re.DOTALL | re.MULTILINE,
)


@pytest.fixture(scope="module")
def printed(
    require_r_package: Callable[[str], None],
    versions_of_pages: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> list[str]:
    """Return what each block prints, of one R session."""
    require_r_package("reticulate")
    # make test-lowest has pandas 2
    if int(pd.__version__.partition(".")[0]) < 3 and not versions_of_pages:
        pytest.skip("reticulate 1.28 does not convert data frames of pandas 2")
    script = tmp_path_factory.mktemp("reticulate") / "page.R"
    code = 'cat("<<next>>\\n")\n'.join(code for code, _ in BLOCKS)
    script.write_text(code, encoding="utf-8")
    done = subprocess.run(
        ["Rscript", "--vanilla", str(script)],
        env=os.environ | {"RETICULATE_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("<<next>>\n")


def test_every_block_of_r_is_shown_with_what_it_prints() -> None:
    assert PAGE.read_text(encoding="utf-8").count("```r\n") == len(BLOCKS) > 4


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_block_prints_what_the_page_says(number: int, printed: list[str]) -> None:
    said = BLOCKS[number][1].splitlines()
    assert [line.rstrip() for line in printed[number].splitlines()] == said
