"""Words that users of Terraform, Unfurl, xOpera and Ansible know, and their counterparts here.

They are hints, not aliases: one thing has one name, and users of other tools learn it at the first try.
docs/coming-from.md describes them in detail.
"""

from __future__ import annotations

_STATE = "`status` shows instances, `forget NAME` removes one, `moved` in the spec renames one"
_REPLACE = "`deploy --replace NAME` recreates an instance"
_DIFF = "`plan` shows what a deploy would change, with `--service-template FILE` by another service template"
_GIT = "use git itself; `deploy --commit --push` commits what a job changed"
_CSAR = "`clone FILE.csar` unpacks an archive, `deploy FILE.csar` deploys it"
_QUERY = "`query EXPRESSION` shows the value of an expression"
_JOBS = "`--jobs N`"
_EVENT = "`notify NAME` takes the name of an event or a trigger, and `--data FILE`"
_TAGS = "limit a job by `--instance NAME`, or run one operation: `run --operation NAME`"

#: Commands of other tools.
COMMANDS = {
    "apply": "it is `deploy`",
    "up": "it is `deploy`",
    "install": "it is `deploy`",
    "create": "it is `deploy`",
    "update": "it is `deploy`, with `--service-template FILE` for another service template",
    "destroy": "it is `undeploy`",
    "down": "it is `undeploy`",
    "uninstall": "it is `undeploy`",
    "delete": "it is `undeploy`; `--instance NAME` limits it",
    "remove": "it is `undeploy`; `--instance NAME` limits it",
    "taint": _REPLACE,
    "untaint": "instances cannot be marked for replacement in advance",
    "mv": _STATE,
    "rm": _STATE,
    "list": "`status` shows instances, `history` jobs",
    "ls": "`status` shows instances, `history` jobs",
    "info": "`status` shows instances, `version` versions",
    "output": "it is `outputs`",
    "diff": _DIFF,
    "preview": _DIFF,
    "drift": "`check` reports drift",
    "refresh": "`check` checks live instances and records their status",
    "console": _QUERY,
    "eval": _QUERY,
    "fmt": "use any YAML formatter; jobs leave your text unchanged",
    "test": "`validate` finds errors, `deploy --check` is a dry run",
    "workspace": "make an ensemble for each, or an environment: `--environment NAME`",
    "providers": "operations are Ansible's modules and roles; `ansible-galaxy` installs them",
    "get": "`ansible-galaxy` installs roles and collections, git the rest",
    "force-unlock": "it is `unlock ID`",
    "unpackage": _CSAR,
    "log": "`history` lists jobs, `show ID` one of them",
    "logs": "`history` lists jobs, `show ID` one of them",
    "job": "`history` lists jobs, `show ID` one of them",
    "jobs": "`history` lists jobs, `show ID` one of them",
    "git": _GIT,
    "git-status": _GIT,
    "commit": _GIT,
    "home": "the user's own settings are in ~/.config/ansible-ensemble",
    "runtime": "jobs run in the Python environment of the command; `version -v` shows it",
    "serve": "AWX, or any CI, runs the playbooks of the collection",
    "cloudmap": "name ensembles and repositories in ensemble-project.yaml",
}

_DIFFERENCES = "`plan --check` shows the changes to files, as do jobs with `--diff`"
_APPROVE = "it is `--approve`"
_NO_APPROVAL = "this command asks for no approval: leave it out"
_FIELD = "`provision machines update MACHINE FIELD=VALUE`"
_PARAM = "`get`, `set` and `unset` are for params"

#: Words of Terraform, after `state`, and of drpcli, after `provision` and after a kind of objects.
PARTS = {
    "mv": _STATE,
    "rm": _STATE,
    "processjobs": "it is `provision agent MACHINE`",
    "currentlog": "it is `provision jobs log --machine MACHINE`",
    "addprofile": "it is `provision machines update MACHINE --profile NAME`",
    "removeprofile": _FIELD,
    "bootenv": _FIELD,
    "meta": _FIELD,
    "patch": "it is `update`",
    "params": _PARAM,
    "param": _PARAM,
    "add": _PARAM,
    "remove": f"{_PARAM}; `destroy` deletes an object",
    "delete": "it is `destroy`",
    "exists": "it is `show`; the exit code is 5 where there is none",
    "count": "it is `list`",
    "upload": "it is `create --file FILE` for objects, `provision content load` for packs",
    "runaction": "it is `provision machines action MACHINE ACTION`",
    "contents": "it is `provision content`",
}

#: Options of other tools, without their dashes.
OPTIONS = {
    "target": "limit a job by `--instance NAME`; what it requires must exist or be named too",
    "exclude": "limit a job by `--instance NAME`",
    "destroy": "`undeploy`, or `plan --workflow undeploy`",
    "refresh-only": "`check` checks live instances and records their status",
    "refresh": "run `check` first, or use `--check-first`",
    "approve": _NO_APPROVAL,
    "auto-approve": _APPROVE,
    "yes": _APPROVE,
    "a": _APPROVE,
    "y": _APPROVE,
    "diff": _DIFFERENCES,
    "D": _DIFFERENCES,
    "json": "it is `--output json`",
    "var": "it is `--input NAME=VALUE`",
    "var-file": "it is `--inputs FILE`",
    "parallelism": _JOBS,
    "workers": _JOBS,
    "w": _JOBS,
    "forks": _JOBS,
    "f": _JOBS,
    "dry-run": "it is `--check`",
    "resume": "it is not needed: the next deploy continues where the last one stopped",
    "clean-state": "`undeploy` first, or `deploy --force`",
    "event": _EVENT,
    "trigger": _EVENT,
    "notification": _EVENT,
    "t": _EVENT,
    "n": _EVENT,
    "jobexitcode": "it is not needed: the exit code of a failed job is 1",
    "use-environment": "it is `--environment NAME`",
    "query": _QUERY,
    "trace": "add `trace: true` to an `eval` expression",
    "starttime": "jobs use the system clock",
    "chdir": "name the ensemble: `COMMAND PATH`",
    "home": "set ANSIBLE_ENSEMBLE_HOME",
    "tags": _TAGS,
    "skip-tags": _TAGS,
    "start-at-task": _TAGS,
    "step": _TAGS,
    "list-tags": _TAGS,
    "list-tasks": "`plan` shows the operations of a job; `plan -v` also where they run",
    "list-hosts": "`plan -v` shows where operations run; `ansible-inventory --graph` lists all hosts",
    "syntax-check": "`validate` checks an ensemble, and what its operations run",
}


def option_hint(word: str, options: list[str]) -> str | None:
    """The counterpart of an option of another tool, None if it is not known.

    Args:
        word: the option, as it was typed.
        options: the options that there are.
    """
    name = word.lstrip("-").partition("=")[0]
    if word[:2] != "--" and f"--{name}" in options and name not in ("var",):
        return f"write --{name}"
    hint = OPTIONS.get(name)
    return _NO_APPROVAL if hint == _APPROVE and "--approve" not in options else hint
