"""How far each scheme may be from R, written down once: a larger number is a decision."""

from dataclasses import dataclass
from typing import ClassVar
from typing import ClassVar as OfClass

import pytest

from cdfscore import parse_scheme
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.schemes import Raw, Scheme
from cdfscore.stats.schemes.base import scheme_names
from cdfscore.testing import ContractError, check_distribution

# The spelling: ulp, floor, and ulp on the real matrices.
RECORD: dict[str, tuple[float, float, float | None]] = {
    "raw": (0, 0, None),
    "empirical": (0, 0, None),
    "empirical:convention=mid": (0, 0, None),
    "empirical:convention=strict,position=hazen,interpolation=linear": (0, 0, None),
    "minmax": (0, 0, None),
    "sum": (0, 0, None),
    "max": (0, 0, None),
    "centered": (0, 0, None),
    "z": (0, 0, None),
    "uniform": (0, 0, None),
    "uniform:A=0.3,B=0.4": (0, 0, None),
    "exponential": (4, 0, None),
    "normal": (11, 1e-292, 8),
    "kernel": (13, 1e-292, None),
    "kernel:bandwidth=0.2": (13, 1e-292, None),
    "kernel:bandwidth=sj": (13, 1e-292, None),
    "kernel:boundary=logit": (13, 1e-292, None),
    "kernel:kernel=logistic": (8, 1e-292, None),
    "kernel:kernel=biweight": (8, 1, None),
    "kernel:kernel=cosine,boundary=logit": (8, 1, None),
    "kernel:boundary=reflection": (16, 1, None),
    "kernel:boundary=truncation,kernel=logistic": (16, 1, None),
    "kernel:boundary=truncation,kernel=triangular": (16, 1, None),
    "kernel:boundary=beta": (9000, 1, None),
    "kernel:bandwidth=altman_leger": (64, 1, None),
    "kernel:bandwidth=altman_leger,boundary=beta": (9000, 1, None),
    "kernel:bandwidth=altman_leger,boundary=reflection,kernel=logistic": (64, 1, None),
    "kernel:bandwidth=bowman_hall_prvan": (1000, 1, None),
    "kernel:bandwidth=bowman_hall_prvan,boundary=beta": (9000, 1, None),
    "kernel:bandwidth=bowman_hall_prvan,boundary=truncation": (1000, 1, None),
    "kernel:bandwidth=polansky_baker": (64, 1, None),
    "kernel:bandwidth=polansky_baker,kernel=rectangular": (64, 1, None),
    "beta_binomial": (64, 1, None),
    "johnson_su": (4500, 1, None),
    "mixture": (256, 1, None),
    "from_scipy": (8, 1, None),
    "from_scipy:dist=gumbel_r": (4_500_000, 1, None),
    "from_scipy:dist=t": (2.3e9, 1, None),
    "from_scipy:dist=t,f0=3": (4_500_000, 1, None),
    "from_scipy:dist=halfnorm": (32, 1, None),
    "from_scipy:dist=uniform": (0, 0, None),
    "from_scipy:dist=lognorm,floc=-0.01": (32, 1, None),
    "from_scipy:dist=gamma,floc=0": (128, 1, None),
    "from_scipy:dist=gamma,floc=0,f0=2": (4_500_000, 1, None),
    "from_scipy:dist=logistic": (45_000, 1, None),
    "from_scipy:dist=beta,floc=0,fscale=1": (45_000, 1, None),
    "from_scipy:dist=weibull_min,floc=0": (45_000, 1, None),
    "beta": (4500, 1, None),
    "beta:method=moments": (4500, 1, None),
    "gamma": (512, 1, None),
    "kumaraswamy": (128, 1, None),
    "logit_normal": (16, 1, None),
    "truncated_normal": (128, 1, None),
    "logspline": (9000, 1, None),
    "zero_inflated": (4503, 1, None),
    "zero_inflated:family=normal": (14, 1e-292, 11),
    "zero_inflated:family=minmax": (3, 0, None),
    "zero_inflated:family=kernel": (16, 1e-292, None),
    "zero_inflated:family=kernel(bandwidth=sj;kernel=cosine)": (11, 1, None),
    "zero_inflated:family=from_scipy(dist=logistic)": (45_003, 1, None),
}


