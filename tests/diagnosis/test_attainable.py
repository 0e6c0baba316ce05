"""What is said of resamples that cannot reject."""

import pandas as pd

from cdfscore.diagnosis.diagnosis import Draws, cautions


def test_the_schemes_that_cannot_be_rejected_are_named_in_their_order() -> None:
    # Of 19 resamples the least p value is 1/20: enough for one topic, and not for two or three.
    tested = {"normal": 2, "beta": 3, "gamma": 1}
    fits = pd.DataFrame(
        [(scheme, str(k), 20, True, 0.5) for scheme, n in tested.items() for k in range(n)],
        columns=["scheme", "topic", "n", "fitted", "ad_p"],
    )
    (found,) = cautions(fits, Draws(19, 19, 1), 0.05)
    assert found == (
        "none of N-std, beta can be rejected, whatever the scores are: with at most 19 resamples "
        "per topic, the smallest possible p value is 0.05, and 0.15 after Holm's correction over 3 "
        "topics; rejection at 0.05 needs a maximum of 59 or more, or no maximum"
    )
    assert cautions(fits, Draws(19, 59, 1), 0.05) == ()
    assert cautions(fits[fits["scheme"] == "gamma"], Draws(19, 19, 1), 0.05) == ()
