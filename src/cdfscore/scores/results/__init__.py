"""Files with a row a score: output of trec_eval, ir_measures, pytrec_eval and ranx, long tables."""
