"""Webber and Moffat's form: a CSV of means and one of standard deviations, or a tar.gz of both."""

import gzip
import io
import tarfile

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, load_factors, save_factors
from cdfscore.errors import FactorsError
from cdfscore.scores.dataframes import remember
from cdfscore.scores.results.names import is_same_measure
from cdfscore.standardization.formats import read_webber_moffat
from tests.moments import write_moments

MEANS = '"","ap","p@10"\n351,0.25,0.5\n352,0.125,0\n'
SDS = '"","ap","p@10"\n351,0.1,0.2\n352,0.3,0\n'


def pair(tmp_path, means: str = MEANS, sds: str = SDS):
    paths = tmp_path / "means.csv", tmp_path / "sds.csv"
    for path, text in zip(paths, (means, sds), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def archive(path, **members: str) -> None:
    with tarfile.open(path, "w:gz") as tar:
        for name, text in members.items():
            member = tarfile.TarInfo(name.replace("__", "/").replace("_", "."))
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))


def assert_same(read, written, scores) -> None:
    assert list(read) == list(written)
    for measure, factors in written.items():
        assert read[measure].measure == measure
        assert read[measure].topics == factors.topics
        for name, values in factors.fitted.parameters.items():
            assert read[measure].fitted.parameters[name].tobytes() == values.tobytes()
        y, expected = read[measure].transform(scores), factors.transform(scores)
        pd.testing.assert_frame_equal(y, expected, check_exact=True)


@pytest.mark.clause("webber_moffat.1")
@pytest.mark.parametrize("name", ["factors.tar.gz", "FACTORS.TGZ"])
def test_an_archive_comes_back_bit_for_bit(tmp_path, by_measure, scores, name) -> None:
    write_moments(by_measure.values(), tmp_path / name)
    assert_same(read_webber_moffat(tmp_path / name), by_measure, scores)
    loaded = load_factors(tmp_path / name, measure="P@10")
    assert_same({"P@10": loaded}, {"P@10": by_measure["P@10"]}, scores)


def test_arbitrary_doubles_come_back(tmp_path) -> None:
    bits = np.random.default_rng(1).integers(0, 0x7FE0_0000_0000_0000, (200, 2))
    moments = bits.view(np.float64)
    standardizer = Standardizer("z")
    factors = standardizer.fit(
        pd.DataFrame(moments / 4, index=[f"t{i}" for i in range(200)], columns=["a", "b"]),
        measure="any",
    )
    write_moments([factors], tmp_path / "m.csv", tmp_path / "s.csv")
    read = read_webber_moffat(tmp_path / "m.csv", tmp_path / "s.csv", scheme="z")["any"]
    for name, values in factors.fitted.parameters.items():
        assert read.fitted.parameters[name].tobytes() == values.tobytes()


@pytest.mark.clause("webber_moffat.1")
@pytest.mark.parametrize("corner", ['""', "", "topic", '"topic id"', " "])
def test_quoted_headers_and_any_header_of_the_topics(tmp_path, corner) -> None:
    texts = [text.replace('""', corner, 1) for text in (MEANS, SDS)]
    read = read_webber_moffat(*pair(tmp_path, *texts))
    assert list(read) == ["ap", "p@10"]
    assert read["ap"].topics == ("351", "352")
    assert read["ap"].fitted.parameters["mean"][:, 0].tolist() == [0.25, 0.125]
    assert read["p@10"].fitted.parameters["sd"][:, 0].tolist() == [0.2, 0.0]
    scores = pd.DataFrame({"new": [0.35]}, index=[351])
    assert read["ap"].transform(scores).loc[351, "new"] == pytest.approx(0.8413447460685429)


REFUSED = {
    "other topics": (MEANS, SDS.replace("352", "353"), r"topic 2 is '352' in the one and '353' in"),
    "other order": (
        MEANS,
        "t,ap,p@10\n352,1,1\n351,1,1\n",
        r"topic 1 is '351' in the one and '352' in",
    ),
    "fewer topics": (
        MEANS,
        SDS.partition("352")[0],
        r"topic 2 is '352' in the one and none in the",
    ),
    "other measures": (
        MEANS,
        SDS.replace("p@10", "rr"),
        r"measure 2 is 'p@10' in the one and 'rr' in",
    ),
    "negative sd": (
        MEANS,
        SDS.replace("0.3", "-0.3"),
        r"topic '352', measure 'ap': the standard deviation is -0.3; expected",
    ),
    "missing": (MEANS.replace("0.125", "NA"), SDS, r"means.csv, line 3: ap is missing; expected"),
    "infinite": (MEANS, SDS.replace("0.3", "inf"), r"sds.csv, line 3, column 'ap': 'inf' is not"),
    "text": (MEANS.replace("0.125", "low"), SDS, r"means.csv, line 3, column 'ap': 'low' is not"),
    "topic twice": (MEANS.replace("352", "351"), SDS, r"topic '351' appears twice, in line 2 and"),
    "measure twice": (MEANS.replace("p@10", "ap"), SDS, r"measure 'ap' appears twice, in column 2"),
    "short line": (MEANS.replace(",0\n", "\n"), SDS, r"means.csv, line 3"),
    "empty": ("", SDS, r"means.csv"),
    "of -Z": ("351 map 0.2 0.1\n", SDS, r"means.csv is a file for trec_eval -Z, which has its"),
    "sds of -Z": (MEANS, "351\tmap\t0.2\t0.1\n", r"sds.csv is a file for trec_eval -Z"),
    "output of -Z": ("Zmap\t351\t0.5\nZmap\tall\t0.5\n", SDS, r"means.csv has a line for each"),
    "sds of output": (MEANS, "map 351 0.5\nmap all 0.5\n", r"sds.csv has a line for each score"),
    "of ir_measures": ("351\tAP\t0.5\nall\tAP\t0.5\n", SDS, r"means.csv has a line for each"),
}


