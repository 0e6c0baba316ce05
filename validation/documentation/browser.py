"""The built site in a browser: searches find the right page first, and pages fit a phone.

``python -m validation.documentation.browser site``: ``make docs-check``.
"""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

#: What a reader types, and the page that answers it.
SEARCHES = {
    "which scheme": "which_scheme",
    "which test": "which_test",
    "leaderboard": "leaderboards",
    "cite": "start",
    "how many topics": "topics",
    "install": "start",
    "missing scores": "policies",
    "check with R": "checking_with_r",
    "own scheme": "own_scheme",
    "word error rate": "leaderboards",
    "check in R": "checking_with_r",
    "compare different collections": "across_collections",
    "limitations": "limitations",
    "command line options": "options",
    "few topics": "which_test",
    "multiple testing": "which_test",
    "effect of E-std on conclusions": "what_to_report",
    "compare API": "compare",
    "glossary": "glossary",
    "figures": "figures",
    "compare models": "leaderboards",
    "win rate": "which_scheme",
    "latex table": "compare",
    "methods paragraph": "what_to_report",
    "critical difference diagram": "figures",
    "performance profile": "figures",
    "bonferroni": "significance",
    "baseline": "compare",
}
_FIRST = "#search-results ul.search li > a"
_PHONE = {"width": 390, "height": 844}
# A wide table or formula is moved within a box of its own, and does not count.
_TOO_WIDE = "document.documentElement.scrollWidth > window.innerWidth"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: one line for each picture would hide what is found."""


@contextmanager
def _served(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()


def wrong_searches(browser: Any, address: str) -> list[str]:
    """Return what is found first for each question that another page should answer."""
    found = []
    page = browser.new_page()
    for question, expected in SEARCHES.items():
        page.goto(f"{address}/search.html?q={question.replace(' ', '+')}")
        page.wait_for_selector(_FIRST)
        # Results come one after another; this says that all are there.
        page.wait_for_function(
            "/finished/.test(document.querySelector('.search-summary').innerText)"
        )
        first = page.locator(_FIRST).first.get_attribute("href").partition(".html")[0]
        if first != expected:
            found.append(f"'{question}' finds {first}.html first, not {expected}.html")
    page.close()
    return found


def wide_pages(browser: Any, address: str, site: Path) -> list[str]:
    """Return the pages that a reader with a phone has to move sideways.

    Pages of single objects are left out: they are many, and all are made in the same way.
    """
    found = []
    page = browser.new_page(viewport=_PHONE)
    pages = [path.relative_to(site) for path in sorted(site.glob("**/*.html"))]
    for name in [str(path) for path in pages if not path.match("reference/cdfscore.*")]:
        page.goto(f"{address}/{name}", wait_until="domcontentloaded")
        if page.evaluate(_TOO_WIDE):
            found.append(f"{name} is wider than a phone")
    page.close()
    return found


def main(site: Path) -> int:
    """Print what is found, and return the status."""
    with sync_playwright() as play, _served(site) as address:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"))
        found = wrong_searches(browser, address) + wide_pages(browser, address, site)
        browser.close()
    print("\n".join(found) or f"{len(SEARCHES)} searches find the right page first")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
