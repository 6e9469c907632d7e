"""The Coq files of the tier `kernel`, read as text: which claims they state, in what words, and their near misses.

`theory/formal/<topic>.v` holds a topic's theorems, together with `<topic>_<part>.v` where there are many; what topics
share stands in files of other names, above all `common.v`. A claim's theorem bears the claim's id
with `_` for `.` and `-` (dec.thm1.closed-form is `dec_thm1_closed_form`); a theorem whose name ends in `_fails` is the
negation of a claim that is refuted, or says more. It is written

    (** What it says, in the source's words. *)
    Theorem dec_thm1_closed_form :
      <a closed statement>.
    Proof.
    <tactics>
    Qed.
    (* mutant halved
       from: <= bound M
       to:   <= bound M / 2 *)
    (* counterexample: {"logits": ...} *)

A mutant is one edit of the statement, named as the claim's own mutant that says the same (of a negation: named freely).
The counterexample, as JSON, is a case at which Python finds the claim refuted, too. Nothing here runs Coq; that is
`checks.engines.kernel`.

A file says no more than its words: what Coq would take on trust is refused, and so is what could give a statement, or
an answer of Coq's, another meaning than a reader sees (notations, strings, modules, libraries that bring axioms).

Claims of a topic that have no theorem stand in `outside.toml` with a line that says what keeps them out.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from headproof.theory.errors import InputError
from headproof.theory.formal.rules import NOT_IN_SCRIPTS, require_honest, without_comments

FAILS = "_fails"
_THEOREM = re.compile(r"^Theorem (?P<name>\w+) :\n(?P<statement>.*?)\.\nProof\.(?P<script>.*?)\bQed\.", re.M | re.S)
_PROVED = re.compile(r"^(?:Lemma|Theorem)\s(?P<statement>.*?)\.\s+Proof\.(?P<script>.*?)\bQed\.", re.M | re.S)
_REQUIRED = re.compile(r"^From headproof Require (?:Import )?([\w ]+)\.", re.M)
_MUTANT = re.compile(r"\(\* mutant (?P<name>[^\n]+)\n\s*from:(?P<old>.*?)\n\s*to:(?P<new>.*?)\*\)", re.S)
_CASE = re.compile(r"\(\* counterexample:(?P<case>.*?)\*\)", re.S)


@dataclass(frozen=True)
class Edit:
    """A near miss of a theorem: its name and the statement with one edit made."""

    name: str
    old: str
    new: str
    statement: str


@dataclass(frozen=True)
class Theorem:
    """A claim's theorem as it stands in a file: `statement` and `script` are Coq's text, `line` is where it begins.

    `negated` says that the theorem refutes the claim; then `case` is the counterexample as JSON.
    """

    file: str
    name: str
    doc: str
    statement: str
    script: str
    line: int
    mutants: tuple[Edit, ...]
    case: Mapping[str, Any] | None = None

    @property
    def negated(self) -> bool:
        """Whether it is the negation of the claim."""
        return self.name.endswith(FAILS)

    @property
    def text(self) -> str:
        """The statement on one line."""
        return " ".join(self.statement.split())

    @property
    def place(self) -> str:
        """Its file and line."""
        return f"theory/formal/{self.file}.v, line {self.line}"


def identifier(claim_id: str) -> str:
    """The name of a claim's theorem.

    >>> identifier("dec.thm1.closed-form")
    'dec_thm1_closed_form'
    """
    return re.sub(r"[.-]", "_", claim_id)


def path_of(file: str) -> Path:
    """Where a file of this name stands, whether or not there is one."""
    return Path(str(files("headproof.theory") / "formal" / f"{file}.v"))


def source_of(file: str) -> str:
    """The text of a file; "" where there is none."""
    path = path_of(file)
    return path.read_text("utf-8") if path.is_file() else ""


def files_of(topic: str) -> list[str]:
    """The names of a topic's files: its own, and its parts."""
    folder = path_of(topic).parent
    return sorted(path.stem for path in (*folder.glob(f"{topic}.v"), *folder.glob(f"{topic}_*.v")))


def needed_by(file: str) -> tuple[str, ...]:
    """The names of the files that a file requires, those that they require first; without itself."""
    return tuple(sources_of(file))[:-1]


def sources_of(file: str, read: Callable[[str], str] = source_of) -> dict[str, str]:
    """By name the texts of the files that a file requires, those that they require first, and last its own.

    Each is read once, so that all that is said of them is about one state. Raises InputError where one requires itself.
    """
    found: dict[str, str] = {}

    def add(name: str, asking: tuple[str, ...]) -> None:
        if name in asking:
            raise InputError(f"theory/formal/{name}.v requires itself", "take out one of its requirements")
        if name not in found:
            text = read(name)
            for needed in _REQUIRED.findall(text):
                for each in needed.split():
                    add(each, (*asking, name))
            found[name] = text

    add(file, ())
    return found


def meaning_of(file: str, texts: Mapping[str, str] | None = None) -> str:
    """Names what the statements of a file are made of: all that it and the files which it needs say besides comments
    and what is proved. The texts, as `sources_of` gives them, are read where they are not given."""
    digest = hashlib.sha256()
    for name, text in (texts or sources_of(file)).items():
        digest.update(f"{name} {' '.join(_PROVED.sub(_unproved, without_comments(text)).split())}".encode())
    return digest.hexdigest()[:16]


