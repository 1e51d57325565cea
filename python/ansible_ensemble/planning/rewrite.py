"""What deploy, undeploy and check make of chains of writers (docs/rules.md, "Paths that several write")."""

from __future__ import annotations

from collections import deque

from ansible_ensemble.core.actions import REPLACING, Action, Reason
from ansible_ensemble.planning.context import Chain, PlannedInstance, Planning, Writer
from ansible_ensemble.planning.deploy import update
from ansible_ensemble.planning.planned_operation import PlannedOperation
from ansible_ensemble.planning.sequence import planned
from ansible_ensemble.planning.writers import chains_by_member, differ, is_there, shares_of

#: Reasons for which what is there may be anything: all that writes it runs again.
_FROM_THE_FIRST = (Reason.REPAIR, Reason.REPLACE, Reason.PRUNE)
#: Reasons for which nothing before has to run again.
_AS_IT_IS = (Reason.ADD, Reason.REWRITE, Reason.FORCE, Reason.CONNECT)
_MAKING = ("create", "configure", "start")


def write_again(planning: Planning) -> None:
    """Plan the members of a chain that come after one which runs, and as far as needed those before it."""
    _Again(planning).plan()
    _record_what_is_left(planning)


class _Again:
    """The members of chains that run again."""

    def __init__(self, planning: Planning) -> None:
        self._planning = planning
        self._chains = chains_by_member(planning.chains)
        self._position = {name: number for number, name in enumerate(planning.members)}
        self._begun: dict[int, int] = {}  # of a chain, by its id, where it runs from
        self._left = deque[PlannedInstance]()
        self._taken = set[str]()

    def plan(self) -> None:
        """Plan them."""
        for name in self._chains:
            member = self._planning.members[name]
            if _runs(member) or _goes(member):
                self._left.append(member)
        if self._planning.options.change_detection != "skip":
            self._take_overtaken()
        while self._left:
            member = self._left.popleft()
            for chain, number in self._chains.get(member.name, ()):
                self._from(chain, _start(chain, number, member), member)
                self._read_again(chain, member)
        excluded = self._planning.excluded
        self._planning.excluded = [one for one in excluded if one.instance not in self._taken]

    def _take_overtaken(self) -> None:
        """Members that ran the last time before one that they come after: what they wrote is lost."""
        selected = {member.name for member in self._planning.selected()}
        for chain in self._planning.chains:
            last, latest = None, ""
            for number, member in enumerate(one.member for one in chain.writers):
                ran = self._planning.detector.ran(member.name) if member.in_spec else ""
                if last is not None and ran and ran < latest and member.name in selected:
                    self._from(chain, number, last, f"{last.name} ran after it")
                    break
                if ran > latest:
                    last, latest = member, ran
            for reader in (one for one in chain.readers if one.name in selected and one.in_spec):
                ran = self._planning.detector.ran(reader.name)
                missed = [
                    one for one in self._before(chain, reader) if ran and self._planning.detector.ran(one.name) > ran
                ]
                if missed:
                    self._take(reader, f"{missed[-1].name} ran after it: it reads {chain.path}")

    def _before(self, chain: Chain, reader: PlannedInstance) -> list[PlannedInstance]:
        """The writers of a chain that come before one that reads what they write."""
        return [one.member for one in chain.writers if self._position[one.member.name] < self._position[reader.name]]

    def _read_again(self, chain: Chain, cause: PlannedInstance) -> None:
        """Let what reads what a writer writes run again after it."""
        for reader in chain.readers:
            if cause in self._before(chain, reader):
                self._take(reader, f"{_because(reader, cause, True)}: it reads {chain.path}")

    def _from(self, chain: Chain, start: int, cause: PlannedInstance, text: str = "") -> None:
        """Let the writers of a chain run from one on."""
        end = self._begun.get(id(chain), len(chain.writers))
        self._begun[id(chain)] = min(start, end)
        behind = False
        for number, writer in enumerate(chain.writers):
            member, behind = writer.member, behind or writer.member is cause
            if start <= number < end and member is not cause and _concerns(chain, cause, writer):
                self._take(member, f"{text or _because(member, cause, behind)}: both {chain.verb} {chain.path}")
                if _runs(member) and _goes(cause):
                    member.up[0].waits_end.append(cause.down[-1].key)

    def _take(self, member: PlannedInstance, text: str) -> None:
        """Let a member run again, unless it runs already, is not there, or is not this ensemble's to change."""
        before = member.change
        if (before is not None and before.action is not Action.READ) or not member.in_spec or not is_there(member):
            return
        instance = member.instance
        if instance is None or instance.imported is not None or (instance.created or "").startswith("::"):
            return
        looks = member.up
        change = member.plan(Action.UPDATE, Reason.REWRITE, text)
        update(self._planning, member, change, [name for name in _MAKING[1:] if member.find(f"Standard.{name}")])
        if not any(operation.implementation for operation in member.up):
            member.change, member.up = before, looks
            return
        self._taken.add(member.name)
        self._left.append(member)


