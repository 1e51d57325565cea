"""A saved plan is executed with the files that it was reviewed with, or refused."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs import ansible as facade
from ansible_ensemble.jobs.commands import prepare_saved_plan
from ansible_ensemble.jobs.planned import make_plan
from ansible_ensemble.projects.trust import approve
from ansible_ensemble.records.saved_plans import check_fresh, load_plan

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    script: {interfaces: {Standard: {operations: {create: files/s.sh}}}}
    shell: {interfaces: {Standard: {operations: {create: "sh files/t.sh now"}}}}
    role: {interfaces: {Standard: {operations: {create: web}}}}
    tasks: {interfaces: {Standard: {operations: {create: tasks/main.yml}}}}
    own: {interfaces: {Standard: {operations: {create: mine}}}}
    beside:
      interfaces:
        Standard: {operations: {create: {implementation: {primary: files/u.sh, dependencies: [files/lib.sh]}}}}
    copy:
      interfaces:
        Standard:
          operations:
            create: {implementation: ansible.builtin.copy, inputs: {src: data.txt, dest: /dev/null}}
            configure: {implementation: ansible.builtin.template, inputs: {src: page.j2, dest: /dev/null}}
    collection:
      interfaces:
        Standard:
          operations:
            create: {implementation: ansible.builtin.copy, inputs: {content: "{{ 'acme.tools.good' }}", dest: /x}}
            configure: acme.other.box
    playbook: {interfaces: {Standard: {operations: {create: site.yml}}}}
"""
FILES = {
    "files/s.sh": "#!/bin/sh\ntrue\n",
    "files/t.sh": "true\n",
    "files/u.sh": "#!/bin/sh\n. ./lib.sh\n",
    "files/lib.sh": "true\n",
    "files/data.txt": "data\n",
    "templates/page.j2": "{% include 'part.conf' %} {{ lookup('file', 'looked-up') }}\n",
    "templates/part.conf": "part\n",
    "files/looked-up": "text\n",
    "collections/ansible_collections/acme/tools/MANIFEST.json": "{}\n",
    "collections/ansible_collections/acme/tools/plugins/test/good.py": "",
    "collections/ansible_collections/acme/other/plugins/modules/box.py": "",
    "collections/ansible_collections/acme/other/plugins/module_utils/box.py": "",
    "collections/ansible_collections/acme/third/plugins/filter/up.py": "",
    "site.yml": "- hosts: all\n  vars_files: [vars/site.yml]\n  tasks: [{debug: {msg: '{{ a | acme.third.up }}'}}]\n",
    "vars/site.yml": "a: 1\n",
    "roles/web/tasks/main.yml": "- ansible.builtin.debug:\n",
    "roles/web/templates/web.conf.j2": "a\n",
    "roles/web/files/web.bin": "a\n",
    "tasks/main.yml": "- ansible.builtin.include_tasks: more.yml\n- ansible.builtin.import_role: {name: base}\n",
    "tasks/more.yml": "- ansible.builtin.copy: {src: more.txt, dest: /dev/full}\n",
    "files/more.txt": "more\n",
    "roles/base/tasks/main.yml": "- ansible.builtin.debug:\n",
    "library/mine.py": "from ansible.module_utils.basic import AnsibleModule\n",
    "module_utils/ours.py": "",
    "filter_plugins/ours.py": "",
    "group_vars/all.yml": "a: 1\n",
    "host_vars/web1/vars.yml": "a: 1\n",
    "inventory.ini": "web1\n",
    "ansible.cfg": "[defaults]\n",
    "README.md": "notes\n",
}
#: Of a collection with a version that, and not its files, is compared.
CHANGED = [name for name in FILES if name != "README.md" and "tools/plugins" not in name]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for script in ("s", "u"):
        (tmp_path / f"files/{script}.sh").chmod(0o755)
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "ensemble.yaml").write_text(
        "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
    )
    approve(tmp_path / "service.yaml")
    monkeypatch.setattr(facade, "session_of", lambda *_: None)
    return tmp_path


@pytest.fixture
def held(project: Path) -> Iterator[None]:
    given: dict[str, Any] = {"lock_id": None, "timeout": 0, "pid": os.getpid()}
    lock = facade.lock(str(project), state="present", operation="deploy", **given)
    yield
    facade.lock(str(project), state="absent", operation="", **given | {"lock_id": lock["lock"]["id"]})


def execute(project: Path, file: Path) -> None:
    """What the module `execute` does with a plan of another job, in AWX."""
    given: dict[str, Any] = {"plan_file": str(file), "plan_digest": None, "options": {"jobs": 1}}
    facade.execute(None, {}, ensemble=str(project), workflow="deploy", **given)


@pytest.mark.parametrize("options", [{}, {"force": True}])
def test_each_file_that_is_executed_or_copied_is_named_when_it_has_changed(
    project: Path, held: None, options: dict[str, Any]
) -> None:
    plan = project / "planned.json"
    make_plan(str(project), "deploy", options).save(plan)
    for name in CHANGED:
        (project / name).write_text(FILES[name] + "\n# changed\n")
        with pytest.raises(EnsembleError, match="the plan is stale: ") as refused:
            execute(project, plan)
        (project / name).write_text(FILES[name])
        assert any(part in refused.value.message for part in (name, *map(str, list(Path(name).parents)[:-1]))), name
        assert refused.value.exit_code == 1


