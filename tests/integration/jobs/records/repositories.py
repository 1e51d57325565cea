"""Projects in git for tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

IDENTITY = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.com", "-c", "commit.gpgsign=false")

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Note:
    derived_from: tosca.nodes.Root
    properties:
      text: {type: string, default: one}
    interfaces:
      Standard:
        operations:
          create:
            implementation: 'echo "$text" > $name.txt'
            inputs: {text: {get_property: [SELF, text]}, name: {get_attribute: [SELF, tosca_name]}}
          delete:
            implementation: rm -f $name.txt
            inputs: {name: {get_attribute: [SELF, tosca_name]}}
topology_template:
  inputs:
    text: {type: string, default: one}
  node_templates:
    first: {type: Note, properties: {text: {get_input: text}}}
    second: {type: Note}
"""

ENSEMBLE = """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
# a comment that stays
spec:
  service_template: service.yaml
"""


def git(folder: Path, *arguments: str) -> str:
    """Run git and return its output."""
    done = subprocess.run(
        ["git", *IDENTITY, *arguments],
        cwd=folder,
        env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def make_project(folder: Path, service: str = SERVICE) -> Path:
    """A project in a git repository, with a service of two notes, each a file of the folder."""
    folder.mkdir(parents=True)
    (folder / "service.yaml").write_text(service)
    (folder / "ensemble.yaml").write_text(ENSEMBLE)
    (folder / ".gitignore").write_text("jobs/\nplanned/\nfailed.*/\nactive/tasks/\n*.lock*\n*.key\n*.txt\nlog\n")
    (folder / ".gitattributes").write_text("jobs.tsv merge=union\n")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "start")
    return folder


def clone(source: Path, folder: Path) -> Path:
    """A clone that follows its source."""
    git(source.parent, "clone", "--quiet", str(source), str(folder))
    return folder


def is_sound(folder: Path) -> bool:
    """Whether git finds nothing wrong with a repository."""
    return git(folder, "fsck", "--strict", "--no-dangling", "--no-progress") == ""
