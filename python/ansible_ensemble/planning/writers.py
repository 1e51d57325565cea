"""Operations that write one path on one host are a chain (docs/rules.md, "Paths that several write").

When one of a chain runs, those after it run as well, or what they wrote would be lost. The last one records what it
left, and checks look for that: what an earlier one wrote is not what has to be there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from posixpath import basename, dirname, join
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ansible_ensemble.configurators.set_things import WHOLE, checked_as
from ansible_ensemble.configurators.teardown import LINE_REPLACED
from ansible_ensemble.core.errors import InvalidInput, raise_all
from ansible_ensemble.core.orders import CONTROLLER, Host
from ansible_ensemble.core.written_path import WrittenPath
from ansible_ensemble.instances.status import Status
from ansible_ensemble.planning.context import Chain, PlannedInstance, Planning, Writer
from ansible_ensemble.topology.host_copies import inventory_names

_OF_INSTANCE = ("", "HOST", "SELF", "SOURCE", "TARGET")
_ORCHESTRATOR = "ORCHESTRATOR"


def find_chains(planning: Planning) -> None:
    """Find the writers of each path."""
    chains = _chains(planning)
    planning.chains = [one for one in chains if len(one.writers) > 1]
    shared = {writer.member.name for one in planning.chains for writer in one.writers}
    alone = (one for one in chains if len(one.writers) == 1)
    planning.chains += [
        one for one in alone if one.readers or one.writers[0].write.overlooked or one.writers[0].member.name in shared
    ]
    planning.followed = _followed(chains)


def _followed(chains: Collection[Chain]) -> dict[str, list[str]]:
    """The paths of tasks that others write if a folder above is a link: theirs have the same name on the same host."""
    named: dict[tuple[str, str], list[Chain]] = {}
    for chain in chains:
        if chain.is_file:
            named.setdefault((chain.host, basename(chain.path)), []).append(chain)
    found: dict[str, list[str]] = {}
    for chain in (one for alike in named.values() if len(alike) > 1 for one in alike):
        for writer in chain.writers:
            if writer.write.task and not writer.write.elsewhere:
                found.setdefault(writer.member.name, []).append(chain.path)
    return found


def refuse_without_order(planning: Planning) -> None:
    """Refuse members of the spec that write one path where neither of them requires the other."""
    position = {name: number for number, name in enumerate(planning.members)}
    faults: dict[tuple[str, str], InvalidInput] = {}
    for chain in planning.chains:
        before: Writer | None = None
        for writer in (one for one in chain.writers if one.member.in_spec and not one.write.below):
            if before is not None and _conflict(before, writer):
                names = planning.written(before.member)[1], planning.written(writer.member)[1]
                if names not in faults and not _is_behind(planning, position, writer.member, before.member):
                    faults[names] = _fault(chain, before, writer, names)
            before = writer
    raise_all(faults.values())


def leave_own_lines(planning: Planning) -> None:
    """Say nothing of lines that are replaced in files which an earlier member makes: they are the ensemble's own."""
    for chain in planning.chains:
        is_made = False
        for writer in chain.writers:
            change = writer.member.change
            if is_made and change is not None and change.leaves == LINE_REPLACED:
                change.leaves = ""
            is_made = is_made or (writer.write.whole and writer.member.in_spec)


def _conflict(first: Writer, second: Writer) -> bool:
    """Whether it matters which of two writers comes last."""
    return first.member.template.name != second.member.template.name and differ(first, second)


def differ(first: Writer, second: Writer) -> bool:
    """Whether two writers say something else."""
    return not first.write.same or first.write.same != second.write.same


def _fault(chain: Chain, first: Writer, second: Writer, names: tuple[str, str]) -> InvalidInput:
    places = [writer.write.place or writer.member.template.place for writer in (first, second)]
    where = f" ({places[0]})" if places[0] is not None else ""
    message = f"'{names[1]}' and '{names[0]}'{where} {chain.verb} {chain.path} on {chain.host}"
    hint = f"if '{names[1]}' comes second, add to it `requirements: [{{dependency: {names[0]}}}]`"
    return InvalidInput(f"{message}, and nothing says which is first", places[1], hint)