def _concerns(chain: Chain, cause: PlannedInstance, writer: Writer) -> bool:
    """Whether a writer has to run again since another one does: not if both set a thing to the same."""
    return chain.is_file or _goes(cause) or any(differ(one, writer) for one in chain.writers if one.member is cause)


def _because(member: PlannedInstance, cause: PlannedInstance, behind: bool) -> str:
    assert cause.change is not None
    if not _runs(cause):
        return f"{cause.name} is deleted, so {member.name} runs"
    if not behind:
        return f"{cause.name} runs again, so {member.name} runs before it"
    word = "is new" if cause.change.reason is Reason.ADD else "runs again"
    return f"{cause.name} {word}, so {member.name} runs"


def _start(chain: Chain, number: int, member: PlannedInstance) -> int:
    """Where a chain runs from, if a member of it does."""
    assert member.change is not None
    reason = member.change.reason
    if reason in _FROM_THE_FIRST:
        return 0
    if reason in _AS_IT_IS:
        return number
    before = (at for at in range(number, -1, -1) if chain.writers[at].write.whole and chain.writers[at].member.in_spec)
    return next(before, number)


def _runs(member: PlannedInstance) -> bool:
    looks = member.change is None or member.change.action is Action.READ
    return not looks and any(one.implementation and one.operation in _MAKING for one in member.up)


def _goes(member: PlannedInstance) -> bool:
    """Whether the plan has a member taken away by an operation."""
    return any(one.operation == "delete" and one.implementation for one in member.down)


def _record_what_is_left(planning: Planning) -> None:
    """Let the last of each chain that runs record what it left."""
    there = {one.name for one in planning.members.values() if one.in_spec and (is_there(one) or _runs(one))}
    shares = shares_of(planning.chains, there)
    for name in dict.fromkeys((*shares, *planning.followed)):
        own = [one for one in planning.members[name].up if _writes(one, name)]
        if own:
            own[-1].paths = shares[name].paths if name in shares else []
            own[-1].followed = planning.followed.get(name, [])


def _writes(operation: PlannedOperation, name: str) -> bool:
    own = operation.instance == name and operation.relationship is None
    return own and operation.interface == "Standard" and operation.operation in _MAKING


def keep_shared(planning: Planning) -> None:
    """Delete no file that others go on to write: what made it is forgotten, or makes it again without a deletion."""
    for chain in planning.chains:
        for writer in chain.writers:
            member = writer.member
            if not _goes(member) or member.change is None:
                continue
            stays = next((one.member.name for one in chain.others(member) if _stays(planning, one.member)), None)
            delete = next(one for one in member.down if one.operation == "delete" and one.implementation)
            if stays is None or delete.inputs or chain.path not in planning.detector.removes(member):
                continue
            delete.implementation = ""
            change = member.change
            change.action = Action.RENEW if change.action in REPLACING else Action.FORGET
            change.reason_text = (
                f"{change.reason_text or change.reason.words}; {chain.path} stays: {stays} {chain.verb}s it"
            )


def _stays(planning: Planning, member: PlannedInstance) -> bool:
    """Whether a member goes on to write what it writes."""
    if member.down and not member.up:
        return False
    if planning.workflow == "undeploy":
        return is_there(member)
    return member.in_spec and (is_there(member) or bool(member.up))


def check_what_is_left(planning: Planning) -> None:
    """Let the last writer of each path look for what it left; what others overwrite is no drift."""
    there = {one.name for one in planning.members.values() if one.in_spec and is_there(one)}
    for name, share in shares_of(planning.chains, there).items():
        member = planning.members[name]
        check = next((one for one in member.up if one.operation == "check"), None)
        if check is None or not _is_dry_run(member):
            continue
        check.paths, check.overwritten, check.instead = share.paths, share.overwritten, share.instead
        if share.by is not None and not share.paths:
            member.up, member.change = [], None
            planning.exclude(member, f"{share.by.name} writes {share.overwritten[0]} after it, and is checked")
        if share.by is not None:
            _check_too(planning, share.by)


def _is_dry_run(member: PlannedInstance) -> bool:
    operation = member.find("check")
    settings = operation.implementation.settings if operation is not None and operation.implementation else {}
    return settings.get("check_mode") is True


def _check_too(planning: Planning, member: PlannedInstance) -> None:
    check = member.find("check")
    if check is not None and not member.up:
        member.up = [planned(planning, member, check, "check", Reason.CHECK)]
        member.plan(Action.READ, Reason.CHECK)
