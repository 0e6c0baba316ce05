"""Tail that a confidence interval leaves out."""


def tail_of(conf_level: float, alternative: str) -> float:
    """Return the probability beyond an end of the interval: half of the rest if two-sided.

    >>> tail_of(0.5, "two-sided"), tail_of(0.5, "less")
    (0.25, 0.5)
    """
    return (1 - conf_level) / (2 if alternative == "two-sided" else 1)
