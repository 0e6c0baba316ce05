class LongScores: pass
