"""The report as text: one web page that needs nothing else, and Markdown whose figures are files beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import partial
from html import escape
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from headproof.reporting.entries import Section
from headproof.reporting.front import Front
from headproof.reporting.mathml import mathml
from headproof.reporting.pictures import Picture

FIGURES = "figures"
FORMAL = "formal"
_ID = re.compile(r"[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)+")
_CODE = re.compile(r"`([^`]+)`")
_SIGNS = {"&gt;=": "≥", "&lt;=": "≤", "!=": "≠"}
# Signs that Markdown reads as its own, or as HTML or mathematics.
_MARKDOWN = re.compile(r"([\\`*_<\[\]$|~])")


def web_page(front: Front, sections: tuple[Section, ...], pictures: tuple[Picture, ...]) -> str:
    """The whole page: style, script and images stand in it. Raises InputError for a formula that cannot be set."""
    known = _shown(sections)
    environment = _environment(autoescape=True)
    environment.filters |= {"prose": partial(_prose, known), "mathml": mathml, "signs": _signs}
    parts = {name: _template(f"report.{name}") for name in ("css", "js")}
    return _rendered(environment, "report.html", front, sections, pictures, known, **parts)


def markdown(front: Front, sections: tuple[Section, ...], pictures: tuple[Picture, ...]) -> str:
    """The same as Markdown; images are taken to be files in the folder `figures` beside it, Coq's in `formal`."""
    known = _shown(sections)
    environment = _environment(autoescape=False)
    environment.filters |= {"md": partial(_md, known), "cell": partial(_cell, known)}
    text = _rendered(environment, "report.md", front, sections, pictures, known, figures=FIGURES, formal=FORMAL)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _rendered(
    environment: Environment,
    name: str,
    front: Front,
    sections: tuple[Section, ...],
    pictures: tuple[Picture, ...],
    known: Collection[str],
    **more: Any,
) -> str:
    shown = {name: [each for each in pictures if name in each.claims] for name in known}
    names = {section.name for section in sections}
    stray = [each for each in pictures if each.topic not in names]
    return environment.get_template(name).render(
        front=front, sections=sections, pictures=pictures, known=known, shown=shown, stray=stray, **more
    )


def _shown(sections: tuple[Section, ...]) -> dict[str, str]:
    """Titles of the claims that the report has, by id: only these can be linked to."""
    return {entry.id: entry.title for section in sections for entry in section.entries}


def _environment(autoescape: bool) -> Environment:
    loader = FunctionLoader(_template)
    made = Environment(
        autoescape=autoescape, loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters["ended"] = _ended
    return made


def _template(name: str) -> str:
    return (files("headproof.reporting") / "templates" / name).read_text("utf-8")


def _ended(text: str) -> str:
    """Text with a full stop, unless it ends in one or in another sign that ends a sentence."""
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."


def _prose(known: Collection[str], text: str) -> str:
    """Text as HTML: what stands between backticks as code, ids of claims as links to them, >= and <= as one sign."""

    def code(found: re.Match[str]) -> str:
        return f"<code>{_linked(found[1], known, _anchor)}</code>"

    made = []
    last = 0
    source = _signs(text)
    for found in _CODE.finditer(source):
        made += [_linked(source[last : found.start()], known, _code_anchor), code(found)]
        last = found.end()
    return "".join([*made, _linked(source[last:], known, _code_anchor)])


def _signs(text: str) -> str:
    """Text as HTML, with >= and the like as one sign."""
    made = escape(str(text))
    for written, sign in _SIGNS.items():
        made = made.replace(f" {written} ", f" {sign} ")
    return made


def _linked(text: str, known: Collection[str], link: Callable[[str], str]) -> str:
    return _ID.sub(lambda found: link(found[0]) if found[0] in known else found[0], text)


def _anchor(claim: str) -> str:
    return f'<a href="#{claim}">{claim}</a>'


def _code_anchor(claim: str) -> str:
    return f'<a href="#{claim}"><code>{claim}</code></a>'


def _md(known: Collection[str], text: str) -> str:
    """Text as Markdown shows it: its own signs escaped, code as code, ids of claims as links."""

    def plain(part: str) -> str:
        made = []
        last = 0
        for found in _ID.finditer(part):
            if found[0] in known:
                made += [_MARKDOWN.sub(r"\\\1", part[last : found.start()]), f"[`{found[0]}`](#{found[0]})"]
                last = found.end()
        return "".join([*made, _MARKDOWN.sub(r"\\\1", part[last:])])

    pieces = _CODE.split(str(text))
    return "".join(f"`{piece}`" if index % 2 else plain(piece) for index, piece in enumerate(pieces))


def _cell(known: Collection[str], text: str) -> str:
    return _md(known, text).replace("\n", " ")
