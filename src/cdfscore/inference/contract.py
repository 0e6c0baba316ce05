"""The former name of `cdfscore.significance.contract.contract`."""

from cdfscore.significance.contract.contract import *  # noqa: F403
