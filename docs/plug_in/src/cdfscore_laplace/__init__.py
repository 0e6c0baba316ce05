"""The Laplace distribution as a scheme of cdfscore."""

from cdfscore_laplace.laplace import Laplace as Laplace
