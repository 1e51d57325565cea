"""Templates give with Go's own text/template what they give here."""

from __future__ import annotations

import random

import pytest

from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.templates.rendering import Rendering, printable
from tests.integration.provision.templates.calls import CALLS, call_of_text
from tests.integration.provision.templates.generated import DATA, Generator
from tests.integration.provision.templates.golang import Case, Go, Result

CASES = 3000
# An integer and a float can be compared here: a number of data may be either.
MIXED_NUMBERS = [f"incompatible types for comparison: {types}" for types in ("int and float64", "float64 and int")]


def ours(case: Case) -> Result:
    try:
        return Result(printable(Rendering({}, strict=case.strict).text("root", case.text, case.data)), "")
    except TemplateError as error:
        return Result("", str(error))


def check(cases: list[Case], theirs: list[Result]) -> None:
    differences = []
    for case, expected in zip(cases, theirs, strict=True):
        found = ours(case)
        differ = bool(expected.error) != bool(found.error) or expected.output != found.output
        if differ and not any(message in expected.error for message in MIXED_NUMBERS):
            differences.append(f"{case.text}\nGo:   {expected}\nours: {found}")
    assert not differences, f"{len(differences)} differ:\n" + "\n\n".join(differences[:20])


@pytest.mark.matrix
@pytest.mark.parametrize("seed", [1, 2])
def test_generated_templates(plain: Go, seed: int) -> None:
    generator = Generator(seed)
    cases = [generator.case() for _ in range(CASES)]
    theirs = plain.render(cases)
    assert sum(not result.error for result in theirs) > CASES / 4
    check(cases, theirs)


@pytest.mark.matrix
def test_functions_of_sprig(sprig: Go) -> None:
    cases = [Case("{{" + call + "}}", DATA) for call in CALLS]
    check(cases, sprig.render(cases))


def test_generated_texts_in_functions_of_sprig(sprig: Go) -> None:
    generator = random.Random(7)
    cases = [Case("{{" + call_of_text(generator) + "}}", {}) for _ in range(CASES)]
    check(cases, sprig.render(cases))
