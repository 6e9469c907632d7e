"""The engine behind the tier `kernel`: compiles the formal files with Coq and asks the kernel what it accepted.

What is trusted is Coq's kernel, the axioms in ALLOWED (those by which its standard library makes the real numbers), and
that a statement says what the claim says; the text of the files is read by `theory.formal`, which refuses words that
would have the kernel take something on trust. A theorem counts if its file compiles, `Print Assumptions` names nothing
but ALLOWED, and the same tactics are rejected on each of its mutants, in a session in which they prove the theorem.

What it found is kept beside the compiled file, until that, or the way it is read and asked, has changed.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from headproof.checks.engines import coq
from headproof.checks.files import cache_lock, write_atomic
from headproof.theory import formal
from headproof.theory.errors import InputError
from headproof.theory.formal import Theorem, needed_by, rules, source_of, theorems
from headproof.theory.formal.rules import ALLOWED, CLOSED, COMMON, without_comments

# Seconds for one sentence of a near miss's script, which may search in vain; and for one that is expected to succeed,
# on a machine that may be busy.
SENTENCE, GOAL = 30, 120
# What the statements take from Coq and MathComp, and a reader takes for granted.
STANDING = (
    *("R", "PI", "INR", "IZR", "cos", "sin", "tan", "exp", "ln", "sqrt", "pow", "Rabs", "Rmax", "Rmin", "Rle", "Rlt"),
    *("Rplus", "Rmult", "Rminus", "Ropp", "Rdiv", "Rinv", "Rpower", "Int_part", "frac_part", "nat", "bool"),
    *("ordinal", "perm", "perm_type", "tperm", "seq", "list", "size", "last", "nth", "all", "iota", "mkseq", "rcons"),
    *("True", "False", "iff", "is_true", "prod", "sum", "option", "count", "uniq", "S", "O"),
    *("Z", "odd", "half", "leq", "eq", "and", "or", "not", "ex", "injective", "lift", "unlift", "ord0", "ord_max"),
)
_DEFINITION = re.compile(
    r"\b(?:Definition|(?:Co)?Fixpoint|(?:Co)?Inductive|Record|Variant|Structure|Class|Instance|Function|Let|Example|"
    r"Lemma|Theorem|Fact|Remark|Corollary|Proposition|Property)\s+(\w+)"
)
# Sentences that name what they are made of: constructors, and fields.
_MADE = re.compile(r"\b(?:(?:Co)?Inductive|Record|Variant|Structure|Class)\s.*?\.(?=\s|$)", re.S)
_PART = re.compile(r"(?::=|[|{;])\s*(\w+)")
# The code that reads and asks, as it is when it is taken up: on disk it may change under a run.
_SOURCES = (__file__, coq.__file__, formal.__file__, rules.__file__)
_CODE = hashlib.sha256(b"".join(Path(each).read_bytes() for each in _SOURCES)).hexdigest()
NO_AXIOM, FETCHED, UNREAD = "Closed under the global context", "Fetching opaque proofs", "what was not answered"


def results(file: str) -> Mapping[str, Any]:
    """What the kernel says of each theorem of a file, by its name.

    `axioms`; `mutants` with their outcomes; `own`, whether it proves its text; `again`, what its tactics do with the
    text once more; and `shadowed`, known names that the file gives another meaning.

    Compiles what has changed. An outcome is "rejected" or "upheld"; "untypable" is a mutant that is no statement.
    Raises InputError where there is no Coq, no file, or a file breaks a rule or does not compile, with Coq's message.
    """
    # The key first: a text that changes from here on does not pass for the one that was examined.
    key, known, kept = _key(file), theorems(file), coq.folder_of(file) / f"{file}.json"
    folders = coq.compiled(file)
    with cache_lock(f"{coq.KIND}-{file}-results"):
        found = _read(kept, key)
        if found is None:
            found, in_time = _examined(file, known, folders)
            if _key(file) != key:
                raise InputError(f"theory/formal/{file}.v was changed while Coq read it", "run it again")
            # Of tactics that ran out of their time on a busy machine another run may say more.
            if in_time:
                write_atomic(kept, json.dumps({"key": key, "theorems": found}))
    return found


def is_current(file: str) -> bool:
    """Whether a file's results stand in the cache already."""
    return _read(coq.folder_of(file) / f"{file}.json", _key(file)) is not None


