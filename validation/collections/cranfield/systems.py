"""The systems: one table from name to model, parameters and indexed text."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import Parameter, signature

from . import feedback, fusion, poor
from . import language_models as lm
from . import probabilistic as prob
from . import vector_space as vsm
from .index import Index, Indexer, Scores
from .text import ANALYZERS


@dataclass(frozen=True)
class System:
    """A retrieval model with its parameters, over one field under one analyzer."""

    model: Callable[[Index], Scores]
    field: str = "full"
    analyzer: str = "stem"

    def scores(self, indexer: Indexer) -> Scores:
        """Scores of every topic and document of the indexer's collection."""
        return self.model(indexer.index(self.field, self.analyzer))

    def parameters(self) -> str:
        """One line for the data card."""
        return f"{call(self.model)} Text: {self.field}; {ANALYZERS[self.analyzer].description}."


@dataclass(frozen=True)
class Combination:
    """A combination of systems that stand earlier in the table."""

    combine: Callable[[Sequence[Scores]], Scores]
    members: tuple[str, ...]

    def parameters(self) -> str:
        """One line for the data card."""
        return f"{call(self.combine)} Of: {', '.join(f'`{name}`' for name in self.members)}."


def call(function: Callable[..., Scores]) -> str:
    """First line of the docstring and the parameters, set in the table or by default."""
    called = function if isinstance(function, partial) else partial(function)
    defaults = {name: p.default for name, p in signature(called).parameters.items()}
    settings = [
        f"{name}={value}"
        for name, value in defaults.items()
        if value is not None and value is not Parameter.empty
    ]
    summary = (called.func.__doc__ or "").strip().splitlines()[0]
    return f"{summary} {', '.join(settings)}." if settings else summary


