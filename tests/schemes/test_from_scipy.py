"""Maximum likelihood for laws of scipy.stats: nothing is higher, and no maximum is refused."""

import operator
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from scipy import optimize, stats

from cdfscore.datasets import load_cranfield
from cdfscore.errors import FitError, SchemeError
from cdfscore.standardization.policies import fit_where_possible
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import FromScipy
from cdfscore.stats.schemes.base import parse_scheme
from cdfscore.stats.schemes.from_scipy import LAWS, _Fits

AP = load_cranfield("ap").to_numpy()
SAMPLE = np.round(np.random.default_rng(4).gamma(2, 1, size=24) * 64) / 64
CLUMPS = np.array([0.10, 0.11, 0.12, 0.13, 0.50, 0.86, 0.87, 0.88, 0.89, 0.90])
SHIFTED = np.round(np.random.default_rng(4).gamma(2, 1, size=24) * 1024) / 1024 + 1 / 1024
# Eleven grades as P@10 has them; SciPy's own fit of weibull_min stops far from the maximum.
GRADES = np.repeat(np.arange(11) / 10, [2, 2, 5, 5, 4, 10, 2, 4, 21, 30, 25])


def needed(dist: str, sample: Array) -> dict[str, float]:
    """Return what has to be held, with all scores inside the support."""
    room = float(np.ptp(sample)) / 64
    values = {
        "f0": 2.0,
        "f1": 10.0,
        "floc": sample.min() - room,
        "fscale": np.ptp(sample) + 2 * room,
    }
    return {name: float(values[name]) for name in LAWS[dist].needs}


def parameters(scheme: FromScipy, sample: Any) -> list[float]:
    values = scheme.fit(sample).parameters
    return [float(values[name][0]) for name in scheme.parameter_names()[1:]]


def highest(
    dist: str, held: dict[str, float], sample: Array, found: list[float], starts: int, seed: int
) -> float:
    """Return the highest likelihood that random starts and Nelder and Mead's method find."""
    law, row = getattr(stats, dist), LAWS[dist]
    slots = [*(f"f{i}" for i in range(law.numargs)), "floc", "fscale"]
    free = [i for i, slot in enumerate(slots) if slot not in held]
    rng, spread = np.random.default_rng(seed), float(np.ptp(sample))
    searched = row.shapes.index("a") if "a" in row.shapes and not row.whole else None

    def full(q: Array) -> Array:
        p = np.array([held.get(slot, 0.0) for slot in slots])
        p[free] = q
        for i in free:
            if i == len(slots) - 2:
                p[i] = sample.min() + spread * p[i]
            elif i != searched or row.least >= 0:
                p[i] = np.exp(np.clip(p[i], -40, 40)) * (spread if i == len(slots) - 1 else 1)
            if dist == "johnsonsb" and i == 0:
                p[i] = q[free.index(i)]
        return p

    def loss(q: Array) -> float:
        p = full(q)
        if searched in free and not row.least <= p[searched] <= row.most:
            return 1e9
        value = -float(law.logpdf(sample, *p).sum())
        return value if np.isfinite(value) else 1e9

    best = -np.inf
    with np.errstate(all="ignore"):
        for _ in range(starts):
            tries = [rng.normal(0, 2, len(free)) for _ in range(200)]
            q = min(tries, key=loss)
            for _ in range(2):
                q = optimize.minimize(loss, q, method="Nelder-Mead").x
            best = max(best, -loss(q))
    return best


def check_highest(dist: str, sample: Array, starts: int, seed: int) -> None:
    held = needed(dist, sample)
    try:
        found = parameters(FromScipy(dist, **held), sample)
    except FitError as error:
        if "still rises at the" in str(error) or "are equal" in str(error):
            return
        raise
    value = getattr(stats, dist).logpdf(sample, *found).sum()
    assert highest(dist, held, sample, found, starts, seed) <= value + 1e-9 * max(1, abs(value))


