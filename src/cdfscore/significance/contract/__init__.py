"""The contract of a significance test: what it is given, what it computes, what comes back."""
