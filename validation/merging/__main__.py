"""``python -m validation.merging``: ways to merge on Cranfield, 7 minutes of a core.

It writes validation/results/merging_*.csv, and anew what stands between the comments of its page;
``--page`` writes the page from the recorded tables. A sentence of it that has become wrong ends
the run by an error that names it.
"""

from __future__ import annotations

import argparse

from validation.collections.cranfield.build import default_data
from validation.collections.cranfield.collection import read_collection
from validation.merging import recording
from validation.merging.page import PAGE, measured
from validation.pages import rewritten


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="only the page, from what is recorded")
    if not parser.parse_args().page:
        recording.write(recording.computed(read_collection(default_data())))
    page = rewritten(PAGE.read_text(encoding="utf-8"), measured(recording.read()))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