def test_the_command_refuses_as_well(project: Path) -> None:
    plan = project / "planned.json"
    make_plan(str(project), "deploy", {}).save(plan)
    (project / "files/s.sh").write_text("#!/bin/sh\nfalse\n")
    with pytest.raises(EnsembleError, match=r"the plan is stale: files/s\.sh has changed since it was made"):
        prepare_saved_plan(plan, "deploy", {})


@pytest.mark.parametrize(
    "name", ["library/other.py", "host_vars/web2.yml", "lookup_plugins/x.py", "roles/web/vars/a.yml"]
)
def test_so_does_a_file_that_was_not_there(project: Path, name: str) -> None:
    plan = project / "planned.json"
    make_plan(str(project), "deploy", {}).save(plan)
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text("")
    with pytest.raises(EnsembleError, match="the plan is stale: ") as refused:
        prepare_saved_plan(plan, "deploy", {})
    assert name.split("/", maxsplit=1)[0] in refused.value.message


def test_other_files_may_change(project: Path) -> None:
    plan = project / "planned.json"
    make_plan(str(project), "deploy", {}).save(plan)
    (project / "README.md").write_text("more\n")
    check_fresh(load_plan(plan)[0], read_ensemble(locate(project), JobOptions()))


INVENTORIES = {
    "a host": {"hosts": "web1\n"},
    "a variable of a host": {"hosts": "[web]\nweb1 size=2\nweb2\n"},
    "a group": {"hosts": "[web]\nweb1\n[db]\nweb1\nweb2\n"},
    "a variable beside it": {"group_vars/web.yml": "b: 3\n"},
    "an encrypted variable": {"group_vars/web.yml": "b: 2\nc: !vault |\n  $ANSIBLE_VAULT;1.2;AES256;dev\n  3131\n"},
}


@pytest.mark.parametrize("change", INVENTORIES)
def test_so_is_the_inventory_as_it_was_resolved(project: Path, tmp_path_factory: Any, change: str) -> None:
    folder = tmp_path_factory.mktemp("inventory")
    for name, text in {"hosts": "[web]\nweb1 size=1 db_password=x\nweb2\n", "group_vars/web.yml": "b: 2\n"}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    plan, options = project / "planned.json", {"inventory": [str(folder / "hosts")]}
    make_plan(str(project), "deploy", options).save(plan)
    with prepare_saved_plan(plan, "deploy", options):
        pass
    (folder / "hosts").write_text((folder / "hosts").read_text().replace("password=x", "password=y"))
    with prepare_saved_plan(plan, "deploy", options):
        pass
    for name, text in INVENTORIES[change].items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    with pytest.raises(EnsembleError, match=r"the plan is stale: the host web[12] of the inventory.* changed"):
        prepare_saved_plan(plan, "deploy", options)


def test_a_plan_without_the_inventory_is_not_executed_with_one(project: Path, tmp_path: Path) -> None:
    plan = project / "planned.json"
    make_plan(str(project), "deploy", {}).save(plan)
    with pytest.raises(EnsembleError, match="the plan is stale: it was made without this inventory"):
        prepare_saved_plan(plan, "deploy", {"inventory": [str(project / "inventory.ini")]})


def test_a_plan_holds_in_another_clone_with_another_installation(
    project: Path, tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path_factory.mktemp("installed")
    monkeypatch.syspath_prepend(str(installed / "here"))
    home = installed / "here/ansible_collections/acme/world"
    (home / "plugins/modules").mkdir(parents=True)
    (home / "plugins/modules/box.py").write_text("")
    (project / "service.yaml").write_text(SERVICE.replace("acme.other.box", "acme.world.box"))
    approve(project / "service.yaml")
    made = make_plan(str(project), "deploy", {})
    made.save(project / "planned.json")
    assert not [name for name in made.plan.files if name.startswith("/")]
    (installed / "here").rename(installed / "there")
    monkeypatch.syspath_prepend(str(installed / "there"))
    clone = project.rename(project.with_name("clone"))
    approve(clone / "service.yaml")
    check_fresh(load_plan(clone / "planned.json")[0], read_ensemble(locate(clone), JobOptions()))
    (installed / "there/ansible_collections/acme/world/plugins/modules/box.py").write_text("# another\n")
    with pytest.raises(EnsembleError, match="ansible_collections/acme/world/plugins"):
        check_fresh(load_plan(clone / "planned.json")[0], read_ensemble(locate(clone), JobOptions()))


def test_a_plan_whose_digests_were_taken_out_is_refused(project: Path) -> None:
    plan = project / "planned.json"
    make_plan(str(project), "deploy", {}).save(plan)
    document = json.loads(plan.read_text())
    (project / "files/s.sh").write_text("#!/bin/sh\nfalse\n")
    for files in ({}, {name: digest for name, digest in document["files"].items() if name != "files/s.sh"}):
        plan.write_text(json.dumps(document | {"files": files}))
        with pytest.raises(EnsembleError, match="the plan is stale, or its file was changed: files"):
            prepare_saved_plan(plan, "deploy", {})


def test_a_plan_without_a_key_is_told_so(project: Path) -> None:
    plan = project / "planned.json"
    make_plan(str(project), "deploy", {}).save(plan)
    document = json.loads(plan.read_text())
    del document["resource_changes"][0]["change"]["after_sensitive"]
    plan.write_text(json.dumps(document))
    with pytest.raises(EnsembleError, match="after_sensitive is missing in it"):
        prepare_saved_plan(plan, "deploy", {})
