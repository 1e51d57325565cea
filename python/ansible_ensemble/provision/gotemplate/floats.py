"""Floats as Go writes them. A precision of -1 means as many digits as give the same float again."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal


def special(value: float) -> str | None:
    """The text of what is no finite number."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return None


def _digits(value: float) -> tuple[str, str, int]:
    """Sign, the shortest digits without trailing zeros, and how many of them are before the point."""
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    point = len(text) + int(exponent) if text else 1
    return "-" if sign else "", text.rstrip("0") or "0", point


def fixed(value: float, precision: int) -> str:
    """`%f`."""
    if precision >= 0:
        return f"{value:.{precision}f}"
    sign, digits, point = _digits(value)
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    whole = digits[:point].ljust(point, "0")
    return f"{sign}{whole}.{digits[point:]}" if digits[point:] else sign + whole


def scientific(value: float, precision: int) -> str:
    """`%e`."""
    if precision >= 0:
        return f"{value:.{precision}e}"
    sign, digits, point = _digits(value)
    fraction = f".{digits[1:]}" if digits[1:] else ""
    return f"{sign}{digits[0]}{fraction}e{point - 1:+03d}"


def general(value: float, precision: int) -> str:
    """`%g`, which is `%v` as well."""
    if precision >= 0:
        return f"{value:.{max(precision, 1)}g}"
    _other, _other, point = _digits(value)
    return fixed(value, -1) if -4 < point <= 6 else scientific(value, -1)


def hexadecimal(value: float, precision: int) -> str:
    """`%x`: a hexadecimal fraction and an exponent of two."""
    fraction, exponent = math.frexp(abs(value))
    mantissa, places = int(fraction * 2**53), 13
    if 0 <= precision < places:
        shift = 4 * (places - precision)
        half, rest = 1 << (shift - 1), mantissa & ((1 << shift) - 1)
        mantissa >>= shift
        mantissa += rest > half or (rest == half and mantissa & 1)
        if mantissa >> (4 * precision + 1):
            mantissa, exponent = mantissa >> 1, exponent + 1
        places = precision
    digits = f"{mantissa & ((1 << 4 * places) - 1):0{places}x}" if places else ""
    digits = digits.rstrip("0") if precision < 0 else digits.ljust(precision, "0")
    sign = "-" if math.copysign(1, value) < 0 else ""
    return f"{sign}0x{mantissa >> (4 * places)}{'.' if digits else ''}{digits}p{exponent - 1 if value else 0:+03d}"


def binary(value: float, _precision: int) -> str:
    """`%b`: a whole number and an exponent of two."""
    fraction, exponent = math.frexp(value)
    least = -1074
    shift = max(exponent - 53, least)
    return f"{int(math.ldexp(fraction, exponent - shift))}p{shift:+d}"


def pointed(text: str, verb: str, precision: int) -> str:
    """A float's text with the flag `#`: always with a point, and with zeros that `%g` would leave out."""
    mark = re.search(r"p" if verb in "xX" else r"e", text)
    body, tail = (text[: mark.start()], text[mark.start() :]) if mark else (text, "")
    digits = (6 if precision < 0 else precision) if verb in "gGx" else 0
    digits -= len(body.lstrip("-").replace(".", "").lstrip("0x" if verb in "xX" else "0"))
    digits -= verb in "xX"  # the zero before the x counts as the first digit
    if "." not in body:
        digits -= body.lstrip("-") == "0"
        body += "."
    return body + "0" * digits + tail


def in_json(value: float) -> str:
    """A float as Go's JSON has it: with an exponent only where it is very small or very large."""
    if value != 0 and not 1e-6 <= abs(value) < 1e21:
        return scientific(value, -1).replace("e-0", "e-").replace("e+0", "e+")
    return fixed(value, -1)


VERBS: dict[str, tuple[Callable[[float, int], str], int]] = {
    "v": (general, -1),
    "g": (general, -1),
    "G": (general, -1),
    "e": (scientific, 6),
    "E": (scientific, 6),
    "f": (fixed, 6),
    "F": (fixed, 6),
    "x": (hexadecimal, -1),
    "X": (hexadecimal, -1),
    "b": (binary, -1),
}