SYSTEMS: Mapping[str, System | Combination] = {
    # BM25
    "bm25_k1.2_b0.75": System(partial(prob.bm25, k1=1.2, b=0.75)),
    "bm25_k0.9_b0.4": System(partial(prob.bm25, k1=0.9, b=0.4)),
    "bm25_k0.4_b0.75": System(partial(prob.bm25, k1=0.4, b=0.75)),
    "bm25_k2_b0.75": System(partial(prob.bm25, k1=2.0, b=0.75)),
    "bm25_k1.2_b0": System(partial(prob.bm25, k1=1.2, b=0.0)),
    "bm25_k1.2_b1": System(partial(prob.bm25, k1=1.2, b=1.0)),
    "bm25_robertson_k1.5_b0.6": System(partial(prob.bm25, variant="robertson", k1=1.5, b=0.6)),
    "bm25_atire_k0.8_b0.3": System(partial(prob.bm25, variant="atire", k1=0.8, b=0.3)),
    "bm25l_delta0.5": System(partial(prob.bm25, variant="bm25l", k1=1.2, b=0.75, delta=0.5)),
    "bm25_keepstop": System(prob.bm25, analyzer="stem_keepstop"),
    "bm25_nostem_keepstop": System(prob.bm25, analyzer="nostem_keepstop"),
    "bm25_truncate5": System(prob.bm25, analyzer="truncate5"),
    "bm25_char5": System(prob.bm25, analyzer="char5"),
    "bm25_title": System(prob.bm25, field="title"),
    "bm25_abstract": System(prob.bm25, field="abstract"),
    "bm25_title_x3": System(prob.bm25, field="title_x3"),
    # Vector space and matching coefficients
    "tfidf": System(vsm.tfidf),
    "tfidf_sublinear": System(partial(vsm.tfidf, sublinear=True)),
    "tfidf_inner_product": System(partial(vsm.tfidf, cosine=False)),
    "tf_cosine_no_idf": System(partial(vsm.tfidf, idf=False)),
    "tfidf_binary_inner_product": System(vsm.binary_tfidf),
    "tfidf_pivoted_s0.2": System(partial(vsm.pivoted_tfidf, slope=0.2)),
    "tfidf_bigrams": System(partial(vsm.tfidf, sublinear=True), analyzer="bigrams"),
    "tfidf_char3": System(partial(vsm.tfidf, sublinear=True), analyzer="char3"),
    "tfidf_char5": System(partial(vsm.tfidf, sublinear=True), analyzer="char5"),
    "tfidf_title": System(partial(vsm.tfidf, sublinear=True), field="title"),
    "coordination": System(vsm.coordination),
    "coordination_title_nostem": System(vsm.coordination, field="title", analyzer="nostem"),
    "jaccard_porter": System(vsm.jaccard, analyzer="porter"),
    "lsa50": System(partial(vsm.latent_semantic_analysis, dimensions=50)),
    "lsa100": System(partial(vsm.latent_semantic_analysis, dimensions=100)),
    "lsa200": System(partial(vsm.latent_semantic_analysis, dimensions=200)),
    "lsa400": System(partial(vsm.latent_semantic_analysis, dimensions=400)),
    # Query likelihood
    "ql_dirichlet_mu250": System(partial(lm.dirichlet, mu=250)),
    "ql_dirichlet_mu1000": System(partial(lm.dirichlet, mu=1000)),
    "ql_dirichlet_mu5000": System(partial(lm.dirichlet, mu=5000)),
    "ql_dirichlet_nostem": System(partial(lm.dirichlet, mu=500), analyzer="nostem"),
    "ql_jm_lambda0.1": System(partial(lm.jelinek_mercer, collection_weight=0.1)),
    "ql_jm_lambda0.4": System(partial(lm.jelinek_mercer, collection_weight=0.4)),
    "ql_jm_lambda0.4_keepstop": System(
        partial(lm.jelinek_mercer, collection_weight=0.4), analyzer="stem_keepstop"
    ),
    "ql_twostage_mu300_lambda0.3": System(partial(lm.two_stage, mu=300, collection_weight=0.3)),
    "ql_absolute_delta0.7": System(partial(lm.absolute_discounting, discount=0.7)),
    # Divergence models
    "pl2_c1": System(partial(prob.pl2, c=1.0)),
    "inl2_c2": System(partial(prob.inl2, c=2.0)),
    "lgd_c1": System(partial(prob.log_logistic, c=1.0)),
    "dfi": System(prob.divergence_from_independence),
    # Pseudo relevance feedback
    "rocchio_d5_t40": System(partial(feedback.rocchio, documents=5, terms=40)),
    "rocchio_d20_t100_beta1.5": System(
        partial(feedback.rocchio, documents=20, terms=100, beta=1.5)
    ),
    "rm3_d5_t30": System(partial(feedback.rm3, mu=250, documents=5, terms=30, original_weight=0.6)),
    "rm3_d20_t60": System(
        partial(feedback.rm3, mu=1000, documents=20, terms=60, original_weight=0.3)
    ),
    "rm1_d10_t50": System(
        partial(feedback.rm3, mu=500, documents=10, terms=50, original_weight=0.0)
    ),
    # Combinations
    "rrf_bm25_ql_tfidf": Combination(
        fusion.reciprocal_rank_fusion, ("bm25_k1.2_b0.75", "ql_dirichlet_mu250", "tfidf_sublinear")
    ),
    "rrf_title_abstract": Combination(
        fusion.reciprocal_rank_fusion, ("bm25_title", "bm25_abstract")
    ),
    "combsum_bm25_lsa200": Combination(fusion.comb_sum, ("bm25_k1.2_b0.75", "lsa200")),
    "combsum_rm3_char5_pl2": Combination(fusion.comb_sum, ("rm3_d5_t30", "tfidf_char5", "pl2_c1")),
    "rerank50_bm25_lsa100": Combination(
        partial(fusion.rerank, depth=50), ("bm25_k1.2_b0.75", "lsa100")
    ),
    # Deliberately poor
    "poor_random_seed1": System(partial(poor.random_scores, seed=1)),
    "poor_random_seed2": System(partial(poor.random_scores, seed=2)),
    "poor_document_number": System(poor.document_number),
    "poor_longest_first": System(partial(poor.document_length, longest_first=True)),
    "poor_shortest_first": System(partial(poor.document_length, longest_first=False)),
    "poor_reversed_tfidf": System(poor.reversed_tfidf),
    "poor_wrong_topic": System(partial(poor.wrong_topic, shift=100)),
    "poor_first_term": System(partial(poor.single_term, which="first")),
    "poor_last_term": System(partial(poor.single_term, which="last")),
    "poor_rarest_term_title": System(partial(poor.single_term, which="rarest"), field="title"),
    "poor_commonest_term": System(partial(poor.single_term, which="commonest")),
}
