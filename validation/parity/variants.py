"""The schemes that are laid beside R: every member of the catalogue, and more settings."""

from __future__ import annotations

from cdfscore.stats.schemes.base import schemes

SETTINGS = (
    "empirical:convention=strict",
    "empirical:convention=mid",
    "empirical:position=weibull",
    "empirical:convention=strict,position=hazen,interpolation=linear",
    "beta:method=moments",
    "beta:ends=shrink",
    "zero_inflated:family=gamma",
    "uniform:A=0.3,B=0.4",
    "kernel:bandwidth=0.1",
    "from_scipy:dist=uniform",
    "from_scipy:dist=expon",
    "from_scipy:dist=lognorm,floc=-0.01",
    "from_scipy:dist=gamma,floc=-0.01",
    "from_scipy:dist=logistic",
    "from_scipy:dist=beta,floc=-0.01,fscale=1.02",
    "from_scipy:dist=weibull_min,floc=-0.01",
)


def variants() -> list[str]:
    """Spell every member of the catalogue, by default and with the settings above."""
    return [*schemes.names(), *SETTINGS]
