"""The engine behind the tier `kernel`: compiles the formal files with Coq and asks the kernel what it accepted.

What is trusted is Coq's kernel, the axioms in ALLOWED (those by which its standard library makes the real numbers), and
that a statement says what the claim says; the text of the files is read by `theory.formal`, which refuses words that
would have the kernel take something on trust. A theorem counts if its file compiles, `Print Assumptions` names nothing
but ALLOWED, and the same tactics are rejected on each of its mutants, in a session in which they prove the theorem.

Files are compiled in the cache, each again only when its text, that of a file it needs, Coq or this module has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from headproof.checks.files import cache_folder, cache_lock, write_atomic
from headproof.theory.errors import InputError
from headproof.theory.formal import Theorem, needed_by, path_of, source_of, theorems
from headproof.theory.formal.rules import ALLOWED, CLOSED, COMMON, header_of, require_honest, without_comments

PROGRAM = "coqc"
# Other versions lack lemmas that the files use, or name them otherwise.
VERSION = "8.16"
MISSING = "needs Coq 8.16 with MathComp's bigop and perm: apt install coq libcoq-mathcomp-fingroup on Debian 12"
LIBRARY = "headproof"
QUIET = ("-q", "-w", "none")
# Seconds for one sentence of a mutant's script, which may search in vain, and for a whole session or file.
SENTENCE, SESSION = 30, 900
# Seconds for one sentence of a goal that is expected to be proved, on a machine that may be busy.
GOAL = 120
KIND = "formal"
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
NO_AXIOM, FETCHED, UNREAD = "Closed under the global context", "Fetching opaque proofs", "what was not answered"


@cache
def coqc() -> str | None:
    """What `coqc --version` says, on one line; None where Coq of VERSION, or MathComp, is not installed."""
    program = shutil.which(PROGRAM)
    if program is None or shutil.which("coqtop") is None:
        return None
    library = Path(_said([program, "-where"])) / "user-contrib" / "mathcomp" / "fingroup" / "perm.vo"
    said = " ".join(_said([program, "--version"]).split())
    if f"version {VERSION}." not in said:
        return None
    return f"{said}, MathComp {hashlib.sha256(library.read_bytes()).hexdigest()[:8]}" if library.is_file() else None


def results(file: str) -> Mapping[str, Any]:
    """What the kernel says of each theorem of a file, by its name.

    `axioms`; `mutants` with their outcomes; `own`, whether it proves its text; `again`, what its tactics do with the
    text once more; and `shadowed`, known names that the file gives another meaning.

    Compiles what has changed. An outcome is "rejected" or "upheld"; "untypable" is a mutant that is no statement.
    Raises InputError where there is no Coq, no file, or a file breaks a rule or does not compile, with Coq's message.
    """
    if coqc() is None:
        raise InputError(f"no {PROGRAM}", MISSING)
    key = _key(file)
    known = theorems(file)
    folder = compiled(file)
    kept = folder / f"{file}.json"
    with cache_lock(f"{KIND}-{file}-results"):
        found = _read(kept, key)
        if found is None:
            found = _examined(file, known, folder)
            if _key(file) != key:
                raise InputError(f"theory/formal/{file}.v was changed while Coq read it", "run it again")
            write_atomic(kept, json.dumps({"key": key, "theorems": found}))
    return found


def is_current(file: str) -> bool:
    """Whether a file's results stand in the cache already."""
    return _read(_folder() / f"{file}.json", _key(file)) is not None


def compiled(file: str) -> Path:
    """The folder in which a file, and all that it needs, stand compiled. Raises InputError as `results`."""
    folder = _folder()
    for name in (*needed_by(file), file):
        if not source_of(name):
            raise InputError(f"no formal file {path_of(name)}")
        require_honest(name, source_of(name))
        with cache_lock(f"{KIND}-{name}"):
            stamp, now = folder / f"{name}.key", _compiled_by(name)
            if stamp.is_file() and stamp.read_text() == now and (folder / f"{name}.vo").is_file():
                continue
            write_atomic(folder / f"{name}.v", source_of(name))
            ran = _run([PROGRAM, *QUIET, "-Q", ".", LIBRARY, f"{name}.v"], folder)
            if ran.returncode != 0:
                raise InputError(f"theory/formal/{name}.v does not compile: {ran.stderr.strip()[-600:]}")
            if _compiled_by(name) != now:
                raise InputError(f"theory/formal/{name}.v was changed while Coq read it", "run it again")
            write_atomic(stamp, now)
    return folder


