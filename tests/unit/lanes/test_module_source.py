"""Which modules can run in a fork, by what they and their module_utils hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BASIC = "from ansible.module_utils.basic import AnsibleModule\n"
OWN = BASIC + "class OwnModule(AnsibleModule):\n    pass\n"

#: name: the module, its module_utils, and whether it can.
CASES: dict[str, tuple[str, dict[str, str], bool]] = {
    "by itself": (BASIC + "AnsibleModule(argument_spec={})\n", {}, True),
    "a subclass in a module_util": ("from ..module_utils.own import OwnModule\n", {"own": OWN}, True),
    "by its full name": ("import ansible_collections.some.where.plugins.module_utils.own as own\n", {"own": OWN}, True),
    "a module_util of a module_util": (
        "from ..module_utils import near\n",
        {"near": "from .own import x\n", "own": OWN},
        True,
    ),
    "imported where it is used": ("def main():\n    from ..module_utils.own import OwnModule\n", {"own": OWN}, True),
    "module_utils that import each other": (
        "from ..module_utils.near import x\n",
        {"near": "from . import own\n", "own": "from . import near\n" + OWN},
        True,
    ),
    "no AnsibleModule anywhere": ("from ..module_utils.own import x\n", {"own": "x = 1\n"}, False),
    "a collection that is missing": ("from ansible_collections.no.such.plugins.module_utils.x import y\n", {}, False),
    "a module_util that starts the module again": (
        BASIC + "from ..module_utils.again import again\nAnsibleModule(argument_spec={})\n",
        {"again": "from ansible.module_utils.common.respawn import respawn_module\n"},
        False,
    ),
    "what Python does not read": (BASIC + "AnsibleModule(argument_spec={}\n", {}, True),
}

ASK = """
import sys
from ansible.utils.collection_loader._collection_finder import _AnsibleCollectionFinder
from ansible_ensemble.lanes.module_source import runs_in_a_fork
_AnsibleCollectionFinder(paths=[sys.argv[1]])._install()
for name, path in zip(sys.argv[2::2], sys.argv[3::2]):
    print(runs_in_a_fork(f"ansible_collections.some.{name}.plugins.modules.thing", path))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bool]:
    """What is said of each case, by one process: finding collections changes how a process imports."""
    folder = tmp_path_factory.mktemp("collections")
    asked = []
    for number, (module, utils, _) in enumerate(CASES.values()):
        plugins = folder / f"ansible_collections/some/case{number}/plugins"
        (plugins / "modules").mkdir(parents=True)
        (plugins / "module_utils").mkdir()
        (plugins / "modules/thing.py").write_text(module.replace("some.where", f"some.case{number}"))
        for name, source in utils.items():
            (plugins / f"module_utils/{name}.py").write_text(source)
        asked += [f"case{number}", str(plugins / "modules/thing.py")]
    done = subprocess.run([sys.executable, "-c", ASK, str(folder), *asked], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(zip(CASES, (line == "True" for line in done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_runs_in_a_fork(answers: dict[str, bool], name: str) -> None:
    assert answers[name] is CASES[name][2]


def test_a_file_may_have_no_collection_around_it(tmp_path: Path) -> None:
    from ansible_ensemble.lanes.module_source import runs_in_a_fork

    path = tmp_path / "thing.py"
    path.write_text(BASIC)
    assert runs_in_a_fork("ansible.modules.thing", str(path))
