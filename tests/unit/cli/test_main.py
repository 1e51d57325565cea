from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_ensemble.cli.catalogue import COMMANDS, EXIT_CODES, OTHER
from ansible_ensemble.core.errors import InvalidInput, InvalidInputs, Place


def test_help_lists_every_command(command):
    done = command("--help")
    assert done.code == 0
    for entry in COMMANDS:
        assert f"  {entry.name} " in done.out


def test_help_and_documentation_have_the_same_exit_codes(command, repository):
    documented = (repository / "docs" / "jobs.md").read_text().partition("### Exit codes")[2].partition("\n## ")[0]
    rows = [tuple(cell.strip() for cell in line.split("|")[1:3]) for line in documented.splitlines() if "|" in line]
    assert dict(rows[2:]) == EXIT_CODES
    shown = command("--help").out.partition("Exit codes:\n")[2].splitlines()
    assert [tuple(line.strip().split(maxsplit=1)) for line in shown] == list(EXIT_CODES.items())


def test_an_error_is_a_document_where_one_is_awaited(command):
    command.jobs.raises = InvalidInputs([InvalidInput("one", Place("a.yaml", 3, 4), "do this"), InvalidInput("two")])
    done = command("status", "--output", "json")
    assert done.code == 3
    first, second = json.loads(done.out)["errors"]
    assert first == {
        **{"file": "a.yaml", "line": 3, "column": 4},
        **{"message": "one", "hint": "do this", "text": "a.yaml:3:4: one (do this)"},
    }
    assert second["message"] == "two"
    assert "Error: a.yaml:3:4: one" in done.err


def test_no_arguments_show_help_and_are_wrong_usage(command):
    done = command()
    assert done.code == 2
    assert done.out.startswith("usage: ")


_IN_FOLDERS = [leaf.name for entry in COMMANDS if entry.group != OTHER for leaf in entry.leaves()]


@pytest.mark.parametrize("name", _IN_FOLDERS)
def test_a_command_in_a_deleted_folder_says_so(command, name, tmp_path, monkeypatch):
    given = {"init": "x", "import": "a.yaml", "query": "x", "show": "A0", "adopt": "x", "forget": "x", "package": "x"}
    given |= {"unlock": "A0", "rollback": "A0", "mesh check": "--mesh x", "mesh status": "--mesh x"}
    given |= {"mesh worker": "x", "clone": "x", "notify": "x", "run": "x", "replay": "A0"}
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = command(*name.split(), *given.get(name, "").split())
    if done.code != 2:  # it needs more arguments
        assert done.code == 3
        assert done.err.startswith("Error: the current folder was deleted (change to a folder that exists")
    assert "bug" not in done.err
    assert done.code == 3 or name.startswith("provision ")


@pytest.mark.parametrize(
    "name", [name for entry in COMMANDS for leaf in entry.leaves() for name in (leaf.name, leaf.alias) if name]
)
def test_every_command_has_help(command, name, capsys):
    assert command(*name.split(), "--help").code == 0
    text = capsys.readouterr().out
    assert text.startswith("usage: ansible-ensemble ")
    assert command("help", *name.split()).code == 0
    assert capsys.readouterr().out == text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("provision machines workflow", "workflow [options] MACHINE ... WORKFLOW "),
        ("provision machines create", "create [options] [NAME] [FIELD=VALUE ...] "),
        ("provision serve", " URL where machines get files from"),
    ],
)
def test_help_says_what_may_be_left_out_or_repeated_and_keeps_acronyms(command, capsys, name, said):
    command(*name.split(), "--help")
    assert said in " ".join(capsys.readouterr().out.split())


def test_a_command_that_has_parts_lists_them(command):
    done = command("provision", "--help")
    assert done.code == 0
    assert done.out.startswith("usage: ansible-ensemble provision COMMAND")
    assert "  serve " in done.out
    assert command("help", "provision").out == done.out
    assert (command("provision").code, command("provision").out) == (2, done.out)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["dploy"], "did you mean deploy"),
        (["xyzzy"], "ansible-ensemble --help"),
        (["deploy", "--aprove"], "--approve"),
        (["deploy", "--xyzzy"], "ansible-ensemble deploy --help"),
        (["deploy", "a", "b"], '"b" is not expected'),
        (["deploy", "a", ""], '"" is not expected'),
        (["deploy", "--jobs", "0"], "at least 1"),
        (["deploy", "--jobs"], "expected one argument"),
        (["deploy", "--repair", "all"], "invalid choice"),
        (["deploy", "--lock-timeout", "soon"], "not a duration"),
        (["deploy", "--input", "port"], "NAME=VALUE"),
        (["deploy", "-e", "port"], "sets nothing"),
        (["deploy", "-e", "a='b"], "quot"),
        (["deploy", "--", "ls"], '"--" is not expected'),
        (["show"], "CHANGEID"),
        (["check", "--approve"], "--approve"),
        (["apply"], "it is `deploy`"),
        (["destroy"], "it is `undeploy`"),
        (["state", "mv", "a", "b"], "`moved` in the spec"),
        (["-v", "plan"], "options come after the command"),
        (["provision", "srve"], "did you mean serve"),
        (["provision", "machines", "processjobs", "m1"], "it is `provision agent MACHINE`"),
        (["provision", "xyzzy"], "see `ansible-ensemble provision --help`"),
        (["provision", "--port", "1", "serve"], "options come after the command"),
        (["plan", "-out", "file"], "write --out"),
        (["plan", "--target", "app"], "--instance NAME"),
        (["deploy", "-input=false"], "write --input"),
        (["deploy", "-check"], "write --check"),
        (["deploy", "-var", "a=b"], "--input NAME=VALUE"),
        (["deploy", "-auto-approve"], "--approve"),
    ],
)
def test_wrong_usage_exits_with_2_and_one_line(command, words, hint):
    done = command(*words)
    assert done.code == 2
    assert done.err.startswith("Error: ")
    assert hint in done.err
    assert done.err.count("\n") == 1
    assert command.jobs.calls == []


