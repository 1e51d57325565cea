"""What the modules' documentation says of their options is what the actions accept."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

GROUPS = {
    "ensemble": (
        "lock",
        "plan",
        "execute",
        "record",
        "info",
        "validate",
        "survey",
        "recover",
        "unlock",
        "adopt",
        "forget",
    ),
    "provision": (
        "provision_content",
        "provision_info",
        "provision_job_info",
        "provision_machine",
        "provision_object",
        "provision_param",
        "provision_token",
        "provision_user",
        "provision_workflow",
    ),
}
ACTIONS = [name for names in GROUPS.values() for name in names]
COMPARED = ("type", "elements", "choices", "default", "required", "aliases")


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"_documented_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", autouse=True)
def collection(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[None]:
    """The repository as an importable collection."""
    folder = tmp_path_factory.mktemp("collection")
    (folder / "ansible_collections" / "tosca").mkdir(parents=True)
    (folder / "ansible_collections" / "tosca" / "ensemble").symlink_to(repository)
    before = {name for name in sys.modules if name.startswith("ansible_collections")}
    sys.path.insert(0, str(folder))
    yield
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.startswith("ansible_collections")]:
        if name not in before:
            del sys.modules[name]


def documented(repository: Path, name: str) -> dict[str, Any]:
    document = yaml.safe_load(load(repository / "plugins" / "modules" / f"{name}.py").DOCUMENTATION)
    options = dict(document.get("options", {}))
    for fragment in document["extends_documentation_fragment"]:
        file, _, part = fragment.removeprefix("tosca.ensemble.").partition(".")
        fragments = load(repository / "plugins" / "doc_fragments" / f"{file}.py").ModuleDocFragment
        options |= yaml.safe_load(getattr(fragments, (part or "documentation").upper()))["options"]
    return options


@pytest.mark.parametrize("name", ACTIONS)
def test_documentation_and_arguments_agree(repository: Path, name: str) -> None:
    arguments = load(repository / "plugins" / "action" / f"{name}.py").ActionModule.ARGUMENTS
    accepted = {option: {key: said[key] for key in said if key != "no_log"} for option, said in arguments.items()}
    told = documented(repository, name)
    assert {option: {key: value[key] for key in COMPARED if key in value} for option, value in told.items()} == accepted


def test_the_groups_of_defaults_hold_each_action(repository: Path) -> None:
    runtime = yaml.safe_load((repository / "meta" / "runtime.yml").read_text())
    assert runtime["action_groups"] == {group: sorted(names) for group, names in GROUPS.items()} | {
        "ensemble": [*GROUPS["ensemble"]]
    }
    modules = {file.stem for file in (repository / "plugins" / "modules").glob("*.py")}
    assert modules == {*ACTIONS, "dns_records"}, "which runs on the host, without the package"


def test_nothing_is_of_a_version_that_is_yet_to_come(repository: Path) -> None:
    version = numbers(yaml.safe_load((repository / "galaxy.yml").read_text())["version"])
    files = [file for folder in ("plugins", "extensions") for file in sorted((repository / folder).rglob("*.py"))]
    added = {found for file in files for found in re.findall(r"^ *version_added: '?([\d.]+)", file.read_text(), re.M)}
    assert added
    assert [one for one in added if numbers(one) > version] == []


def numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def test_the_role_passes_each_option_of_planning(repository: Path) -> None:
    (task,) = yaml.safe_load((repository / "roles" / "job" / "tasks" / "plan.yml").read_text())
    accepted = load(repository / "plugins" / "action" / "plan.py").ActionModule.ARGUMENTS
    assert set(task["tosca.ensemble.plan"]) == set(accepted)


def test_the_role_documents_each_variable_it_reads(repository: Path) -> None:
    specs = yaml.safe_load((repository / "roles" / "job" / "meta" / "argument_specs.yml").read_text())["argument_specs"]
    accepted = load(repository / "plugins" / "action" / "plan.py").ActionModule.ARGUMENTS
    assert set(specs["plan"]["options"]) == {
        "ensemble",
        "ensemble_options",
        *(f"ensemble_{name}" for name in accepted if name != "ensemble"),
    }
    assert set(specs["plan"]["options"]) < set(specs["main"]["options"])


#: What the role's steps leave for each other and for the play.
REGISTERED = {"ensemble_lock", "ensemble_plan", "ensemble_execution", "ensemble_job", "ensemble_stats"}
#: Variables that are of the role alone: no map of options holds them.
ALONE = {
    *("ensemble_lock_id", "ensemble_options", "ensemble_plan_digest", "ensemble_plan_document", "ensemble_plan_file"),
    "ensemble_workflow",
}


def test_the_role_reads_what_it_documents_and_nothing_else(repository: Path) -> None:
    role = repository / "roles" / "job"
    files = [*(role / "tasks").glob("*.yml"), *(repository / "playbooks" / f"{name}.yml" for name in ("plan", "check"))]
    tasks = "".join(path.read_text() for path in files)
    specs = yaml.safe_load((role / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    read = set(re.findall(r"\bensemble(?:_\w+)?\b(?=[\s.])", "".join(re.findall(r"{{.*?}}|when: .*", tasks))))
    assert read - REGISTERED == set(specs)
    defaults = yaml.safe_load((role / "defaults" / "main.yml").read_text())
    assert defaults == {name: specs[name].get("default") for name in defaults}
    told = set(re.findall(r"`(ensemble_\w+)", (repository / "docs" / "ansible.md").read_text()))
    assert told - REGISTERED <= set(specs)


def test_each_variable_of_the_role_is_an_option_of_its_map_wherever_it_is_read(repository: Path) -> None:
    tasks = "".join(path.read_text() for path in sorted((repository / "roles" / "job" / "tasks").glob("*.yml")))
    for expression in re.findall(r'"{{ (ensemble_\w+ \| default.*?) }}"', tasks):
        name = expression.split()[0]
        if name not in ALONE:
            assert f"ensemble_options.{name.removeprefix('ensemble_')} " in expression


def test_each_fragment_of_the_changelog_is_readable(repository: Path) -> None:
    config = yaml.safe_load((repository / "changelogs" / "config.yaml").read_text())
    known = {
        "release_summary",
        "breaking_changes",
        config["trivial_section_name"],
        *(name for name, _ in config["sections"]),
    }
    for path in sorted((repository / "changelogs" / "fragments").glob("*.yml")):
        for section, texts in yaml.safe_load(path.read_text()).items():
            assert section in known, path
            assert section == "release_summary" or all(isinstance(text, str) for text in texts), path
