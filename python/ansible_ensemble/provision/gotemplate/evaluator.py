"""Carries out parsed templates, by the rules of Go's text/template."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from ansible_ensemble.core.budget import Budget, Fault
from ansible_ensemble.provision.gotemplate import printing
from ansible_ensemble.provision.gotemplate.arguments import accepted
from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.gotemplate.functions import Function
from ansible_ensemble.provision.gotemplate.nodes import (
    Action,
    Body,
    Break,
    Chain,
    Command,
    Continue,
    Dot,
    Field,
    Identifier,
    If,
    Invocation,
    Literal,
    Nil,
    Node,
    Operand,
    Pipeline,
    Range,
    Text,
    Tree,
    Variable,
    With,
)
from ansible_ensemble.provision.gotemplate.values import Struct, Value, in_order, pay, truth, type_of

_ABSENT: Any = object()  # there is no value from a command before


class _Given(NamedTuple):
    """What something is called with: operands, and the value of the command before as the last argument."""

    operands: Sequence[Operand] = ()
    final: Value = _ABSENT

    @property
    def total(self) -> int:
        return len(self.operands) + (self.final is not _ABSENT)


_NOTHING = _Given()
_NO_VALUE = "<no value>"


class _Frame:
    """One invocation of a template: its tree, the cursor, and its variables, innermost last."""

    __slots__ = ("dot", "tree", "variables")

    def __init__(self, tree: Tree, data: Value) -> None:
        self.tree = tree
        self.dot = data
        self.variables: list[tuple[str, Value]] = [("$", data)]

    def get(self, name: str) -> Value:
        for known, value in reversed(self.variables):
            if known == name:
                return value
        raise Fault(f"undefined variable: {name}")

    def assign(self, name: str, value: Value) -> None:
        for index in range(len(self.variables) - 1, -1, -1):
            if self.variables[index][0] == name:
                self.variables[index] = (name, value)
                return
        raise Fault(f"undefined variable: {name}")


class Evaluator:
    """Renders templates of one set with one budget.

    Args:
        trees: templates by name.
        functions: what they may call.
        budget: what may be used, and where the output goes.
        strict: whether a key that a map does not have is an error (`missingkey=error`).
    """

    def __init__(
        self, trees: Mapping[str, Tree], functions: Mapping[str, Function], budget: Budget, strict: bool = False
    ) -> None:
        self._trees = trees
        self._functions = functions
        self._budget = budget
        self._strict = strict

    def render(self, name: str, data: Value) -> None:
        """Write what a template gives; raise Fault if there is none, TemplateError where it goes wrong."""
        tree = self._trees.get(name)
        if tree is None:
            raise Fault(f'template "{name}" not defined')
        self._budget.depth += 1
        if self._budget.depth > self._budget.limits.depth:
            raise Fault(f"exceeded maximum template depth ({self._budget.limits.depth})")
        try:
            self._body(_Frame(tree, data), tree.body)
        except RecursionError:
            raise Fault(f'template "{name}" is nested too deeply') from None
        finally:
            self._budget.depth -= 1

    def _fail(self, frame: _Frame, node: Node, message: object) -> NoReturn:
        tree = frame.tree
        what = tree.text[node.start : node.end].strip()
        place = f'template: {tree.place(node.start)}: executing "{tree.name}" at <{what}>'
        raise TemplateError(f"{place}: {message}") from None

    # Statements; a body gives the word that leaves a loop, or None

    def _body(self, frame: _Frame, body: Body) -> type[Node] | None:
        for statement in body:
            if isinstance(statement, Text):
                self._write(frame, statement, statement.text)
            elif isinstance(statement, Action):
                self._action(frame, statement)
            elif (left := _STATEMENTS[type(statement)](self, frame, statement)) is not None:
                return left
        return None

    def _write(self, frame: _Frame, node: Node, text: str) -> None:
        try:
            self._budget.spend()
            self._budget.write(text)
        except Fault as fault:
            self._fail(frame, node, fault)

    def _action(self, frame: _Frame, action: Action) -> None:
        value = self._pipeline(frame, action.pipeline)
        if not action.pipeline.variables:
            self._write(frame, action, self._text(frame, action, value))

    def _text(self, frame: _Frame, node: Node, value: Value) -> str:
        if isinstance(value, str):
            return value
        if value is None:
            return _NO_VALUE
        if isinstance(value, (list, dict, Struct)):
            self._pay(frame, node, value)
        return printing.shown(value)

    def _pay(self, frame: _Frame, node: Node, value: Value) -> None:
        try:
            pay(self._budget, value)
        except Fault as fault:
            self._fail(frame, node, fault)

    def _branch(self, frame: _Frame, branch: If | With) -> type[Node] | None:
        known, dot = len(frame.variables), frame.dot
        value = self._pipeline(frame, branch.pipeline)
        true = truth(value)
        if true and isinstance(branch, With):
            frame.dot = value
        left = self._body(frame, branch.body if true else branch.otherwise)
        frame.dot = dot
        del frame.variables[known:]
        return left

    def _range(self, frame: _Frame, loop: Range) -> type[Node] | None:
        known, dot = len(frame.variables), frame.dot
        value = self._pipeline(frame, loop.pipeline)
        inside = len(frame.variables)
        empty, left = True, None
        for index, item in self._items(frame, loop, value):
            empty = False
            self._turn(frame, loop, index, item)
            frame.dot = item
            left = self._body(frame, loop.body)
            del frame.variables[inside:]
            if left is Break:
                break
        frame.dot = dot
        if empty:
            left = self._body(frame, loop.otherwise)
        del frame.variables[known:]
        return left if empty else None

    def _items(self, frame: _Frame, loop: Range, value: Value) -> Iterator[tuple[Value, Value]]:
        if isinstance(value, dict):
            return iter(in_order(value))
        if isinstance(value, list):
            return enumerate(list(value))
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            self._fail(frame, loop, f"range can't iterate over {type_of(value)}")
        if value is not None and len(loop.pipeline.variables) > 1:
            self._fail(frame, loop, f"can't use {value} to iterate over more than one variable")
        return ((None, number) for number in range(value or 0))

    def _turn(self, frame: _Frame, loop: Range, index: Value, item: Value) -> None:
        """Give the variables of a loop their values: index and item, or the item alone."""
        self._step(frame, loop)
        names = loop.pipeline.variables
        values = (index, item)[-len(names) :] if names else ()
        if loop.pipeline.assigns:
            for name, value in zip(names, values, strict=True):
                frame.assign(name, value)
        elif names:
            frame.variables[-len(names) :] = zip(names, values, strict=True)

    def _leave(self, _frame: _Frame, word: Break | Continue) -> type[Node]:
        return type(word)

    def _invoke(self, frame: _Frame, invocation: Invocation) -> None:
        data = None if invocation.pipeline is None else self._pipeline(frame, invocation.pipeline)
        try:
            self.render(invocation.name, data)
        except Fault as fault:
            self._fail(frame, invocation, fault)

    # Values

    def _step(self, frame: _Frame, node: Node) -> None:
        try:
            self._budget.spend()
        except Fault as fault:
            self._fail(frame, node, fault)

    def _pipeline(self, frame: _Frame, pipeline: Pipeline) -> Value:
        value = _ABSENT
        for command in pipeline.commands:
            value = self._command(frame, command, value)
        for name in pipeline.variables:
            if not pipeline.assigns:
                frame.variables.append((name, value))
                continue
            try:
                frame.assign(name, value)
            except Fault as fault:
                self._fail(frame, pipeline, fault)
        return value

    def _command(self, frame: _Frame, command: Command, final: Value) -> Value:
        self._step(frame, command)
        return self._called(frame, command.operands[0], _Given(command.operands[1:], final))

    def _called(self, frame: _Frame, first: Operand, given: _Given) -> Value:
        """The value of an operand, called with arguments if it is something that can be called."""
        if isinstance(first, Identifier):
            return self._call_function(frame, first, given)
        if isinstance(first, Field):
            return self._members(frame, first, frame.dot, first.names, given)
        if isinstance(first, Chain):
            return self._chain(frame, first, given)
        if isinstance(first, Variable) and first.names:
            return self._members(frame, first, self._variable(frame, first), first.names, given)
        if given.total:
            what = frame.tree.text[first.start : first.end]
            self._fail(frame, first, f"can't give argument to non-function {what}")
        if isinstance(first, Nil):
            self._fail(frame, first, "nil is not a command")
        return self._operand(frame, first)

    def _operand(self, frame: _Frame, operand: Operand) -> Value:
        """The value of an operand without arguments."""
        if isinstance(operand, Literal):
            return operand.value
        if isinstance(operand, Dot):
            return frame.dot
        if isinstance(operand, Pipeline):
            return self._pipeline(frame, operand)
        if isinstance(operand, Variable) and not operand.names:
            return self._variable(frame, operand)
        return None if isinstance(operand, Nil) else self._called(frame, operand, _NOTHING)

    def _variable(self, frame: _Frame, variable: Variable) -> Value:
        try:
            return frame.get(variable.name)
        except Fault as fault:
            self._fail(frame, variable, fault)

    def _chain(self, frame: _Frame, chain: Chain, given: _Given) -> Value:
        receiver = self._operand(frame, chain.operand)
        return self._members(frame, chain, receiver, chain.names, given)

    def _members(self, frame: _Frame, node: Node, receiver: Value, names: tuple[str, ...], given: _Given) -> Value:
        """`receiver.A.B arguments`: only the last member gets the arguments."""
        for name in names[:-1]:
            receiver = self._member(frame, node, receiver, name, _NOTHING)
        return self._member(frame, node, receiver, names[-1], given)

    def _member(self, frame: _Frame, node: Node, receiver: Value, name: str, given: _Given) -> Value:
        if isinstance(receiver, Struct):
            method = receiver.methods.get(name)
            if method is not None:
                return self._call(frame, node, name, method, given, receiver=receiver)
            if name not in receiver.fields:
                self._fail(frame, node, f"can't evaluate field {name} in type {type_of(receiver)}")
            if given.total:
                self._fail(frame, node, f"{name} has arguments but cannot be invoked as function")
            return receiver.fields[name]
        if receiver is None:
            if self._strict:
                self._fail(frame, node, f'nil data; no entry for key "{name}"')
            return None
        if not isinstance(receiver, dict):
            self._fail(frame, node, f"can't evaluate field {name} in type {type_of(receiver)}")
        if given.total:
            self._fail(frame, node, f"{name} is not a method but has arguments")
        if self._strict and name not in receiver:
            self._fail(frame, node, f'map has no entry for key "{name}"')
        return receiver.get(name)

    # Calls

    def _call_function(self, frame: _Frame, node: Identifier, given: _Given) -> Value:
        if node.name in ("and", "or"):
            return self._junction(frame, node, given)
        return self._call(frame, node, node.name, self._functions[node.name], given)

    def _junction(self, frame: _Frame, node: Identifier, given: _Given) -> Value:
        """`and`, `or`: the first argument that decides, or the last one; those after it are not evaluated."""
        if not given.total:
            self._fail(frame, node, f"wrong number of args for {node.name}: want at least 1 got 0")
        value: Value = None
        for argument in given.operands:
            value = self._operand(frame, argument)
            if truth(value) == (node.name == "or"):
                return value
        return value if given.final is _ABSENT else given.final

    def _call(
        self, frame: _Frame, node: Node, name: str, function: Function, given: _Given, *, receiver: Struct | None = None
    ) -> Value:
        values = self._arguments(frame, node, name, function, given)
        if function.budgeted:
            values.insert(0, self._budget)
        if receiver is not None:
            values.insert(0, receiver)
        try:
            self._budget.spend()
            result = function.call(*values)
            if isinstance(result, str):
                self._budget.hold(len(result))
            return result
        except (Fault, TemplateError) as fault:
            self._fail(frame, node, f"error calling {name}: {fault}")
        except RecursionError:
            self._fail(frame, node, f"error calling {name}: nested too deeply")

    def _arguments(self, frame: _Frame, node: Node, name: str, function: Function, given: _Given) -> list[Value]:
        values = []
        at: Node = node
        try:
            function.check_count(name, given.total)
            for position, argument in enumerate(given.operands):
                at = argument
                value = self._operand(frame, argument)
                values.append(accepted(value, function.type_at(position)))
            if given.final is not _ABSENT:
                at = node
                values.append(accepted(given.final, function.type_at(len(values))))
        except Fault as fault:
            self._fail(frame, at, fault)
        return values


_STATEMENTS: dict[type, Callable[[Evaluator, _Frame, Any], type[Node] | None]] = {
    If: Evaluator._branch,
    With: Evaluator._branch,
    Range: Evaluator._range,
    Invocation: Evaluator._invoke,
    Break: Evaluator._leave,
    Continue: Evaluator._leave,
}