def test_several_errors_are_a_line_each(command):
    command.jobs.raises = InvalidInputs([InvalidInput("one"), InvalidInput("two", hint="mend it")])
    done = command("status")
    assert done.code == 3
    assert done.err == "Error: one\nError: two (mend it)\n"


def test_a_defect_of_ours_is_one_line(command):
    command.jobs.raises = KeyError("x")
    done = command("status")
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "bug in ansible-ensemble" in done.err


def test_text_that_is_not_utf_8_is_the_users_to_mend(command):
    command.jobs.raises = UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed")
    done = command("status")
    assert done.code == 3
    assert done.err == "Error: an argument or the input is not UTF-8 text (give it in UTF-8)\n"


@pytest.mark.parametrize(("words", "environment"), [(["-vvv"], {}), ([], {"ANSIBLE_ENSEMBLE_DEBUG": "1"})])
def test_a_defect_shows_its_traceback_when_asked(command, words, environment):
    command.jobs.raises = KeyError("x")
    command.environment.update(environment)
    assert "Traceback" in command("status", *words).err


def test_ctrl_c_exits_with_130(command):
    command.jobs.raises = KeyboardInterrupt()
    assert command("status").code == 130


def test_a_closed_pipe_is_quiet():
    read_end, write_end = os.pipe()
    os.close(read_end)
    program = "import sys; from ansible_ensemble.cli.main import main; sys.exit(main(['--help']))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, stdout=write_end, stderr=subprocess.PIPE, text=True
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("words", [["--help"], ["version"], ["deploy", "--help"]])
def test_what_needs_no_job_imports_nothing_heavy_and_ends_at_once(words):
    program = (
        "import atexit, gc, os, sys\natexit.register(lambda: gc.get_freeze_count() or os._exit(9))\n"
        "from ansible_ensemble.cli.main import main\ncode = main(sys.argv[1:])\n"
        "heavy = {'ansible', 'ansible_runner', 'jinja2', 'yaml', 'git', 'asyncio', 'toscaparser'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else code)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", program, *words], env=environment, text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_asyncio_is_for_the_process_that_carries_out_a_plan():
    program = "import sys, ansible_ensemble.jobs.commands; sys.exit('asyncio' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    assert subprocess.run([sys.executable, "-c", program], env=environment).returncode == 0


def test_the_version(command):
    assert command("--version").out == command("version").out
    assert command("version").out.startswith("ansible-ensemble ")


def test_a_full_disk_is_no_defect():
    program = "import sys; from ansible_ensemble.cli.main import main; sys.exit(main(['--help']))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr == "Error: what the command prints cannot be written: No space left on device\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_are_nobody_and_no_defect(closed, tmp_path):
    program = "import sys; from ansible_ensemble.cli.main import main; sys.exit(main(['history', '--output', 'json']))"
    command = f'"$0" -c "$1" {closed}'
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    (tmp_path / "ensemble.yaml").write_text("apiVersion: tosca-ensemble/v1\nkind: Ensemble\n", encoding="utf-8")
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, program], env=environment, cwd=tmp_path, text=True, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_file_does_not_take_the_place_of_a_closed_stream(tmp_path):
    program = (
        "import os, subprocess, sys; from ansible_ensemble.core.output import open_standard_streams as mend; mend()\n"
        "with open('journal', 'w') as file: subprocess.run(['echo', 'word']); assert file.fileno() > 2\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = ["sh", "-c", '"$0" -c "$1" <&- >&- 2>&-', sys.executable, program]
    assert subprocess.run(command, env=environment, cwd=tmp_path).returncode == 0
    assert (tmp_path / "journal").read_text(encoding="utf-8") == ""
