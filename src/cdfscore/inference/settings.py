"""The former name of `cdfscore.significance.contract.settings`."""

from cdfscore.significance.contract.settings import *  # noqa: F403
