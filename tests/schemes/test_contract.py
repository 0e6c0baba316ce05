"""Every scheme of the catalogue keeps the contract, by default and with other settings."""

import pytest

from cdfscore.stats.schemes.base import schemes
from cdfscore.testing import ContractError, check_distribution, check_twin

SETTINGS = [
    "empirical:convention=strict",
    "empirical:convention=mid",
    "kernel:bandwidth=0.1",
    "empirical:position=weibull",
    "empirical:position=1",
    "empirical:position=0.3",
    "empirical:interpolation=linear",
    "empirical:convention=strict,position=blom",
    "empirical:convention=mid,position=weibull",
    "empirical:convention=mid,position=hazen,interpolation=linear",
    "empirical:convention=strict,position=0.9,interpolation=linear",
    "uniform:A=0.3,B=0.4",
    "uniform:A=0.15,B=0.0",
    "from_scipy:dist=norm",
    "from_scipy:dist=uniform",
    "from_scipy:dist=expon",
    "from_scipy:dist=logistic",
    # 15 seconds: each of hundreds of rows is a search
    pytest.param("from_scipy:dist=beta,floc=0,fscale=1", marks=pytest.mark.long),
    "from_scipy:dist=gamma,floc=-0.01",
    "from_scipy:dist=lognorm,floc=-0.01",
    "from_scipy:dist=weibull_min,floc=-0.01",
    "beta:method=moments",
    "beta:ends=shrink",
    "beta:method=moments,ends=shrink",
    "beta_binomial:size=20",
    "kumaraswamy:ends=shrink",
    "logit_normal:ends=shrink",
    "truncated_normal:low=-0.5,high=2",
    "logspline:low=0.0,high=1.0",
    "logspline:low=0.0",
    "logspline:penalty=2.0,high=1.0",
    "zero_inflated:family=normal",
    "zero_inflated:family=minmax",
    "zero_inflated:family=exponential",
    "zero_inflated:family=uniform(A=0.3;B=0.4)",
    "zero_inflated:family=kernel(bandwidth=0.1)",
    "zero_inflated:family=empirical(convention=mid)",
    "zero_inflated:family=from_scipy(dist=gamma;floc=-0.01)",
]
#: Settings whose twins have scores of their own.
OF_PYTHON = [
    *(f"beta_binomial:size={size}" for size in (2, 3, 10, 100)),
    "mixture:starts=0",
    "mixture:starts=3,seed=5",
]


@pytest.mark.clause(
    "scheme.1", "scheme.2", "scheme.4", "scheme.5", "scheme.9", "check_distribution.1"
)
@pytest.mark.parametrize("spelling", [*schemes.names(), *SETTINGS, *OF_PYTHON])
def test_catalogue_member_keeps_the_contract(spelling: str) -> None:
    assert check_distribution(schemes.parse(spelling)) is None


@pytest.mark.clause("normal.1", "uniform.1", "minmax.1", "exponential.1", "z.1", "sum.1", "max.1")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("spelling", [*schemes.names(), *SETTINGS])
def test_twin_computes_the_same(spelling: str) -> None:
    check_twin(schemes.parse(spelling))
    if spelling == "gamma":
        check_twin(schemes.parse(spelling), within=(3.0, 700.0))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", [1, 4])  # and the two that follow
@pytest.mark.parametrize("spelling", [*schemes.names(), *SETTINGS[:4]])
def test_contract_holds_for_other_scores(spelling: str, seed: int) -> None:
    check_distribution(schemes.parse(spelling), seed=seed)


# A scheme on a grid needs two scores of it within the interval.
OTHER_SCALES = [
    (spelling, (low, high))
    for spelling in schemes.names()
    for low, high in [(-3.0, -1.0), (0.0, 100.0), (0.0, 1e-6)]
    if high - low >= (schemes.parse(spelling).grid or 0.0)
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("spelling", "within"), OTHER_SCALES)
def test_contract_holds_on_other_scales(spelling: str, within: tuple[float, float]) -> None:
    scheme = schemes.parse(spelling)
    low, high = scheme.domain
    if low <= within[0] and within[1] <= high and scheme.grid is None:
        check_distribution(scheme, within=within)
    else:
        with pytest.raises(
            ContractError, match=r" is (a distribution on|for scores in) \[| is not a multiple of "
        ):
            check_distribution(scheme, within=within)


def test_every_file_of_the_folders_is_walked() -> None:
    """The tests above go through the list; an empty one must not pass."""
    assert {"normal", "uniform", "empirical", "minmax", "raw", "z", "sum"} <= set(schemes.names())
