"""The files of the pages: of projects, and of machines, which a server of machines serves."""

from __future__ import annotations

from importlib.resources import files

from ansible_ensemble.core.page_files import PageFile, page_files

_STATIC = files("ansible_ensemble.ui").joinpath("static")


def project_pages() -> dict[str, PageFile]:
    """Those of a project."""
    return page_files(_STATIC)


def machine_pages() -> dict[str, PageFile]:
    """Those of a server of machines: its own, and the modules that it has in common with a project's."""
    return page_files(_STATIC, _STATIC.joinpath("machines"))
