"""Write what is made from the tables in the code into the files that Ansible and people read: `make generate`.

A file holds what is made between two comments, `>>> WHAT` and `<<<`. tests/unit/plugins/test_generated.py holds that it
is up to date.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from ansible_ensemble.cli import elsewhere
from ansible_ensemble.cli.agent_hosts import DECLARED as AGENT_HOSTS
from ansible_ensemble.cli.commands.provision.agent import DECLARED as AGENT
from ansible_ensemble.cli.other_tools import TOOLS
from ansible_ensemble.configurators.keywords import OTHERS_INPUTS
from ansible_ensemble.configurators.teardown import OF_PACKAGES, PACKAGES
from ansible_ensemble.configurators.teardown import TABLE as TEARDOWN
from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.core.option import Option, options_of
from ansible_ensemble.ensembles.options import OPTIONS
from ansible_ensemble.language.keys import UNHEEDED
from ansible_ensemble.language.normative import SECTIONS, normative_types
from ansible_ensemble.language.playbook_keywords import ELSEWHERE
from ansible_ensemble.provision.agent.states import TABLE
from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.server.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
FILES = (
    "docs/coming-from.md",
    "docs/jobs.md",
    "docs/machines-agent.md",
    "docs/options.md",
    "docs/provision.md",
    "docs/teardown.md",
    "playbooks/carry_out.yml",
    "playbooks/history.yml",
    "playbooks/outputs.yml",
    "playbooks/status.yml",
    "playbooks/validate.yml",
    "plugins/action/provision_info.py",
    "plugins/action/provision_object.py",
    "plugins/doc_fragments/options.py",
    "plugins/modules/provision_info.py",
    "plugins/modules/provision_object.py",
    "plugins/plugin_utils/arguments.py",
    "roles/job/meta/argument_specs.yml",
    "roles/job/tasks/main.yml",
    "roles/job/tasks/plan.yml",
    *sorted(str(page.relative_to(ROOT)) for page in ROOT.glob("roles/*/README.md")),
)
MODULES = ("lock", "plan", "execute", "record", "info", "validate", "survey")
WIDTH = 120

_REGION = re.compile(r"(?ms)^( *)(# |<!-- )>>> ([\w ]+?) \(make generate\)( -->)?\n.*?^ *\2<<<\4?\n")
_KINDS = {"list[str]": {"type": "list", "elements": "str"}, "dict[str, Any]": {"type": "dict"}, "Any": {"type": "raw"}}


def filled(text: str) -> str:
    """The text of a file with each of its regions made anew."""

    def made(match: re.Match[str]) -> str:
        indent, begin, what, end = match[1], match[2], match[3], match[4] or ""
        maker, *arguments = what.split()
        lines = [line if line == "" else indent + line for line in MAKERS[maker](*arguments)]
        body = ["", *lines, ""] if end else lines
        return "\n".join([f"{indent}{begin}>>> {what} (make generate){end}", *body, f"{indent}{begin}<<<{end}", ""])

    return _REGION.sub(made, text)


def arguments() -> Iterator[str]:
    """The argument specifications of the modules."""
    for module in MODULES:
        yield f'"{module}": {{'
        for one in _taken(module):
            yield f'    "{one.variable}": {json.dumps(_spec(one)).replace("true", "True").replace("false", "False")},'
        yield "},"


def renamed() -> Iterator[str]:
    """Options of the command whose variables have other names."""
    for one in OPTIONS:
        for flag in one.flags:
            name = flag.removeprefix("--")
            if one.modules and not name.startswith(("-", "no-")) and name.replace("-", "_") != one.variable:
                yield f'"{name}": "{one.variable}",'


def fragment(module: str) -> Iterator[str]:
    """The documentation of a module's job options."""
    named = {one.variable for one in _taken(module)}
    for one in _taken(module):
        yield from _documented(one, one.variable, lambda word, one=one: _of_module(word, one, named))


def role(entry: str) -> Iterator[str]:
    """The role's variables that are job options; those of planning, or all."""
    for one in OPTIONS:
        if one.modules if entry == "main" else entry in one.modules:
            yield from _documented(one, f"ensemble_{one.variable}", lambda word, one=one: _of_role(word, one))


def variables(module: str) -> Iterator[str]:
    """How the role hands its variables to a module."""
    for one in _taken(module):
        name = one.variable
        yield f'{name}: "{{{{ ensemble_{name} | default(ensemble_options.{name} | default(omit)) }}}}"'


