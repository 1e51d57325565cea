"""What the server has, by the names under which content asks for it, and what else is known by such names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: What clients and content may ask for by name; each of it is there.
FEATURES = (
    "api-v3",
    "sane-exit-codes",
    "change-stage-v2",
    "job-exit-states",
    "package-repository-handling",
    "profileless-machine",
    "fsm-runner",
    "secure-params",
    "secure-params-in-content-packs",
    "task-prerequisites",
    "workflows",
    "default-workflow",
    "roles",
    "elevated-tasks",
    "per-patch-actions",
    "selective-job-purge",
    "log-has-head-method",
    "multiarch",
    "sprig",
    "task-retry",
    "task-error-handlers",
    "common-blob-size",
    "tenants",
    "http-range-header",
    "plugin-v2",
)

_NO_BOOT = "machines are booted by another program"

#: What is not there, and what of content that asks for it does not work.
ABSENT: Mapping[str, str] = MappingProxyType(
    {
        "asset-dir": "plugins bring no files: upload them",
        "auto-boot-target": "agents ask for the action nextbootpxe instead",
        "centos-8": f"installers of CentOS 8 do not start: {_NO_BOOT}",
        "overridable-bootloaders": f"Loaders of bootenvs are kept and do nothing: {_NO_BOOT}",
        "virtual-media-boot": f"machines do not boot from virtual media: {_NO_BOOT}",
    }
)


def lacking_features(wanted: str) -> list[str]:
    """What a list of features, with commas or spaces between, names that is not there; a message for each."""
    names = dict.fromkeys(wanted.replace(",", " ").split())
    return [
        f"Missing required feature {name}: {ABSENT.get(name, 'what uses it may not work')}"
        for name in names
        if name not in FEATURES
    ]
