"""Errors name the file that they concern: none for options, the reference for the reference."""

import pytest

from tests.cli.conftest import Sentence, replaced

SCORES = "topic,a,b,c,d\n" + "".join(
    f"{301 + i},0.{i + 1},0.{7 - i},0.{1 + i * 5 % 8},0.{2 + i * 3 % 7}\n" for i in range(6)
)
FILES = {
    "s.csv": SCORES,
    "r.csv": SCORES.replace("a,b,c,d", "e,f,g,h"),
    "bad.csv": "topic,e,f\n301,0.1,0.2\n302,x,0.4\n",
    "more.csv": SCORES + "999,0.5,0.5,0.5,0.5\n",
}
BASES = {
    "standardize": "s.csv --scheme normal",
    "compare": "s.csv --scheme normal --test paired_t",
    "verify": "s.csv --scheme normal",
    "correlate": "s.csv r.csv --scheme normal",
    "diagnose": "s.csv --scheme normal --bootstrap 0",
    "model": "s.csv --scheme normal --formula score~topic+system",
    "mixed-model": "s.csv --scheme normal --formula score~system",
    "plan": "s.csv --scheme normal --goal paired_t:difference=0.1",
    "experiment within": "s.csv --scheme normal --out out",
    "experiment between": "s.csv --scheme normal --out out",
    "experiment reference-size": "s.csv --scheme normal --out out",
}
MODELS = ["model", "mixed-model"]
WITH_REFERENCE = [
    *("standardize", "compare", "verify", "plan", *MODELS),
    *("experiment within", "experiment between"),
]
EXPERIMENTS = [name for name in BASES if name.startswith("experiment")]
# What may be given to which commands, and a part of the message.
OPTIONS = {
    "--scheme nromal": (BASES, "did you mean 'normal'?"),
    "--scheme uniform:A=0": (BASES, "A=0"),
    "--scheme =normal": (EXPERIMENTS, "has the label ''"),
    "--scheme raw --scheme raw": (["compare", *MODELS, *EXPERIMENTS], "given twice"),
    "--missing foo": (BASES, "--missing foo is not accepted"),
    "--constant foo": ([c for c in BASES if c != "diagnose"], "--constant foo"),
    "--unfitted foo": (["standardize", "compare", "verify", "correlate"], "--unfitted foo"),
    "--reference=": (WITH_REFERENCE, "--reference is empty; expected the name of a file"),
    "--reference none.csv": (WITH_REFERENCE, "none.csv cannot be read"),
    "--reference bad.csv": (WITH_REFERENCE, "bad.csv, line 3, column 'e': 'x' is not a number"),
    "--test foo": (["compare", "verify", "diagnose"], "no significance test 'foo'"),
    "--test one_sample_t": (["compare"], "one_sample_t tests the scores of one system"),
    "--test friedman": (["diagnose"], "friedman is a test of all systems"),
    "--test friedman --baseline a": (["compare", "verify"], "friedman does not compare pairs"),
    "--test dunnett": (["compare"], "baseline"),
    "--test equivalence_t:margin=0.1": (["diagnose"], "need a test of a difference"),
    "--test equivalence_t": (["compare", "verify", "diagnose"], "needs a value of margin"),
    "--adjust foo": (["compare"], "'foo'"),
    "--test paired_t --adjust foo": (["verify"], "'foo'"),
    "--adjust holm": (["verify"], "needs --test; expected --test too"),
    "--alpha 0.1": (["verify"], "needs --test; expected --test too"),
    "--effect foo": (["compare"], "there is no effect size 'foo'"),
    "--alpha 2": (["compare", "diagnose", *EXPERIMENTS], "--alpha 2.0 is not accepted"),
    "--most 5 --bootstrap 9": (["diagnose"], "--most 5 is not accepted"),
    "--ties foo": (EXPERIMENTS, "--ties foo"),
    "--size 99": (EXPERIMENTS, "--size 99"),
    "--via foo": (["verify"], "--via foo"),
    "--formula score~sytem": (
        MODELS,
        "names 'sytem', which is not a factor (did you mean 'system'?)",
    ),
    "--formula log(score)~topic": (MODELS, "has 'log(score)' on its left"),
    "--means size --contrasts d.csv": (MODELS, "there is no term 'size'"),
    "--components r.csv": (MODELS, "r.csv has no column 'system'"),
    "--goal foo": (["plan"], "no goal 'foo'"),
}
ROWS = [
    pytest.param(command, option, fragment, id=f"{command} {option}")
    for option, (commands, fragment) in OPTIONS.items()
    for command in commands
]


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("command", "option", "fragment"), ROWS)
def test_a_mistake_in_an_option_is_not_one_of_the_scores(
    sentence: Sentence, command: str, option: str, fragment: str
) -> None:
    given = replaced(BASES[command].split(), option.split())
    message = sentence(FILES, [*command.split(), *given])
    assert not message.startswith("cdfscore: s.csv"), message
    assert any(each in message for each in fragment.split("|"))


@pytest.mark.parametrize("command", WITH_REFERENCE)
def test_a_gap_of_the_reference_names_the_reference(sentence: Sentence, command: str) -> None:
    files = {**FILES, "g.csv": SCORES.replace("303,0.3,", "303,,")}
    message = sentence(files, [*command.split(), *BASES[command].split(), "--reference", "g.csv"])
    assert message.startswith("cdfscore: g.csv, line 4: reference scores, topic '303', system 'a'")


ONE, CONSTANT = "topic,a\n301,0.1\n302,0.4\n", "topic,a,b,c,d\n301,1,1,1,1\n302,0.1,0.2,0.3,0.5\n"
OF_THE_SCORES = {
    "compare one.csv --test paired_t": "one.csv: there is 1 system to compare",
    "compare g.csv --test tukey_hsd --missing omit": "g.csv: topic '303', system 'a': tukey_hsd",
    "verify g.csv --scheme raw --test tukey_hsd --missing omit": "g.csv: topic '303', system 'a'",
    "compare s.csv --scheme z --test paired_t --reference k.csv": "s.csv, by the reference k.csv: "
    "topic '301', system 'a': the score by z is infinite",
    "verify s.csv --scheme z --test paired_t --reference k.csv": "s.csv, by the reference k.csv: "
    "topic '301', system 'a': the score by z is infinite",
    # Names of files that begin an error of the library.
    "standardize topic --scheme normal": "topic: topic '301': normal needs at least 2",
    "standardize scores --scheme normal": "scores, line 4: topic '303', system",
}


@pytest.mark.parametrize(("command", "beginning"), OF_THE_SCORES.items())
def test_a_mistake_in_the_scores_names_their_file(
    sentence: Sentence, command: str, beginning: str
) -> None:
    gappy = SCORES.replace("303,0.3,", "303,,")
    others = {"one.csv": ONE, "topic": ONE, "g.csv": gappy, "scores": gappy}
    k = CONSTANT + "".join(f"{t},0.1,0.2,0.3,0.5\n" for t in range(303, 307))
    message = sentence({**FILES, **others, "k.csv": k}, command.split())
    assert message.startswith(f"cdfscore: {beginning}")


@pytest.mark.parametrize(
    "options",
    [
        "--bootstrap -1",
        "--most -1",
        "--most 5 --bootstrap 9",
        "--seed -1",
        "--missing foo",
        "--test foo",
        "--test equivalence_t:margin=0.1",
        "--alpha 2",
    ],
)
def test_diagnose_checks_its_options_before_it_reads(sentence: Sentence, options: str) -> None:
    command = f"diagnose none.csv --scheme normal {options}"
    assert "none.csv" not in sentence(FILES, command.split())
