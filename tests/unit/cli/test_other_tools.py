"""Command lines of Unfurl and opera: each word of theirs is one of ours, or says what to type."""

from __future__ import annotations

import importlib

import pytest

from ansible_ensemble.cli.catalogue import OTHER_TOOLS, find_command
from ansible_ensemble.cli.other_tools import TOOLS, parts, translated
from ansible_ensemble.cli.parser import parser_for
from ansible_ensemble.core.errors import UsageError

#: A value for each name of one in the tables; `a` for the others.
VALUES = {
    "DOCUMENT": "blueprint",
    "FORMAT": "json",
    "HOW": "skip",
    "N": "2",
    "STATUS": "error",
    "WHAT": "error",
    "WHEN": "ok",
}
PLACES = {"clone": ["source"], "notify": ["event"], "unpackage": ["archive"]}
LINES = [
    (tool, command, option)
    for tool, table in TOOLS.items()
    for command, spoken in table.commands.items()
    if not spoken.ours.endswith(".") and spoken.ours != "help"
    for option in ("", *table.everywhere, *spoken.options)
]


def test_the_command_knows_the_tools() -> None:
    assert set(OTHER_TOOLS) == TOOLS.keys()


@pytest.mark.parametrize(("tool", "command", "option"), LINES, ids=str)
def test_each_line_is_understood_or_says_what_to_type(tool: str, command: str, option: str) -> None:
    names, values = parts(option) if option else ([""], [])
    given = [VALUES.get(one, "a" if one.isupper() else one) for one in values]
    place = PLACES.get(command, []) if option.partition(" ")[0] not in ("-e,", "-t,") else []
    for name in names:
        try:
            words = translated(tool, [command, *filter(None, [name]), *given, *place])
        except UsageError as refusal:
            assert refusal.hint
            continue
        ours, rest = find_command(words)
        parser = parser_for(ours)
        importlib.import_module(f"ansible_ensemble.cli.commands.{ours.module}").configure(parser)
        parser.parse(rest)


@pytest.mark.parametrize(
    ("typed", "ours"),
    [
        ("unfurl --home x -v deploy -a --jobexitcode degraded site", "deploy -v --approve site"),
        ("unfurl -q --no-runtime deploy --use-environment=prod --check", "deploy --environment prod --check-first"),
        ("unfurl deploy --var input_x 3 --output none --starttime 1", "deploy --var input_x 3"),
        ("unfurl deploy --output json -m done --commit", "deploy --output json -m done --commit"),
        ("unfurl teardown site --approve", "undeploy --approve site"),
        ("unfurl run --ensemble site --host a -- echo -n hello", "run --host a site -- echo -n hello"),
        ("unfurl init --mono site", "init site"),
        (
            "opera deploy -i inputs.yaml -w 3 -r service.yaml",
            "deploy --approve --inputs inputs.yaml --jobs 3 service.yaml",
        ),
        ("opera deploy -c service.yaml", "deploy --approve --force service.yaml"),
        ("opera notify -e changed -n news.json", "notify --approve --force --data news.json changed"),
        ("opera package -t service.yaml -o a.csar -f zip site", "package --entry service.yaml --out a.csar site"),
        ("opera unpackage -d site a.csar", "clone a.csar site"),
        ("opera outputs -f yaml", "outputs --output json"),
        ("opera info", "status"),
        ("opera diff -i new.yaml service2.yaml", "plan --prune --inputs new.yaml --service-template service2.yaml"),
        ("opera update service2.yaml -w 2", "deploy --approve --prune --jobs 2 --service-template service2.yaml"),
    ],
)
def test_lines_of_theirs_are_lines_of_ours(typed: str, ours: str) -> None:
    tool, *words = typed.split()
    assert translated(tool, words) == ours.split()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("unfurl", "unfurl needs a command"),
        ("unfurl depoly", "did you mean deploy"),
        ("unfurl deploy --aprove", "did you mean --approve"),
        ("unfurl deploy --var a", "unfurl deploy --var: it needs NAME VALUE"),
        ("unfurl git status", "git -C FOLDER"),
        ("unfurl init --submodule", "git submodule add"),
        ("opera package -f tar .", "zip file"),
        ("opera deploy -p there service.yaml", "name the folder"),
    ],
)
def test_what_has_no_counterpart_says_so(typed: str, words: str) -> None:
    tool, *rest = typed.split()
    with pytest.raises(UsageError) as refused:
        translated(tool, rest)
    assert words in str(refused.value)


def test_the_line_is_shown_and_run(command) -> None:  # type: ignore[no-untyped-def]
    done = command("opera", "info", "--format", "json")
    assert (done.code, done.out[:1]) == (0, "{")
    assert "this is `ansible-ensemble status --output json`" in done.err
