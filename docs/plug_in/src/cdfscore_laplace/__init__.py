"""A scheme, a kernel and a bandwidth rule of cdfscore, as examples."""

from cdfscore_laplace.laplace import Laplace as Laplace
