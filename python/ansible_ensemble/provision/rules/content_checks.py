"""What is wrong with content: problems, for which it is refused, and what it lacks to be available."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ansible_ensemble.provision.objects.content import BootEnv, Param, Profile, Stage, Task, Template, Workflow
from ansible_ensemble.provision.objects.parts import entry_references
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.entry_checks import duplicates, missing, problems_of_entries, unusable
from ansible_ensemble.provision.rules.expansion import prerequisites_in
from ansible_ensemble.provision.rules.parameters import problems_of_params
from ansible_ensemble.provision.rules.prerequisites import CircularTask, MissingPrerequisite, tasks_before
from ansible_ensemble.provision.rules.problem import Circle, Problem, within
from ansible_ensemble.provision.rules.schemas import problem_of_schema
from ansible_ensemble.provision.rules.template_checks import (
    SyntaxCheck,
    missing_templates,
    problems_of_systems,
    problems_of_templates,
)


def problems_of_template(template: Template, _catalog: Catalog, syntax: SyntaxCheck) -> Iterator[str]:
    """A template's text has to be one of its engine."""
    if problem := syntax(template.contents, template.meta):
        yield Problem(problem, "Contents")


def problems_of_task(task: Task, catalog: Catalog, syntax: SyntaxCheck) -> Iterator[str]:
    """A task has sound templates, which a job of any system can choose from, and does not wait for itself."""
    yield from problems_of_templates(task.templates, syntax, path_required=False)
    yield from problems_of_systems(task.templates)
    yield from _of_prerequisites(task, catalog, CircularTask)


def lacks_of_task(task: Task, catalog: Catalog) -> Iterator[str]:
    """A task lacks templates and prerequisites that are not there."""
    yield from missing_templates(task.templates, catalog)
    yield from _of_prerequisites(task, catalog, MissingPrerequisite)


def problems_of_stage(stage: Stage, _catalog: Catalog, syntax: SyntaxCheck) -> Iterator[str]:
    """A stage has sound templates and entries, and each profile once."""
    yield from problems_of_templates(stage.templates, syntax)
    yield from within("Tasks", problems_of_entries(stage.tasks))
    yield from within("Profiles", duplicates("profile", stage.profiles))


def lacks_of_stage(stage: Stage, catalog: Catalog) -> Iterator[str]:
    """A stage lacks what it names, unless that is there and available."""
    bootenv = [("bootenvs", stage.boot_env)] if stage.boot_env else []
    yield from (Problem(problem, "BootEnv", reference=problem.reference) for problem in unusable(bootenv, catalog))
    yield from within("Profiles", unusable((("profiles", name) for name in stage.profiles), catalog))
    # Of another stage in its list, it is enough that it is there: its tasks are not run by this one.
    named = dict.fromkeys(entry_references(stage.tasks))
    yield from within("Tasks", unusable((reference for reference in named if reference[0] != "stages"), catalog))
    yield from within("Tasks", missing((reference for reference in named if reference[0] == "stages"), catalog))
    yield from missing_templates(stage.templates, catalog)
    yield from problems_of_params(stage.params, catalog)


def lacks_of_workflow(workflow: Workflow, catalog: Catalog) -> Iterator[str]:
    """A workflow lacks stages that are not there, or not available."""
    return within("Stages", unusable(dict.fromkeys(("stages", name) for name in workflow.stages), catalog))


def problems_of_bootenv(bootenv: BootEnv, _catalog: Catalog, syntax: SyntaxCheck) -> Iterator[str]:
    """A bootenv has sound templates; the parameters of its kernel are one, too."""
    yield from problems_of_templates(bootenv.templates, syntax)
    if problem := syntax(bootenv.boot_params, {}):
        yield Problem(f"BootParams: {problem}", "BootParams")


def lacks_of_bootenv(bootenv: BootEnv, catalog: Catalog) -> Iterator[str]:
    """A bootenv lacks templates that are not there."""
    return missing_templates(bootenv.templates, catalog)


def problems_of_param(param: Param, _catalog: Catalog, _syntax: SyntaxCheck) -> Iterator[str]:
    """A param has a sound schema, and a default that fits it."""
    if param.schema is not None and (problem := problem_of_schema(param.schema)):
        yield from within("Schema", [problem])


def problems_of_profile(profile: Profile, catalog: Catalog, _syntax: SyntaxCheck) -> Iterator[str]:
    """A profile includes each profile once, and not itself."""
    yield from within("Profiles", duplicates("profile", profile.profiles))
    if profile.name in _included(profile.profiles, catalog):
        yield Circle(f"Profile {profile.name} includes itself", "Profiles")


def lacks_of_profile(profile: Profile, catalog: Catalog) -> Iterator[str]:
    """A profile lacks those it includes that are not there, or not available; its params have to fit."""
    yield from within("Profiles", unusable((("profiles", name) for name in profile.profiles), catalog))
    yield from problems_of_params(profile.params, catalog)


def _of_prerequisites(task: Task, catalog: Catalog, error: type[ValueError]) -> Iterator[str]:
    """What is wrong with the prerequisites, if it is this error; the task itself counts as it is now."""
    others = prerequisites_in(catalog)

    def prerequisites(name: str) -> Sequence[str] | None:
        return task.prerequisites if name == task.name else others(name)

    try:
        tasks_before(task.name, prerequisites)
    except (CircularTask, MissingPrerequisite) as problem:
        if isinstance(problem, error):
            made = Circle if error is CircularTask else Problem
            yield made(str(problem), "Prerequisites", problem.name, reference=problem.reference)


def _included(names: Sequence[str], catalog: Catalog) -> set[str]:
    seen: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        profile = None if name in seen else catalog.get(Profile, name)
        seen.add(name)
        waiting.extend(profile.profiles if profile else ())
    return seen