@pytest.mark.long
@pytest.mark.clause("from_scipy.1", "from_scipy.3")
@pytest.mark.parametrize("dist", LAWS)
def test_many_searches_on_small_samples_find_no_higher_likelihood(dist: str) -> None:
    rng = np.random.default_rng(9)
    for i in range(12):
        n = int(rng.integers(3, 15))
        sample = rng.gamma(0.7, 1, n) if i % 2 else rng.normal(0, 1, n) ** 3
        if i % 3 == 0:
            sample = np.round(sample, 1)
        if np.ptp(sample) > 0:
            check_highest(dist, sample, 4, i)


@pytest.mark.clause("from_scipy.3")
@given(
    st.lists(st.integers(0, 400), min_size=4, max_size=12).filter(lambda s: len(set(s)) > 1),
    st.sampled_from(["cauchy", "t,f0=1.5", "t,f0=4"]),
)
def test_t_has_one_maximum_or_is_refused(scores: list[int], dist: str) -> None:
    """On a grid of locations and scales nothing is higher; ties decide as Kent and Tyler say."""
    sample = np.array(scores) / 64
    scheme = parse_scheme(f"from_scipy:dist={dist}")
    assert isinstance(scheme, FromScipy)
    df = scheme.f0 or 1.0
    share = np.unique(sample, return_counts=True)[1].max() / len(sample)
    if share >= df / (df + 1):
        with pytest.raises(FitError, match="no single maximum"):
            scheme.fit(sample)
        return
    found = parameters(scheme, sample)
    value = getattr(stats, scheme.dist).logpdf(sample, *found).sum()
    loc = np.concatenate([np.linspace(sample.min(), sample.max(), 80), sample])[:, np.newaxis, None]
    scale = np.ptp(sample) * 2.0 ** np.linspace(-12, 1, 60)[:, np.newaxis]
    levels = stats.t.logpdf(sample, df, loc, scale).sum(axis=-1)
    assert levels.max() <= value + 1e-9


def hard_samples(n: int) -> Array:
    """Return outliers, ties, clumps and offsets, scaled to about [0, 1] where that is exact."""
    rng, rows = np.random.default_rng(n), []
    for i in range(40):
        kinds = (
            rng.normal(size=n),
            rng.normal(size=n) ** 5,
            np.round(rng.random(n), 1),
            (rng.random(n) < 0.3).astype(float),
            np.append(rng.random(n - 1), 1e6),
            1e9 + rng.random(n),
            np.exp(8 * rng.normal(size=n)),
            -rng.exponential(size=n),
        )
        rows.append(kinds[i % 8])
        if np.ptp(rows[-1]) == 0:
            rows[-1][0] += 1
    return np.array(rows)


@pytest.mark.one_in(2)
@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize("dist", LAWS)
def test_newtons_method_ends_on_hard_samples(dist: str) -> None:
    """Every topic has a fit, or a reason that is one of the likelihood's."""
    held = {"f0": 2.0, "f1": 10.0, "floc": 0.0, "fscale": 1.0}
    scheme = FromScipy(dist, **{name: held[name] for name in LAWS[dist].needs})
    reasons = {"no single maximum", "still rises at the", "two maxima that are equally"}
    for n in (2, 3, 7, 30):
        rows = hard_samples(n)
        if LAWS[dist].needs:
            low, high = rows.min(axis=1, keepdims=True), rows.max(axis=1, keepdims=True)
            rows = 0.01 + 0.98 * (rows - low) / (high - low)
        _, fitted, why = fit_where_possible(scheme, rows)
        assert len(fitted) + len(why) == len(rows)
        assert all(any(part in text for part in reasons) for text in why.values()), why