@pytest.mark.clause("scheme.11")
@pytest.mark.parametrize("spelling", RECORD)
def test_what_is_allowed_is_what_is_written_down(spelling: str) -> None:
    found = parse_scheme(spelling).tolerance
    assert (found.ulp, found.floor, found.real) == RECORD[spelling]
    assert len(found.reason) > 10


def test_every_scheme_is_written_down() -> None:
    assert set(scheme_names()) - {"laplace"} <= RECORD.keys()


@dataclass(frozen=True)
class StatesNone(Raw):
    """The scores as they are, at the usual tolerance."""

    tolerance = Scheme.tolerance


@pytest.mark.clause("scheme.11")
def test_a_scheme_that_states_none_is_allowed_the_usual() -> None:
    assert (StatesNone().tolerance.ulp, StatesNone().tolerance.floor) == (8, 0)


@pytest.mark.clause("scheme.11")
@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        (Tolerance(16, " "), "has no reason; expected a sentence that says why R's number"),
        (Tolerance(16, None), "has no reason"),
        (Tolerance("16", "two solvers"), "has the ulp '16'; expected a number from 0 on"),
        (Tolerance(float("nan"), "two solvers"), "has the ulp nan; expected a number from 0 on"),
        (Tolerance(float("inf"), "two solvers"), "has the ulp inf; expected a number from 0 on"),
        (Tolerance(8, "two solvers", floor=-1.0), "the floor -1.0; expected a number from 0 on"),
        (Tolerance(8, "two solvers", floor=float("nan")), "the floor nan; expected a number"),
        (Tolerance(8, "two solvers", floor=float("inf")), "the floor inf; expected a number"),
        (Tolerance(8, "two solvers", real=-1.0), "the real -1.0; expected a number from 0 on"),
        (Tolerance(8, "two solvers", real=float("nan")), "the real nan; expected a number"),
        (Tolerance(10**15, "two solvers", floor=1.0), r"is too large; expected at most 4.5e9 ulp"),
        (Tolerance(4.6e9, "two solvers"), "is too large"),
        (Tolerance(8, "two solvers", floor=1.001), "is too large; .* a floor of at most 1"),
        (Tolerance(8, "two solvers", real=9), "real matrices than on any input; expected 9 ulp"),
        (16, r"tolerance is 16; expected one such as Tolerance\(16, 'two solvers'\)"),
    ],
)
def test_a_tolerance_without_a_number_and_a_reason_is_refused(
    stated: object, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_distribution(StatesNone())
    monkeypatch.setattr(StatesNone, "tolerance", stated)
    with pytest.raises(ContractError, match=f"^states_none: tolerance has a reason: .*{sentence}"):
        check_distribution(StatesNone())


CONTRACT = sorted(name for name in {*vars(Scheme), *Scheme.__annotations__} if name[0] != "_")


@pytest.mark.parametrize("attribute", CONTRACT)
def test_no_attribute_of_the_contract_is_a_setting(attribute: str) -> None:
    body = {"__annotations__": {attribute: "str"}, attribute: "mine"}
    with pytest.raises(TypeError, match=f"^annotated: {attribute} is annotated, .*; expected no"):
        type("Annotated", (Raw,), body)


def test_the_attributes_that_every_scheme_states_are_of_the_contract() -> None:
    assert {"formula", "source", "name", "is_cdf", "minimum_scores", "tolerance"} <= {*CONTRACT}


@pytest.mark.parametrize("annotation", [ClassVar, ClassVar[int], OfClass[int]])
def test_a_class_variable_by_another_name_is_none_of_the_settings(annotation: object) -> None:
    body = {"__annotations__": {"minimum_scores": annotation}, "minimum_scores": 3}
    assert dataclass(frozen=True)(type("Varied", (Raw,), body))().settings() == {}
