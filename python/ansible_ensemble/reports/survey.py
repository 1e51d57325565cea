"""Surveys of AWX: the inputs of a job as questions that people answer where they launch it.

An answer is an extra variable `input_NAME`, and the job checks it as any given input; AWX checks what it can itself.
Its rules: at least one question; limits are whole numbers; a default is a text, but for numbers; choices are texts of
one line.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

Input = Mapping[str, Any]
Question = dict[str, Any]

#: What AWX wants of a question that proposes nothing and has no limits.
_OPEN: Question = {"default": "", "min": None, "max": None}
_NUMBERS = frozenset({"integer", "float"})
#: Types that are answered in YAML.
_WHOLES = {"list": "a list", "map": "a map", "range": "two bounds"}
_LONG = frozenset({"json", "xml", *_WHOLES})
_LOW = {"greater_or_equal": 0, "greater_than": 1}
_HIGH = {"less_or_equal": 0, "less_than": -1}
_LENGTHS = {"length": ("min", "max"), "min_length": ("min",), "max_length": ("max",)}


def survey(
    inputs: Iterable[Input], *, begins: bool = True, also: Iterable[Input] = (), ensembles: Sequence[str] = ()
) -> dict[str, Any]:
    """The survey that asks for inputs; empty if there are none, as AWX has no survey without questions.

    Args:
        inputs: each a `name`, `type`, `entry` (of a list: the `type` and `constraints` of its entries, or null),
            `description`, `required`, `secret`, `constraints`, and `default` if that is known.
        begins: whether jobs begin with these inputs, so that one without a value has to be answered. No answer is
            proposed, for AWX gives what it proposes: what is not answered is as it was deployed.
        also: inputs of a workflow, which jobs of it begin with; they hide others of their names.
        ensembles: paths, of which one is chosen, if the inputs are those of several ensembles.
    """
    lasting = {one["name"]: _lasting(one, begins=begins) for one in inputs}
    asked = lasting | {one["name"]: one for one in also}
    questions = [*choice(ensembles), *map(_question, asked.values())]
    if begins and lasting:
        questions.append(_reset(list(lasting)))
    return {"name": "", "description": "", "spec": questions} if questions else {}


def united(inputs: Mapping[str, Sequence[Input]]) -> list[Input]:
    """The inputs of several ensembles, by their paths, as those of one survey."""
    paths: dict[str, dict[str, Input]] = {}
    for path, found in inputs.items():
        for one in found:
            paths.setdefault(one["name"], {})[path] = one
    return [_common(found, len(found) == len(inputs)) for found in paths.values()]


def _common(found: Mapping[str, Input], is_everywhere: bool) -> Input:
    """An input as several ensembles have it: of any type if they do not agree, and with the default of all or none."""
    first, *others = found.values()
    agreed = {key: value for key, value in first.items() if all(one.get(key) == value for one in others)}
    if not {"type", "entry", "constraints"} <= agreed.keys():
        agreed |= {"type": "any", "entry": None, "constraints": []}
    if not is_everywhere:
        agreed.pop("default", None)
        agreed["description"] = f"{first['description']} (of {', '.join(found)})"
    return {
        "description": "",
        **agreed,
        "required": is_everywhere and all(one["required"] for one in found.values()),
        "secret": any(one["secret"] for one in found.values()),
    }


def choice(ensembles: Sequence[str]) -> list[Question]:
    """The question which ensemble a job is for; none if there is nothing to choose."""
    asked = {"question_name": "ensemble", "question_description": "Which ensemble", "variable": "ensemble"}
    return [_OPEN | asked | {"type": "multiplechoice", "choices": ensembles, "required": True}] if ensembles else []


def _lasting(one: Input, *, begins: bool) -> Input:
    """An input that keeps its value from job to job, as it is asked for: people read what it is at first."""
    asked = {key: value for key, value in one.items() if key != "default"}
    if begins and one.get("default") is not None and not one["secret"]:
        return asked | {"first": one["default"]}
    return asked | {"required": one["required"] and begins}


def _reset(names: Sequence[str]) -> Question:
    """Which inputs forget what they were given."""
    return _OPEN | {
        "question_name": "Inputs to reset",
        "question_description": "These go back to what the ensemble has",
        "variable": "ensemble_reset_inputs",
        "type": "multiselect",
        "choices": names,
        "required": False,
    }


def _question(one: Input) -> Question:
    has_default = one.get("default") is not None and not one["secret"]
    question: Question = _OPEN | {
        "question_name": one["name"],
        "question_description": " ".join(_descriptions(one)),
        "variable": f"input_{one['name']}",
        "required": bool(one["required"]),
    }
    question |= _kind(one)
    if has_default:
        question["default"] = _default(one["default"], question["type"], one["type"])
        if question["type"] == "text" and "\n" in question["default"]:
            question["type"] = "textarea"
    elif question["type"] in ("text", "textarea", "password") and not one["required"]:
        question["min"] = question["min"] or 1  # AWX hands on an empty text only where none is too short
    return question


def _kind(one: Input) -> Question:
    kind, choices = one["type"], _choices(one["constraints"])
    if one["secret"]:
        return {"type": "password"} | (_limits(one) if kind == "string" else {})
    if kind == "boolean":
        choices = ["true", "false"]
    if choices is not None:
        return {"type": "multiplechoice", "choices": choices}
    entries = _choices(one["entry"]["constraints"]) if kind == "list" and one["entry"] else None
    if entries is not None:
        return {"type": "multiselect", "choices": entries}
    if kind in _NUMBERS:
        return {"type": kind} | _limits(one)
    return {"type": "textarea" if kind in _LONG else "text"} | (_limits(one) if kind == "string" else {})


def _choices(constraints: Sequence[Mapping[str, Any]]) -> list[str] | None:
    """The values that constraints leave, as texts; None where they name none, or one that no list of AWX can hold."""
    found: list[str] | None = None
    for clause in constraints:
        for operator, operand in clause.items():
            if operator in ("valid_values", "equal"):
                values = [_text(value) for value in (operand if operator == "valid_values" else [operand])]
                found = values if found is None else [value for value in found if value in values]
    return found if found and all(len(value.splitlines()) == 1 for value in found) else None


def _limits(one: Input) -> Question:
    found: Question = {"min": None, "max": None}
    for clause in one["constraints"]:
        for key, value in _bounds(clause, one["type"]):
            closer = max if key == "min" else min
            found[key] = value if found[key] is None else closer(found[key], value)
    return found


def _bounds(clause: Mapping[str, Any], kind: str) -> Iterator[tuple[str, int]]:
    """The bounds that a clause sets; those of a float are widened to whole numbers, and the job checks it again."""
    step = 1 if kind == "integer" else 0
    for operator, operand in clause.items():
        if operator == "in_range" and isinstance(operand, list):
            yield from _whole(("min", "max"), operand)
        elif operator in _LOW and kind in _NUMBERS:
            yield from ((key, value + _LOW[operator] * step) for key, value in _whole(("min",), [operand]))
        elif operator in _HIGH and kind in _NUMBERS:
            yield from ((key, value + _HIGH[operator] * step) for key, value in _whole(("max",), [operand]))
        elif operator in _LENGTHS and kind == "string":
            yield from _whole(_LENGTHS[operator], [operand] * len(_LENGTHS[operator]))


def _whole(keys: Sequence[str], bounds: Sequence[Any]) -> Iterator[tuple[str, int]]:
    for key, bound in zip(keys, bounds, strict=False):
        if isinstance(bound, int | float) and math.isfinite(bound):  # it may be UNBOUNDED, or an expression
            yield key, (math.floor if key == "min" else math.ceil)(bound)


def _default(value: Any, question: str, kind: str) -> Any:
    """A default as AWX takes it for a type of question."""
    if question in _NUMBERS:
        return value
    if question == "multiselect":
        return "\n".join(map(_text, value))
    return json.dumps(value, ensure_ascii=False) if kind in _LONG and not isinstance(value, str) else _text(value)


def _text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _descriptions(one: Input) -> Iterator[str]:
    """What people read of an input: its description, how it is answered, and what AWX does not check."""
    if one["description"]:
        yield " ".join(one["description"].split())
    if one["type"] in _WHOLES and _kind(one)["type"] in ("textarea", "password"):
        yield f"(YAML: {_WHOLES[one['type']]})"
    elif one["type"] not in ("string", "any", "boolean", *_NUMBERS):
        yield f"({one['type']})"
    for clause in one["constraints"]:
        if "pattern" in clause:
            yield f"(pattern: {clause['pattern']})"
    if "first" in one:
        first = one["first"]
        shown = json.dumps(first, ensure_ascii=False) if first == "" or not isinstance(first, str) else first
        yield f"(unanswered: as deployed, at first {' '.join(shown.split())})"
