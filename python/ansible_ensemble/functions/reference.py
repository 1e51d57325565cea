"""Writes the reference of the expression language from the docstrings of its functions and special keys.

`python -m ansible_ensemble.functions.reference` prints it.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping

from ansible_ensemble.expressions.context import Function
from ansible_ensemble.expressions.special import SPECIAL_KEYS
from ansible_ensemble.functions.registration import functions_of
from ansible_ensemble.functions.table import MODULES
from ansible_ensemble.views import reads

_HEAD = """\
# Expressions

<!-- Made by `python -m ansible_ensemble.functions.reference`; do not edit it. -->

A value of the spec is data, with expressions in it:

- a TOSCA function: `{get_property: [SELF, port]}`;
- an `eval` expression: `{eval: "::db::url"}` (`ref` is the same word);
- a template, rendered by Ansible with its filters, tests and lookups: `"http://{{ HOST.public_address }}:80"`.

A value is evaluated when it is read, and what it read is recorded: that record tells what has to be configured again.
An attribute that no operation has set yet *defers* whatever needs it until it is known. A sensitive value makes
sensitive what is made of it. Text that comes from outside the spec (attributes, outputs of operations, environment
variables, files) is never evaluated. An entry of a map may need another one of the same map, `b: {eval: ".::f::a"}` in
the property `f`; nothing may need itself.

Try one on what is recorded: `ansible-ensemble query '::db::url'`, or `query '{{ SELF.port + 1 }}' --instance app`. A
secret is masked.

## `eval`

| key | meaning |
|---|---|
| `eval` | a path, a function with its arguments, or data |
| `vars` | a map of values that paths reach as `$name` and templates as `name` |
| `foreach` | an expression for each item of the result, giving a list; or `{key: ..., value: ...}`, giving a map |
| `select` | an expression that is evaluated on the result |
| `strict` | `false`: an error gives null; `required`: nothing found is an error; `notnull`: null is an error |
| `base_dir` | the folder that relative file names start in |
| `trace` | writes what the expression gives to the job's log |

In `foreach` and `select`, a map that is no function is data: `{size: {eval: $item}}`. In `foreach`, `$item`, `$key`,
`$index` and `$collection` are set; the values `$continue` and `$break` leave an item out and end the loop.

## Paths

A path is segments joined by `::`; each is a key, then filters in brackets, then `?` for the first match only.

| form | meaning |
|---|---|
| `::app::url` | property or attribute `url` of the instance `app` |
| `.::url`, `.name` | of the current instance; keys that begin with a dot are special |
| `url` | of the nearest of the instance, its hosts and the topology that has it |
| `$x::a` | of the variable `x` |
| `tags::0`, `tags::-1` | an item of a list |
| `*` | all values of a map, list or instance; `::*` is all instances |
| `a[b]`, `a[!b]` | only if (not) the path `b` leads to something true |
| `a[b=text]`, `a[b!=$x]`, `a[=text]` | only if the value at `b` (or the thing itself) is (not) the text or variable |
| `a?` | only the first match |

A list in the middle of a path stands for its items. No match gives null, one match itself, several a list. Filters of a
list keep its items. The name of a template with several instances means the first; `.siblings` gives all.

## Special keys

| key | value |
|---|---|
"""

_TEMPLATES = """\

## Templates

Variables: `SELF`, `HOST`, `SOURCE`, `TARGET`, `ORCHESTRATOR`, `OPERATION_HOST` (where they mean something), `NODES`
(all instances by name), `ROOT` or `TOPOLOGY` (`inputs`, `outputs`), `inputs` (the operation's), `task` (`dryrun`,
`name`, `operation`, `target`, `timeout`, `cwd`, ...), the job's variables and those of `vars`; then the variables that
Ansible's inventory has for the machine that `SELF` stands on (of `localhost`, if it knows none of that name), and those
of others as `hostvars['db1'].port`. Special keys are read as `SELF['.targets']`. Filters beside Ansible's: `eval` (or
`ref`), `map_value`, `sensitive`, `abspath`, `get_dir`, `which` and the `to_..._label` family; an expression that a
filter evaluates may not use the functions marked with *. A header line like
`#jinja2: variable_start_string: '[%', variable_end_string: '%]'` sets Jinja's options. A template that is a single
expression gives its native type.

## References of reads

"""


def reference() -> str:
    """The reference of the language as Markdown."""
    lines = [_HEAD + "\n".join(_special_keys()), _TEMPLATES + _table_of(reads.__doc__ or "")]
    for module in MODULES:
        lines.append(f"\n## {_heading(inspect.getdoc(module) or '')}\n")
        lines.extend(["| function | meaning | example |", "|---|---|---|"])
        lines.extend(_rows({made.name: made for made in functions_of(module)}))
    return "\n".join(lines) + "\n"


def _special_keys() -> Iterator[str]:
    yield "| `.` | the thing itself |"
    for key, rule in SPECIAL_KEYS.items():
        yield f"| `{key}` | {_flowed(inspect.getdoc(rule) or '')} |"


def _heading(doc: str) -> str:
    return doc.splitlines()[0].rstrip(".")


def _rows(functions: Mapping[str, Function]) -> Iterator[str]:
    done: set[str] = set()
    for made in functions.values():
        if made.name in done:
            continue
        names = [other.name for other in functions.values() if other.run is made.run]
        done.update(names)
        meaning, _, example = inspect.cleandoc(made.doc).partition("Example: ")
        marks = ("" if made.safe else "*") + ("" if made.top else " (in `eval`)")
        shown = ", ".join(f"`{name}`" for name in names)
        yield f"| {shown}{marks} | {_flowed(meaning)} | {_flowed(example)} |"


def _flowed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")


def _table_of(doc: str) -> str:
    return "\n".join(line for line in inspect.cleandoc(doc).splitlines() if line.startswith("|")) + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
