"""Colors for readers with color blindness, by Okabe and Ito (2008).

Their yellow is omitted, because it is too light for a thin line.
"""

from __future__ import annotations

BLACK = "#000000"
BLUE = "#0072B2"
ORANGE = "#E69F00"
PURPLE = "#CC79A7"
GREEN = "#009E73"
VERMILION = "#D55E00"
SKY_BLUE = "#56B4E9"
#: For secondary parts: lines for comparison, missing values.
GREY = "0.45"
