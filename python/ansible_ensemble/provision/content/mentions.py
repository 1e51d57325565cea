"""What the text of a template names: params, other templates, and members of what there is to know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from jinja2 import nodes as jinja_nodes
from msgspec import Struct

from ansible_ensemble.core.budget import Budget, Limits
from ansible_ensemble.provision.gotemplate import nodes
from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.objects.codec import field_names
from ansible_ensemble.provision.objects.content import BootEnv, Stage, Task
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.templates.job_actions import JINJA, engine_of, problem_of_text
from ansible_ensemble.provision.templates.machine_data import BootEnvData, MachineData
from ansible_ensemble.provision.templates.render_data import RenderData
from ansible_ensemble.provision.templates.rendering import parsed
from ansible_ensemble.provision.templates.sandbox import BoundedEnvironment

Kind: TypeAlias = Literal["params", "templates", "members"]

#: Members, and functions of Jinja, that take the name of a param first.
_OF_PARAMS = frozenset(name for name in RenderData.methods if "Param" in name and not name.startswith("BootParams"))
_PARAM_FUNCTIONS = frozenset(("param", "param_exists", "compose_param"))
#: What templates know by name, and the members of that.
MEMBERS: Mapping[str, frozenset[str]] = {
    "": frozenset({*RenderData.methods, "Machine", "Env", "Stage", "Task"}),
    "Machine": frozenset({*field_names(Machine), *MachineData.methods, "UUID"} - {"Secret"}),
    "Env": frozenset({*field_names(BootEnv), *BootEnvData.methods}),
    "Stage": frozenset(field_names(Stage)),
    "Task": frozenset(field_names(Task)),
}


class Mention(Struct, frozen=True):
    """Something that a template names.

    Attributes:
        kind: `params`, `templates`, or `members` for a member that is not there.
        name: as it is named; of a member, with what it should be a member of: `Machine.Nam`.
        line: of the text, from 1.
    """

    kind: Kind
    name: str
    line: int


def mentions(text: str, meta: Mapping[str, str]) -> list[Mention]:
    """What a text names in words; names that are computed are not known. Nothing for what is no template."""
    if problem_of_text(text, meta):
        return []
    return [*dict.fromkeys(_of_jinja(text) if engine_of(meta) == JINJA else _of_go(text))]


def defined(text: str, meta: Mapping[str, str]) -> set[str]:
    """The names of the templates that a text defines for others to invoke."""
    try:
        return set() if engine_of(meta) == JINJA else {*parsed("template", text)} - {"template"}
    except TemplateError:
        return set()


def _of_go(text: str) -> Iterator[Mention]:
    for name, tree in parsed("template", text).items():
        for node, at_root in _nodes(tree.body, name == "template"):
            for kind, named in _named(node, at_root):
                yield Mention(kind, named, tree.text.count("\n", 0, node.start) + 1)


def _nodes(body: Any, at_root: bool) -> Iterator[tuple[nodes.Node, bool]]:
    """All nodes of a tree, and whether the cursor is there what it is at the start; by hand, as content may be deep."""
    waiting = [(body, at_root)]
    while waiting:
        one, root = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend((item, root) for item in reversed(one))
        elif isinstance(one, nodes.Node):
            yield one, root
            moved = isinstance(one, nodes.With | nodes.Range)
            parts = reversed(one.__struct_fields__)
            waiting.extend((getattr(one, part), root and not (moved and part == "body")) for part in parts)


def _named(node: nodes.Node, at_root: bool) -> Iterator[tuple[Kind, str]]:
    if isinstance(node, nodes.Invocation):
        yield "templates", node.name
    if isinstance(node, nodes.Command) and len(node.operands) > 1:
        called, first = _names(node.operands[0]), node.operands[1]
        if called and isinstance(first, nodes.Literal) and isinstance(first.value, str):
            if called[-1] in _OF_PARAMS:
                yield "params", first.value
            if called[-1] == "CallTemplate":
                yield "templates", first.value
    names = _names(node) if at_root else ()
    if names and names[0] not in MEMBERS[""]:
        yield "members", names[0]
    elif len(names) > 1 and names[1] not in MEMBERS.get(names[0], names):
        yield "members", f"{names[0]}.{names[1]}"


def _names(node: nodes.Node) -> tuple[str, ...]:
    """The members that a node names, of the cursor or of what the template began with."""
    if isinstance(node, nodes.Field) or (isinstance(node, nodes.Variable) and node.name == "$"):
        return node.names
    return ()


def _of_jinja(text: str) -> Iterator[Mention]:
    tree = BoundedEnvironment(Budget(Limits()), {}).parse(text)
    for call in tree.find_all(jinja_nodes.Call):
        if isinstance(call.node, jinja_nodes.Name) and call.node.name in _PARAM_FUNCTIONS and call.args:
            yield from _constant("params", call.args[0])
    for include in tree.find_all(jinja_nodes.Include):
        if not include.ignore_missing:
            yield from _constant("templates", include.template)


def _constant(kind: Kind, node: Any) -> Iterator[Mention]:
    if isinstance(node, jinja_nodes.Const) and isinstance(node.value, str):
        yield Mention(kind, node.value, node.lineno)