def _is_behind(planning: Planning, position: dict[str, int], member: PlannedInstance, other: PlannedInstance) -> bool:
    """Whether a member requires another one that stands before it, by itself or through others between them."""
    seen, left = {member.name}, [member]
    while left:
        for link in left.pop().requirements:
            if link.target == other.name:
                return True
            if not link.peer and link.target not in seen and position[link.target] > position[other.name]:
                seen.add(link.target)
                left.append(planning.members[link.target])
    return False


def _chains(planning: Planning) -> list[Chain]:
    machines: dict[tuple[str, str], str] = {}
    found: list[tuple[str, Writer]] = []
    for member in planning.members.values():
        for write in planning.detector.writes(member):
            key = member.name, write.host
            if key not in machines:
                machines[key] = _machine(planning, member, write.host)
            found.append((machines[key], Writer(member, write)))
    folders = {(host, one.write.path) for host, one in found if one.write.is_folder}
    exact: dict[tuple[str, str], list[Writer]] = {}
    filling: dict[tuple[str, str], list[Writer]] = {}
    reading: dict[tuple[str, str], list[Writer]] = {}
    for host, one in found:
        write, writer = one.write, one
        if write.folder and (host, write.path) in folders:
            write = replace(write, path=join(write.path, write.folder), folder="")
            writer = Writer(one.member, write)
        key = host, write.path
        if write.reads:
            reading.setdefault(key, []).append(writer)
            continue
        if write.below:
            filling.setdefault(key, []).append(writer)
        if not (write.below and write.whole):
            exact.setdefault(key, []).append(writer)
    position = {name: number for number, name in enumerate(planning.members)}
    return [
        Chain(
            host,
            path,
            _with_filling(planning, position, writers, _above(filling, host, path)),
            _readers(planning, position, writers, (*reading.get((host, path), ()), *_above(reading, host, path))),
        )
        for (host, path), writers in exact.items()
    ]


def _readers(
    planning: Planning, position: dict[str, int], writers: list[Writer], readers: Iterable[Writer]
) -> list[PlannedInstance]:
    """Those that read what writers write, and come after one of them."""
    found = {one.member.name: one.member for one in readers}
    return [
        member
        for member in found.values()
        if any(_is_behind(planning, position, member, one.member) for one in writers)
    ]


def _above(filling: dict[tuple[str, str], list[Writer]], host: str, path: str) -> Iterator[Writer]:
    """What fills a folder that a path is in."""
    folder = dirname(path) if filling else path
    while folder and folder != path:
        yield from filling.get((host, folder), ())
        path, folder = folder, dirname(folder)


def _with_filling(
    planning: Planning, position: dict[str, int], writers: list[Writer], filling: Iterable[Writer]
) -> list[Writer]:
    """The writers of a path with those that fill its folder, as far as there is an order between them."""
    more = [
        one
        for one in filling
        if all(
            other.member is one.member
            or _is_behind(planning, position, other.member, one.member)
            or _is_behind(planning, position, one.member, other.member)
            for other in writers
        )
    ]
    whole = [Writer(one.member, replace(one.write, path=writers[0].write.path)) for one in more] + writers
    return sorted(whole, key=lambda one: position[one.member.name]) if more else writers


def _machine(planning: Planning, member: PlannedInstance, keyword: str) -> str:
    """The name of the host that an `operation_host` means, as far as the specification tells it."""
    if keyword in CONTROLLER or keyword == _ORCHESTRATOR:
        return Host().name
    if keyword not in _OF_INSTANCE and keyword not in planning.members:
        return keyword
    outermost = planning.members.get(keyword, member)
    seen = {outermost.name}
    while (host := _host(outermost)) is not None and host not in seen:
        seen.add(host)
        outermost = planning.members[host]
    if outermost is member and keyword != "SELF":
        return Host().name  # what nothing hosts is made from the controller
    return [name for name in inventory_names(planning.topology, outermost.template, outermost.name) if name][-1]