def accepted(file: str, texts: Mapping[str, str]) -> dict[str, bool]:
    """Which of some goals the kernel accepts after a file.

    A text is Coq source whose last `Goal STATEMENT. Proof. TACTICS Qed.` counts; it may be preceded by definitions. It
    is accepted if the statement stands proved at its end and no sentence has failed on the way (coqtop would go on
    without it); an `Admitted` goal does not. Raises InputError as `results`, and for a text without a goal.
    """
    folder = compiled(file)
    script = [_opening(file, GOAL)]
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
    answers = _session("\n".join(script), folder, with_errors=True)
    return {text: _stands_without_error(answers, name) for text, name in names.items()}


def _examined(file: str, known: Mapping[str, Theorem], folder: Path) -> dict[str, Any]:
    """Each theorem's axioms, whether its tactics prove its text after its own file, and what they do with each mutant.

    The file's theorem has to prove the text as it is read after it, and the axioms are those of that proof. Definitions
    that take a name which every reader knows are told as `shadowed`.
    """
    secret = _secret()
    script = [_opening(file), *(line for theorem in known.values() for line in _questions(theorem, file, secret))]
    answers = _session("\n".join(script), folder)
    shadowed = sorted(_shadowed(file))
    return {name: _answer(theorem, answers, secret) | {"shadowed": shadowed} for name, theorem in known.items()}


def _shadowed(file: str) -> set[str]:
    """Names that a reader knows, from Coq or from the shared file, and that a file or one that it needs takes anew."""
    defined = {
        name: set(_DEFINITION.findall(without_comments(source_of(name)))) for name in (*needed_by(file), file, COMMON)
    }
    known = {*STANDING, *defined[COMMON]}
    return {each for name, own in defined.items() for each in own & (known if name != COMMON else {*STANDING})}


def _questions(theorem: Theorem, file: str, secret: str) -> Iterator[str]:
    """What the kernel is asked of a theorem, as Coq's sentences."""
    own = _name("own", theorem, secret)
    yield f"Lemma {own} : {theorem.statement}.\nProof. exact (@{LIBRARY}.{file}.{theorem.name}). Qed.\nAbort All."
    yield f"Check {own}."
    for number, statement in enumerate(_statements(theorem)):
        stated, proved = (_name(word, theorem, secret, number) for word in ("stated", "proved"))
        yield f"Definition {stated} : Prop := {statement}.\nCheck {stated}."
        yield f"Lemma {proved} : {statement}.\nProof.{theorem.script}Qed.\nAbort All.\nCheck {proved}."
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


def _opening(file: str, seconds: int = SENTENCE) -> str:
    return f"{header_of(source_of(file))}\nFrom {LIBRARY} Require Import {file}.\nSet Default Timeout {seconds}.\n"


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


def _session(script: str, folder: Path, with_errors: bool = False) -> str:
    """What coqtop prints on stdout; a sentence that fails is told on stderr, and the next one is read.

    With errors, what is told of them stands where it was told.
    """
    ran = _run(["coqtop", *QUIET, "-Q", ".", LIBRARY], folder, script, subprocess.STDOUT if with_errors else None)
    if ran.returncode != 0:  # not of a sentence that fails
        raise InputError(f"coqtop ended with {ran.returncode} before it had answered", "run it again")
    return re.sub(r"^(?:\S+ < )+", "", ran.stdout, flags=re.M)


def _run(
    command: list[str], folder: Path, given: str = "", errors: int | None = None
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, cwd=folder, input=given, stdout=subprocess.PIPE, stderr=errors or subprocess.PIPE, text=True,
            timeout=SESSION, check=False, env={**os.environ, "COQPATH": ""},
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise InputError(f"{' '.join(command)} took more than {SESSION} s") from error


def _said(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _compiled_by(file: str) -> str:
    """Names what a compiled file depends on: Coq, its text, and the files it needs."""
    digest = hashlib.sha256(f"{coqc()}".encode())
    for name in (*needed_by(file), file):
        digest.update(f"{name}\n{source_of(name)}".encode())
    return digest.hexdigest()


def _key(file: str) -> str:
    """Names what its results depend on: the compiled file, and how it is read and asked."""
    digest = hashlib.sha256(_compiled_by(file).encode())
    for module in (Path(__file__), *(path_of(file).with_name(n) for n in ("__init__.py", "rules.py"))):
        digest.update(module.read_bytes() if module.is_file() else b"")
    return digest.hexdigest()


def _folder() -> Path:
    """Where this Coq's compiled files stand."""
    return cache_folder(KIND) / hashlib.sha256((coqc() or "").encode()).hexdigest()[:12]


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
