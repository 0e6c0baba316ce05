"""What factors tell of where they came from: measure, systems, counts and digest."""

import hashlib
import json
import struct
from dataclasses import replace

import numpy as np
import pytest

from cdfscore import Standardizer
from cdfscore.standardization.policies import ScoreMatrix
from tests.noted import not_of_few_systems


def digest(scores, **policies) -> str:
    return Standardizer("empirical", **policies).fit(scores).digest


@pytest.mark.clause("digest.1")
def test_the_digest_is_of_the_labels_and_the_doubles(reference) -> None:
    """As documented: the labels as JSON, then 8 bytes a score, row by row, little-endian."""
    labels = json.dumps([["351", "352", "353"], ["bm25", "lsa", "ql", "tfidf"]])
    doubles = struct.pack("<12d", *reference.to_numpy().ravel())
    expected = hashlib.sha256(labels.encode() + doubles).hexdigest()
    assert digest(reference) == f"sha256:{expected}"


def test_equal_matrices_have_equal_digests(reference) -> None:
    same = reference.copy(deep=True)
    same.index = [int(label) for label in same.index]
    same.columns = [f" {name}" for name in same.columns]  # labels are stripped
    assert digest(same) == digest(reference)
    assert digest(reference.astype(object)) == digest(reference)
    columns_first = reference.T.copy().T
    assert digest(columns_first) == digest(reference)


@pytest.mark.clause("digest.1")
def test_another_cell_label_or_order_is_another_digest(reference) -> None:
    seen = {digest(reference)}
    for row, column in np.ndindex(reference.shape):
        changed = reference.copy(deep=True)
        changed.iloc[row, column] = np.nextafter(changed.iloc[row, column], 1.0)
        seen.add(digest(changed))
    seen.add(digest(reference.rename(index={"352": "402"})))
    seen.add(digest(reference.rename(columns={"ql": "qm"})))
    seen.add(digest(reference.iloc[::-1]))
    seen.add(digest(reference.iloc[:, ::-1]))
    seen.add(digest(reference.T))
    assert len(seen) == 1 + reference.size + 5


@pytest.mark.clause("standardized.1", "factors.2")
@pytest.mark.parametrize("fitted", ["zero", "drop_topic", "omit"])
@pytest.mark.parametrize("applied", ["zero", "drop_topic", "omit"])
def test_factors_know_their_reference_under_another_policy(reference, fitted, applied) -> None:
    gappy = reference.copy(deep=True)
    gappy.loc["352", "ql"] = np.nan
    factors = replace(Standardizer("empirical", missing=fitted).fit(gappy), missing=applied)
    assert factors.fitted_missing == fitted
    assert factors.standardize(gappy).fitted_to == "these scores"
    others = factors.standardize(gappy.fillna(0.5))
    assert others.fitted_to == "other scores"
    told = f"fitted under the policy {fitted} for missing scores, and {applied} is used"
    assert any(told in note for note in factors.standardize(gappy).notes) is (fitted != applied)
    assert not any(told in note for note in others.notes)  # of which no score is missing


def test_missing_scores_of_the_reference_are_told_where_it_is_another_matrix(reference) -> None:
    gappy = reference.copy(deep=True)
    gappy.loc["352", "ql"] = np.nan
    how = Standardizer("empirical", missing="zero")
    itself = how.standardize(gappy)
    assert not_of_few_systems(itself.notes) == ["1 missing score is taken as 0"]
    assert how.standardize(gappy, gappy.copy()).notes == itself.notes
    assert how.standardize(gappy, gappy.copy()).fitted_to == "these scores"
    other = how.standardize(gappy.iloc[:, :3], gappy)
    assert other.fitted_to == "other scores"
    assert not_of_few_systems(other.notes) == [
        "1 missing reference score is taken as 0",
        "1 missing score is taken as 0",
    ]


@pytest.mark.clause("digest.2")
def test_factors_know_their_reference_in_another_order(reference) -> None:
    def knows(factors, frame) -> bool | None:
        return factors.were_fitted_to(ScoreMatrix.of(frame))

    factors = Standardizer("empirical").fit(reference)
    assert knows(factors, reference.iloc[::-1, ::-1])
    assert knows(factors, reference.iloc[:, :3]) is False
    assert knows(factors, reference + 0.125) is False
    assert knows(replace(factors, digest=None), reference) is None
    gappy = reference.copy(deep=True)
    gappy.loc["352", "ql"] = np.nan
    dropped = Standardizer("empirical", missing="drop_topic").fit(gappy)
    assert knows(dropped, gappy.iloc[:, ::-1])
    assert knows(dropped, gappy.iloc[::-1]) is False  # the place of topic 352 is not known
