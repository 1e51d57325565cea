"""How Sphinx makes the site of the documentation: `make docs-site`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes

from ansible_ensemble import __version__

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = "https://github.com/tosca-ensemble/tosca.ensemble/blob/main/"

project = "tosca.ensemble"
author = "The tosca.ensemble contributors"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_antsibull_ext"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
default_role = "code"  # docstrings mark code with single backticks
highlight_language = "text"
html_copy_source = False
html_show_sphinx = False
html_theme = "furo"
html_title = f"{project} {release}"
myst_heading_anchors = 6
napoleon_use_ivar = True
smartquotes = False
suppress_warnings = [
    "misc.highlighting_failure"
]  # examples leave out with "...", and draw in languages without a lexer

#: Where the documentation of Ansible has what pages made by antsibull-docs refer to; nothing is fetched for a build.
ANSIBLE = "https://docs.ansible.com/projects/ansible/latest/"
LABELS = {
    "action_plugins": "plugins/action.html#action-plugins",
    "ansible_configuration_settings": "reference_appendices/config.html#ansible-configuration-settings",
    "common_return_values": "reference_appendices/common_return_values.html#common-return-values",
}

_PLUGIN = re.compile(r"ansible_collections\.(?!tosca\.ensemble\.)(\w+)\.(\w+)\.(\w+)")
_CONTENTS = re.compile(r"^\.\. contents::\n(?: +.*\n)*", re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?(?=\))")
_LISTED = re.compile(r"^(?:-|\d+\.) \[[^\]]*\]\((?!https?:|\.\./)([^)#\s]+)\.(?:md|rst)\)", re.MULTILINE)
_SECTION = re.compile(r"^(?=## )", re.MULTILINE)


def with_sources(text: str, folder: Path) -> str:
    """A page, with addresses for its links to files of the repository that are no pages or pictures.

    Raises:
        FileNotFoundError: there is no such file.
    """

    def address(link: re.Match[str]) -> str:
        target = (folder / link[1]).resolve(strict=True).relative_to(REPOSITORY)
        is_here = target.parts[0] == "docs" and target.suffix in (".md", ".png", ".webp")
        return link[0] if is_here else f"{SOURCES}{target}{link[2] or ''}"

    return _LINK.sub(address, text)


#: What the site has beside the pages of docs, and the section of the index that it stands before.
MADE = """## Made from the code

- [Commands](reference/commands/index.md)
- [Types](reference/types.md)
- [The collection](collection/index.rst)
- [Python](reference/python.md)

"""
BEFORE = "## Machines\n"


def with_contents(text: str) -> str:
    """An index, with a table of contents of the pages that each of its sections lists."""

    def contents(section: str) -> str:
        title = re.match(r"## (.*)", section)
        caption = f":caption: {title[1]}\n" if title else ""
        pages = "\n".join(dict.fromkeys(_LISTED.findall(section)))
        return f"{section.rstrip()}\n\n```{{toctree}}\n:hidden:\n{caption}\n{pages}\n```\n\n" if pages else section

    return "".join(map(contents, _SECTION.split(text)))


def read_page(app: Any, name: str, source: list[str]) -> None:
    """Adapt a page of docs, which is written for readers of the repository, too."""
    page = REPOSITORY / "docs" / f"{name}.md"
    if page.exists():
        source[0] = with_sources(source[0], page.parent)
    if name.startswith("collection/"):
        source[0] = _CONTENTS.sub("", source[0])  # which the theme shows beside each page
    if name == app.config.root_doc:
        source[0] = source[0].replace(BEFORE, MADE + BEFORE)
    if Path(name).name == "index" and Path(app.env.doc2path(name)).suffix == ".md":
        source[0] = with_contents(source[0])


def refer(_app: Any, _environment: Any, node: Any, shown: Any) -> Any:
    """A link to the documentation of Ansible."""
    label = node.get("reftarget", "")
    plugin = _PLUGIN.fullmatch(label)
    page = f"collections/{'/'.join(plugin.groups())}.html" if plugin else LABELS.get(label)
    return nodes.reference("", "", shown, refuri=ANSIBLE + page) if page else None


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", read_page)
    app.connect("missing-reference", refer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