ON_THE_LINE = [
    *("cauchy", "t,f0=1.5", "t,f0=40", "logistic", "gumbel_r", "gumbel_l", "hypsecant", "moyal"),
    *("skewnorm,f0=1000", "genlogistic,f0=0.0004", "genlogistic,f0=1000", "exponnorm,f0=5"),
    *("loggamma,f0=0.001", "loggamma,f0=1e6", "cauchy,floc=0.3", "logistic,fscale=0.01"),
]


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize("dist", ON_THE_LINE)
def test_newtons_method_comes_to_one_maximum_from_any_start(dist: str) -> None:
    scheme = parse_scheme(f"from_scipy:dist={dist}")
    assert isinstance(scheme, FromScipy)
    rng = np.random.default_rng(2)
    for sample in (CLUMPS, np.sort(SHIFTED), np.sort(-rng.exponential(size=40))):
        fits = _Fits(scheme, np.repeat(sample[np.newaxis], 60, axis=0))
        m, s, _ = fits._starts()
        shapes = [np.full((60, 1), value) for value in fits.given]
        rows = np.arange(60)
        with np.errstate(all="ignore"):
            best = fits._inner(rows, shapes, m, s)
            far = m + s * rng.normal(size=(60, 1)), s * 10 ** rng.uniform(-0.5, 3, (60, 1))
            loc, scale, found = fits._inner(
                rows,
                shapes,
                m if fits.m is not None else far[0],
                s if fits.s is not None else far[1],
            )
        assert found.all()
        np.testing.assert_allclose(scale, best[1], rtol=1e-9)
        np.testing.assert_allclose(loc, best[0], rtol=0, atol=1e-8 * best[1][0, 0])


# Laws that are one by two names, or one with a shape held.
TWO_SPELLINGS = [
    ("t,f0=1", "cauchy"),
    ("t,f0=1,floc=0.2", "cauchy,floc=0.2"),
    ("skewnorm,f0=0", "norm"),
    ("genlogistic,f0=1", "logistic"),
    ("loggamma,f0=1", "gumbel_l"),
    ("gamma,f0=1,floc=0", "expon,floc=0"),
    ("weibull_min,f0=1,floc=0", "expon,floc=0"),
    ("weibull_min,f0=2,floc=0", "rayleigh,floc=0"),
    ("chi,f0=2,floc=0", "rayleigh,floc=0"),
    ("chi,f0=3,floc=0", "maxwell,floc=0"),
    ("chi,f0=1,floc=0", "halfnorm,floc=0"),
    ("chi2,floc=0", "gamma,floc=0"),
    ("chi2,floc=0,fscale=0.5", "gamma,floc=0,fscale=1"),
    ("nakagami,floc=0", "chi,floc=0"),
    ("invgamma,f0=0.5,floc=0", "levy,floc=0"),
    ("gompertz,f0=1e6,floc=0", "expon,floc=0"),
    ("exponnorm,f0=0.001", "norm"),
    ("t,f0=1e6", "norm"),
    ("norm,floc=0.3,fscale=0.2", "t,f0=1e7,floc=0.3,fscale=0.2"),
]


@pytest.mark.clause("from_scipy.1", "from_scipy.2", "from_scipy.3")
@pytest.mark.parametrize(("one", "other"), TWO_SPELLINGS)
@pytest.mark.parametrize("sample", [CLUMPS, SHIFTED], ids=["clumps", "skewed"])
def test_one_law_by_two_names_is_fitted_alike(one: str, other: str, sample: Array) -> None:
    x = np.linspace(-0.5, 1.5, 41) * np.ptp(sample)
    found = [parse_scheme(f"from_scipy:dist={dist}").fit(sample)(x) for dist in (one, other)]
    limit = any(part in one + other for part in ("f0=1e", "f0=0.001"))
    np.testing.assert_allclose(*found, rtol=0, atol=2e-6 if limit else 1e-12)


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize(
    ("dist", "held", "of"),
    [
        ("fisk", {"floc": 0.0}, "logistic"),
        ("weibull_min", {"floc": 0.0}, "gumbel_l"),
        ("invweibull", {"floc": 0.0}, "gumbel_r"),
        ("lognorm", {"floc": 0.0}, "norm"),
        ("loglaplace", {"floc": 0.0}, "laplace"),
        ("gamma", {"floc": 0.0, "fscale": 0.3}, "loggamma,floc=-1.2039728043259361,fscale=1"),
    ],
)
def test_logarithms_have_the_law_of_the_table(dist: str, held: dict[str, float], of: str) -> None:
    y = FromScipy(dist, **held).fit(CLUMPS)(CLUMPS)
    expected = parse_scheme(f"from_scipy:dist={of}").fit(np.log(CLUMPS))(np.log(CLUMPS))
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-12)


