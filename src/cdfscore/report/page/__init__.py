"""One self-contained page of a whole analysis, as HTML."""

from cdfscore.report.page.page import Analysis, Input, RParity, encode_page, require_page_libraries

__all__ = ["Analysis", "Input", "RParity", "encode_page", "require_page_libraries"]