def _unproved(found: re.Match[str]) -> str:
    """Nothing for a lemma with its proof; the text where it could hold another sentence, such as a definition."""
    return found[0] if any(NOT_IN_SCRIPTS.search(found[part]) for part in ("statement", "script")) else ""


def theorems(file: str, text: str | None = None) -> dict[str, Theorem]:
    """The theorems of a file by name, of its text where that is given.

    Raises InputError for a file that breaks the rules of these files.
    """
    return dict(_theorems(file, source_of(file) if text is None else text))


def theorem_of(topic: str, claim_id: str) -> Theorem | None:
    """The theorem that states a claim or its negation, if one of the topic's files has one.

    Raises InputError where two do.
    """
    name = identifier(claim_id)
    found = [
        theorem
        for file in files_of(topic)
        for theorem in theorems(file).values()
        if theorem.name in (name, name + FAILS)
    ]
    if len(found) > 1:
        raise InputError(f"{claim_id} is stated twice, in {found[0].place}, and in {found[1].place}")
    return found[0] if found else None


@cache
def _theorems(file: str, source: str) -> tuple[tuple[str, Theorem], ...]:
    if not source:
        return ()
    require_honest(file, source)
    found: dict[str, Theorem] = {}
    bare = without_comments(source)
    matches = list(_THEOREM.finditer(bare))
    if len(matches) != len(re.findall(r"\bTheorem\b", bare)):
        raise InputError(f"{file}.v has a theorem that is not written as the others are", "see theory/formal")
    _require_read(file, source, source[matches[0].start() :] if matches else "")
    ends = [*(match.start() for match in matches[1:]), len(source)]
    for match, end in zip(matches, ends, strict=False):
        name = match["name"]
        if name in found:
            raise InputError(f"{file}.v has two theorems named {name}")
        after = source[match.end() : end]
        if refused := NOT_IN_SCRIPTS.search(match["script"]):
            raise InputError(f"{file}.v, {name}: {refused[0]} among its tactics", "it may not stand there")
        mutants = tuple(_edit(name, match["statement"], each) for each in _MUTANT.finditer(after))
        if len({edit.name for edit in mutants}) != len(mutants):
            raise InputError(f"{file}.v, {name} has two mutants of one name", "name them apart")
        case = _CASE.search(after)
        found[name] = Theorem(
            file,
            name,
            _doc(source[: match.start()]),
            match["statement"],
            match["script"],
            source.count("\n", 0, match.start()) + 1,
            mutants,
            _json(name, case["case"]) if case else None,
        )
    return tuple(found.items())


def _require_read(file: str, source: str, stated: str) -> None:
    """Raise InputError for a comment that is meant for a theorem, and would be passed over."""
    for word, pattern in (("mutant", _MUTANT), ("counterexample", _CASE)):
        if len(re.findall(rf"\(\*+\s*{word}s?\b", source, re.I)) != len(pattern.findall(stated)):
            problem = f"{file}.v: a comment that begins with {word!r} is not written, or does not stand, as the others"
            raise InputError(problem, "after its theorem, a mutant has from: and to:, a counterexample: has JSON")


def _edit(theorem: str, statement: str, found: re.Match[str]) -> Edit:
    """The statement with the first text replaced by the second; blanks and line ends count as one blank."""
    old, new = (" ".join(found[part].split()) for part in ("old", "new"))
    flat = " ".join(statement.split())
    if flat.count(old) != 1 or not old:
        raise InputError(f"{theorem}, mutant {found['name'].strip()}: {old!r} stands {flat.count(old)} times in it")
    if re.search(r"\.(?:\s|$)", new):
        raise InputError(f"{theorem}, mutant {found['name'].strip()}: {new!r} ends a sentence", "it is part of one")
    return Edit(found["name"].strip(), old, new, flat.replace(old, new))


def _doc(before: str) -> str:
    """The comment that ends where a theorem begins."""
    text = before.rstrip()
    begin = text.rfind("(**")
    return " ".join(text[begin + 3 : -2].split()) if begin >= 0 and text.find("*)", begin) == len(text) - 2 else ""


def _json(theorem: str, text: str) -> Mapping[str, Any]:
    try:
        case = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{theorem}: its counterexample is no JSON: {error}") from error
    if not isinstance(case, dict):
        raise InputError(f"{theorem}: its counterexample is no JSON object")
    return case


@cache
def outside() -> Mapping[str, str]:
    """By claim, or by a prefix that ends in `.*`, what keeps it out of the tier `kernel`, on one line."""
    path = path_of("outside").with_suffix(".toml")
    lines: Mapping[str, str] = tomllib.loads(path.read_text("utf-8"))
    return lines


def reason_outside(claim_id: str) -> str | None:
    """What keeps a claim out: the line of its own, else of the longest prefix that has one."""
    lines = outside()
    if claim_id in lines:
        return lines[claim_id]
    fits = [each for each in lines if each.endswith(".*") and f"{claim_id}.".startswith(each[:-1])]
    return lines[max(fits, key=len)] if fits else None