@pytest.mark.clause("from_scipy.3")
def test_of_two_maxima_over_the_shape_the_higher_one_is_found() -> None:
    """Another one is at the half-normal limit, or at that of a negative exponential law."""
    found = parameters(FromScipy("skewnorm"), AP[150])
    assert found == pytest.approx([2.48253872, 0.01137795, 0.02846530], abs=1e-7)
    assert stats.skewnorm.logpdf(AP[150], *found).sum() == pytest.approx(172.6219971, abs=1e-6)
    limit = parameters(FromScipy("skewnorm", f0=1e6), AP[150])
    assert stats.skewnorm.logpdf(AP[150], *limit).sum() == pytest.approx(172.0308852, abs=1e-6)
    found = parameters(FromScipy("loggamma"), AP[176])
    assert stats.loggamma.logpdf(AP[176], *found).sum() == pytest.approx(21.4692190, abs=1e-6)
    other = parameters(FromScipy("loggamma", f0=0.13399042), AP[176])
    assert stats.loggamma.logpdf(AP[176], *other).sum() == pytest.approx(21.2201268, abs=1e-6)


@pytest.mark.clause("from_scipy.3")
def test_the_fit_is_at_an_end_that_is_a_limit_and_refused_at_another() -> None:
    """Most sums of logarithms of the normal and of t at the end are equal to 0.01."""
    ends = 0
    for row in AP[::9]:
        try:
            found = parameters(FromScipy("t"), row)
        except FitError:
            continue
        if found[0] == 1e6:
            ends += 1
            normal = stats.norm.logpdf(row, row.mean(), row.std()).sum()
            assert abs(stats.t.logpdf(row, *found).sum() - normal) < 0.01
    assert ends >= 3
    heavy = np.tan(np.pi * (np.arange(1, 40) / 40 - 0.5)) ** 3
    with pytest.raises(
        FitError, match="still rises at the least shape that is searched, 1; f0=1 holds it there"
    ):
        FromScipy("t").fit(heavy)
    assert parameters(FromScipy("t", f0=1.0), heavy)[0] == 1.0


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize("dist", ["cauchy", "t,f0=1", "t"])
def test_ties_without_a_single_maximum_are_refused(dist: str) -> None:
    """On scores of which half are equal, the likelihood has the same limit for any tie."""
    for scores in (AP[14, :6], [0.1, 0.3, 0.7, 0.7], [0.2, 0.2, 0.5, 0.5], [0.0] * 9 + [0.1, 0.9]):
        with pytest.raises(FitError, match="no single maximum"):
            parse_scheme(f"from_scipy:dist={dist}").fit(scores)


