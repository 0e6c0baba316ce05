"""Cautions are warned of at the line of the user."""

import warnings

import pytest

from cdfscore import CdfscoreWarning
from cdfscore.common.cautions import warn_of


@pytest.mark.clause("warnings.1")
def test_a_caution_is_a_warning_at_the_line_that_called() -> None:
    with pytest.warns(CdfscoreWarning, match="only two systems") as caught:
        warn_of(["only two systems"])
    assert caught[0].filename == __file__


def test_nothing_is_warned_of_without_a_caution() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of([])
