from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.reports.import_text import adopted_text, import_text
from ansible_ensemble.reports.style import Style

ENTRY = {"file": "/srv/site.yml", "line": 3, "play": "web", "becomes": "resource", "why": "talks"}
FOUND: dict[str, Any] = {
    "folder": "/srv",
    "files": ["ensemble.yaml", "service-template.yaml"],
    "problems": [],
    "remarks": [],
    "entries": [
        {**ENTRY, "name": "Page", "node": "page", "undo": "removes /a", "no_undo": ""},
        {
            **ENTRY,
            "line": 9,
            "name": "Tell",
            "becomes": "tasks",
            "node": "tell",
            "undo": "",
            "no_undo": "none",
            "why": "talks",
        },
    ],
    "counts": {"resource": 1, "role": 0, "tasks": 1},
}
TEXT = """\
FROM             NAME  BECOMES   NODE  UNDEPLOY    WHY
/srv/site.yml:3  Page  resource  page  removes /a  talks
/srv/site.yml:9  Tell  tasks     tell  no: none    talks

1 resource: plan, drift by check mode, and undeploy where the table says how
1 tasks: plan, drift by check mode where the tasks have one
Written to /srv: ensemble.yaml, service-template.yaml.
Next: ansible-ensemble plan -i 'my hosts' /srv
"""


def test_the_report() -> None:
    assert import_text(FOUND, Style(), ["-i", "my hosts"]) == TEXT


def test_remarks() -> None:
    remark = {"file": "/srv/site.yml", "line": 3, "text": "sudo is old", "hint": "write become: true", "written": True}
    text = import_text({**FOUND, "remarks": [remark, {**remark, "line": 4, "written": False}]}, Style(), [])
    assert "\n  /srv/site.yml:3: sudo is old (write become: true; written so)\n" in text
    assert "\n  /srv/site.yml:4: sudo is old (write become: true)\n" in text


def test_several_of_a_kind() -> None:
    text = import_text({**FOUND, "counts": {"resource": 2, "role": 1, "tasks": 2, "left out": 2}}, Style(), [])
    assert [line.split(":")[0] for line in text.splitlines() if line[:1].isdigit()] == [
        "2 resources",
        "1 role",
        "2 tasks",
        "2 left out",
    ]


def test_a_folder_is_quoted_for_the_shell() -> None:
    text = import_text({**FOUND, "folder": "/srv/my site"}, Style(), [])
    assert text.endswith("Next: ansible-ensemble plan '/srv/my site'\n")


@pytest.mark.parametrize(("entries", "options"), [(1, "--destroyunmanaged"), (2, "--destroyunmanaged --force")])
def test_what_was_adopted_can_be_taken_away(entries: int, options: str) -> None:
    text = adopted_text({**FOUND, "entries": FOUND["entries"][:entries]}, ["-i", "my hosts"])
    assert text.startswith("Next: ansible-ensemble plan -i 'my hosts' /srv\n")
    assert f"\nTo take away what was adopted: ansible-ensemble undeploy -i 'my hosts' {options} /srv\n" in text