@pytest.mark.clause("from_scipy.3")
def test_weibull_where_scipy_stops_far_from_the_maximum() -> None:
    shape, location, scale = parameters(FromScipy("weibull_min", floc=-0.01), GRADES)
    assert (shape, location, scale) == pytest.approx((3.0507854, -0.01, 0.8325573), abs=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_scipy = stats.weibull_min.fit(GRADES, floc=-0.01)
    loss = stats.weibull_min.nnlf((shape, location, scale), GRADES)
    assert loss < stats.weibull_min.nnlf(by_scipy, GRADES) - 200


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize("spread", [0.1, 0.01, 0.001])
def test_a_large_shape_of_a_weibull_law_solves_its_equation(spread: float) -> None:
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
    found = FromScipy("weibull_min", floc=0.0).fit(s)(s)
    np.testing.assert_allclose(found, y, rtol=0, atol=1e-11)


#: Log-likelihoods at 50 digits, of maxima between two points of the grid lower than its end.
BETWEEN = {
    ("loggamma", "ap", "96"): 35.1288494751,
    ("skewnorm", "ap", "16"): 54.2323858389,
    ("skewnorm", "ndcg10", "221"): 46.4212213951,
    ("skewnorm", "rr", "90"): -7.69181602381,
    ("genlogistic", "ndcg10", "46"): 24.1478355287,
}


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize(("dist", "measure", "topic"), BETWEEN)
def test_a_maximum_between_two_points_of_the_grid(dist: str, measure: str, topic: str) -> None:
    row = load_cranfield(measure).rename(index=str).loc[topic].to_numpy()
    highest = getattr(stats, dist).logpdf(row, *parameters(FromScipy(dist), row)).sum()
    assert highest == pytest.approx(BETWEEN[dist, measure, topic], abs=1e-9)


#: Scores with three maxima of the skewed normal law, of which two are nearly equally high.
THREE_PEAKS = [0.52, 1.182, 0.941, -0.824, 0.171, -0.434, 0.85, 0.579, 0.902, -0.872, 0.192, -0.473]
THREE_PEAKS += [0.47, 1.504, 0.237]


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize("times", [2, 100, 1000])
def test_scores_that_are_all_repeated_have_the_same_fit(times: int) -> None:
    once = parameters(FromScipy("skewnorm"), np.array(THREE_PEAKS))
    many = parameters(FromScipy("skewnorm"), np.tile(THREE_PEAKS, times))
    np.testing.assert_allclose(many, once, rtol=1e-6)
    assert once[0] == pytest.approx(-2.883, abs=1e-3)


@pytest.mark.clause("from_scipy.3")
def test_a_loggamma_fit_at_the_normal_limit_is_exact() -> None:
    """At the shape 1e6, location and scale solve their equations at 40 digits."""
    row = AP[165]
    shape, loc, scale = parameters(FromScipy("loggamma"), row)
    x = [mp.mpf(float(v)) for v in row]

    def slopes(loc: mp.mpf, scale: mp.mpf) -> list[mp.mpf]:
        u = [(v - loc) / scale for v in x]
        p = [shape - mp.exp(v) for v in u]
        return [sum(p), len(x) + sum(map(operator.mul, u, p))]

    with mp.workdps(40):
        true = mp.findroot(slopes, (loc, scale))
    assert shape == 1e6
    assert [loc, scale] == pytest.approx([float(v) for v in true], rel=1e-12)


@pytest.mark.clause("from_scipy.1")
@pytest.mark.parametrize("dist", ["norm", "expon", "uniform", "laplace"])
@pytest.mark.parametrize("held", [{}, {"floc": -0.25}, {"fscale": 1.5}])
def test_closed_forms_are_those_of_scipy(dist: str, held: dict[str, float]) -> None:
    for row in AP[:20]:
        expected = getattr(stats, dist).fit(row, **held)
        assert parameters(FromScipy(dist, **held), row) == pytest.approx(expected, rel=1e-15)


@pytest.mark.clause("from_scipy.2")
@pytest.mark.parametrize(
    ("spelling", "fragments"),
    [
        ("dist=gamma,floc=0,fscale=0", ["fscale=0.0 is not accepted; expected a number above 0"]),
        ("dist=gamma,floc=nan", ["floc=nan is not accepted; expected a finite number"]),
        ("dist=gamma,floc=0,f0=-1", ["gamma has no such shapes"]),
        ("dist=norm,f0=1", ["f0 is not accepted", "norm has no shape parameters"]),
        *(
            (f"dist={name}", [f"dist='{name}' is not accepted", "may have several maxima or none"])
            for name in (
                "genpareto",
                "genextreme",
                "johnsonsu",
                "triang",
                "nct",
                "gengamma",
                "burr",
            )
        ),
        *(
            (f"dist={name}", [f"{name} needs floc, as in from_scipy:dist={name},floc=0,"])
            for name, row in LAWS.items()
            if row.needs == ("floc",)
        ),
        ("dist=beta", ["beta needs floc and fscale, as in from_scipy:dist=beta,floc=0,fscale=1"]),
        ("dist=beta,floc=0", ["beta needs fscale, as in"]),
        ("dist=f,floc=0", ["f needs f0 and f1, as in from_scipy:dist=f,f0=2,f1=10,floc=0"]),
        ("dist=beta,floc=0,fscale=1,f0=2", ["floc and fscale held and the rest free"]),
        ("dist=pareto,floc=0,fscale=1", ["floc held and the rest free; expected no fscale"]),
        ("dist=t,fscale=1", ["t may have several maxima if the scale is held"]),
        ("dist=cauchy,fscale=1", ["cauchy may have several maxima if the scale is held"]),
        ("dist=t,f0=0.5", ["f0=0.5 is not accepted; expected at least 1"]),
    ],
)
def test_what_has_no_maximum_is_refused_before_any_scores(
    spelling: str, fragments: list[str]
) -> None:
    with pytest.raises(SchemeError) as told:
        parse_scheme(f"from_scipy:{spelling}")
    assert all(fragment in str(told.value) for fragment in fragments), told.value


@pytest.mark.clause("from_scipy.3")
def test_the_likelihood_of_a_law_that_needs_its_location_grows_without_bound() -> None:
    """The reason for which `floc` is needed: ever nearer to the smallest score."""
    for dist, shapes in (("weibull_min", (0.5,)), ("gamma", (0.5,)), ("lognorm", (12.0,))):
        values = [
            getattr(stats, dist).logpdf(CLUMPS, *shapes, 0.1 - gap, 0.4).sum()
            for gap in (1e-4, 1e-8, 1e-12)
        ]
        assert values[0] < values[1] < values[2]


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
    "spelling",
    [
        *("uniform,fscale=0.5", "uniform,floc=0.2", "expon,floc=0.2", "halflogistic,floc=0.2"),
        *("rayleigh,floc=0.1", "semicircular,fscale=0.5", "cosine,fscale=0.1", "anglit,fscale=0.1"),
        *(f"{name},floc=0.2" for name, row in LAWS.items() if row.needs == ("floc",)),
        *(f"{name},floc=0,fscale=1" for name in ("beta", "powerlaw", "johnsonsb")),
        *("f,f0=2,f1=10,floc=0.2", "betaprime,floc=0.1,fscale=1", "beta,f0=1,f1=1,floc=0,fscale=1"),
    ],
)
def test_scores_outside_every_support_are_refused_in_the_same_words(spelling: str) -> None:
    with pytest.raises(
        FitError, match="cannot be fitted: there are no parameters whose support has all reference"
    ):
        parse_scheme(f"from_scipy:dist={spelling}").fit([[0.1, 0.3, 0.35, 0.6, 0.9, 1.4]])


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize("dist", LAWS)
def test_topics_are_fitted_alike_alone_and_together(dist: str) -> None:
    """Also where scores are missing, and where other topics have no fit."""
    held = {"f0": 2.0, "f1": 10.0, "floc": -0.01, "fscale": 1.02}
    scheme = FromScipy(dist, **{name: held[name] for name in LAWS[dist].needs})
    rows = AP[[3, 60, 70, 90], :30].copy()
    rows[1, ::4] = np.nan
    try:
        together = scheme.fit(rows)(rows)
    except FitError as error:
        together = None
        refused = error.rows
    for i, row in enumerate(rows):
        present = row[~np.isnan(row)]
        if together is None and i in refused:
            with pytest.raises(FitError):
                scheme.fit(present)
        elif together is not None:
            np.testing.assert_array_equal(scheme.fit(present)(present), together[i, ~np.isnan(row)])


