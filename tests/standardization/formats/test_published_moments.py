"""N-std, U-std and z from published means and sds are those from the scores, bit for bit."""

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, load_factors, save_factors
from cdfscore.datasets import load_cranfield
from cdfscore.errors import FactorsError
from cdfscore.standardization.formats import (
    read_webber_moffat,
    write_trec_eval_factors,
)
from cdfscore.stats.schemes import Normal
from tests.moments import write_moments

SCHEMES = ["normal", "uniform", "uniform:A=0.3,B=0.25", "z"]


@pytest.fixture
def scores() -> pd.DataFrame:
    scores = load_cranfield("ap").iloc[:40]
    scores.iloc[3] = 0.5
    return scores


@pytest.mark.clause("webber_moffat.1", "trec_eval_factors.1")
@pytest.mark.one_in(5)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("published_by", SCHEMES)
@pytest.mark.parametrize("form", ["tar.gz", "csv", "trec_eval"])
def test_published_moments(tmp_path, scores, scheme, published_by, form) -> None:
    reference, others = scores.iloc[:, :40], scores.iloc[:, 40:]
    published = Standardizer(published_by).fit(reference, measure="map")
    path = tmp_path / f"factors.{form}"
    if form == "trec_eval":
        write_trec_eval_factors([published], path)
        factors = load_factors(path, scheme=scheme)
    elif form == "csv":
        write_moments([published], path, tmp_path / "sds.csv")
        factors = load_factors(path, sds=tmp_path / "sds.csv", scheme=scheme)
    else:
        write_moments([published], path)
        factors = load_factors(path, scheme=scheme)
    policy = "trec_eval" if (form, scheme) == ("trec_eval", "z") else "limit"
    expected = Standardizer(scheme, constant=policy).fit(reference).transform(others)
    pd.testing.assert_frame_equal(factors.transform(others), expected, check_exact=True)


@pytest.mark.clause("load_factors.1")
def test_the_scheme_is_normal_or_z_unless_said_otherwise(tmp_path, by_measure) -> None:
    write_moments(by_measure.values(), tmp_path / "factors.tgz")
    write_trec_eval_factors(by_measure.values(), tmp_path / "zscores")
    assert load_factors(tmp_path / "factors.tgz", measure="AP").fitted.scheme == Normal()
    assert load_factors(tmp_path / "zscores", measure="AP").fitted.scheme.name == "z"


@pytest.mark.parametrize("scheme", ["empirical", "minmax", "raw", "from_scipy"])
def test_moments_do_not_determine_other_schemes(tmp_path, by_measure, scheme) -> None:
    write_moments(by_measure.values(), tmp_path / "factors.tgz")
    expected = f"means and standard deviations do not determine {scheme}.*; expected normal, unifo"
    with pytest.raises(FactorsError, match=expected):
        read_webber_moffat(tmp_path / "factors.tgz", scheme=scheme)


@pytest.mark.clause("load_factors.1")
def test_one_of_several_measures_must_be_named(tmp_path, by_measure) -> None:
    write_moments(by_measure.values(), tmp_path / "factors.tgz")
    with pytest.raises(FactorsError, match=r"has factors of AP, P@10; no measure was named"):
        load_factors(tmp_path / "factors.tgz")
    with pytest.raises(FactorsError, match=r"has factors of AP, P@10; there is no 'RR'"):
        load_factors(tmp_path / "factors.tgz", measure="RR")
    write_moments([by_measure["AP"]], tmp_path / "one.tgz")
    assert load_factors(tmp_path / "one.tgz").measure == "AP"


@pytest.mark.clause("load_factors.1")
def test_json_is_of_one_measure_and_scheme(tmp_path, by_measure) -> None:
    path = tmp_path / "factors.json"
    save_factors(by_measure["AP"], path)
    assert load_factors(path, measure="AP", scheme="normal").measure == "AP"
    assert load_factors(path, scheme=Normal()).topics == by_measure["AP"].topics
    with pytest.raises(FactorsError, match=r"has factors of normal, not of uniform:A=0.15,B=0.5"):
        load_factors(path, scheme="uniform")
    with pytest.raises(FactorsError, match=r"has factors of the measure AP, not P@10"):
        load_factors(path, measure="P@10")


@pytest.mark.clause("webber_moffat.2")
def test_a_measure_and_its_normalized_form_have_the_same_scores(tmp_path) -> None:
    """As SP and AP, or DCG and nDCG: each topic is divided by a number of its own."""
    raw = load_cranfield("ndcg10").iloc[:40] + 1 / 64
    raw.attrs.clear()  # of a measure that is neither
    ideal = np.random.default_rng(3).integers(2, 300, (40, 1))
    normalized = raw / ideal
    by_measure = [
        Standardizer("normal").fit(scores, measure=name)
        for name, scores in (("dcg", raw), ("ndcg", normalized))
    ]
    path = tmp_path / "factors.tar.gz"
    write_moments(by_measure, path)
    published = read_webber_moffat(path)
    y = [published[name].transform(s) for name, s in (("dcg", raw), ("ndcg", normalized))]
    np.testing.assert_allclose(*y, rtol=0, atol=2**-49)

    def gap(scheme: str) -> float:
        one, other = (Standardizer(scheme).fit_transform(s) for s in (raw / 256, normalized))
        return float((one - other).abs().to_numpy().max())

    assert gap("empirical") == 0
    for scheme in ("normal", "uniform", "minmax", "gamma", "kernel"):
        assert gap(scheme) < 2**-46, scheme
    for scheme in ("raw", "centered", "kernel:bandwidth=0.1", "beta"):
        assert gap(scheme) > 1e-3, scheme


@pytest.mark.clause("trec_eval_factors.3")
def test_a_topic_that_the_file_lacks_is_no_score_of_minus_a_million(tmp_path) -> None:
    """trec_eval has -1000000 there, and a mean of about -333333."""
    (tmp_path / "zscores").write_text("301 map 0.5 0.25\n302 map 0.5 0.5\n")
    factors = load_factors(tmp_path / "zscores")
    new = pd.DataFrame({"new": [0.75, 0.25, 0.5]}, index=["301", "302", "303"])
    with pytest.raises(FactorsError, match="1 of 3 topics has no factors, such as '303'"):
        factors.transform(new)
    found = factors.standardize(new, extra_topics="drop")
    assert found.scores["new"].to_dict() == {"301": 1.0, "302": -0.5}
    assert found.means.loc["new"].tolist() == [0.25, 2]
