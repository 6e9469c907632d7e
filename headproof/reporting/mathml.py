"""LaTeX of claims as MathML that browsers set well without any script or font of ours."""

from __future__ import annotations

import re
from functools import cache
from xml.etree import ElementTree

from latex2mathml.converter import convert

from headproof.theory.errors import InputError

# Words that the claims spell in italic letters, as the papers do; set upright, as one name.
NAMES = ("pos", "sym", "POS", "SYM", "MIX", "VAL", "HL")
ARROWS = ("⟺", "⟹")
THIN, WIDE = "0.167em", "0.4em"
# Spaces are elements of their own: beside texts, browsers drop those of operators.
AFTER = {",": THIN, ";": THIN, ":": "0.3em"}
RELATIONS = ("=", "≤", "≥", "<", ">", "≈")
LONG = 40  # signs: more of them hardly fit on one line
WORDS = 24
SIGNS = ("−", "+", "±")
ROWS = ("math", "mrow", "mstyle")
PARTS = {
    **dict.fromkeys(("mfrac", "mroot", "msub", "msup", "munder", "mover"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}


@cache
def mathml(latex: str) -> str:
    """A formula in display style as one or more `<math>` elements, to stand in HTML; long words in it as `<span>`.

    Browsers break no formula into lines, so one of several parts (between arrows, after commas and wide spaces, if it
    is long at its relations) is an element for each part. Postcondition: well-formed, and no LaTeX command is left in
    the text. Raises InputError, naming the formula, for LaTeX that cannot be converted so.
    """
    try:
        converted = convert(_prepared(latex), display="block")
        root = ElementTree.fromstring(re.sub(r' xmlns="[^"]*"', "", converted, count=1))
    except Exception as error:  # the converter has no class of errors of its own
        raise InputError(f"the formula {latex!r:.200} cannot be set: {type(error).__name__}: {error}") from error
    for element in root.iter():
        if len(element) != PARTS.get(element.tag, len(element)):
            raise InputError(f"the formula {latex!r:.200} lacks a part of a fraction, an index or a power")
    _mend(root)
    if left := re.search(r"\\\S*", "".join(root.itertext())):
        raise InputError(f"the formula {latex!r:.200} has {left[0]}, which cannot be set")
    return " ".join(ElementTree.tostring(part, encoding="unicode") for part in _parts(root))


def _parts(root: ElementTree.Element) -> list[ElementTree.Element]:
    """The formula's parts, each a `<math>` element: lines may end between them."""
    row = root[0] if len(root) == 1 and root[0].tag == "mrow" and not root[0].attrib else root
    pieces = [
        part
        for piece in _split(list(row), (*ARROWS, "⇒"), gaps=True)
        for part in (_split(piece, RELATIONS, gaps=False) if _length(piece) > LONG else [piece])
    ]
    made = []
    for piece in (part for whole in pieces for part in _with_words_apart(whole)):
        while piece and _is_gap(piece[-1]):
            piece.pop()
        while piece and _is_gap(piece[0]):
            piece.pop(0)
        if len(piece) == 1 and piece[0].tag == "mtext":
            made.append(ElementTree.Element("span"))
            made[-1].text = (piece[0].text or "").replace("\u00a0", " ").strip()
        elif piece:
            made.append(ElementTree.Element("math", {"displaystyle": "true"}))
            made[-1].extend(piece)
    return made


def _with_words_apart(piece: list[ElementTree.Element]) -> list[list[ElementTree.Element]]:
    """A part with its long texts as parts of their own: they are words, which may break into lines anywhere."""
    pieces: list[list[ElementTree.Element]] = [[]]
    for child in piece:
        if child.tag == "mtext" and len(child.text or "") > WORDS:
            pieces += [[child], []]
        else:
            pieces[-1].append(child)
    return pieces


def _split(row: list[ElementTree.Element], before: tuple[str, ...], gaps: bool) -> list[list[ElementTree.Element]]:
    """A row cut before each of these operators and, with `gaps`, at wide spaces after commas; not inside brackets."""
    pieces: list[list[ElementTree.Element]] = [[]]
    depth = 0
    for child in row:
        text = (child.text or "").strip() if child.tag == "mo" else ""
        form = child.get("form") if text == "|" else ""
        depth += (text in ("(", "[", "{") or form == "prefix") - (text in (")", "]", "}") or form == "postfix")
        if text in before and pieces[-1] and not depth:
            child.attrib.update(form="infix", lspace="0", rspace="0.35em")
            pieces.append([child])
        elif _is_gap(child) and len(pieces[-1]) == 1 and (pieces[-1][0].text or "") in before:
            continue  # the operator has its space
        elif gaps and _is_gap(child) and child.get("width") != THIN and _ends_part(pieces[-1]) and not depth:
            pieces.append([])
        else:
            pieces[-1].append(child)
    return pieces


def _length(piece: list[ElementTree.Element]) -> int:
    return sum(len("".join(each.itertext())) for each in piece)


def _is_gap(element: ElementTree.Element) -> bool:
    return element.tag == "mspace" or (element.tag == "mtext" and not (element.text or "").strip("\u00a0 "))


def _ends_part(piece: list[ElementTree.Element]) -> bool:
    """Whether what stands so far ends in a comma or a colon, so that a space after it may be a line's end."""
    return bool(piece) and (piece[-1].text or "").strip()[-1:] in (",", ":", ";")


def _prepared(latex: str) -> str:
    """LaTeX in commands that the converter knows: \\arg, and dots as a command."""
    latex = re.sub(r"\\arg(?![A-Za-z])", r"\\mathrm{arg}", latex)
    return re.sub(r"(?<!\.)\.\.(?!\.)", r"\\ldots ", latex)


def _mend(element: ElementTree.Element) -> None:
    """Names as one identifier, operators as operators, spaces around functions, bars as fences; in place."""
    for child in element:
        _mend(child)
    if element.tag in ROWS:
        _join_letters(element)
    bars = 0
    for index, child in enumerate(element):
        if child.tag == "mrow" and len(child) == 1 and not child.attrib:
            element[index] = child = child[0]
        text = (child.text or "").strip()
        if child.tag == "mtext":
            _plain_spaces(child)
        elif child.tag in ("mi", "mo") and text in (*ARROWS, *AFTER, "/", "…"):
            child.tag = "mo"
            child.attrib.update(lspace="0", rspace="0")
        elif child.tag == "mo" and text in SIGNS and (not index or _opens(element[index - 1])):
            child.set("form", "prefix")
        elif child.tag == "mi" and len(text) == 1 and "Α" <= text <= "Ω":
            child.set("mathvariant", "normal")  # as TeX sets capital Greek letters
        elif child.tag == "mo" and text == "|" and "form" not in child.attrib:
            child.set("form", "postfix" if bars % 2 else "prefix")
            bars += 1
    _primes(element)
    _bar(element)
    if element.tag in ROWS:
        _space(element)


def _opens(before: ElementTree.Element) -> bool:
    """Whether a sign behind it belongs to what follows, as in `= -1` and `(-1`."""
    return before.tag == "mo" and before.get("form") != "postfix" and (before.text or "") not in (")", "]", "}")


def _plain_spaces(text: ElementTree.Element) -> None:
    """Inner spaces of a text that may be read and copied as such; the outer ones would be dropped."""
    held = text.text or ""
    inner = held.strip("\u00a0 ")
    if inner:
        start, _, end = held.partition(inner)
        text.text = start + inner.replace("\u00a0", " ") + end


def _primes(element: ElementTree.Element) -> None:
    """A prime stands beside its letter: the sign is a raised one already, and as a power it would be raised twice."""
    if element.tag not in ("msup", "msubsup"):
        return
    if element.tag == "msup" and element[0].tag == "msub" and element[0][0].tag == "mrow":
        element.tag = "msubsup"  # a power of what has a prime and an index
        element[:] = [*element[0], element[1]]
    power = element[-1]
    rest = list(power)[1:] if power.tag == "mrow" else []
    first = power[0] if power.tag == "mrow" and len(power) else power
    if (first.text or "").strip() != "′":
        return
    base = ElementTree.Element("mrow")
    base.append(element[0])
    ElementTree.SubElement(base, "mo", {"lspace": "0", "rspace": "0"}).text = "′"
    below = [element[1]] if element.tag == "msubsup" else []
    above = [rest[0]] if len(rest) == 1 else []
    if len(rest) > 1:
        above = [ElementTree.Element("mrow")]
        above[0].extend(rest)
    element.tag = {(0, 0): "mrow", (1, 0): "msub", (0, 1): "msup", (1, 1): "msubsup"}[len(below), len(above)]
    element[:] = [base, *below, *above]


def _bar(element: ElementTree.Element) -> None:
    """A line over an expression as the upper border of its row, which stretches in every font."""
    if element.tag == "mover" and (element[1].text or "") == "―":
        element.tag = "mrow"
        element.set("class", "bar")
        element[:] = [element[0]]


def _join_letters(row: ElementTree.Element) -> None:
    """Neighbouring upright letters as one name, and so those of NAMES in italics."""
    start = 0
    while start < len(row):
        upright = _run(row, start, "normal")
        italic = _run(row, start, None)
        word = "".join(row[start + each].text or "" for each in range(italic))
        name = next((known for known in NAMES if word == known), None)
        length = upright if upright > 1 else italic if name else 0
        if length > 1:
            joined = ElementTree.Element("mi")
            joined.text = "".join(row[start + each].text or "" for each in range(length))
            row[start : start + length] = [joined]
        start += 1


def _run(row: ElementTree.Element, start: int, variant: str | None) -> int:
    """How many single letters of one variant follow each other from `start` on."""
    length = 0
    for child in row[start:]:
        text = child.text or ""
        if child.tag != "mi" or child.get("mathvariant") != variant or not (text.isascii() and text.isalpha()):
            break
        if len(text) != 1:
            break
        length += 1
    return length


def _space(row: ElementTree.Element) -> None:
    """Wide spaces around arrows between sentences, thin ones around a function's name where no bracket follows."""
    spaced: list[ElementTree.Element] = []
    children = list(row)
    for index, child in enumerate(children):
        before = children[index - 1] if index else None
        after = children[index + 1] if index + 1 < len(children) else None
        named = _is_function(child)
        arrow = (child.text or "") in ARROWS
        if named and before is not None and not _is_function(before) and _is_operand(before, last=True):
            spaced.append(_gap(THIN))
        spaced += [_gap(WIDE), child, _gap(WIDE)] if arrow else [child]
        if named and after is not None and (_is_operand(after, last=False) or _is_function(after)):
            spaced.append(_gap(THIN))
        if child.tag == "mo" and (child.text or "") in AFTER and after is not None and not _is_gap(after):
            spaced.append(_gap(AFTER[child.text or ""]))
    row[:] = spaced


def _gap(width: str) -> ElementTree.Element:
    return ElementTree.Element("mspace", {"width": width})


def _is_function(element: ElementTree.Element) -> bool:
    """Whether it is a name of several letters, or one with a subscript or power."""
    if element.tag in ("msub", "msup", "msubsup", "munder"):
        return len(element) > 0 and _is_function(element[0])
    return element.tag == "mi" and len((element.text or "").strip()) > 1


def _is_operand(element: ElementTree.Element, last: bool) -> bool:
    """Whether the first (or last) sign of an element stands for something, rather than for a bracket or a sign."""
    if element.tag in ROWS and len(element):
        return _is_operand(element[-1 if last else 0], last)
    if element.tag == "mo":
        return last and (element.get("form") == "postfix" or (element.text or "") in (")", "]", "}"))
    return element.tag not in ("mspace", "mtext")