def accepted(file: str, texts: Mapping[str, str]) -> dict[str, bool]:
    """Which of some goals the kernel accepts after a file.

    A text is Coq source whose last `Goal STATEMENT. Proof. TACTICS Qed.` counts; it may be preceded by definitions. It
    is accepted if the statement stands proved at its end and no sentence has failed on the way (coqtop would go on
    without it); an `Admitted` goal does not. Raises InputError as `results`, and for a text without a goal.
    """
    folders = coq.compiled(file)
    script = [coq.opening(file, GOAL)]
    names = {text: f"goal_{_secret()}_{number}" for number, text in enumerate(texts)}
    for text, source in texts.items():
        before, goal, after = source.rpartition("Goal ")
        if not goal or "Admitted" in source or "admit" in source:
            raise InputError(f"{text!r:.60} has no goal that could be proved", "write Goal ... . Proof. ... Qed.")
        lemma = f"{before}Lemma {names[text]} : {after}"
        script += [
            _mark(f"begin_{names[text]}"),
            lemma,
            f"Check {names[text]}.",
            _mark(f"end_{names[text]}"),
            "Abort All.",
        ]
    answers = coq.session("\n".join(script), folders, with_errors=True)
    return {text: _stands_without_error(answers.text, name) for text, name in names.items()}


def _examined(file: str, known: Mapping[str, Theorem], folders: Sequence[Path]) -> tuple[dict[str, Any], bool]:
    """Each theorem's axioms, whether its tactics prove its text after its own file, and what they do with each mutant.

    The file's theorem has to prove the text as it is read after it, and the axioms are those of that proof. Definitions
    that take a name which every reader knows are told as `shadowed`. And whether the theorems themselves were proved in
    time; a near miss whose proof takes longer than SENTENCE counts as rejected (that it is false is tested elsewhere).
    """
    secret = _secret()
    script = [
        coq.opening(file, GOAL),
        *(line for theorem in known.values() for line in _questions(theorem, file, secret)),
    ]
    answers = coq.session("\n".join(script), folders)
    shadowed = sorted(_shadowed(file))
    found = {name: _answer(theorem, answers.text, secret) | {"shadowed": shadowed} for name, theorem in known.items()}
    proved = all(each["own"] and each["again"] == "upheld" for each in found.values())
    return found, proved or not answers.timed_out


def _shadowed(file: str) -> set[str]:
    """Names that a reader knows, from Coq or from the shared file, and that a file or one that it needs takes anew."""
    defined = {name: _named(without_comments(source_of(name))) for name in (*needed_by(file), file, COMMON)}
    known = {*STANDING, *defined[COMMON]}
    return {each for name, own in defined.items() for each in own & (known if name != COMMON else {*STANDING})}


def _named(text: str) -> set[str]:
    """The names that a text without comments gives to something, constructors and fields among them."""
    return {*_DEFINITION.findall(text), *(part for made in _MADE.findall(text) for part in _PART.findall(made))}


def _questions(theorem: Theorem, file: str, secret: str) -> Iterator[str]:
    """What the kernel is asked of a theorem, as Coq's sentences."""
    own = _name("own", theorem, secret)
    yield f"Lemma {own} : {theorem.statement}.\nProof. exact (@{coq.LIBRARY}.{file}.{theorem.name}). Qed.\nAbort All."
    yield f"Check {own}."
    for number, statement in enumerate(_statements(theorem)):
        stated, proved = (_name(word, theorem, secret, number) for word in ("stated", "proved"))
        yield f"Definition {stated} : Prop := {statement}.\nCheck {stated}."
        yield coq.within(SENTENCE if number else GOAL)
        yield f"Lemma {proved} : {statement}.\nProof.{theorem.script}Qed.\nAbort All.\nCheck {proved}."
    yield coq.within(GOAL)
    yield f"{_mark(f'begin_{own}')}\nPrint Assumptions {own}.\n{_mark(f'end_{own}')}"


