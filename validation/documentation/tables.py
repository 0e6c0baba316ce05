"""Tables of pages that are made from the code: what there is cannot differ from what is said."""

from __future__ import annotations

from collections.abc import Callable

from validation.documentation import overviews, sources
from validation.documentation.claims import claim_table, written_table
from validation.documentation.clauses import clauses, file_of, twin_of
from validation.documentation.marked import marked_tests


def clause_table() -> str:
    """Return the table clause, code, R code, number of tests."""
    tests = marked_tests()
    rows = ["| clause | code | R | tests |", "| --- | --- | --- | --: |"]
    for clause in clauses():
        files = dict.fromkeys(file_of(name) for name in clause.code)
        code = ", ".join(f"`{str(file).removeprefix('src/cdfscore/')}`" for file in files)
        twins = ", ".join(f"`{twin.name}`" for file in files if (twin := twin_of(file)) is not None)
        rows.append(
            f"| [{clause.number} {clause.title}]({clause.chapter}.md#{clause.anchor}) "
            f"| {code} | {twins} | {len(tests.get(clause.number, []))} |"
        )
    return "\n".join(rows)


#: Each table by the name that a page gives it: ``<!-- table: clauses -->``.
TABLES: dict[str, Callable[[], str]] = {
    "clauses": clause_table,
    "schemes": overviews.scheme_table,
    "unfitted topics": overviews.unfitted_table,
    "settings of schemes": overviews.settings_of_schemes,
    "bandwidths": overviews.bandwidth_table,
    "tests": overviews.test_table,
    "settings of tests": overviews.settings_of_tests,
    "sources": sources.source_list,
    "claims": claim_table,
    "written pages": written_table,
}
