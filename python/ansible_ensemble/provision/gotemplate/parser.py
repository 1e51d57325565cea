"""From a template's text to trees, as Go's text/template parses it."""

from __future__ import annotations

from collections.abc import Callable, Container

from ansible_ensemble.core.budget import Fault
from ansible_ensemble.provision.gotemplate import literals
from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.gotemplate.lexer import Kind, Token, tokens
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
    Operand,
    Pipeline,
    Range,
    Statement,
    Text,
    Tree,
    Variable,
    With,
)

MOST_NESTED = 100  # parentheses, and actions within actions
_OPERANDS = frozenset(
    [Kind.BOOL, Kind.CHARACTER, Kind.DOT, Kind.FIELD, Kind.WORD, Kind.NUMBER, Kind.RAW, Kind.STRING, Kind.VARIABLE]
)


def parse(name: str, text: str, functions: Container[str]) -> dict[str, Tree]:
    """The trees of a text: its own under `name`, and those that it defines.

    Raises:
        TemplateError: the text is no template; the message has Go's form `template: name:line: what`.
    """
    parser = _Parser(name, text, functions)
    try:
        return parser.trees()
    except Fault as fault:
        line = text.count("\n", 0, parser.position) + 1
        raise TemplateError(f"template: {name}:{line}: {fault}") from None


