"""The former name of `cdfscore.significance.contract.result`."""

from cdfscore.significance.contract.result import *  # noqa: F403
