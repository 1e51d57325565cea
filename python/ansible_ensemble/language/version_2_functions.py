"""The functions that a file of TOSCA 2.0 defines [TOSCA 2.0, 10.4]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.problems import Problems

_SECTION = "functions"


def read_functions(document: Mapping[str, Any], problems: Problems) -> dict[str, str | None]:
    """The functions that a file defines, each with the Python function that implements it, None if none does."""
    if _SECTION not in document:
        return {}
    place = place_of(document, _SECTION)
    if not document[_SECTION]:
        problems.add(f"the section {_SECTION} is empty", place)
    section = problems.mapping(document[_SECTION], f"the section {_SECTION}", place)
    found: dict[str, str | None] = {}
    for name, raw in section.items():
        what, where = f"the function '{name}'", place_of(section, name)
        body = problems.mapping(raw, what, where)
        problems.check_keys(body, "function", where)
        if not body.get("signatures"):
            problems.add(f"{what} has no signatures", where, "signatures: [{arguments: [integer], result: float}]")
        signatures = problems.sequence(body.get("signatures"), f"the signatures of {what}", where)
        files = [*_files(signatures, what, problems)]
        found[name] = next((f"{file}#{name}" for file in files if file.endswith(".py")), None)
    return found


def _files(signatures: Any, what: str, problems: Problems) -> Iterator[str]:
    """The files that implement a function."""
    for number, raw in enumerate(signatures):
        place = place_of(signatures, number)
        signature = problems.mapping(raw, f"a signature of {what}", place)
        problems.check_keys(signature, "signature", place)
        problems.sequence(signature.get("arguments"), f"the arguments of {what}", place_of(signature, "arguments"))
        if isinstance(raw, Mapping) and "result" not in signature:
            problems.add(f"a signature of {what} does not say what its result is", place)
        file = signature.get("implementation")
        for key in ("primary", "file"):
            file = file.get(key) if isinstance(file, Mapping) else file
        if isinstance(file, str):
            yield file
