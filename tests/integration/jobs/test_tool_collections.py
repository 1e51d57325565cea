"""Collections and packages that a job installs before the operations that need them."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import yaml

from .conftest import Run

Command = Callable[..., Run]

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {word: {type: string, default: hello}}
  node_templates:
    tools: {type: tool.Collection, properties: {name: acme.tools, file: acme-tools-1.0.0.tar.gz, checksum: CHECKSUM}}
    before: {module: ansible.builtin.ping}
    line:
      module: acme.tools.line
      args: {path: FOLDER/line, word: {get_input: word}}
      requirements: [{dependency: tools}, {dependency: before}]
    said: {role: acme.tools.say, vars: {to: FOLDER/said}, requirements: [{dependency: tools}]}
    editor: {type: tool.Packages, properties: {packages: [vim, nano], use: own_packages}}
    texts:
      module: ansible.builtin.file
      args: {path: FOLDER/texts, state: directory}
      requirements: [{dependency: editor}]
"""
MODULE = """\
DOCUMENTATION = '''
module: line
short_description: A file with a word
options:
  path: {type: path, required: true, description: Which.}
  word: {type: str, required: true, description: What.}
  state: {type: str, choices: [present, absent], default: present, description: Whether.}
'''
from pathlib import Path
from ansible.module_utils.basic import AnsibleModule

def main():
    text = {"type": "str", "required": True}
    module = AnsibleModule({"path": text, "word": text, "state": {"default": "present"}}, supports_check_mode=True)
    file, word = Path(module.params["path"]), module.params["word"]
    is_there = file.exists() and file.read_text() == word
    wanted = module.params["state"] == "present"
    if wanted != is_there and not module.check_mode:
        file.write_text(word) if wanted else file.unlink(missing_ok=True)
    module.exit_json(changed=wanted != is_there)

if __name__ == "__main__":
    main()
"""
PACKAGES = """\
from pathlib import Path
from ansible.module_utils.basic import AnsibleModule

def main():
    module = AnsibleModule({"name": {"type": "list", "elements": "str"}, "state": {"type": "str"}})
    with Path("FOLDER/packages").open("a") as stream:
        stream.write(f"{module.params['state']} {' '.join(module.params['name'])}\\n")
    module.exit_json(changed=False)

if __name__ == "__main__":
    main()
"""


def write(folder: Path) -> None:
    source = folder / "source"
    files = {
        "galaxy.yml": "namespace: acme\nname: tools\nversion: 1.0.0\nreadme: README.md\nauthors: [us]\n",
        "README.md": "",
        "plugins/modules/line.py": MODULE,
        "roles/say/tasks/main.yml": '- ansible.builtin.copy: {dest: "{{ to }}", content: said}\n',
    }
    for name, text in files.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    built = ["-m", "ansible.cli.galaxy", "collection", "build", "--output-path", str(folder), str(source)]
    subprocess.run([sys.executable, *built], check=True, capture_output=True)
    shutil.rmtree(source)
    checksum = hashlib.sha256((folder / "acme-tools-1.0.0.tar.gz").read_bytes()).hexdigest()
    service = SERVICE.replace("CHECKSUM", f"sha256:{checksum}").replace("FOLDER", str(folder))
    (folder / "service.yaml").write_text(service)
    (folder / "library").mkdir()
    (folder / "library" / "own_packages.py").write_text(PACKAGES.replace("FOLDER", str(folder)))
    (folder / "password").write_text("vault password\n")


def test_a_collection_and_packages_are_there_for_what_needs_them(command: Command, tmp_path: Path) -> None:
    def run(*words: str) -> Run:
        done = command(*words, "--vault-id", "password")
        assert done.code == 0, done.output
        return done

    write(tmp_path)
    run("deploy", "service.yaml", "--approve")
    assert [(tmp_path / name).read_text() for name in ("line", "said")] == ["hello", "said"]
    assert set((tmp_path / "packages").read_text().splitlines()) == {"present vim nano"}
    run("deploy", "--approve")  # now it is known which of the arguments are secrets
    assert json.loads(run("plan", "--output", "json").stdout)["resource_changes"] == []

    # another machine, or a fresh clone
    shutil.rmtree(tmp_path / "collections")
    shutil.rmtree(tmp_path / ".tools")
    run("undeploy", "--approve")
    assert not (tmp_path / "line").exists() and not (tmp_path / "texts").exists()
    status = yaml.safe_load((tmp_path / "ensemble.yaml").read_text())["status"]["instances"]
    assert status["tools"]["readyState"]["local"] == "ok"
    run("undeploy", "--approve", "--instance", "tools", "--instance", "editor")
    assert (tmp_path / "packages").read_text().splitlines()[-1] == "absent vim nano"
    assert not (tmp_path / "collections" / "ansible_collections" / "acme").exists()