def handed(module: str) -> Iterator[str]:
    """How a playbook hands the command's variables to a module."""
    for one in _taken(module):
        yield f'{one.variable}: "{{{{ ensemble_{one.variable} | default(omit) }}}}"'


def teardown() -> Iterator[str]:
    """What takes away what a module made, and what stays."""
    rows: dict[tuple[str, str], list[str]] = {}
    for name, row in TEARDOWN.items():
        rows.setdefault((row.way.description, row.leaves), []).append(name.removeprefix("ansible.builtin."))
    yield from ("| module | undeploy | what stays |", "|---|---|---|")
    for (told, leaves), names in rows.items():
        yield f"| {', '.join(f'`{name}`' for name in names)} | {told} | {leaves} |"
    packages = ", ".join(f"`{name.removeprefix('ansible.builtin.')}`" for name in sorted(PACKAGES))
    yield f"| {packages} | the packages that were not installed before are removed | {OF_PACKAGES} |"


def variables_of(name: str) -> Iterator[str]:
    """A role's variables, those that are no options of a job."""
    specs = yaml.safe_load((ROOT / "roles" / name / "meta" / "argument_specs.yml").read_text(encoding="utf-8"))
    known = {f"ensemble_{one.variable}" for one in OPTIONS}
    yield from ("| variable | default | meaning |", "|---|---|---|")
    for variable, spec in specs["argument_specs"]["main"]["options"].items():
        if variable not in known:
            told = spec["description"]
            meaning = re.sub(r"[A-Z]\(([^)]*)\)", r"`\1`", told if isinstance(told, str) else " ".join(told))
            default = f"`{json.dumps(spec['default'])}`" if "default" in spec else ""
            yield f"| `{variable}` | {'required' if spec.get('required') else default} | {meaning} |"


def options() -> Iterator[str]:
    """The reference of job options."""
    for number, heading in enumerate(dict.fromkeys(one.heading for one in OPTIONS)):
        yield from ([""] if number else [])
        yield from (f"## {heading[0].upper()}{heading[1:]}", "")
        yield from ("| command | variable | default | meaning |", "|---|---|---|---|")
        for one in (one for one in OPTIONS if one.heading == heading):
            flags = ", ".join(f"`{flag} {one.metavar or ''}".rstrip() + "`" for flag in one.flags)
            variable = f"`ensemble_{one.variable}`" if one.modules else ""
            default = one.otherwise or (f"`{_default(one)}`" if "default" in _spec(one) else "")
            values = [f"one of {', '.join(f'`{choice}`' for choice in one.choices)}"] if one.choices else []
            meaning = " ".join([f"{'; '.join([one.help, *values])}.", *one.details])
            yield f"| {flags} | {variable} | {default} | {meaning} |"


def settings() -> Iterator[str]:
    """The settings of the server of machines."""
    yield from ("| option | default | meaning |", "|---|---|---|")
    for one in options_of(Settings):
        default = one.otherwise or (f"`{_default(one)}`" if one.default not in ("", False) else "")
        values = f"; one of {', '.join(f'`{choice}`' for choice in one.choices)}" if one.choices else ""
        flag = f"{one.flags[0]} {one.metavar or ''}".rstrip()
        yield f"| `{flag}` | {default} | {one.help}{values}. |"


def actions() -> Iterator[str]:
    """What the symbols of a plan mean."""
    yield from ("| symbol | meaning |", "|---|---|")
    yield from (f"| `{action.value}` | {action.meaning} |" for action in Action if action.meaning)


def reasons() -> Iterator[str]:
    """What the reasons of a plan mean."""
    yield from ("| reason | the operation is planned because |", "|---|---|")
    yield from (f"| `{reason.value}` | {reason.because} |" for reason in Reason)


def notices() -> Iterator[str]:
    """What validate warns of, and what to do."""
    yield from ("| code | | what it is about | what to do |", "|---|---|---|---|")
    for code in NoticeCode:
        writes = "; `--write` does it" if code.is_written else ""
        yield f"| `{code.value}` | {code.effect.value} | {code.meaning} | {code.remedy}{writes} |"


def ignored() -> Iterator[str]:
    """Keys that nothing acts on, and what to do."""
    yield from ("| key | of | instead |", "|---|---|---|")
    for element, ignored_keys in UNHEEDED.items():
        for key, remedy in ignored_keys.items():
            yield f"| `{key}` | {element.replace('_', ' ')} | {remedy} |"


