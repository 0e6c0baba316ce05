from .base import Distribution as Distribution
from .base import Fitted as Fitted
from .base import LinearScheme as LinearScheme
from .base import Parameters as Parameters
from .base import Scheme as Scheme
from .base import refuse_rows as refuse_rows

# The list of the schemes: a line each.
from .beta import Beta as Beta
from .beta_binomial.beta_binomial import BetaBinomial as BetaBinomial
from .empirical.empirical import Empirical as Empirical
from .exponential import Exponential as Exponential
from .from_scipy import FromScipy as FromScipy
from .gamma import Gamma as Gamma
from .johnson_su.johnson_su import JohnsonSu as JohnsonSu
from .kernel.kernel import Kernel as Kernel
from .kumaraswamy.kumaraswamy import Kumaraswamy as Kumaraswamy
from .logit_normal import LogitNormal as LogitNormal
from .logspline.logspline import Logspline as Logspline
from .minmax import Minmax as Minmax
from .mixture.mixture import Mixture as Mixture
from .normal import Normal as Normal
from .raw import Raw as Raw
from .sum import Sum as Sum
from .truncated_normal.truncated_normal import TruncatedNormal as TruncatedNormal
from .uniform import Uniform as Uniform
from .z import Z as Z
from .zero_inflated import ZeroInflated as ZeroInflated