EXTREMES = (
    [-1e308, 0.0, 1e308],
    [0.0, 5e-324, 1e-323],
    [1e300, 2e300, 4e300],
    [1e-300, 2e-300, 5e-300],
    [0.0, 0.0, 1.0],
    [np.nan, 0.2, 0.5, 0.9],
)


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize("dist", LAWS)
def test_extreme_scores_have_a_fit_or_a_reason(dist: str) -> None:
    held = {"f0": 2.0, "f1": 10.0, "floc": 0.0, "fscale": 1.0}
    scheme = FromScipy(dist, **{name: held[name] for name in LAWS[dist].needs})
    for scores in EXTREMES:
        try:
            y = scheme.fit(scores)(scores)
        except FitError:
            continue
        assert ((y >= 0) & (y <= 1) | np.isnan(scores)).all()
    assert scheme.fit(np.empty((0, 5)))(np.empty((0, 3))).shape == (0, 3)


@pytest.mark.clause("from_scipy.2")
def test_a_held_end_of_the_uniform_distribution_has_all_scores() -> None:
    """The scale is a difference of doubles, which must not be rounded below it."""
    fitted = parse_scheme("from_scipy:dist=uniform,floc=-1").fit(AP)
    assert (fitted(AP.max(axis=1, keepdims=True)) == 1).all()
