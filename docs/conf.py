"""Configuration of Sphinx, which builds the site: ``make docs``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import cdfscore

project = "cdfscore"
author = "the authors of cdfscore"
version = release = cdfscore.__version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "validation.documentation.extension",
]
exclude_patterns = ["plug_in"]
# Names in single quotes are objects, where there are such objects, and code anyway.
default_role = "obj"

myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath", "attrs_block"]
myst_heading_anchors = 4

numpydoc_show_class_members = False
autodoc_default_options = {
    "members": True,
    # Of other libraries' classes no members are listed.
    "inherited-members": "BaseEstimator, TransformerMixin, _SetOutputMixin, "
    "_MetadataRequester, tuple, BaseException",
    "member-order": "bysource",
}
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80

html_theme = "pydata_sphinx_theme"
html_title = "cdfscore"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "show_prev_next": True,
    "header_links_before_dropdown": 7,
    "collapse_navigation": True,
    "navigation_depth": 2,
}
# The first page has a card for each part. Neither it nor "Start" has a section beside it.
html_sidebars = {"index": [], "start": []}
html_math_renderer = "mathml"
