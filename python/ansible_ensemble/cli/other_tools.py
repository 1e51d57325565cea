"""The command lines of Unfurl and opera, each word with what it is here: `ansible-ensemble unfurl deploy --approve`.

Options are written as they are called, with names for their values: `--var NAME VALUE` takes two. What stands beside
one is what it becomes, with the same names; nothing where it is not needed. A text that ends with a full stop says what
to type instead. docs/coming-from.md has the tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.core.hints import nearest

#: Options as they are called elsewhere, and what they are here.
Options = Mapping[str, str]


class Spoken(Struct, frozen=True):
    """A command of another tool.

    Attributes:
        ours: the command here with the options that it always has, or a text that says what to type instead.
        options: what its options become.
        place: the option that its argument becomes, with the argument's name; nothing where it is one here, too.
    """

    ours: str
    options: Options = field(default_factory=dict)
    place: str = ""


class Tool(Struct, frozen=True):
    """Another tool.

    Attributes:
        everywhere: options of all its commands, before or after them.
        commands: its commands.
    """

    everywhere: Options
    commands: Mapping[str, Spoken]


_OF_ENSEMBLES: Options = {"--use-environment NAME": "--environment NAME"}
_QUERIED: Options = {"--query EXPRESSION": "`ansible-ensemble query EXPRESSION`."}
_OF_JOBS: Options = {
    **_OF_ENSEMBLES,
    "--force": "--force",
    "--instance NAME": "--instance NAME",
    "--template NAME": "--instance NAME",
    "--output none": "",
    "--output FORMAT": "--output FORMAT",
    "--query EXPRESSION": "--query EXPRESSION",
    "--starttime TIME": "",
    "--trace LEVEL": "",
    "--var NAME VALUE": "--var NAME VALUE",
}
_THAT_RECORD: Options = {
    **_OF_JOBS,
    "--commit": "--commit",
    "--dirty WHEN": "--dirty WHEN",
    "--dryrun": "--dryrun",
    "--jobexitcode STATUS": "",
    "-m, --message TEXT": "-m TEXT",
    "--push": "--push",
}
_THAT_LOOK: Options = {**_THAT_RECORD, "--force": ""}
_THAT_ASK: Options = {**_THAT_RECORD, "-a, --approve": "--approve"}
_THAT_PLAN: Options = {
    "--change-detection HOW": "--change-detection HOW",
    "--check": "--check-first",
    "--destroyunmanaged": "--destroyunmanaged",
    "--prune": "--prune",
    "--repair WHAT": "--repair WHAT",
    "--skip-new": "--skip-new",
    "--upgrade": "--upgrade",
}
_UNDEPLOY = Spoken("undeploy", {**_THAT_ASK, "--destroyunmanaged": "--destroyunmanaged"})
_BY_GIT = "git makes repositories: `git init` or `git submodule add`, then `ansible-ensemble init` in the folder."
_SKELETON = "copy the skeleton's files into the folder, then `ansible-ensemble init`."
_NAMED = "write `environments` into ensemble-project.yaml, and give jobs `--environment NAME`."
_GIT = "git does it in each repository: `git -C FOLDER COMMAND`; `deploy --commit --push` commits what a job changed."
_MAKES: Options = {
    "--mono": "",
    "--existing": "",
    "--render": "",
    "--empty": "`ansible-ensemble init`, and remove the ensemble.yaml that you do not need.",
    "--submodule": _BY_GIT,
    "--skeleton NAME": _SKELETON,
    "--var NAME VALUE": _SKELETON,
    "--use-environment NAME": _NAMED,
    "--as-shared-environment": _NAMED,
    "--shared-repository PATH": _BY_GIT,
    "--use-deployment-blueprint NAME": "write `deployment_blueprint: NAME` into the ensemble's `spec`.",
}

UNFURL = Tool(
    {
        "--home PATH": "",
        "--runtime NAME": "",
        "--no-runtime": "",
        "--skip-upstream-check": "",
        "--version-check VERSION": "",
        "--no-version-check": "",
        "--tmp PATH": "",
        "-v, --verbose": "-v",
        "-vv": "-vv",
        "-vvv": "-vvv",
        "-q, --quiet": "",
        "--loglevel LEVEL": "",
        "--logfile FILE": "--log-file FILE",
    },
    {
        "deploy": Spoken("deploy", {**_THAT_ASK, **_THAT_PLAN}),
        "undeploy": _UNDEPLOY,
        "teardown": _UNDEPLOY,
        "plan": Spoken("plan", {**_OF_JOBS, **_THAT_PLAN, "--workflow NAME": "--workflow NAME", **_QUERIED}),
        "check": Spoken("check", {**_THAT_LOOK, "--change-detection HOW": "", "--skip-new": ""}),
        "discover": Spoken("discover", {**_THAT_LOOK, "-a, --approve": ""}),
        "stop": Spoken("stop", {**_THAT_ASK, "--force": ""}),
        "run": Spoken(
            "run",
            {
                **_THAT_ASK,
                "--ensemble PATH": "PATH",
                "--host NAME": "--host NAME",
                "--module NAME": "--module NAME",
                "--operation NAME": "--operation NAME",
                "--save": "--save",
            },
        ),
        "status": Spoken("status", {**_OF_ENSEMBLES, **_QUERIED}),
        "validate": Spoken("validate", {**_OF_ENSEMBLES, "--as-template": ""}),
        "init": Spoken("init", _MAKES),
        "clone": Spoken("clone", _MAKES),
        "version": Spoken("version", {"--semver": "", "--remote": ""}),
        "help": Spoken("help"),
        "git": Spoken(_GIT),
        "git-status": Spoken(_GIT),
        "commit": Spoken(_GIT),
        "home": Spoken("the user's own settings are in ~/.config/ansible-ensemble, and need no repository."),
        "runtime": Spoken("jobs run in the Python environment of the command; `ansible-ensemble version -v` shows it."),
        "export": Spoken(
            "export",
            {
                **_OF_ENSEMBLES,
                "--format python": "a service template in Python is written by hand (docs/python-dsl.md).",
                "--format DOCUMENT": "--format DOCUMENT",
                "--file FILE": "--file FILE",
                "--overwrite always": "",
                "--overwrite auto": "",
                "--overwrite WHEN": "`--file` replaces the file; without it, the document is printed.",
                "--python-target VERSION": "a service template in Python is written by hand (docs/python-dsl.md).",
            },
        ),
        "serve": Spoken("AWX, or any CI, runs the playbooks of the collection (docs/awx.md, docs/ci.md)."),
        "cloudmap": Spoken("name ensembles and repositories in ensemble-project.yaml (docs/ensemble.md)."),
    },
)

_INSTANCE: Options = {"-p, --instance-path PATH": "name the folder at the end: `ansible-ensemble COMMAND PATH`."}
_SHOWN: Options = {**_INSTANCE, "-v, --verbose": "-v"}
_OPERA: Options = {**_SHOWN, "-w, --workers N": "--jobs N"}
_PRINTED: Options = {**_SHOWN, "-f, --format FORMAT": "--output json"}
_OTHER_TEMPLATE = "--service-template FILE"

OPERA = Tool(
    {},
    {
        "deploy": Spoken(
            "deploy --approve",
            {
                **_OPERA,
                "-i, --inputs FILE": "--inputs FILE",
                "-c, --clean-state": "--force",
                "-r, --resume": "",
                "-f, --force": "",
            },
        ),
        "undeploy": Spoken("undeploy --approve", {**_OPERA, "-r, --resume": "", "-f, --force": ""}),
        "validate": Spoken(
            "validate",
            {**_INSTANCE, "-i, --inputs FILE": "--inputs FILE", "-e, --executors": "", "-v, --verbose": "-v"},
        ),
        "outputs": Spoken("outputs", _PRINTED),
        "info": Spoken("status", _PRINTED),
        "notify": Spoken(
            "notify --approve --force",  # opera knows no schedules
            {
                **_SHOWN,
                "-e, --event NAME": "NAME",
                "-t, --trigger NAME": "NAME",
                "-n, --notification FILE": "--data FILE",
                "-f, --force": "",
            },
        ),
        "init": Spoken(
            "no init is needed: `ansible-ensemble opera deploy FILE` makes the ensemble.yaml beside the file."
        ),
        "diff": Spoken(
            "plan --prune",
            {
                **_PRINTED,
                "-i, --inputs FILE": "--inputs FILE",
                "-o, --output FILE": "write it into a file by `> FILE`.",
                "-t, --template-only": "",
            },
            _OTHER_TEMPLATE,
        ),
        "update": Spoken("deploy --approve --prune", {**_OPERA, "-i, --inputs FILE": "--inputs FILE"}, _OTHER_TEMPLATE),
        "package": Spoken(
            "package",
            {
                "-t, --service-template NAME": "--entry NAME",
                "-o, --output FILE": "--out FILE",
                "-f, --format zip": "",
                "-f, --format FORMAT": "an archive of TOSCA is a zip file.",
                "-v, --verbose": "-v",
            },
        ),
        "unpackage": Spoken("clone", {"-d, --destination FOLDER": "FOLDER", "-v, --verbose": "-v"}),
    },
)

TOOLS: Mapping[str, Tool] = {"unfurl": UNFURL, "opera": OPERA}


def translated(name: str, words: Sequence[str]) -> list[str]:
    """The command line here of one of another tool, which `name` names."""
    tool = TOOLS[name]
    before, rest = _split(f"{name} COMMAND", words, tool.everywhere, stop=True)
    if not rest:
        raise UsageError(f"{name} needs a command", hint=f"one of {', '.join(tool.commands)}")
    command = tool.commands.get(rest[0])
    if command is None:
        raise UsageError(f'{name} has no command "{rest[0]}"', hint=nearest(rest[0], tool.commands))
    if command.ours.endswith("."):
        raise UsageError(f"{name} {rest[0]} has no command here", hint=command.ours.removesuffix("."))
    after, places = _split(f"{name} {rest[0]}", rest[1:], {**tool.everywhere, **command.options})
    if command.place and places:
        places.insert(0, command.place.split()[0])
    return [*command.ours.split(), *before, *after, *places]


def _split(what: str, words: Sequence[str], options: Options, *, stop: bool = False) -> tuple[list[str], list[str]]:
    """Options as they are here, and the words that are none; with `stop` those from the first one on.

    An option that is none here, but a word, stands behind the others.
    """
    made: list[str] = []
    places: list[str] = []
    late: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--":
            return made, [*places, *late, word, *left]
        if not word.startswith("-") or word == "-":
            places.append(word)
            if stop:
                return made, [*places, *left]
            continue
        word, separator, value = word.partition("=")
        left = [value, *left] if separator else left
        meant = _meant(what, word, left, options)
        (made if meant and meant[0].startswith("-") else late).extend(meant)
    return made, [*places, *late]


def _meant(what: str, word: str, left: list[str], options: Options) -> list[str]:
    """What an option becomes; the values that it takes leave `left`."""
    for written, ours in options.items():
        called, values = parts(written)
        fixed = [value for value in values if value.islower()]
        if word not in called or (fixed and left[: len(fixed)] != fixed):
            continue
        if len(left) < len(values):
            raise UsageError(f"{what} {word}: it needs {' '.join(values)}")
        given = dict(zip(values, [left.pop(0) for _value in values], strict=True))
        if ours.endswith("."):
            raise UsageError(f"{what} {word} has no option here", hint=ours.removesuffix("."))
        return [given.get(one, one) for one in ours.split()]
    known = [name for written in options for name in parts(written)[0]]
    raise UsageError(f"{what} has no option {word}", hint=nearest(word, known))


def parts(written: str) -> tuple[list[str], list[str]]:
    """The names of an option, and those of its values."""
    words = re.split(r"[ ,]+", written)
    return [one for one in words if one.startswith("-")], [one for one in words if not one.startswith("-")]
