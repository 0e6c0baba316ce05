"""A scheme, a kernel, a bandwidth rule and a significance test for cdfscore."""

from cdfscore_plug_in.laplace import Laplace as Laplace
from cdfscore_plug_in.trimmed_t import trimmed_t as trimmed_t
