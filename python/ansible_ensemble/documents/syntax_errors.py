"""What is wrong with YAML that cannot be parsed, in plain words."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.places import Source

# Part of the parser's message, what is wrong, what to do. The first that fits is taken.
_EXPLANATIONS = (
    ("control characters", "a control character is not allowed here", "remove it, or escape it in double quotes"),
    ("special characters", "a control character is not allowed here", "remove it, or escape it in double quotes"),
    ("violates indentation", "a tab is used to indent", "indent with spaces"),
    ("unexpected end of stream", "the quote that opens here is not closed", "close it"),
    ("document separator", "the quote that opens here is not closed", "close it"),
    ("unknown escape character", "this escape is not known in double quotes", "double the backslash or use '...'"),
    ("escape code", "this is no Unicode escape", "double the backslash or use single quotes"),
    ("expected hexdecimal", "this escape needs hexadecimal digits", "double the backslash or use single quotes"),
    ("expected escape sequence", "this escape needs hexadecimal digits", "double the backslash or use single quotes"),
    ("block sequence entries are not allowed", 'a "- " is where no list can begin', "begin a list on its own line"),
    ("sequence entries are not allowed", 'a "- " is where no list can begin', "begin a list on its own line"),
    ("mapping keys are not allowed", 'a "? " is where no key can be', "quote the text"),
    ("could not find expected ':'", 'a key has no ":" after it', 'write "key: value"'),
    ("expected ',' or ']'", 'a "," or the closing "]" is missing', "close the list, or quote the text"),
    ("expected ',' or '}'", 'a "," or the closing "}" is missing', "close the map, or quote the text"),
    ("expected '-' indicator", 'the list goes on without "- "', "indent it as the list, and begin it with '- '"),
    ("expected <block end>", "the indentation or a quote is wrong here", "indent alike, quote the whole text"),
    ("did not find expected key", "the indentation or a quote is wrong here", "indent alike, quote the whole text"),
    ("duplicate anchor", "a value has two anchors", "leave one"),
    ("undefined tag handle", "the tag's prefix is not known", "known are !vault, !sensitive and !unsafe"),
    ("unknown directive", "this directive is not known", "quote a text that begins with %"),
    ("incompatible yaml document", "the %YAML directive asks for another version", "remove the directive"),
    ("expected <document start>", "text follows the end of the document", "one file holds one document"),
    ("expected comment or line break", "text follows the | or > that begins a block", "put it on the next line"),
    ("expected indentation indicator", "the number after | or > is wrong", "give 1 to 9 or none"),
    ("alphabetic or numeric character", "a name must follow the * or &", "quote a text that begins with * or &"),
    ("cannot start any token", "this character cannot begin a value", "quote the text"),
    ("expected node content", "a value is missing here", "quote a text that begins with , ] or }"),
    ("expected the node content", "a value is missing here", "quote a text that begins with , ] or }"),
)


def explain(error: Any, source: Source) -> InvalidInput:
    """Return a `yaml.YAMLError` as an error for the user: file, line, column, what is wrong, what to do."""
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    index = min(mark.index if mark else _index_of_character(error, source), len(source.text))
    if "cannot start any token" in problem and source.text[index : index + 1] == "\t":
        return InvalidInput("a tab is used to indent", source.place(index), "indent with spaces")
    if "mapping values are not allowed" in problem:
        return _unexpected_colon(source, index)
    for part, message, hint in _EXPLANATIONS:
        if part in problem.lower():
            if "quote that opens" in message and error.context_mark:
                index = error.context_mark.index
            return InvalidInput(message, source.place(index), hint)
    context = getattr(error, "context", None)
    return InvalidInput(f"{context}, {problem}" if context else str(problem), source.place(index))


def _unexpected_colon(source: Source, index: int) -> InvalidInput:
    """Return the error for a ": " where no key can be: its line, or the one before, is the reason."""
    start = source.text.rfind("\n", 0, index) + 1
    if ": " in source.text[start:index]:
        return InvalidInput('a second ": " is in the line', source.place(index), "quote the text that holds it")
    end = len(source.text[:start].rstrip())
    before = source.text[source.text.rfind("\n", 0, end) + 1 : end]
    if before and ":" not in before:
        return InvalidInput('the line has no ":" after its key', source.place(end - len(before)), 'write "key: value"')
    message = 'a ": " is where no key can be'
    return InvalidInput(message, source.place(index), "indent the keys of a map alike, quote text that holds ': '")


def _index_of_character(error: Any, source: Source) -> int:
    """Return the position of a character that the parser refuses; libyaml counts bytes, the pure parser characters."""
    position = getattr(error, "position", None) or 0
    if getattr(error, "encoding", None) == "unicode":
        return int(position)
    return len(source.text.encode("utf-8", "replace")[:position].decode("utf-8", "ignore"))