def _host(member: PlannedInstance) -> str | None:
    return next((link.target for link in member.requirements if link.relationship.is_hosted_on), None)


def is_there(member: PlannedInstance) -> bool:
    """Whether what a member made exists, as far as recorded."""
    return member.instance is not None and not member.is_new and member.instance.status is not Status.ABSENT


def chains_by_member(chains: Collection[Chain]) -> dict[str, list[tuple[Chain, int]]]:
    """The chains of each member, each with its first place in it."""
    found: dict[str, list[tuple[Chain, int]]] = {}
    for chain in chains:
        first: dict[str, int] = {}
        for number, writer in enumerate(chain.writers):
            first.setdefault(writer.member.name, number)
        for name, number in first.items():
            found.setdefault(name, []).append((chain, number))
    return found


class Share(Struct):
    """What a member has in chains.

    Attributes:
        paths: those that it is the last to write.
        overwritten: what others write after it: the paths of a module, the tasks of files and roles.
        by: the last writer of such a path of a module.
        instead: arguments that a check of a module has to have otherwise, as others set them after it.
    """

    paths: list[WrittenPath] = field(default_factory=list)
    overwritten: list[str] = field(default_factory=list)
    by: PlannedInstance | None = None
    instead: dict[str, Any] = field(default_factory=dict)


def shares_of(chains: Collection[Chain], there: Collection[str]) -> dict[str, Share]:
    """What members that are there have in chains, by their names.

    A module part of which is overwritten is the last to write the rest, too. Of what no check mode tells the mode and
    owner, these are looked for.
    """
    shares: dict[str, Share] = {}
    alone: list[tuple[Chain, Writer]] = []
    for chain in chains:
        writers = [one for one in chain.writers if one.member.name in there]
        if not chain.is_file:
            _share_setting(shares, chain, writers)
        elif len(writers) == 1:
            alone.append((chain, writers[0]))
        elif writers:
            last = writers.pop()
            shares.setdefault(last.member.name, Share()).paths.append(_at(chain, last))
            for one in writers:
                _overwrite(shares.setdefault(one.member.name, Share()), one, last, chain.path)
    for chain, writer in alone:
        share = shares.get(writer.member.name)
        if share is not None and _is_left(share, writer):
            share.paths.append(_at(chain, writer))
        elif writer.write.overlooked:
            shares.setdefault(writer.member.name, Share()).paths.append(replace(_at(chain, writer), bare=True))
    return shares


def _share_setting(shares: dict[str, Share], chain: Chain, writers: list[Writer]) -> None:
    """Let what sets something that another one sets otherwise after it be checked for the rest."""
    for number, one in enumerate(writers):
        later = next((other for other in reversed(writers[number + 1 :]) if differ(one, other)), None)
        if later is None:
            continue
        share = shares.setdefault(one.member.name, Share())
        if one.write.task or one.write.argument == WHOLE:
            _overwrite(share, one, later, chain.path)
        elif one.member is not later.member:
            share.instead |= checked_as(one.write.argument, later.write.same)


def _at(chain: Chain, writer: Writer) -> WrittenPath:
    return WrittenPath(chain.path, chain.host if writer.write.elsewhere else "")


def _is_left(share: Share, writer: Writer) -> bool:
    """Whether only its path shows what a writer left, as no check runs it."""
    return writer.write.task in share.overwritten if writer.write.task else share.by is not None


def _overwrite(share: Share, writer: Writer, last: Writer, path: str) -> None:
    if writer.write.task:
        share.overwritten += [writer.write.task, *writer.write.handlers]
    elif writer.member is not last.member:
        share.overwritten.append(path)
        share.by = share.by or last.member
