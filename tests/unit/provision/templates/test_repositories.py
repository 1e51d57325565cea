from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.provision.templates.repositories import family_type, for_system, repositories, to_install

BASE = {"tag": "base", "os": ["centos-8"], "url": "http://r/c8", "installSource": True}
SECURITY = {
    "tag": "sec",
    "os": ["centos-8"],
    "url": "http://r/sec/path",
    "securitySource": True,
    "gpgkey": "http://r/key",
}


@pytest.mark.parametrize(
    ("given", "system", "install", "lines"),
    [
        (BASE, "centos-8", "url --url http://r/c8", "[base]\nname=base\nbaseurl=http://r/c8\nenabled=1\ngpgcheck=0"),
        (
            SECURITY,
            "rocky-8",
            'repo --name="sec" --baseurl=http://r/sec/path',
            "[sec]\nname=sec\nbaseurl=http://r/sec/path\nenabled=1\ngpgcheck=1\ngpgkey=http://r/key",
        ),
        (
            {**SECURITY, "distribution": "jammy"},
            "ubuntu-22.04",
            "d-i apt-setup/security_host string r\nd-i apt-setup/security_path string /sec/path",
            "deb http://r/sec/path jammy",
        ),
        (
            {**SECURITY, "distribution": "7", "components": ["os", "extras"], "gpgkey": ""},
            "centos-7",
            'repo --name="sec-os" --baseurl=http://r/sec/path/7/os/$basearch\n'
            'repo --name="sec-extras" --baseurl=http://r/sec/path/7/extras/$basearch',
            "[sec-os]\nname=sec-os\nbaseurl=http://r/sec/path/7/os/$basearch\nenabled=1\ngpgcheck=0\n"
            "[sec-extras]\nname=sec-extras\nbaseurl=http://r/sec/path/7/extras/$basearch\nenabled=1\ngpgcheck=0",
        ),
    ],
)
def test_what_a_system_is_told(given: dict[str, Any], system: str, install: str, lines: str) -> None:
    (repository,) = repositories([given, "no map"], system)
    assert repository.install() == install
    assert repository.lines() == lines


def test_those_for_a_system() -> None:
    known = repositories(
        [{**BASE, "tag": "arm", "arch": "arm64"}, SECURITY, BASE, {**BASE, "tag": "second"}], "centos-8"
    )
    assert [one.fields["Tag"] for one in for_system(known, "centos-8", "amd64")] == ["sec", "base", "second"]
    assert [one.fields["Tag"] for one in to_install(known, "centos-8", "amd64")] == ["base", "sec"]
    assert [one.fields["Tag"] for one in for_system(known, "centos-8", "aarch64")] == ["arm", "sec", "base", "second"]
    assert for_system(known, "debian-12", "amd64") == []


def test_families() -> None:
    assert [family_type(name) for name in ("ubuntu-22.04", "rocky", "esxi-7")] == ["debian", "rhel", "esxi"]
