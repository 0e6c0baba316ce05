"""Standardization as a transformer of scikit-learn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from cdfscore.common.cautions import warn_of
from cdfscore.common.text import counted
from cdfscore.errors import MissingDependencyError, SchemeError, ScoresError
from cdfscore.scores.labels import check_labels, role_of
from cdfscore.standardization.cautions import few_systems
from cdfscore.standardization.policies import (
    AnyLowerIsBetter,
    ScoreMatrix,
    reflected,
    reversed_topics,
)
from cdfscore.standardization.standardizer import Standardizer
from cdfscore.stats.schemes.base import Scheme

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise MissingDependencyError(
        "cdfscore.sklearn needs scikit-learn 1.6 or later, which is not installed; run "
        "pip install 'cdfscore[sklearn]'"
    ) from error

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from cdfscore.stats.numerics.types import Array

#: Policies that leave every column in its place, as scikit-learn expects.
ConstantPolicy = Literal["limit", "half", "nan", "raise", "urbano2019", "trec_eval", "matters"]
MissingPolicy = Literal["raise", "omit", "zero"]
UnfittedPolicy = Literal["raise", "nan"]


class CdfTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Transformer of scikit-learn that standardizes every column: y = F_t(x).

    Rows are systems and columns are topics, because rows are samples in scikit-learn. This is the
    transpose of a score matrix. The rows that `fit` gets are the reference systems. The numbers are
    those of `Standardizer`, bit for bit.

    Columns can have different units, so there is no warning of scores on different scales. A row
    or column that is the mean or the sum of the others is not detected; `cdfscore.as_scores`
    detects it.

    Parameters
    ----------
    scheme
        A scheme, or its spelling such as ``"empirical"`` or ``"uniform:A=0.15,B=0.5"``.
    constant
        The policy for constant columns; see `Standardizer`.
    missing
        The policy for NaN: "raise", "omit" (NaN stays NaN, and the scheme is fitted to the other
        scores) or "zero". Columns cannot be dropped.
    unfitted
        The policy for columns that the scheme cannot be fitted to: "raise" or "nan".
    lower_is_better
        The columns on which lower is better, by name (of `get_feature_names_out`) or by position
        from 0, or True for all columns. Their numbers are negated before the fit.
    reflect_at
        If not 0, numbers x of such columns become ``reflect_at - x`` instead.

    Attributes
    ----------
    factors_
        The fitted `Factors`, with the names of the columns as topics.
    n_features_in_, feature_names_in_
        Number and names of the columns, as in every transformer.

    Raises
    ------
    SchemeError
        By `fit`, for an unknown scheme, setting or policy.
    FitError
        By `fit`, for a column that the scheme cannot be fitted to.
    ScoresError
        For a data frame whose index has the name of topics, such as ``topic``.
    ValueError
        From scikit-learn, for X that it does not accept.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> X = datasets.load_cranfield("ap").T  # systems x topics
    >>> CdfTransformer("empirical").fit_transform(X)[0, :3].round(3)
    array([0.582, 0.672, 0.821])
    >>> scaled = CdfTransformer("normal").set_output(transform="pandas").fit_transform(X)
    >>> scaled.mean(axis=1).round(3).head(2).to_dict()
    {'bm25_k1.2_b0.75': 0.648, 'bm25_k0.9_b0.4': 0.611}
    """

    def __init__(
        self,
        scheme: Scheme | str = "normal",
        *,
        constant: ConstantPolicy = "limit",
        missing: MissingPolicy = "raise",
        unfitted: UnfittedPolicy = "raise",
        lower_is_better: AnyLowerIsBetter | Iterable[int] = False,
        reflect_at: float = 0.0,
    ) -> None:
        self.scheme = scheme
        self.constant = constant
        self.missing = missing
        self.unfitted = unfitted
        self.lower_is_better = lower_is_better
        self.reflect_at = reflect_at

    def fit(self, X: ArrayLike, y: object = None) -> CdfTransformer:
        """Fit the scheme to every column of X, (systems, topics); y is not used.

        Warns if there are fewer than 10 systems.
        """
        given = self.lower_is_better
        # Once, as an iterator has its columns only once.
        if isinstance(given, Iterable) and not isinstance(given, str):
            given = cast("Iterable[str]", tuple(given))
        how = self._standardizer(given)
        values = self._validated(X, reset=True, ensure_min_samples=how.scheme.minimum_scores)
        how = self._standardizer(self._named(given))
        matrix = self._matrix(values)
        check_labels("X", "topic", matrix.topics, (f"column {i}" for i in range(values.shape[1])))
        # Rows have no names, and no digest is right without them.
        self.factors_ = replace(how.fit_matrix(matrix, described=False), systems=None)
        if how.scheme.parameter_names():  # of raw scores nothing is fitted
            warn_of(few_systems(len(values), how.scheme))
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Return y = F_t(x) for every number of X, in the shape of X."""
        check_is_fitted(self)
        matrix = self._matrix(self._validated(X, reset=False))
        found = self.factors_.standardize_matrix(matrix).frame
        return np.ascontiguousarray(found.to_numpy().T)

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Return the smallest x with F_t(x) >= y for every number of X, in the shape of X.

        Where lower is better it is the largest. NaN stays NaN, and so does every number of a column
        that the scheme was not fitted to. Raises `SchemeError` for a scheme without a quantile
        function in closed form, and for a number outside [0, 1].
        """
        check_is_fitted(self)
        y = self._validated(X, reset=False, ensure_all_finite="allow-nan").T
        topics, factors = list(map(str, self.get_feature_names_out())), self.factors_
        there = [topics.index(topic) for topic in factors.topics]
        found: Array = np.full(y.shape, np.nan)
        found[there] = np.where(np.isnan(y[there]), np.nan, factors.fitted.quantile(y[there]))
        lower = set(reversed_topics(factors.lower_is_better, topics))
        rows = [row for row, topic in enumerate(topics) if topic in lower]
        found[rows] = reflected(factors.reflect_at, found[rows])
        return np.ascontiguousarray(found.T)

    def _standardizer(self, lower_is_better: AnyLowerIsBetter) -> Standardizer:
        for name, kinds in (
            ("constant", ConstantPolicy),
            ("missing", MissingPolicy),
            ("unfitted", UnfittedPolicy),
        ):
            if getattr(self, name) == "drop_topic":
                raise SchemeError(
                    f"{name}='drop_topic' is not accepted by CdfTransformer, which keeps all "
                    f"columns; expected one of {', '.join(get_args(kinds))}"
                )
        return Standardizer(
            self.scheme,
            self.constant,
            self.missing,
            self.unfitted,
            lower_is_better=lower_is_better,
            reflect_at=self.reflect_at,
        )

    def _named(self, given: AnyLowerIsBetter) -> AnyLowerIsBetter:
        """Return the columns on which lower is better by name; whole numbers are positions."""
        if isinstance(given, bool | str):
            return given
        names = self.get_feature_names_out()
        found: list[Any] = []
        for column in given:
            if not isinstance(column, int | np.integer) or isinstance(column, bool):
                found.append(column)
            elif 0 <= column < len(names):
                found.append(str(names[column]))
            else:
                raise SchemeError(
                    f"lower_is_better={given!r} has {column}, but there are only "
                    f"{counted(len(names), 'column')}; expected positions from 0 to "
                    f"{len(names) - 1}, or names of columns"
                )
        return found

    def _validated(self, X: ArrayLike, **checks: Any) -> Array:
        rows = getattr(getattr(X, "index", None), "name", None)
        if rows is not None and role_of(str(rows)) == "topic":
            raise ScoresError(
                f"the index of X has the name {rows!r}, and its rows are topics; expected systems "
                "as rows, so transpose the scores with X.T"
            )
        finite: bool | str = True if self.missing == "raise" else "allow-nan"
        checks = {"ensure_all_finite": finite, **checks}
        return np.asarray(validate_data(self, X, dtype=np.float64, **checks))

    def _matrix(self, values: Array) -> ScoreMatrix:
        import pandas as pd

        topics = list(map(str, self.get_feature_names_out()))
        systems = list(map(str, range(len(values))))
        turned = np.ascontiguousarray(values.T)
        index = pd.Index(topics, dtype=str, name="topic")
        frame = pd.DataFrame(turned, index=index, columns=pd.Index(systems, dtype=str))
        return ScoreMatrix(frame, turned, tuple(topics), tuple(systems), labelled=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "raise"
        return tags
