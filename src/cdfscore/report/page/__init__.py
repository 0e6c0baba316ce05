"""One self-contained page of a whole analysis, as HTML."""

from cdfscore.report.page.analysis import Analysis, Input, RParity
from cdfscore.report.page.page import encode_page, require_page_libraries

__all__ = ["Analysis", "Input", "RParity", "encode_page", "require_page_libraries"]