def refused() -> Iterator[str]:
    """Keys of implementations and inputs that are refused, and what to do."""
    yield from ("| key | of | instead |", "|---|---|---|")
    yield from (f"| `{key}` | implementation | {remedy} |" for key, remedy in ELSEWHERE.items())
    for configurator, inputs in OTHERS_INPUTS.items():
        yield from (f"| `{key}` | inputs of `{configurator}` | {remedy} |" for key, remedy in inputs.items())


def words() -> Iterator[str]:
    """Commands and options of other tools, and what the error says of each."""
    yield from ("| typed | answer |", "|---|---|")
    yield from (f"| `{word}` | {answer} |" for word, answer in elsewhere.COMMANDS.items())
    for word, answer in elsewhere.OPTIONS.items():
        yield f"| `{'--' if len(word) > 1 else '-'}{word}` | {answer} |"


def types() -> Iterator[str]:
    """The types of Unfurl that are always there."""
    yield from ("| kind | types |", "|---|---|")
    for kind, section in SECTIONS.items():
        names = [name for name in normative_types()[1].get(section, {}) if not name.startswith("tosca.")]
        names += [name for name in normative_types()[2].get(section, {}) if name.startswith("unfurl.")]
        if names:
            yield f"| {kind} | {', '.join(f'`{name}`' for name in sorted(names))} |"


def unfurl() -> Iterator[str]:
    """The command lines of Unfurl."""
    yield from _spoken("unfurl")


def compared() -> Iterator[str]:
    """What was compared with other tools, and how much of it is the same."""
    yield from ("| what | with | the same | by |", "|---|---|---|---|")
    expressions, ends = _cases("unit/expressions/unfurl/expressions.yaml"), _cases("integration/jobs/unfurl/cases.yaml")
    for what, cases, test in (
        ("expressions", expressions, "tests/unit/expressions/test_unfurl_expressions.py"),
        ("ensembles after their jobs", list(ends.values()), "tests/integration/jobs/unfurl/test_same_end.py"),
    ):
        same = sum("here" not in case for case in cases)
        yield f"| {what} | Unfurl 1.2.0 | {same} of {len(cases)}, {same / len(cases):.1%} | `{test}` |"


def different() -> Iterator[str]:
    """Expressions with another value than in Unfurl, and why."""
    yield from ("| expression | Unfurl 1.2.0 | here | why Unfurl's is not taken |", "|---|---|---|---|")
    for case in _cases("unit/expressions/unfurl/expressions.yaml"):
        if "here" in case:
            cells = (json.dumps(case[key]).replace("|", "\\|") for key in ("of", "unfurl", "here"))
            yield f"| {' | '.join(f'`{cell}`' for cell in cells)} | {case['why']} |"


def _cases(name: str) -> Any:
    return yaml.load((ROOT / "tests" / name).read_text(encoding="utf-8"), yaml.CSafeLoader)


def opera() -> Iterator[str]:
    """The command lines of opera."""
    yield from _spoken("opera")


def _spoken(name: str) -> Iterator[str]:
    tool = TOOLS[name]
    yield from (f"| `{name}` | `ansible-ensemble` |", "|---|---|")
    for called, command in tool.commands.items():
        yield f"| `{called}` | {_shown(f'{command.ours} {command.place}'.rstrip())} |"
    options: dict[str, dict[str, list[str]]] = {}
    for called, command in tool.commands.items():
        for option, ours in command.options.items():
            options.setdefault(option, {}).setdefault(ours, []).append(f"`{called}`")
    for option, ours in tool.everywhere.items():
        yield f"| `{option}` | {_shown(ours)} |"
    for option, meanings in options.items():
        for ours, commands in meanings.items():
            where = f" of {', '.join(commands)}" if len(meanings) > 1 or len(commands) == 1 else ""
            yield f"| `{option}`{where} | {_shown(ours)} |"


def _shown(ours: str) -> str:
    """What stands for a command or an option: a sentence as it is."""
    if not ours:
        return "not needed"
    return ours.removesuffix(".") if ours.endswith(".") else f"`{ours}`"


def agent() -> Iterator[str]:
    """The options of the agent of machines."""
    yield from _table(AGENT)


def agent_hosts() -> Iterator[str]:
    """Its options that are about Ansible."""
    yield from _table(AGENT_HOSTS)


