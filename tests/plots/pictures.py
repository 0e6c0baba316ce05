"""How figures are compared with their pictures in ``baseline``.

A picture differs if the root of the mean square difference of its pixels, of 0 to 255, is above
the tolerance of 3. The same version of matplotlib gives 0, on another processor less than 1; a
title, a line or a label that is not there, or is another, gives 5 and more. Before version 3.11
matplotlib set letters on whole pixels, with another FreeType, so that all labels and axes lie
elsewhere (20 to 40): older versions are not compared. If a newer one differs, look at the pictures
and draw them anew.
"""

from pathlib import Path

import matplotlib
import pytest

BASELINE = Path(__file__).parent / "baseline"
TOLERANCE, DPI, STYLE = 3, 60, "default"
of_this_matplotlib = pytest.mark.skipif(
    matplotlib.__version_info__ < (3, 11), reason="the pictures are by matplotlib 3.11"
)
compared = pytest.mark.mpl_image_compare(
    baseline_dir=str(BASELINE), style=STYLE, tolerance=TOLERANCE, savefig_kwargs={"dpi": DPI}
)
