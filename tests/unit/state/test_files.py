"""What of a folder is state, and how a folder becomes what a state says."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.state.files import collected, install
from ansible_ensemble.state.store import File

SPEC = """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
# of people
spec:
  inputs: {a: 1}
"""
STATUS = """\
status:
  readyState: {local: ok}
lastJob:
  changeId: A6BKKsK50000
"""
JOB = "job2026-01-02-03-04-05-A6BKKsK5"


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "ensemble.yaml"


@pytest.fixture
def ensemble(tmp_path: Path) -> Path:
    return write(
        tmp_path / "one",
        {
            "ensemble.yaml": SPEC + STATUS,
            "jobs.tsv": "A\n",
            f"changes/{JOB}.yaml": "a: 1\n",
            f"jobs/{JOB}.yaml": "b: 1\n",
            f"jobs/{JOB}.events.jsonl": "{}\n",
            "jobs/job2026-01-02-03-04-06-A6BKKsK6.journal": "{}\n",
            f"jobs/{JOB}.runner/stdout": "",
            "jobs/state.git/HEAD": "",
            "active/artifacts/web/create/run.sh": "#!/bin/sh\n",
            "active/secrets/web/create/clear": "canary\n",
            "active/secrets/web/create/sealed": "$ANSIBLE_VAULT;1.1;AES256\n30\n",
            "active/tasks/web/create/a": "",
            "planned/a.json": "{}",
            "secrets/digest.key": "canary",
            "site.yml": "",
        },
    )


def test_state_is_what_jobs_write_and_need_again(ensemble: Path) -> None:
    (ensemble.parent / "active/artifacts/web/create/run.sh").chmod(0o700)
    files = collected(ensemble)
    assert set(files) == {
        "active/artifacts/web/create/run.sh",
        "active/secrets/web/create/sealed",
        f"changes/{JOB}.yaml",
        "ensemble.yaml",
        f"jobs/{JOB}.events.jsonl",
        f"jobs/{JOB}.yaml",
        "jobs/job2026-01-02-03-04-06-A6BKKsK6.journal",
        "jobs.tsv",
    }
    assert files["active/artifacts/web/create/run.sh"].executable
    text = files["ensemble.yaml"].content.decode()
    assert "A6BKKsK50000" in text
    assert "inputs" not in text


def test_logs_of_the_last_jobs_alone_are_state(ensemble: Path) -> None:
    names = [f"job2026-01-02-03-05-{number:02}-A6BKL0{number:02}" for number in range(30)]
    write(ensemble.parent, {f"{kind}/{name}.yaml": "a: 1\n" for name in names for kind in ("jobs", "changes")})
    files = collected(ensemble)
    assert [name for name in files if name.startswith("jobs/") and name.endswith(".yaml")] == [
        f"jobs/{name}.yaml" for name in names[-20:]
    ]
    assert len([name for name in files if name.startswith("changes/")]) == 31


def test_another_folder_becomes_the_same_and_keeps_what_is_of_people(ensemble: Path, tmp_path: Path) -> None:
    spec = SPEC.replace("a: 1", "a: 2")
    old = {"status": "status:\n  readyState: {local: error}\n", "changes": "changes/job2025.yaml"}
    other = write(tmp_path / "two", {"ensemble.yaml": spec + old["status"], old["changes"]: "", "site.yml": "mine"})
    write(other.parent, {f"jobs/{JOB}.journal": "", "jobs/job2025-01-02-03-04-05-A5BKKsK5.yaml": "old"})
    install(collected(ensemble), other)
    assert collected(other).items() >= collected(ensemble).items()
    assert other.read_text() == spec + STATUS.replace("{local: ok}", "\n    local: ok").replace(": \n", ":\n")
    assert (other.parent / "site.yml").read_text() == "mine"
    assert not (other.parent / old["changes"]).exists()
    assert not (other.parent / f"jobs/{JOB}.journal").exists(), "a job that is recorded is not recorded again"
    assert (other.parent / "jobs/job2025-01-02-03-04-05-A5BKKsK5.yaml").exists(), "older logs may stay"


def test_secrets_in_clear_stay_for_no_state_has_them(ensemble: Path) -> None:
    clear, sealed = (ensemble.parent / "active/secrets/web/create" / name for name in ("clear", "sealed"))
    files = {name: file for name, file in collected(ensemble).items() if not name.endswith("sealed")}
    install(files, ensemble)
    assert clear.read_text() == "canary\n"
    assert not sealed.exists()


def test_the_file_of_a_service_template_alone_is_made(tmp_path: Path) -> None:
    spec = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec:\n  service_template: app.yaml\n"
    one = write(tmp_path / "one", {"ensemble.yaml": spec + STATUS})
    other = write(tmp_path / "two", {"app.yaml": ""})
    other = tmp_path / "two" / "ensemble.yaml"
    install(collected(one), other)
    assert collected(other) == collected(one)


@pytest.mark.parametrize(
    "name",
    ["../x", "changes/../../x", "/x", "site.yml", "secrets/x", "active/tasks/x", "changes/a\0", "jobs/state.git/HEAD"],
)
def test_a_state_writes_nothing_else(ensemble: Path, name: str) -> None:
    before = sorted(path for path in ensemble.parent.rglob("*"))
    with pytest.raises(InvalidInput, match="which is none of a state's"):
        install({"jobs.tsv": File(b""), name: File(b"")}, ensemble)
    assert sorted(path for path in ensemble.parent.rglob("*")) == before


def test_a_damaged_state_is_told(ensemble: Path) -> None:
    with pytest.raises(InvalidInput, match="of the state"):
        install({"ensemble.yaml": File(b"a: [")}, ensemble)
    with pytest.raises(InvalidInput, match="no map"):
        install({"ensemble.yaml": File(b"- a")}, ensemble)