def _table(declared: Iterable[Option]) -> Iterator[str]:
    yield from ("| option | default | meaning |", "|---|---|---|")
    for one in declared:
        yield f"| `{one.flags[-1]} {one.metavar or ''}".rstrip() + f"` | {one.otherwise} | {one.help}. |"


def transitions() -> Iterator[str]:
    """The states of the agent of machines, and what leads from one to another."""
    yield from ("| state | what happened | then | next state |", "|---|---|---|---|")
    for row in TABLE:
        happened = f"{row.happened.value}, with `{row.when.value}`" if row.when.value else row.happened.value
        yield f"| {row.state.value} | {happened} | {row.instruction.value} | {row.to.value} |"


def kinds(purpose: str) -> Iterator[str]:
    """The kinds of objects that a module takes, in its arguments."""
    yield from ('"choices": [', *(f'    "{kind}",' for kind in _kinds_for(purpose)), "],")


def kinds_documented(purpose: str) -> Iterator[str]:
    """The same in its documentation."""
    yield from textwrap.wrap(
        f"choices: [{', '.join(_kinds_for(purpose))}]", WIDTH - 4, subsequent_indent="  ", break_on_hyphens=False
    )


def _kinds_for(purpose: str) -> list[str]:
    """The kinds that can be shown, or made by requests."""
    made_otherwise = {"show": {"contents"}, "change": {"contents", "jobs"}}
    return sorted(KINDS.keys() - made_otherwise[purpose])


MAKERS: dict[str, Callable[..., Iterator[str]]] = {
    made.__name__: made
    for made in (
        *(arguments, renamed, fragment, role, variables, variables_of, handed),
        *(options, settings, agent, agent_hosts, transitions, actions, reasons, notices, teardown, unfurl, opera),
        *(ignored, refused, words, types, compared, different),
        *(kinds, kinds_documented),
    )
}


def _taken(module: str) -> list[Option]:
    return [one for one in OPTIONS if module in one.modules]


def _default(one: Option) -> str:
    default = one.default
    return f"{default:g}" if one.kind == "float" else json.dumps(default).strip('"')


def _spec(one: Option) -> dict[str, Any]:
    """An option's argument specification."""
    spec: dict[str, Any] = dict(_KINDS.get(one.kind, {"type": one.kind}))
    if one.choices:
        spec["choices"] = list(one.choices)
    if one.default not in (None, [], {}):
        spec["default"] = one.default
    if one.alias:
        spec["aliases"] = [one.alias]
    return spec


def _documented(one: Option, name: str, mark: Callable[[str], str]) -> Iterator[str]:
    """An option's documentation as YAML."""
    texts = [f"{one.help}.", *one.details]
    if one.otherwise:
        texts.append(f"{'When left out, it' if one.default is None else f'V({one.default})'} is {one.otherwise}.")
    marked = [re.sub(r"`([^`]*)`", lambda match: mark(match[1]), text) for text in texts]
    yield f"{name}:"
    if len(marked) == 1:
        yield from _folded("  description: ", "    ", marked[0])
    else:
        yield "  description:"
        for text in marked:
            yield from _folded("    - ", "      ", text)
    aliases = (
        _spec(one) if name == one.variable else {key: value for key, value in _spec(one).items() if key != "aliases"}
    )
    for key, value in aliases.items():
        yield (
            f"  {key}: [{', '.join(value)}]"
            if isinstance(value, list)
            else f"  {key}: {json.dumps(value).strip(chr(34))}"
        )


def _folded(begin: str, indent: str, text: str) -> list[str]:
    quoted = json.dumps(text, ensure_ascii=False) if re.search(r": | #|^[\"'`{\[&*!|>%@]", text) else text
    return textwrap.wrap(
        quoted,
        WIDTH - 8,
        initial_indent=begin,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _of_module(word: str, one: Option, named: set[str]) -> str:
    return (
        f"V({word})"
        if word in one.choices
        else f"O({word})"
        if word in named and word != one.variable
        else f"C({word})"
    )


def _of_role(word: str, one: Option) -> str:
    others = {other.variable for other in OPTIONS if other.modules and other is not one}
    return f"V({word})" if word in one.choices else f"C(ensemble_{word})" if word in others else f"C({word})"


def main() -> None:
    """Fill all files."""
    for name in FILES:
        path = ROOT / name
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
