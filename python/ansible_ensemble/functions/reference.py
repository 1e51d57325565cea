"""Writes the reference of expressions from the declarations of functions and the docstrings of special keys.

`python -m ansible_ensemble.functions.reference` prints it.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from itertools import groupby

from ansible_ensemble.expressions.special import SPECIAL_KEYS
from ansible_ensemble.functions.table import function_table
from ansible_ensemble.language.functions import FunctionDeclaration, functions
from ansible_ensemble.views import reads

_HEAD = """\
# Expressions

<!-- Made by `python -m ansible_ensemble.functions.reference`; do not edit it. -->

This page lists the expressions that values of the specification may contain: functions, paths and templates.

A value of the spec is data that may contain:

- a TOSCA function: `{get_property: [SELF, port]}`;
- an `eval` expression: `{eval: "::db::url"}` (`ref` is a synonym);
- a template, rendered by Ansible with its filters, tests and lookups: `"http://{{ HOST.public_address }}:80"`.

A value is evaluated when it is read. The values that it reads are recorded, and used to detect changes. An operation
that needs an attribute which is not set yet is *deferred* until it is set. A value computed from a sensitive value is
sensitive. Text from outside the spec (attributes, outputs of operations, environment variables, files) is never
evaluated. A part of a map or list may read another part of it, `b: {eval: ".::f::a"}` in the property `f` or
`{{ inputs.f.a }}` in the input `f`, but not itself.

To try an expression on the recorded status, run `ansible-ensemble query '::db::url'`, or add `--instance app` for
`'{{ SELF.port + 1 }}'`. Secrets are masked.

## `eval`

| key | meaning |
|---|---|
"""

_PATHS = """\

In `foreach` and `select`, a map that is not a function is data: `{size: {eval: $item}}`; one of `value`, and `key` for
a map, makes each item. In `foreach`, `$item`, `$key`, `$index` and `$collection` are set; the values `$continue` and
`$break` skip an item and end the loop.

## Paths

A path consists of segments joined by `::`. Each is a key, optional filters in brackets, and an optional `?` for the
first match only.

| form | meaning |
|---|---|
| `::app::url` | property or attribute `url` of the instance `app` |
| `.::url`, `.name` | of the current instance; keys that begin with a dot are special |
| `url` | of the instance, its nearest host, or the topology, whichever has it first |
| `$x::a` | of the variable `x`: of `vars`, the job's, or what templates see by that name, as `$SELF`, `$inputs` |
| `tags::0`, `tags::-1` | an item of a list |
| `*` | all values of a map, list or instance; `::*` is all instances |
| `a[b]`, `a[!b]` | only if the path `b` is (not) true |
| `a[b=text]`, `a[b!=$x]`, `a[=text]` | only if the value at `b` (or the thing itself) is (not) the text or variable |
| `a?` | only the first match |

A list in the middle of a path is replaced by its items. No match gives null, one match the value, several a list.
Filters on a list select items. The name of a template with several instances means the first; `.siblings` gives all.

In an ensemble of Unfurl's `apiVersion`, paths lead where they lead in Unfurl: filters behind a key are of its value as
a whole, and a list has met one if an item does (`a::[b]` selects items); `*` takes no filters, and `::*` begins with
the topology.

## Special keys

| key | value |
|---|---|
"""

_TEMPLATES = """\

## Templates

Variables: `SELF`, `HOST`, `SOURCE`, `TARGET`, `ORCHESTRATOR`, `OPERATION_HOST` (where they are defined), `NODES`
(all instances by name), `ROOT` or `TOPOLOGY` (`inputs`, `outputs`), `inputs` (the operation's), `task` (`dryrun`,
`name`, `operation`, `target`, `timeout`, `cwd`, ...), the job's variables and those of `vars`; then the variables that
Ansible's inventory has for the machine that hosts `SELF` (of `localhost`, if it has no such host), and those of others
as `hostvars['db1'].port`. Special keys are read as `SELF['.targets']`. Filters beside Ansible's: `eval` (or
`ref`) and `map_value`, which take variables (`'$n' | eval(n=1)`), `sensitive`, `abspath`, `get_dir`, `which` and the
`to_..._label` family; an expression that a filter evaluates may not use the functions marked with *. A header line like
`#jinja2: variable_start_string: '[%', variable_end_string: '%]'` sets Jinja's options. A template that is a single
expression gives its native type.

## References of reads

"""


def reference() -> str:
    """The reference of the language as Markdown."""
    declared = list(dict.fromkeys(functions().values()))
    (head, *_others), *sections = (list(one) for _section, one in groupby(declared, lambda one: one.section))
    lines = [_HEAD + "\n".join(_rows({head.name: head.meaning, **head.options})), _PATHS + "\n".join(_special_keys())]
    lines.append(_TEMPLATES + _table_of(reads.__doc__ or ""))
    for section in sections:
        lines.extend([f"\n## {section[0].section}\n", "| function | meaning | example |", "|---|---|---|"])
        lines.extend(map(_row, section))
    return "\n".join(lines) + "\n"


def _rows(meanings: Mapping[str, str]) -> Iterator[str]:
    return (f"| `{name}` | {_flowed(meaning)} |" for name, meaning in meanings.items())


def _special_keys() -> Iterator[str]:
    return _rows({".": "the thing itself", **{key: inspect.getdoc(rule) or "" for key, rule in SPECIAL_KEYS.items()}})


def _row(declared: FunctionDeclaration) -> str:
    marks = ("" if function_table()[declared.name].safe else "*") + ("" if declared.top else " (in `eval`)")
    shown = ", ".join(f"`{name}`" for name in declared.names)
    return f"| {shown}{marks} | {_flowed(declared.meaning)} | {_flowed(f'`{declared.example}`')} |"


def _flowed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")


def _table_of(doc: str) -> str:
    return "\n".join(line for line in inspect.cleandoc(doc).splitlines() if line.startswith("|")) + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
