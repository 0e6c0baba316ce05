"""Formulas: parsed as R does, and never evaluated."""

import pytest

from cdfscore.errors import ModelError, SpecificationError
from cdfscore.models.formula import parse_formula

FACTORS = ["system", "a", "b", "c", "a b"]


@pytest.mark.clause("formula.1")
@pytest.mark.parametrize(
    ("formula", "terms"),
    [
        ("score ~ topic", "topic"),
        ("score ~ topic + a * b", "topic a b a:b"),
        ("score~a*b+topic", "a b topic a:b"),
        ("score ~ a + b + a:b + a:b", "a b a:b"),
        ("score ~ a * b * c", "a b c a:b a:c b:c a:b:c"),
        ("score ~ (a + b) * c", "a b c a:c b:c"),
        ("score ~ a + (b + topic) : a + b + topic", "a b topic a:b a:topic"),
        ("score ~ b + a + a:b", "b a b:a"),
        ("score ~ topic + `a b`", "topic a b"),
        ("score ~ a * a", "a"),
        ("score ~ " + " * ".join(["a"] * 300), "a"),
        ("score ~ a + b + " + ":".join(["(b + a)"] * 300), "a b a:b"),
        ("score ~ " + "(" * 50 + "a" + ")" * 50 + " + (b)", "a b"),
        ("score ~ " + " + ".join(["(a)"] * 60), "a"),
    ],
)
def test_terms_are_those_of_r(formula: str, terms: str) -> None:
    found = parse_formula(formula, FACTORS)
    assert " ".join(":".join(term) for term in found.terms) == terms


@pytest.mark.clause("formula.1", "formula.2")
@pytest.mark.parametrize(
    ("formula", "fragment"),
    [
        ("topic + a", "does not have 'score ~' exactly once"),
        ("score ~ a ~ b", "does not have 'score ~' exactly once"),
        ("ap ~ topic", "has 'ap' on its left; expected 'score'"),
        ("score ~ ", "it ends where a factor is expected"),
        ("score ~ topic +", "it ends where a factor is expected"),
        ("score ~ topic + stemer", "names 'stemer', which is not a factor (did you"),
        ("score ~ topic + zzz", "names 'zzz', which is not a factor; expected some of topic, syst"),
        ("score ~ log(a)", "log(...) is a call, and formulas are not evaluated"),
        ("score ~ __import__('os')", "__import__(...) is a call, and formulas are not evaluated"),
        ("score ~ topic - 1", "'-' is not understood"),
        ("score ~ 0 + topic", "'0' is not understood"),
        ("score ~ a^2", "'^' is not understood"),
        ("score ~ (a + b", "a parenthesis is not closed"),
        ("score ~ a b", "'b' is not understood"),
        ("score ~ topic + * a", "'*' is not understood"),
        ("score ~ topic + ) a", "')' is not understood"),
        ("score ~ a + a:b", "has a:b without b"),
        ("score ~ a * b + a:b:c", "has a:b:c without b:c"),
        (7, "the formula 7 does not have"),
        ("score ~ " + "(" * 51 + "a" + ")" * 51, "it has more than 50 nested parentheses"),
        ("score ~ " + "(" * 3000 + "a" + ")" * 3000, "(((...' is not accepted: it has more than"),
    ],
)
def test_what_is_no_formula_is_refused_in_one_sentence(formula: str, fragment: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_formula(formula, FACTORS)
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.clause("formula.1")
@pytest.mark.parametrize("sign", ["*", "+"])
def test_a_formula_has_no_more_than_1000_terms(sign: str) -> None:
    """30 factors have 2^30 interactions."""
    factors = [f"x{i}" for i in range(1001)]
    used = factors if sign == "+" else factors[:30]
    with pytest.raises(SpecificationError, match="it has more than 1,000 terms; expected names"):
        parse_formula(f"score ~ {f' {sign} '.join(used)}", factors)
    fewer = used[:1000] if sign == "+" else used[:9]
    terms = parse_formula(f"score ~ {f' {sign} '.join(fewer)}", factors).terms
    assert len(terms) == (1000 if sign == "+" else 2**9 - 1)


def test_a_formula_is_shown_as_it_was_given_but_for_its_repetitions() -> None:
    assert str(parse_formula("score~b*a", FACTORS)) == "score~b*a"
    assert str(parse_formula("score ~ " + " + ".join(["b * a"] * 40), FACTORS)) == (
        "score ~ b + a + b:a"
    )
