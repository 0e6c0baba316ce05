"""Names of measures, as trec_eval, ranx and ir_measures write them, and the one that is read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cdfscore.common.text import counted
from cdfscore.errors import ScoresError, did_you_mean

#: Other names of measures, in lower case.
_SAME = {
    "map": "ap",
    "map_cut": "ap",
    "average_precision": "ap",
    "nsp": "ap",
    "map_ia": "ap_ia",
    "gm_ap": "gm_map",
    "recip_rank": "rr",
    "mrr": "rr",
    "precision": "p",
    "recall": "r",
    "r_precision": "rprec",
    "r-precision": "rprec",
    "rp": "rprec",
    "hit_rate": "success",
    "ndcg_cut": "ndcg",
    "iprec_at_recall": "iprec",
    "set_map": "setap",
    "set_p": "setp",
    "set_recall": "setr",
    "set_f": "setf",
    "set_relative_p": "setp(relative=true)",
    "setrelp": "setp(relative=true)",
    "relative_p": "np",
    "num_rel": "numrel",
    "num_ret": "numret",
    "num_rel_ret": "numret(rel=1)",
    "numrelret": "numret(rel=1)",
    "num_q": "numq",
    "α_dcg": "alpha_dcg",
    "α_ndcg": "alpha_ndcg",
    # ranx; with the discount log2(rank + 1)
    "dcg": "vdcg",
    "dcg_burges": "vdcg(dcg='exp-log2')",
    "ndcg_burges": "ndcg(dcg='exp-log2')",
}
#: Names without cutoff and parameters, in lower case; of trec_eval with an underscore.
_NAMES = frozenset(
    {
        *_SAME,
        # trec_eval and pytrec_eval
        *("11pt_avg", "bing", "bpref", "g", "gm_bpref", "gm_map", "infap", "ndcg", "ndcg_rel"),
        *("num_nonrel_judged_ret", "p", "rbp", "rbp_resid", "rndcg", "rprec", "rprec_mult"),
        *("success", "unj", "utility"),
        # ranx
        *("hits", "f1", "iprecision"),
        # here, and on the page of factors of Webber and Moffat
        *("np", "nvdcg", "sp", "vdcg"),
        "interpolated_precision_at_recall",
        # ir_measures
        *("accuracy", "alpha_dcg", "alpha_ndcg", "ap", "ap_ia", "bpm", "compat", "err", "err_ia"),
        *("insq", "inst", "iprec", "judged", "nerr", "nerr_ia", "nnrbp", "nrbp", "numq", "numrel"),
        *("numret", "p_ia", "r", "rr", "sdcg", "setap", "setf", "setp", "setr", "strecall"),
        *("nerr8", "nerr9", "nerr10", "nerr11"),
    }
)
# Names on the page of factors: RBP.95 is that with p = 0.95, and DCG is not that of ranx.
_WITH_PERSISTENCE = re.compile(r"(n?RBP)(\.\d+)", re.IGNORECASE)
_OF_PAGE = {"DCG": "DCG(b=2)", "nSP": "AP", "RP": "Rprec"}
#: What tells the two forms of DCG apart.
TWO_FORMS_OF_DCG = (
    "DCG(b=2) and nDCG(b=2) of Jarvelin and Kekalainen do not discount rank 2; VDCG, and nVDCG, "
    "which is the nDCG of trec_eval, divide by log2(rank + 1)"
)
# A name and a cutoff: P_5, P@5, p5, ndcg_cut_10.
_WITH_CUTOFF = re.compile(r"(.*?[^\W\d])([_@]?)(\d+(?:\.\d+)?)")
# A cutoff or a parameter: P_5, ndcg_cut_10, Rprec_mult_0.20, nDCG@20, AP(rel=2)@100, rbp.95, -l2.
_CUTOFF = re.compile(r"(?:_[\d.]+|\([^()\t]*\)|@[\d.]+|\.\d+|-l\d+)+$")
#: What trec_eval writes beside scores, as text.
NO_SCORES = frozenset({"relstring", "runid"})
#: Values of topics whose mean says nothing, by the usual names of their measures, as in JSON of
#: pytrec_eval.
_NO_MEANS = {
    **dict.fromkeys(("gm_map", "gm_bpref"), "logarithms, whose mean is not the geometric mean"),
    "numq": "1 for each topic, and no score",
}
# Number of measures in a message.
_SHOWN = 10


def is_measure(name: str) -> bool:
    """Tell whether a name is that of a measure; trec_eval -Z puts a Z before it."""
    bare = _CUTOFF.sub("", name.strip())
    return bare.lower() in _NAMES or (bare[:1] == "Z" and bare[1:].lower() in _NAMES)


def name_of_page(name: str) -> str:
    """Return our name of a measure on the page of factors of Webber and Moffat, or the name.

    Their nDCG is left: by this name, alone among theirs, other tools have another measure.

    Examples
    --------
    >>> [name_of_page(name) for name in ("DCG", "RBP.95", "RP", "nSP", "VDCG", "nDCG")]
    ['DCG(b=2)', 'RBP(p=0.95)', 'Rprec', 'AP', 'VDCG', 'nDCG']
    >>> name_of_page("DCG@10"), name_of_page("RBP.95@20")
    ('DCG(b=2)@10', 'RBP(p=0.95)@20')
    """
    text = name.strip()
    bare, _, cutoff = text.partition("_" if re.fullmatch(r"DCG_\d+", text) else "@")
    found = _WITH_PERSISTENCE.fullmatch(bare)
    ours = f"{found[1]}(p=0{found[2]})" if found else _OF_PAGE.get(bare)
    if ours is None or (cutoff and "(" not in ours):  # of RP and nSP there is none
        return text
    return f"{ours}@{cutoff}" if cutoff else ours


def is_with_base(name: str | None) -> bool:
    """Tell whether a measure is the DCG or the nDCG of Jarvelin and Kekalainen."""
    return name is not None and name.startswith(("DCG(b=", "nDCG(b="))


def is_same_measure(one: str, other: str) -> bool:
    """Tell whether two names are of one measure, as trec_eval, ranx and ir_measures write it."""
    return one == other or usual_name(one) == usual_name(other)


def usual_name(name: str) -> str:
    """Return a name as ir_measures writes it, in lower case; the name itself if it is unknown."""
    # NRBP of ir_measures, in capitals and without .95, is of subtopics; nRBP is R-normalized RBP.
    text = name_of_page(re.sub(r"^NRBP(?=$|[(@])", "subtopic_nrbp", name.strip()))
    bare = re.sub("^nvdcg", "ndcg", text.lower()).replace("(p=0.8)", "")
    found = _WITH_CUTOFF.fullmatch(bare)
    if bare not in _NAMES and found is not None and (found[2] or found[1] in _NAMES):
        return f"{_SAME.get(found[1], found[1])}@{float(found[3]):g}"
    return _SAME.get(bare, bare)


def chosen_measure(
    source: str, names: Sequence[str], asked: str | None, of_topics: Sequence[str] | None = None
) -> str:
    """Return the measure to read of those with these names: the one that is asked for, or the only
    one. Only those `of_topics`, by default all, have scores of topics; num_q may have none.

    One that is asked for by the name of another tool, "AP" for "map", is read if one name there is
    of the same measure. Raises `ScoresError` if there are several or if there is no such measure.
    """
    every = names if of_topics is None else of_topics
    there = [name for name in every if name not in NO_SCORES]
    known = [name for name in there if no_mean(name) is None]
    if asked is None:
        doubtful = there[0] if there and not known else None
    else:
        doubtful = next((name for name in there if is_same_measure(name, asked)), None)
    if doubtful is not None and (what := no_mean(doubtful)):
        others = f": {_listed(known)}" if known else ""
        raise ScoresError(
            f"{source} has {what} as {doubtful}; expected a measure with scores of topics{others}"
        )
    if asked is not None:
        if asked in known:
            return asked
        if asked in names:
            what = "text" if asked in NO_SCORES else "one number for all topics"
            raise ScoresError(
                f"{source} has {what} as {asked}; expected a measure with scores of topics: "
                f"{_listed(known)}"
            )
        same = [name for name in known if is_same_measure(name, asked)]
        if len(same) == 1:
            return same[0]
        raise ScoresError(
            f"{source} has no measure {asked!r}{did_you_mean(asked, known)}; it has "
            f"{_listed(known) or 'none with scores of topics'}"
        )
    if len(known) != 1:
        example = next((name for name in known if "num_" not in name), "".join(known[:1]))
        raise ScoresError(
            f"{source} has scores of {len(known)} measures: {_listed(known)}; choose one by "
            f"measure=..., as in measure={example!r}"
            if known
            else f"{source} has no measure with scores of topics; expected one"
        )
    return known[0]


def no_mean(name: str) -> str | None:
    """Return what a measure has for each topic if the mean of that is no score of the system."""
    return _NO_MEANS.get(usual_name(name.removeprefix("Z")))


def _listed(names: list[str]) -> str:
    more = f" and {counted(len(names) - _SHOWN, 'other')}" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