def _answer(theorem: Theorem, answers: str, secret: str) -> dict[str, Any]:
    outcomes = []
    for number, _ in enumerate(_statements(theorem)):
        typed, upheld = (_stands(answers, _name(word, theorem, secret, number)) for word in ("stated", "proved"))
        outcomes.append("upheld" if upheld else "rejected" if typed else "untypable")
    own = _name("own", theorem, secret)
    return {
        "axioms": _axioms(answers, own),
        "own": _stands(answers, own),
        "again": outcomes[0],
        "mutants": {edit.name: outcome for edit, outcome in zip(theorem.mutants, outcomes[1:], strict=True)},
    }


def _name(word: str, theorem: Theorem, secret: str, number: int | None = None) -> str:
    return "_".join([word, secret, theorem.name, *([] if number is None else [str(number)])])


def _statements(theorem: Theorem) -> list[str]:
    """The statement itself and its near misses."""
    return [theorem.statement, *(edit.statement for edit in theorem.mutants)]


def _stands(answers: str, name: str) -> bool:
    """Whether `Check name` was answered with its type."""
    return re.search(rf"^{name}\n? +: ", answers, re.M) is not None


def _stands_without_error(answers: str, name: str) -> bool:
    """Whether between the marks of a name it was answered with its type, and nothing has failed."""
    found = re.search(rf"^begin_{name}\n? +: unit\n(.*?)^end_{name} is defined$", answers, re.M | re.S)
    return found is not None and _stands(found[1], name) and re.search("^Error:", found[1], re.M) is None


def _secret() -> str:
    """What a file cannot print by itself to be taken for an answer."""
    return f"k{secrets.token_hex(8)}"


def _mark(name: str) -> str:
    """Sentences that print the name on a line of its own."""
    return f"Definition {name} := tt.\nCheck {name}."


def _axioms(answers: str, name: str) -> list[str]:
    """The names that `Print Assumptions` gave; what cannot be read is passed on as one that is not allowed."""
    found = re.search(rf"^begin_{name}\n? +: unit\n(.*?)^end_{name} is defined$", answers, re.M | re.S)
    if found is None:
        return [UNREAD]
    before, mark, listed = found[1].partition("Axioms:\n")
    told = [line for line in before.splitlines() if line and not line.startswith(FETCHED)]
    if told == [NO_AXIOM] and not mark:
        return []
    # One that is long stands on a line of its own, its type below.
    return sorted({*told, *re.findall(r"^(\S[^:\n]*?)(?: :|\n? +:|$)", listed, re.M)}) or [UNREAD]


def _key(file: str) -> str:
    """Names what its results depend on: the compiled file, and how it is read and asked."""
    return hashlib.sha256(f"{coq.depends_on(file)}\n{_CODE}".encode()).hexdigest()


def _read(path: Path, key: str) -> dict[str, Any] | None:
    try:
        kept = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    found: dict[str, Any] | None = kept.get("theorems") if isinstance(kept, dict) and kept.get("key") == key else None
    return found


def unfit(theorem: Theorem, found: Mapping[str, Any]) -> str:
    """Why a theorem does not count, in words; "" for one that does."""
    if found["shadowed"]:
        return f"{theorem.file}.v gives the name {found['shadowed'][0]}, which every reader knows, another meaning"
    if not found["own"]:
        return f"{theorem.name} is not what its text says where it is read after its file"
    if found["again"] != "upheld":
        return f"the tactics of {theorem.name} do not prove it after its own file, so that its mutants show nothing"
    if foreign := [axiom for axiom in found["axioms"] if axiom not in ALLOWED]:
        return f"{theorem.name} rests on {', '.join(foreign)}"
    return ""


def text_of_axioms(axioms: list[str]) -> str:
    """The axioms in one line; CLOSED for none."""
    return ", ".join(axioms) or CLOSED
