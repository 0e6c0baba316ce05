"""Names of measures, as trec_eval, ranx and ir_measures write them."""

from __future__ import annotations

import re

#: Names without cutoff and parameters, in lower case; of trec_eval with an underscore.
_NAMES = frozenset(
    {
        # trec_eval and pytrec_eval
        *("11pt_avg", "bing", "bpref", "g", "gm_bpref", "gm_map", "infap", "iprec_at_recall"),
        *("map", "map_cut", "ndcg", "ndcg_cut", "ndcg_rel", "num_nonrel_judged_ret", "num_q"),
        *("num_rel", "num_rel_ret", "num_ret", "p", "rbp", "rbp_resid", "recall", "recip_rank"),
        *("relative_p", "rndcg", "rprec", "rprec_mult", "set_f", "set_map"),
        *("set_p", "set_recall", "set_relative_p", "success", "unj", "utility"),
        # ranx
        *("hits", "hit_rate", "precision", "f1", "r_precision", "mrr", "average_precision"),
        *("ndcg_burges", "dcg", "dcg_burges", "iprecision", "interpolated_precision_at_recall"),
        # ir_measures
        *("accuracy", "alpha_dcg", "alpha_ndcg", "ap", "ap_ia", "bpm", "compat", "err", "err_ia"),
        *("insq", "inst", "iprec", "judged", "nerr", "nerr_ia", "nnrbp", "nrbp", "numq", "numrel"),
        *("numret", "p_ia", "r", "rr", "sdcg", "setap", "setf", "setp", "setr", "setrelp"),
        *("strecall", "nerr8", "nerr9", "nerr10", "nerr11"),
    }
)
# A cutoff or a parameter: P_5, ndcg_cut_10, Rprec_mult_0.20, nDCG@20, AP(rel=2)@100, rbp.95, -l2.
_CUTOFF = re.compile(r"(?:_[\d.]+|\([^()\t]*\)|@[\d.]+|\.\d+|-l\d+)+$")


def is_measure(name: str) -> bool:
    """Tell whether a name is that of a measure; trec_eval -Z puts a Z before it.

    Examples
    --------
    >>> [is_measure(name) for name in ("P_10", "nDCG@20", "AP(rel=2)@100", "Zmap", "301", "q_1")]
    [True, True, True, True, False, False]
    """
    bare = _CUTOFF.sub("", name.strip())
    return bare.lower() in _NAMES or (bare[:1] == "Z" and bare[1:].lower() in _NAMES)