class _Parser:
    """Reads the tokens of one text."""

    def __init__(self, name: str, text: str, functions: Container[str]) -> None:
        self._name = name
        self._text = text
        self._functions = functions
        self._tokens = list(tokens(text))
        self._next = 0
        self._variables = ["$"]
        self._loops = 0
        self._nested = 0
        self._trees: dict[str, Tree] = {}

    @property
    def position(self) -> int:
        """Where it has read up to."""
        return self._tokens[max(self._next - 1, 0)].start

    def trees(self) -> dict[str, Tree]:
        body: list[Statement] = []
        while self._peek().kind is not Kind.END:
            if self._at_keyword("define"):
                self._definition()
                continue
            statement, word = self._statement()
            if statement is None:
                raise Fault(f"unexpected {{{{{word}}}}}")
            body.append(statement)
        self._add(self._name, tuple(body))
        return self._trees

    # Tokens

    def _take(self) -> Token:
        token = self._tokens[self._next]
        self._next += 1
        if token.kind is Kind.ERROR:
            raise Fault(token.text)
        return token

    def _peek(self) -> Token:
        return self._tokens[self._next]

    def _skip_spaces(self) -> Token:
        """The next token that is no space, not yet taken."""
        while self._peek().kind is Kind.SPACE:
            self._next += 1
        return self._peek()

    def _take_word(self) -> Token:
        self._skip_spaces()
        return self._take()

    def _expect(self, kind: Kind, context: str) -> Token:
        token = self._take_word()
        if token.kind is not kind:
            raise _unexpected(token, context)
        return token

    def _at_keyword(self, word: str) -> bool:
        """Whether an action starts here whose first word is this keyword."""
        if self._peek().kind is not Kind.OPEN:
            return False
        at = self._next + 1
        while self._tokens[at].kind is Kind.SPACE:
            at += 1
        return self._tokens[at].kind is Kind.KEYWORD and self._tokens[at].text == word

    # Templates

    def _add(self, name: str, body: Body) -> None:
        tree, there = Tree(name, self._name, self._text, body), self._trees.get(name)
        if there is None or there.empty:
            self._trees[name] = tree
        elif not tree.empty:
            raise Fault(f'template: multiple definition of template "{name}"')

    def _definition(self) -> None:
        self._take()
        self._take_word()
        name = self._template_name("define clause")
        self._expect(Kind.CLOSE, "define clause")
        self._add(name, self._separate_body("define clause"))

    def _separate_body(self, context: str) -> Body:
        """The body of a template of its own: it sees no variable and no loop around it."""
        variables, loops = self._variables, self._loops
        self._variables, self._loops = ["$"], 0
        body, word = self._body()
        if word != "end":
            raise Fault(f"unexpected {{{{{word}}}}} in {context}")
        self._variables, self._loops = variables, loops
        return body

    def _template_name(self, context: str) -> str:
        token = self._take_word()
        if token.kind not in (Kind.STRING, Kind.RAW):
            raise _unexpected(token, context)
        return literals.unquoted(token.text)

    # Statements

    def _body(self) -> tuple[Body, str]:
        """Statements up to `end` or `else`, and which of the two."""
        body: list[Statement] = []
        self._deeper()
        while self._peek().kind is not Kind.END:
            statement, word = self._statement()
            if statement is None:
                self._nested -= 1
                return tuple(body), word
            body.append(statement)
        raise Fault("unexpected EOF")

    def _deeper(self) -> None:
        self._nested += 1
        if self._nested > MOST_NESTED:
            raise Fault("max expression depth exceeded")

    def _statement(self) -> tuple[Statement | None, str]:
        """A statement; or None with the word that ends a body."""
        token = self._take()
        if token.kind is Kind.TEXT:
            return Text(token.start, token.start + len(token.text), token.text), ""
        if token.kind is not Kind.OPEN:
            raise _unexpected(token, "input")
        first = self._skip_spaces()
        if first.kind is not Kind.KEYWORD or first.text in ("define", "nil"):
            pipeline = self._pipeline("command", Kind.CLOSE)
            return Action(pipeline.start, pipeline.end, pipeline), ""
        self._take()
        if first.text in ("end", "else"):
            return None, self._end_of_body(first.text)
        return _STATEMENTS[first.text](self, first), ""

    def _end_of_body(self, word: str) -> str:
        following = self._skip_spaces()
        if word == "else" and following.kind is Kind.KEYWORD and following.text in ("if", "with"):
            return "else"  # the branch takes the word as its own
        self._expect(Kind.CLOSE, word)
        return word

    def _leave_loop(self, word: Token) -> Break | Continue:
        self._expect(Kind.CLOSE, f"{{{{{word.text}}}}}")
        if not self._loops:
            raise Fault(f"{{{{{word.text}}}}} outside {{{{range}}}}")
        node = Break if word.text == "break" else Continue
        return node(word.start, word.start + len(word.text))

    def _branch(self, word: Token) -> If | With | Range:
        known = len(self._variables)
        pipeline = self._pipeline(word.text, Kind.CLOSE)
        loops = word.text == "range"
        self._loops += loops
        body, ended = self._body()
        self._loops -= loops
        otherwise = self._otherwise(word.text) if ended == "else" else ()
        del self._variables[known:]
        return _BRANCHES[word.text](pipeline.start, pipeline.end, pipeline, body, otherwise)

    def _otherwise(self, context: str) -> Body:
        following = self._peek()
        if following.kind is Kind.KEYWORD and following.text in ("if", "with"):
            if following.text != context:
                raise Fault(f"unexpected <{following.text}> in input")
            self._deeper()
            nested = self._branch(self._take())
            self._nested -= 1
            return (nested,)
        body, ended = self._body()
        if ended != "end":
            raise Fault("expected end; found {{else}}")
        return body

    def _invocation(self, word: Token) -> Invocation:
        name = self._template_name("template clause")
        if self._skip_spaces().kind is Kind.CLOSE:
            end = self._take().start
            return Invocation(word.start, end, name, None)
        pipeline = self._pipeline("template clause", Kind.CLOSE)
        return Invocation(word.start, pipeline.end, name, pipeline)

    def _block(self, word: Token) -> Invocation:
        name = self._template_name("block clause")
        pipeline = self._pipeline("block clause", Kind.CLOSE)
        self._add(name, self._separate_body("block clause"))
        return Invocation(word.start, pipeline.end, name, pipeline)

    # Pipelines

    def _pipeline(self, context: str, end: Kind) -> Pipeline:
        self._deeper()
        start = self._skip_spaces().start
        variables, assigns = self._declarations(context)
        commands: list[Command] = []
        while (token := self._skip_spaces()).kind is not end:
            if token.kind not in _OPERANDS and token.kind is not Kind.LEFT and token.text != "nil":
                raise _unexpected(self._take(), context)
            commands.append(self._command())
        self._take()
        _check_commands(commands, context)
        self._nested -= 1
        return Pipeline(start, token.start, variables, assigns, tuple(commands))

    def _declarations(self, context: str) -> tuple[tuple[str, ...], bool]:
        """The variables before `:=` or `=`, and whether it is `=`."""
        names: list[str] = []
        last = None
        while self._skip_spaces().kind is Kind.VARIABLE:
            at, token = self._next, self._take()
            following = self._skip_spaces()
            if following.kind not in (Kind.ASSIGN, Kind.DECLARE, Kind.COMMA):
                self._next = at
                break
            self._take()
            names.append(token.text)
            last = following.kind
            if last is not Kind.COMMA:
                break
            self._check_comma(context, len(names))
        self._variables += names
        return tuple(names), last is Kind.ASSIGN

    def _check_comma(self, context: str, declared: int) -> None:
        if context != "range" or declared > 1:
            raise Fault(f"too many declarations in {context}")
        if self._skip_spaces().kind not in (Kind.VARIABLE, Kind.CLOSE, Kind.RIGHT):
            raise Fault("range can only initialize variables")

    def _command(self) -> Command:
        start, operands = self._skip_spaces().start, []
        while True:
            self._skip_spaces()
            if (operand := self._operand()) is not None:
                operands.append(operand)
            token = self._peek()
            if token.kind in (Kind.CLOSE, Kind.RIGHT):
                break
            self._take()
            if token.kind is Kind.PIPE:
                break
            if token.kind is not Kind.SPACE:
                raise _unexpected(token, "operand")
        if not operands:
            raise Fault("empty command")
        return Command(start, operands[-1].end, tuple(operands))

    def _operand(self) -> Operand | None:
        term = self._term()
        if term is None or self._peek().kind is not Kind.FIELD:
            return term
        names = []
        while self._peek().kind is Kind.FIELD:
            field = self._take()
            names.append(field.text[1:])
        end = field.start + len(field.text)
        if isinstance(term, Field):
            return Field(term.start, end, (*term.names, *names))
        if isinstance(term, Variable):
            return Variable(term.start, end, term.name, (*term.names, *names))
        if isinstance(term, (Literal, Nil, Dot)):
            raise Fault(f'unexpected . after term "{self._text[term.start : term.end]}"')
        return Chain(term.start, end, term, tuple(names))

    def _term(self) -> Operand | None:
        token = self._peek()
        if token.kind is Kind.LEFT:
            self._take()
            return self._pipeline("parenthesized pipeline", Kind.RIGHT)
        if token.kind is Kind.KEYWORD and token.text == "nil":
            self._take()
            return Nil(token.start, token.start + 3)
        if token.kind not in _OPERANDS:
            return None
        self._take()
        return self._simple_term(token)

    def _simple_term(self, token: Token) -> Operand:
        start, end, text = token.start, token.start + len(token.text), token.text
        if token.kind is Kind.DOT:
            return Dot(start, end)
        if token.kind is Kind.FIELD:
            return Field(start, end, (text[1:],))
        if token.kind is Kind.VARIABLE:
            if text not in self._variables:
                raise Fault(f'undefined variable "{text}"')
            return Variable(start, end, text, ())
        if token.kind is Kind.WORD:
            if text not in self._functions:
                raise Fault(f'function "{text}" not defined')
            return Identifier(start, end, text)
        return Literal(start, end, _LITERALS[token.kind](text))