@pytest.mark.clause("factors.3", "webber_moffat.1")
@pytest.mark.parametrize(("means", "sds", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_files(tmp_path, means, sds, message) -> None:
    with pytest.raises(FactorsError, match=message):
        read_webber_moffat(*pair(tmp_path, means, sds))


def test_refused_archives(tmp_path) -> None:
    path = tmp_path / "factors.tar.gz"
    archive(path, means_csv=MEANS)
    with pytest.raises(FactorsError, match=r"has 0 files of standard deviations; expected one"):
        read_webber_moffat(path)
    archive(path, a_means_csv=MEANS, b_means_csv=MEANS, sds_csv=SDS)
    with pytest.raises(FactorsError, match=r"track 'a', track 'b', track ''; no track was named"):
        read_webber_moffat(path)
    whole = path.read_bytes()
    for content in (b"", b"no archive", whole[: len(whole) // 2], b"\x1f\x8b" + whole[40:]):
        path.write_bytes(content)
        with pytest.raises(FactorsError, match=r"tar.gz is (not a tar.gz file; |damaged, and )"):
            read_webber_moffat(path)
    archive(path, means_csv=MEANS, sds_csv=SDS)
    twice = gzip.compress(path.read_bytes())  # the size of one layer is limited
    path.write_bytes(twice)
    with pytest.raises(FactorsError, match=r"tar.gz is not a tar.gz file: "):
        read_webber_moffat(path)
    with pytest.raises(FactorsError, match=r"none.tgz cannot be read: No such file"):
        read_webber_moffat(tmp_path / "none.tgz")


def test_saved_factors_are_no_means(tmp_path) -> None:
    scores = pd.DataFrame(np.random.default_rng(0).random((3, 4)), index=["1", "2", "3"])
    save_factors(Standardizer("normal").fit(scores), tmp_path / "factors.json")
    _, sds = pair(tmp_path)
    with pytest.raises(FactorsError, match=r"is JSON, and saved factors contain .*without sds"):
        load_factors(tmp_path / "factors.json", sds=sds)


def of_page(path, **others: str):
    """Write factors of the four forms of DCG as the page has them, by one number for each."""
    columns = {"DCG": "2,4", "nDCG": "0.2,0.4", "VDCG": "1,3", "nVDCG": "0.1,0.3"}
    lines = [",".join(["topic", *columns])]
    for row, topic in enumerate(("351", "352")):
        lines.append(",".join([topic, *(each.split(",")[row] for each in columns.values())]))
    text = "\n".join(lines) + "\n"
    archive(path, means_csv=text, sds_csv=text, **others)


#: A measure of the scores, the factors that are asked for, and what is said.
FORMS = [
    ("DCG(b=2)", "DCG(b=2)", None),
    ("nDCG(b=2)", "nDCG(b=2)", None),
    ("VDCG", "VDCG", None),
    ("nDCG", "nVDCG", None),
    ("ndcg", "nVDCG", None),
    ("DCG", "DCG", "the scores of the measure DCG: DCG(b=2) and"),
    (None, "DCG", "the scores of a measure that is not named: DCG(b=2) and"),
    (
        None,
        "nDCG(b=2)",
        "VDCG, and nVDCG, which is the nDCG of trec_eval, divide by log2(rank + 1)",
    ),
    (None, "nVDCG", None),
]


@pytest.mark.clause("webber_moffat.1", "factors.4")
@pytest.mark.parametrize(("own", "asked", "caution"), FORMS)
def test_the_two_forms_of_dcg_are_told_apart(tmp_path, own, asked, caution) -> None:
    of_page(tmp_path / "f.tar.gz")
    factors = load_factors(tmp_path / "f.tar.gz", measure=asked)
    scores = pd.DataFrame({"a": [1.0, 2.0]}, index=["351", "352"])
    if own is not None:
        remember(scores, measure=own)
    cautions = factors.standardize(scores).cautions
    assert any("rank 2" in each for each in cautions) == (caution is not None)
    if caution is not None:
        assert any(caution in each for each in cautions)


@pytest.mark.clause("webber_moffat.1", "factors.4")
def test_the_other_form_of_dcg_is_refused(tmp_path) -> None:
    of_page(tmp_path / "f.tar.gz")
    scores = pd.DataFrame({"a": [1.0, 2.0]}, index=["351", "352"])
    for own, asked in (("VDCG", "DCG"), ("nDCG", "nDCG(b=2)"), ("dcg", "DCG"), ("DCG", "VDCG")):
        remember(scores, measure=own)
        with pytest.raises(FactorsError, match=r"expected the same measure \(DCG\(b=2\) and nDCG"):
            load_factors(tmp_path / "f.tar.gz", measure=asked).transform(scores)
    text = "topic,DCG,nDCG\n351,1,2\n"
    means, sds = pair(tmp_path, text, text)
    with pytest.raises(FactorsError, match=r"there is no 'nDCG'.*nVDCG, which is the nDCG of trec"):
        load_factors(means, sds=sds, measure="nDCG")


@pytest.mark.clause("webber_moffat.1", "factors.4")
def test_forms_of_dcg_with_a_cutoff_are_told_apart_too(tmp_path) -> None:
    text = "topic,DCG@10,nDCG@10,nVDCG@10\n351,1,2,3\n352,1,2,3\n"
    means, sds = pair(tmp_path, text, text)
    found = list(read_webber_moffat(means, sds))
    assert found == ["DCG(b=2)@10", "nDCG(b=2)@10", "nVDCG@10"]
    assert load_factors(means, sds=sds, measure="DCG@10").measure == "DCG(b=2)@10"
    for asked in ("VDCG@10", "nDCG@10"):  # the column nDCG@10 is not that of trec_eval
        with pytest.raises(FactorsError, match="do not discount rank 2"):
            load_factors(means, sds=sds, measure=asked)
    assert not is_same_measure("DCG@10", "VDCG@10")
    assert is_same_measure("DCG@10", "DCG(b=2)@10")


@pytest.mark.clause("webber_moffat.1")
def test_columns_of_the_page_are_found_by_the_names_of_measures(tmp_path) -> None:
    header = "topic,DCG,nDCG,VDCG,nVDCG,RBP.95"
    means, sds = pair(tmp_path, *[f"{header}\n351,1,2,3,4,5\n"] * 2)
    for name in ("DCG(b=2)", "nDCG(b=2)", "VDCG", "nVDCG", "RBP(p=0.95)"):
        assert is_same_measure(load_factors(means, sds=sds, measure=name).measure, name)


NAMES = [
    ("T7.mean.csv", "T7.stdev.csv"),
    ("T7/means.csv", "T7/sds.csv"),
    ("./factors/T7-means.csv", "./factors/T7-sds.csv"),
    ("T7_avg.csv", "T7_std.csv"),
    ("T7.Mean.CSV", "T7.StdDev.CSV"),
    ("T7 mean.csv", "T7 standard deviation.csv"),
    ("T7.MEANS.csv", "t7.sds.csv"),
]


@pytest.mark.clause("webber_moffat.1")
@pytest.mark.parametrize("names", NAMES)
def test_files_of_tracks_have_many_names(tmp_path, names) -> None:
    with tarfile.open(tmp_path / "f.tar.gz", "w:gz") as tar:
        for track in ("T7", "T8"):
            for name, text in zip(names, (MEANS, SDS), strict=True):
                content = text.replace("351", "7351" if track == "T7" else "8351").encode()
                member = tarfile.TarInfo(name.replace("T7", track).replace("t7", track.lower()))
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
                mac = tarfile.TarInfo(f"._{track}_means.csv")
                tar.addfile(mac, io.BytesIO(b""))
    for track in ("T7", "t8"):
        found = load_factors(tmp_path / "f.tar.gz", measure="AP", track=track)
        assert found.topics[0] == f"{track[1]}351"
    with pytest.raises(FactorsError, match=r"none of them is track='T9'; expected one"):
        load_factors(tmp_path / "f.tar.gz", measure="AP", track="T9")
    with pytest.raises(FactorsError, match=r"T8'; no track was named; expected one by track="):
        load_factors(tmp_path / "f.tar.gz", measure="AP")


def test_two_files_have_no_tracks(tmp_path) -> None:
    means, sds = pair(tmp_path)
    archive(tmp_path / "f.tar.gz", means_csv=MEANS, sds_csv=SDS)
    with pytest.raises(FactorsError, match=r"is an archive, .* expected it without sds"):
        load_factors(tmp_path / "f.tar.gz", sds=sds, measure="AP")
    with pytest.raises(FactorsError, match=r"given both for means and for sds"):
        load_factors(means, sds=means, measure="AP")
    with pytest.raises(FactorsError, match=r"track='T7' is for a tar.gz file of several tracks"):
        load_factors(means, sds=sds, track="T7", measure="AP")
