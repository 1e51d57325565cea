"""What content consists of: tasks, stages, workflows, bootenvs, templates, params and profiles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from ansible_ensemble.provision.objects.base import Object, Reference
from ansible_ensemble.provision.objects.names import NAME_OR_NUMBER, PARAM_NAME
from ansible_ensemble.provision.objects.parts import (
    Claim,
    OperatingSystem,
    TemplateInfo,
    entry_references,
    template_references,
)


class _Described(Object, frozen=True, kw_only=True):
    IN_CONTENT: ClassVar[bool] = True

    name: str = ""
    description: str = ""
    documentation: str = ""


class Task(_Described, frozen=True, kw_only=True):
    """A unit of work: templates that become scripts and files of a job.

    Attributes:
        required_params: params without which it cannot run.
        prerequisites: tasks that run before it, once in a bootenv.
        extra_roles: roles whose claims the token of its jobs has too.
        extra_claims: claims that the token of its jobs has too.
    """

    PREFIX: ClassVar[str] = "tasks"
    SUMMARY: ClassVar[str] = "units of work"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "Prerequisites", "Bundle", "Description")
    REFERS: ClassVar[tuple[str, ...]] = ("templates", "tasks")
    TITLE: ClassVar[str] = "Task"
    LOOKED_AT: ClassVar[tuple[str, ...]] = ("prerequisites",)

    templates: list[TemplateInfo] = []
    required_params: list[str] = []
    optional_params: list[str] = []
    prerequisites: list[str] = []
    extra_roles: list[str] = []
    extra_claims: list[Claim] = []

    def references(self) -> Iterator[Reference]:
        """Its templates and prerequisites."""
        yield from template_references(self.templates)
        yield from (("tasks", name) for name in self.prerequisites)


class Stage(_Described, frozen=True, kw_only=True):
    """A list of tasks, and the bootenv that they run in; an empty one is any.

    Attributes:
        reboot: whether the machine reboots on entering it, by the deprecated map.
        runner_wait: always true: agents wait for tasks.
    """

    PREFIX: ClassVar[str] = "stages"
    SUMMARY: ClassVar[str] = "lists of tasks"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "BootEnv", "Tasks", "Bundle", "Description")
    REFERS: ClassVar[tuple[str, ...]] = ("templates", "tasks", "params", "profiles", "bootenvs", "stages")
    TITLE: ClassVar[str] = "Stage"
    LOOKED_AT: ClassVar[tuple[str, ...]] = ("meta",)
    ACTIONS: ClassVar[tuple[str, ...]] = ("getSecure",)
    COMPUTED: ClassVar[frozenset[str]] = Object.COMPUTED | {"RunnerWait", "Partial"}

    templates: list[TemplateInfo] = []
    required_params: list[str] = []
    optional_params: list[str] = []
    params: dict[str, Any] = {}
    boot_env: str = ""
    tasks: list[str] = []
    profiles: list[str] = []
    reboot: bool = False
    runner_wait: bool = False
    partial: bool = False

    def references(self) -> Iterator[Reference]:
        """Its bootenv, tasks, profiles and templates, and the definitions of its params."""
        if self.boot_env:
            yield "bootenvs", self.boot_env
        yield from entry_references(self.tasks)
        yield from (("profiles", name) for name in self.profiles)
        yield from (("params", name) for name in self.params)
        yield from template_references(self.templates)


class Workflow(_Described, frozen=True, kw_only=True):
    """The stages that bring a machine to a wanted end."""

    PREFIX: ClassVar[str] = "workflows"
    SUMMARY: ClassVar[str] = "lists of stages"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "Stages", "Bundle", "Description")
    REFERS: ClassVar[tuple[str, ...]] = ("stages",)
    TITLE: ClassVar[str] = "Workflow"

    stages: list[str] = []

    def references(self) -> Iterator[Reference]:
        """Its stages."""
        return (("stages", name) for name in self.stages)


class BootEnv(_Described, frozen=True, kw_only=True):
    """What a machine boots; here a name, templates and boot parameters.

    Attributes:
        only_unknown: whether it is for machines that are not known yet.
    """

    PREFIX: ClassVar[str] = "bootenvs"
    SUMMARY: ClassVar[str] = "what machines boot"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "OS.Name", "Available", "Bundle", "Description")
    REFERS: ClassVar[tuple[str, ...]] = ("templates",)
    TITLE: ClassVar[str] = "Bootenv"
    LOOKED_AT: ClassVar[tuple[str, ...]] = ("meta", "only_unknown")

    os: OperatingSystem = OperatingSystem()
    templates: list[TemplateInfo] = []
    kernel: str = ""
    initrds: list[str] = []
    boot_params: str = ""
    required_params: list[str] = []
    optional_params: list[str] = []
    only_unknown: bool = False
    loaders: dict[str, str] = {}

    def references(self) -> Iterator[Reference]:
        """Its templates."""
        return template_references(self.templates)


class Template(Object, frozen=True, kw_only=True):
    """A text that tasks, stages, bootenvs and other templates render."""

    PREFIX: ClassVar[str] = "templates"
    SUMMARY: ClassVar[str] = "texts that become scripts and files"
    COLUMNS: ClassVar[tuple[str, ...]] = ("ID", "Bundle", "Description")
    TITLE: ClassVar[str] = "Template"
    NAMES: ClassVar[re.Pattern[str]] = NAME_OR_NUMBER
    IN_CONTENT: ClassVar[bool] = True
    KEY: ClassVar[str] = "id"

    id: str = ""
    description: str = ""
    contents: str = ""


class Param(_Described, frozen=True, kw_only=True):
    """The definition of a param.

    Attributes:
        secure: whether its values are sealed where they are stored.
        schema: a JSON Schema of its values; its `default` is the value where none is set.
    """

    PREFIX: ClassVar[str] = "params"
    SUMMARY: ClassVar[str] = "definitions of params"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "Schema.type", "Secure", "Bundle", "Description")
    TITLE: ClassVar[str] = "Param"
    NAMES: ClassVar[re.Pattern[str]] = PARAM_NAME
    LOOKED_AT: ClassVar[tuple[str, ...]] = ("schema", "secure")

    secure: bool = False
    schema: Any = None


class Profile(_Described, frozen=True, kw_only=True):
    """Params that several machines share."""

    PREFIX: ClassVar[str] = "profiles"
    SUMMARY: ClassVar[str] = "params that machines share"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "Profiles", "Params", "Bundle", "Description")
    REFERS: ClassVar[tuple[str, ...]] = ("params", "profiles")
    TITLE: ClassVar[str] = "Profile"
    LOOKED_AT: ClassVar[tuple[str, ...]] = ("profiles",)
    ACTIONS: ClassVar[tuple[str, ...]] = ("getSecure",)
    COMPUTED: ClassVar[frozenset[str]] = Object.COMPUTED | {"Partial"}

    params: dict[str, Any] = {}
    profiles: list[str] = []
    partial: bool = False

    def references(self) -> Iterator[Reference]:
        """The profiles it includes, and the definitions of its params."""
        yield from (("profiles", name) for name in self.profiles)
        yield from (("params", name) for name in self.params)


class Context(_Described, frozen=True, kw_only=True):
    """A place other than the machine where its tasks run.

    Attributes:
        engine: what runs the agent there.
        image: what the engine starts.
    """

    PREFIX: ClassVar[str] = "contexts"
    SUMMARY: ClassVar[str] = "where tasks run beside the machine itself"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "Engine", "Image", "Description")

    engine: str = ""
    image: str = ""
