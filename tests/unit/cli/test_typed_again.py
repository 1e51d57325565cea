from __future__ import annotations

import shlex

import pytest

from ansible_ensemble.cli import options
from ansible_ensemble.cli.catalogue import find_command
from ansible_ensemble.cli.parser import parser_for
from ansible_ensemble.cli.typed_again import typed_again

CASES = [
    ("", "deploy", ""),
    ("--prune -i hosts --limit web", "deploy", "-i hosts -l web --prune"),
    ("--instance a --instance b --jobs 3", "deploy", "--instance a --instance b --jobs 3"),
    ("-e pw=s3cr3t -e @vars.yaml --var a s3cr3t", "deploy", "-e pw=... -e @vars.yaml -e a=..."),
    ("--input port=1 --inputs in.yaml", "deploy", "--inputs in.yaml --input port=..."),
    ("""-e '{"a": 1, "b": "s3cr3t"}'""", "deploy", "-e a=... -e b=..."),
    ("-b -u root -K -J", "deploy", "--become --user root --ask-vault-pass --ask-become-pass"),
    ("--approve --output json -vv --no-color --junit out.xml", "deploy", ""),
    ("--force --diff --replace a --grace 1.5", "deploy", "--grace 1.5"),
    ("--prune -i hosts -e @v", "plan", "-i hosts --prune -e @v"),
    ("--prune --jobs 3", "check", "--jobs 3"),
]


@pytest.mark.parametrize(("given", "command", "again"), CASES)
def test_what_was_given_is_typed_again_without_secrets(given: str, command: str, again: str) -> None:
    parser = parser_for(find_command(["deploy"])[0])
    options.add_approval(parser)
    options.add_job(parser, "deploy")
    words = typed_again(parser.parse(shlex.split(given)), command)
    assert shlex.join(words) == again
