"""Maximum likelihood through SciPy: verified, improved, or refused."""

import operator
import warnings

import numpy as np
import pytest
from mpmath import mp
from scipy import stats

from cdfscore.datasets import load_cranfield
from cdfscore.errors import FitError, SchemeError
from cdfscore.schemes import FromScipy
from cdfscore.schemes.registry import parse_scheme

AP = load_cranfield("ap").to_numpy()
# Eleven grades as P@10 has them; SciPy's own fit of weibull_min stops far from the maximum.
GRADES = np.repeat(np.arange(11) / 10, [2, 2, 5, 5, 4, 10, 2, 4, 21, 30, 25])


def parameters(scheme: FromScipy, sample: np.ndarray) -> list[float]:
    values = scheme.fit(sample).parameters
    return [float(values[name][0]) for name in scheme.parameter_names()[1:]]


@pytest.mark.clause("from_scipy.3")
def test_weibull_where_scipy_stops_far_from_the_maximum() -> None:
    shape, location, scale = parameters(FromScipy("weibull_min", floc=-0.01), GRADES)
    assert (shape, location, scale) == pytest.approx((3.0507854, -0.01, 0.8325573), abs=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_scipy = stats.weibull_min.fit(GRADES, floc=-0.01)
    loss = stats.weibull_min.nnlf((shape, location, scale), GRADES)
    assert loss < stats.weibull_min.nnlf(by_scipy, GRADES) - 200


@pytest.mark.clause("from_scipy.2", "from_scipy.3")
@pytest.mark.parametrize(
    ("dist", "fixed"),
    [
        ("beta", {"floc": -0.01, "fscale": 1.02}),
        ("weibull_min", {"floc": -0.01}),
        ("gamma", {"floc": -0.01}),
        ("gamma", {"floc": -1.0}),
        ("nakagami", {"floc": -0.01}),
        ("expon", {}),
        ("uniform", {}),
        ("laplace", {}),
    ],
)
def test_no_step_gains_likelihood(dist: str, fixed: dict[str, float]) -> None:
    scheme, law = FromScipy(dist, **fixed), getattr(stats, dist)
    rng = np.random.default_rng(5)
    for row in AP[[12, 60]]:
        found = np.array(parameters(scheme, row))
        free = np.array([name not in fixed for name in scheme._slots()])
        best = -law.nnlf(found, row)
        for length in (1e-6, 1e-4, 1e-2):
            for _ in range(50):
                moved = found * (1 + length * free * rng.normal(size=len(found)))
                with np.errstate(all="ignore"):
                    assert not -law.nnlf(moved, row) > best + 1e-7


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize(
    ("dist", "sample"),
    [
        ("t", [0.0] * 9 + [0.1, 0.5, 0.9]),  # the scale goes to 0 on the ties
        ("gamma", [0.0] * 5 + [0.2, 0.4, 0.5, 0.9]),  # the location goes to the least score
    ],
)
def test_a_likelihood_without_bound_is_refused(dist: str, sample: list[float]) -> None:
    with pytest.raises(
        FitError,
        match=f"^row 0: from_scipy:dist={dist} cannot be fitted: the likelihood has no upper bound",
    ):
        FromScipy(dist).fit([sample])


CLUMPS = np.array([0.10, 0.11, 0.12, 0.13, 0.50, 0.86, 0.87, 0.88, 0.89, 0.90])
SHIFTED = np.round(np.random.default_rng(4).gamma(2, 1, size=24) * 1024) / 1024 + 1 / 1024
# Fixed parameters, and those of the normal form of a law that is the same by another name.
TWO_SPELLINGS = [
    (("t", {"f0": 1.0}), ("cauchy", {})),
    (("gamma", {"f0": 1.0}), ("expon", {})),
    (("erlang", {"f0": 1.0}), ("expon", {})),
    (("weibull_min", {"f0": 1.0}), ("expon", {})),
    (("gengamma", {"f0": 1.0, "f1": 1.0}), ("expon", {})),
    (("genpareto", {"f0": 0.0}), ("expon", {})),
    (("exponpow", {"f0": 1.0}), ("gompertz", {"f0": 1.0})),
    (("genextreme", {"f0": 0.0}), ("gumbel_r", {})),
    (("genlogistic", {"f0": 1.0}), ("logistic", {})),
    (("gennorm", {"f0": 2.0}), ("norm", {})),
    (("gennorm", {"f0": 1.0}), ("laplace", {})),
    (("skewnorm", {"f0": 0.0}), ("norm", {})),
    (("skewcauchy", {"f0": 0.0}), ("cauchy", {})),
    (("pearson3", {"f0": 0.0}), ("norm", {})),
    (("chi", {"f0": 3.0}), ("maxwell", {})),
    (("chi", {"f0": 2.0}), ("rayleigh", {})),
    (("weibull_min", {"f0": 2.0}), ("rayleigh", {})),
    (("rice", {"f0": 0.0}), ("rayleigh", {})),
    (("foldnorm", {"f0": 0.0}), ("halfnorm", {})),
    (("foldcauchy", {"f0": 0.0}), ("halfcauchy", {})),
    (("lognorm", {"f0": 1.0}), ("gibrat", {})),
    (("invgauss", {"f0": 1.0}), ("wald", {})),
    (("beta", {"f0": 1.5, "f1": 1.5}), ("semicircular", {})),
    (("beta", {"f0": 1.0, "f1": 1.0}), ("uniform", {})),
    (("rdist", {"f0": 3.0}), ("semicircular", {})),
    (("trapezoid", {"f0": 0.5, "f1": 0.5}), ("triang", {"f0": 0.5})),
    (("dgamma", {"f0": 1.0}), ("laplace", {})),
    (("lomax", {"f0": 2.0}), ("pareto", {"f0": 2.0})),
    (("burr12", {"f0": 1.0, "f1": 2.0}), ("lomax", {"f0": 2.0})),
    (("ncx2", {"f0": 4.0, "f1": 0.0}), ("chi2", {"f0": 4.0})),
]


@pytest.mark.clause("from_scipy.1", "from_scipy.3")
@pytest.mark.parametrize(("one", "other"), TWO_SPELLINGS)
@pytest.mark.parametrize("sample", [CLUMPS, SHIFTED], ids=["clumps", "skewed"])
def test_one_law_by_two_names_is_fitted_alike(
    one: tuple[str, dict[str, float]], other: tuple[str, dict[str, float]], sample: np.ndarray
) -> None:
    if other[0] == "laplace":  # whose location is any between the two middle scores
        sample = sample[1:]
    x = np.linspace(-0.5, 1.5, 41) * np.ptp(sample)
    found = [FromScipy(dist, **held).fit(sample)(x) for dist, held in (one, other)]
    np.testing.assert_allclose(*found, rtol=0, atol=1e-8)


@pytest.mark.clause("from_scipy.3")
def test_of_two_maxima_the_higher_one_is_found() -> None:
    """Between two clumps the likelihood of a Cauchy distribution has a lower maximum."""
    found = parameters(FromScipy("cauchy"), CLUMPS)
    assert found == pytest.approx([0.84026, 0.15363], abs=1e-5)
    assert stats.cauchy.logpdf(CLUMPS, *found).sum() == pytest.approx(-7.44011, abs=1e-5)


@pytest.mark.clause("from_scipy.3")
def test_a_quantile_that_scipy_cannot_solve_for_does_not_end_the_search() -> None:
    found = parameters(FromScipy("norminvgauss"), AP[60])
    assert (
        stats.norminvgauss.logpdf(AP[60], *found).sum()
        > stats.norm.logpdf(AP[60], AP[60].mean(), AP[60].std()).sum()
    )


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize("order", [1, -1])
def test_a_tight_clump_of_the_fewer_scores_is_found(order: int) -> None:
    """The maximum beside the five scores is lower by 7.4 in log-likelihood."""
    scores = order * np.array([0.2, 0.21, 0.22, 0.23, 0.24, 0.8, 0.8001, 0.8002, 0.8003])
    found = parameters(FromScipy("t", f0=0.3), scores)
    assert found == pytest.approx([0.3, order * 0.8001499, 1.66436e-4], abs=1e-7)
    assert stats.t.logpdf(scores, *found).sum() == pytest.approx(6.08119, abs=1e-5)


@pytest.mark.clause("from_scipy.3")
def test_a_maximum_at_a_limit_of_a_shape_is_found() -> None:
    """The limits are a half-normal law below the largest score, and a Cauchy law on one side."""
    row = AP[11, :6]
    limit = stats.halfnorm.logpdf(row.max() - row, 0, np.sqrt(((row - row.max()) ** 2).mean()))
    found = parameters(FromScipy("skewnorm"), row)
    assert limit.sum() == pytest.approx(8.63183, abs=1e-5)
    assert stats.skewnorm.logpdf(row, *found).sum() > limit.sum() - 1e-4
    rng = np.random.default_rng(3)
    rng.normal(size=12)
    scores = rng.exponential(size=15)
    for sign in (1, -1):
        skew, *place = parameters(FromScipy("skewcauchy"), sign * scores)
        assert skew == pytest.approx(sign, abs=3e-6)
        assert stats.skewcauchy.logpdf(sign * scores, skew, *place).sum() == pytest.approx(
            -13.93770, abs=1e-5
        )


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize("dist", ["cauchy", "t,f0=1"])
def test_a_maximum_that_is_not_single_is_refused(dist: str) -> None:
    """On scores of which half are equal, the likelihood has the same limit for any tie."""
    for scores in (AP[14, :6], [0.1, 0.3, 0.7, 0.7], [0.2, 0.2, 0.5, 0.5]):
        with pytest.raises(FitError, match="no single maximum: it is as high where the scale"):
            parse_scheme(f"from_scipy:dist={dist}").fit(scores)


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize("spread", [0.1, 0.01, 0.001])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_large_shape_of_a_weibull_law_solves_its_equation(spread: float, sign: int) -> None:
    """The nearer the scores are to each other, the larger is the shape."""
    s = 1 - spread * np.random.default_rng(1).random(9)
    logs = [mp.log(mp.mpf(float(v))) for v in s]

    def slope(shape: mp.mpf) -> mp.mpf:
        power = [mp.exp(shape * v) for v in logs]
        return sum(map(operator.mul, power, logs)) / sum(power) - 1 / shape - sum(logs) / 9

    with mp.workdps(40):
        shape = mp.findroot(slope, (1 / spread, 8 / spread), solver="anderson")
        mean = sum(mp.exp(shape * v) for v in logs) / 9
        y = [float(-mp.expm1(-mp.exp(shape * v) / mean)) for v in logs]
    dist = "weibull_min" if sign > 0 else "weibull_max"
    found = FromScipy(dist, floc=0.0).fit(sign * s)(sign * s)
    np.testing.assert_allclose(found if sign > 0 else 1 - found, y, rtol=0, atol=1e-11)


INVARIANT = ("t", "cauchy", "gumbel_r", "halfnorm", "maxwell", "levy", "logistic")
SLOWER = (
    "invgauss",
    "skewnorm",
    "triang",
    "loggamma",
    "johnsonsu",
    "genlogistic",
    "rice",
    "trapezoid",
)


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize(
    "dist", [*INVARIANT, *(pytest.param(dist, marks=pytest.mark.long) for dist in SLOWER)]
)
@pytest.mark.parametrize(("factor", "shift"), [(1.0, 2.0**40), (2.0**-60, 0.0), (2.0**200, 0.0)])
def test_exact_shifts_and_powers_of_2_change_nothing(
    dist: str, factor: float, shift: float
) -> None:
    *shapes, loc, scale = parameters(FromScipy(dist), SHIFTED)
    *found, moved, scaled = parameters(FromScipy(dist), SHIFTED * factor + shift)
    assert (found, scaled) == (shapes, scale * factor)
    assert moved == loc * factor + shift


@pytest.mark.clause("from_scipy.3")
def test_t_on_shifted_scores() -> None:
    df, loc, scale = parameters(FromScipy("t"), SHIFTED + 2.0**40)
    assert df == pytest.approx(17.059, abs=1e-3)
    near = stats.t.logpdf(SHIFTED, df, parameters(FromScipy("t"), SHIFTED)[1], scale).sum()
    assert near == pytest.approx(-39.11218, abs=1e-5)
    assert loc - 2.0**40 == pytest.approx(1.69325, abs=2.0**-12)


@pytest.mark.clause("from_scipy.1")
@pytest.mark.parametrize("dist", ["norm", "expon", "uniform"])
def test_closed_forms_keep_the_bits_of_scipy(dist: str) -> None:
    for row in AP[:20]:
        assert parameters(FromScipy(dist), row) == [float(v) for v in getattr(stats, dist).fit(row)]


@pytest.mark.clause("from_scipy.2")
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_fixed_scale_is_above_0(value: float) -> None:
    with pytest.raises(SchemeError, match=r"fscale=.* is not accepted; expected a number above 0"):
        FromScipy("gamma", fscale=value)


@pytest.mark.clause("from_scipy.2")
def test_fixed_shapes_lie_in_their_domain() -> None:
    with pytest.raises(SchemeError, match="gamma has no such shapes"):
        FromScipy("gamma", f0=-1.0)


@pytest.mark.clause("from_scipy.2", "from_scipy.4")
def test_a_constant_topic_lies_in_the_support_that_is_fixed() -> None:
    with pytest.raises(
        FitError, match=r"row 1: all reference scores are 0\.5, outside the fixed support"
    ):
        FromScipy("beta", floc=0.0, fscale=0.3).fit([[0.1, 0.2], [0.5, 0.5]])
    for end in (0.25, 0.5):
        fitted = FromScipy("beta", floc=0.25, fscale=0.25).fit([[end, end]])
        assert fitted([[end - 0.1, end, end + 0.1]]).tolist() == [[0.0, 0.5, 1.0]]


@pytest.mark.clause("from_scipy.2")
@pytest.mark.parametrize(
    ("dist", "held"),
    [
        ("uniform", {"fscale": 0.5}),
        ("uniform", {"floc": 0.2}),
        ("expon", {"floc": 0.2}),
        ("lognorm", {"floc": 0.2}),
        ("gamma", {"floc": 0.2}),
        ("beta", {"floc": 0.0, "fscale": 1.0}),
        ("weibull_min", {"floc": 0.2}),
    ],
)
def test_scores_outside_every_support_are_refused_in_the_same_words(
    dist: str, held: dict[str, float]
) -> None:
    """SciPy's own message for `uniform` came letter by letter."""
    with pytest.raises(
        FitError, match="cannot be fitted: there are no parameters whose support has all reference"
    ):
        FromScipy(dist, **held).fit([[0.1, 0.3, 0.35, 0.6, 0.9, 1.4]])


@pytest.mark.clause("from_scipy.1")
def test_every_continuous_distribution_can_be_named() -> None:
    names = [name for name in dir(stats) if isinstance(getattr(stats, name), stats.rv_continuous)]
    assert len(names) > 100
    for name in names:
        assert str(FromScipy(name)) == f"from_scipy:dist={name}"


def test_a_fit_has_a_finite_likelihood(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters whose support leaves out a score are no fit, whatever search returns them."""
    scheme = parse_scheme("from_scipy:dist=expon")
    monkeypatch.setattr(type(scheme), "_maximum", lambda self, sample: [0.5, 1.0])
    with pytest.raises(FitError, match="the density of a reference score is 0 or infinite"):
        scheme.fit([0.4, 0.6, 0.9])