def _unexpected(token: Token, context: str) -> Fault:
    if token.kind is Kind.ERROR:
        return Fault(token.text)
    shown = f"<{token.text}>" if token.kind is Kind.KEYWORD else f'"{token.text}"'
    return Fault(f"unexpected {'EOF' if token.kind is Kind.END else shown} in {context}")


def _check_commands(commands: list[Command], context: str) -> None:
    if not commands:
        raise Fault(f"missing value for {context}")
    for stage, command in enumerate(commands[1:], 2):
        if isinstance(command.operands[0], (Literal, Nil, Dot)):
            raise Fault(f"non executable command in pipeline stage {stage}")


_BRANCHES: dict[str, type[If | With | Range]] = {"if": If, "with": With, "range": Range}
_STATEMENTS: dict[str, Callable[[_Parser, Token], Statement]] = {
    "if": _Parser._branch,
    "with": _Parser._branch,
    "range": _Parser._branch,
    "break": _Parser._leave_loop,
    "continue": _Parser._leave_loop,
    "template": _Parser._invocation,
    "block": _Parser._block,
}
_LITERALS: dict[Kind, Callable[[str], str | bool | int | float]] = {
    Kind.STRING: literals.unquoted,
    Kind.RAW: literals.unquoted,
    Kind.CHARACTER: literals.character,
    Kind.NUMBER: literals.number,
    Kind.BOOL: lambda text: text == "true",
}
