"""XML Schema, as far as constraints of values want it: what else a schema has is refused, and not passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from msgspec import Struct, field

from ansible_ensemble.language.xml_texts import BUILT_IN, FACETS, Fits

_XS = "{http://www.w3.org/2001/XMLSchema}"
_GROUPS = ("sequence", "choice", "all")
#: What says nothing of values.
_SILENT = ("annotation",)


class SchemaFault(Exception):
    """What is wrong with a schema, or not supported in it."""


class _Type(Struct):
    """What an element may be: its text, its attributes, and the order of its children as a pattern of their names."""

    text: Fits | None = None
    is_open: bool = False
    attributes: dict[str, tuple[Fits, bool]] = field(default_factory=dict)
    pattern: str = ""
    unordered: dict[str, bool] | None = None
    children: dict[str, _Type] = field(default_factory=dict)

    def fits(self, element: Element) -> bool:
        if self.is_open:
            return True
        given = {name for name in element.attrib if not name.startswith("{")}
        if (
            not given <= self.attributes.keys()
            or not {n for n, (_other, needed) in self.attributes.items() if needed} <= given
        ):
            return False
        if not all(self.attributes[name][0](element.attrib[name]) for name in given):
            return False
        text = element.text or ""
        if self.text is not None:
            return not len(element) and self.text(text)
        if "".join([text, *(child.tail or "" for child in element)]).strip():
            return False
        return self._has_order(element) and all(self.children[child.tag].fits(child) for child in element)

    def _has_order(self, element: Element) -> bool:
        names = [child.tag for child in element]
        if self.unordered is None:
            return re.fullmatch(self.pattern, "".join(f"<{name}>" for name in names)) is not None
        needed = {name for name, is_needed in self.unordered.items() if is_needed}
        return len(set(names)) == len(names) and needed <= set(names) <= self.unordered.keys()


class _Reader:
    def __init__(self, schema: Element) -> None:
        _refuse_unless(schema.tag == f"{_XS}schema", "it is no XML schema")
        self.space = f"{{{schema.get('targetNamespace')}}}" if schema.get("targetNamespace") else ""
        self.is_qualified = schema.get("elementFormDefault") == "qualified"
        self.named: dict[tuple[str, str], Element] = {}
        for node in _parts(schema, "element", "complexType", "simpleType"):
            self.named[_kind(node), node.get("name", "")] = node
        self.types: dict[str, _Type] = {}
        self.simple: dict[str, Fits] = {}

    def elements(self) -> dict[str, _Type]:
        """The elements that a document may consist of."""
        found = [(name, node) for (kind, name), node in self.named.items() if kind == "element"]
        return {self.space + name: self.type_of(node) for name, node in found}

    def type_of(self, node: Element) -> _Type:
        name = _local(node.get("type", ""))
        inner = list(_parts(node, "complexType", "simpleType"))
        if inner:
            return self.read_type(inner[0], _Type())
        return self.named_type(name) if name else _Type(is_open=True)

    def named_type(self, name: str) -> _Type:
        node = self.named.get(("complexType", name))
        if node is None:
            return _Type(is_open=True) if name == "anyType" else _Type(self.named_text(name))
        if name not in self.types:
            self.types[name] = _Type()  # it may contain itself
            self.read_type(node, self.types[name])
        return self.types[name]

    def read_type(self, node: Element, made: _Type) -> _Type:
        if _kind(node) == "simpleType":
            made.text = self.text_of(node)
            return made
        _refuse_unless(node.get("mixed") not in {"true", "1"}, "mixed content is not supported")
        for part in _parts(node, *_GROUPS, "attribute", "simpleContent"):
            if _kind(part) == "attribute":
                made.attributes[part.get("name", "")] = self.attribute(part)
            elif _kind(part) == "simpleContent":
                (extension,) = _parts(part, "extension")
                made.text = self.named_text(_local(extension.get("base", "")))
                made.attributes |= {one.get("name", ""): self.attribute(one) for one in _parts(extension, "attribute")}
            elif _kind(part) == "all":
                children = list(_parts(part, "element"))
                made.unordered = {self.child(one, made): one.get("minOccurs", "1") != "0" for one in children}
            else:
                made.pattern = self.pattern(part, made)
        return made

    def attribute(self, node: Element) -> tuple[Fits, bool]:
        inner = list(_parts(node, "simpleType"))
        fits = self.text_of(inner[0]) if inner else self.named_text(_local(node.get("type", "string")))
        return fits, node.get("use") == "required"

    def pattern(self, node: Element, made: _Type) -> str:
        """The order of children as a regular expression over their names."""
        if _kind(node) == "element":
            inner = re.escape(f"<{self.child(node, made)}>")
        else:
            parts = [self.pattern(one, made) for one in _parts(node, "element", "sequence", "choice")]
            inner = ("|" if _kind(node) == "choice" else "").join(parts)
        least, most = node.get("minOccurs", "1"), node.get("maxOccurs", "1")
        _refuse_unless(least.isdigit() and (most.isdigit() or most == "unbounded"), "its occurrences are no numbers")
        return f"(?:{inner}){{{least},{'' if most == 'unbounded' else most}}}"

    def child(self, node: Element, made: _Type) -> str:
        """The name of a child; its type is noted."""
        ref = node.get("ref")
        name = _local(ref or node.get("name") or "")
        known = self.named.get(("element", name)) if ref is not None else node
        if known is None:
            raise SchemaFault(f"there is no element {name}")
        if ref is not None or self.is_qualified:
            name = self.space + name
        made.children[name] = self.type_of(known)
        return name

    def named_text(self, name: str) -> Fits:
        if name in self.simple:
            return self.simple[name]
        node = self.named.get(("simpleType", name))
        _refuse_unless(node is not None or name in BUILT_IN, f"the type {name} is not supported")
        self.simple[name] = self.text_of(node) if node is not None else BUILT_IN[name]
        return self.simple[name]

    def text_of(self, node: Element) -> Fits:
        (restriction,) = _parts(node, "restriction")
        checks = [self.named_text(_local(restriction.get("base", "")))]
        words = [
            one.get("value", "") for one in _parts(restriction, "enumeration", *FACETS) if _kind(one) == "enumeration"
        ]
        if words:
            checks.append(lambda text: text.strip() in words)
        for facet in _parts(restriction, "enumeration", *FACETS):
            if _kind(facet) != "enumeration":
                checks.append(FACETS[_kind(facet)](facet.get("value", "")))
        return lambda text: all(check(text) for check in checks)


def _parts(node: Element, *kinds: str) -> Iterator[Element]:
    """The children of a schema's element, all of which have to be of these kinds.

    Raises:
        SchemaFault: one is of another kind.
    """
    for part in node:
        if _kind(part) in _SILENT:
            continue
        _refuse_unless(_kind(part) in kinds, f"{_kind(part)} within {_kind(node)} is not supported")
        yield part


def _kind(node: Element) -> str:
    return node.tag.removeprefix(_XS)


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _refuse_unless(holds: bool, message: str) -> None:
    if not holds:
        raise SchemaFault(message)


@lru_cache(maxsize=64)
def _read(schema: str) -> dict[str, _Type]:
    try:
        return _Reader(ElementTree.fromstring(schema.strip())).elements()
    except (ElementTree.ParseError, ArithmeticError, ValueError, re.error, RecursionError) as error:
        raise SchemaFault(str(error)) from None


def schema_fault(schema: str) -> str | None:
    """What is wrong with a schema, or not supported in it; None if nothing is."""
    try:
        _read(schema)
    except SchemaFault as error:
        return str(error)
    return None


def fits_xml_schema(text: str, schema: str) -> bool:
    """Whether a document is one of a schema's; of one that is not supported, none is.

    It is well formed; its root is an element of the schema, and all within it is of its type.
    """
    try:
        root, known = ElementTree.fromstring(text.strip()), _read(schema)
    except (ElementTree.ParseError, ValueError, SchemaFault):
        return False
    return root.tag in known and known[root.tag].fits(root)
