"""Pages as files, opened in a browser without a network."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore.cli import main

#: Milliseconds after which a page has failed: many, as other work may have both cores.
WAIT = 120_000
SCRIPT = "<script>alert(1)</script>"
#: Names that would act if they were anything but text.
NAMES = [
    SCRIPT,
    "</script><img src=x onerror=alert(2)>",
    '"><b onclick="alert(3)">bold</b>',
    "{{ 7 * 7 }} {% raw %}",
    "<!--<script>",
    "=HYPERLINK(1)",
    "\u2028line\u202eleft",
    "${alert(4)}`'\\u003c",
    "<i>" + "long" * 15,
]

Opened = Callable[..., Any]


def named_scores(seed: int = 1) -> pd.DataFrame:
    """Return scores of systems of such names, on topics of such names."""
    random = np.random.default_rng(seed)
    topics = [f"<u>{i}</u>&amp;" for i in range(23)] + [SCRIPT]
    strength = np.linspace(-0.2, 0.2, len(NAMES))
    scores = random.beta(3, 5, (len(topics), len(NAMES))) + strength
    scores[:12, ::4] -= 0.5  # so that some pairs differ
    scores = np.clip(scores, 0, 1).round(4)
    return pd.DataFrame(scores, pd.Index(topics, name="topic"), NAMES)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page of scores, and a file, whose names would act."""
    folder, name = tmp_path_factory.mktemp("hostile"), "<b>scores<b>.csv"
    scores = named_scores()
    scores.iloc[12:].to_csv(folder / name)
    scores.to_csv(folder / "reference.csv")
    words = ["report", name, "--reference", "reference.csv"]
    words += ["--scheme", "empirical", "--no-verify", "-o", "page.html"]
    with pytest.MonkeyPatch.context() as patch, suppress(SystemExit):
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["cdfscore", *words])
        main()
    return folder / "page.html"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Make a page of scores, with options as they are typed."""

    def make(scores: pd.DataFrame, *typed: str) -> Path:
        monkeypatch.chdir(tmp_path)
        scores.to_csv("s.csv")
        words = ["cdfscore", "report", "s.csv", *typed, "--no-verify", "-o", "page.html"]
        monkeypatch.setattr(sys, "argv", words)
        with suppress(SystemExit):
            main()
        return tmp_path / "page.html"

    return make


@pytest.fixture
def opened(browser: Any) -> Opened:
    """Open a page; what the browser says of it is in the list ``said``."""

    @contextmanager
    def open_page(path: Path, said: list[str], **context: Any) -> Iterator[Any]:
        room = browser.new_context(offline=True, **context)
        room.set_default_timeout(WAIT)
        page = room.new_page()
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: said.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: said.extend(_remote(request.url)))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        yield page
        room.close()

    return open_page


def _remote(url: str) -> list[str]:
    return [] if url.startswith(("file:", "blob:", "data:")) else [url]


def draw_all(page: Any) -> None:
    """Scroll to each chart, as charts are drawn when they are seen."""
    for chart in page.locator(".chart").all():
        chart.scroll_into_view_if_needed()
        chart.locator("svg, canvas").first.wait_for()
    page.evaluate("window.scrollTo(0, 0)")
