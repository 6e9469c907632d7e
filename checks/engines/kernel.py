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

from headproof.checks.engines import coq, known_names
from headproof.checks.files import cache_lock, write_atomic
from headproof.theory import formal
from headproof.theory.errors import InputError
from headproof.theory.formal import Theorem, meaning_of, rules, sources_of, theorems
from headproof.theory.formal.rules import ALLOWED, CLOSED, FORBIDDEN, NOT_IN_SCRIPTS, first_of, without_comments

# Seconds for one sentence of a near miss's script, which may search in vain; and for one that is expected to succeed,
# on a machine that may be busy.
SENTENCE, GOAL = 30, 120
# The code that reads and asks, as it is when it is taken up: on disk it may change under a run.
_SOURCES = (__file__, coq.__file__, known_names.__file__, formal.__file__, rules.__file__)
_CODE = hashlib.sha256(b"".join(Path(each).read_bytes() for each in _SOURCES)).hexdigest()
_GOAL = re.compile(r"(?P<before>.*)\bGoal (?P<statement>.*?)\.\s+Proof\.(?P<tactics>.*)\bQed\.\s*", re.S)
KEPT = "results.json"
NO_AXIOM, FETCHED, UNREAD = "Closed under the global context", "Fetching opaque proofs", "what was not answered"


def results(file: str) -> Mapping[str, Any]:
    """What the kernel says of each theorem of a file, by its name.

    `statement` and `definitions`, which it was asked about; `axioms`; `mutants` with their outcomes; `own`, whether it
    proves its text; `again`, what its tactics do with the text once more; and `shadowed`, known names that the file
    gives another meaning.

    Compiles what has changed. An outcome is "rejected" or "upheld"; "untypable" is a mutant that is no statement.
    Raises InputError where there is no Coq, no file, or a file breaks a rule or does not compile, with Coq's message.
    """
    texts = sources_of(file)
    known, folders = theorems(file, texts[file]), coq.compiled(texts)
    key, kept = _key(texts), folders[-1] / KEPT
    with cache_lock(folders[-1].name):
        found = _read(kept, key)
        if found is None:
            found, in_time = _examined(known, texts, folders)
            # Of tactics that ran out of their time on a busy machine another run may say more.
            if in_time:
                if not kept.parent.is_dir():
                    raise InputError(f"{kept.parent} was deleted while Coq read it", "run it again")
                write_atomic(kept, json.dumps({"key": key, "theorems": found}))
    return found


def is_current(file: str) -> bool:
    """Whether a file's results stand in the cache already."""
    texts = sources_of(file)
    return _read(coq.folder_of(texts) / KEPT, _key(texts)) is not None


def accepted(file: str, texts: Mapping[str, str]) -> dict[str, bool]:
    """Which of some goals the kernel accepts after a file.

    A text is Coq source that ends with `Goal STATEMENT. Proof. TACTICS Qed.`, and may begin with definitions. The goal
    is accepted if what the tactics leave proved is the statement, on allowed axioms, and no sentence has failed on the
    way (coqtop would go on without it). Raises InputError as `results`, and for a text that is not of this form, or
    that could have the kernel take something on trust, or leave its proof.
    """
    sources = sources_of(file)
    folders = coq.compiled(sources)
    names = {text: f"goal_{_secret()}_{number}" for number, text in enumerate(texts)}
    script: list[str] = []
    for text, source in texts.items():
        before, statement, tactics = _parts(text, source)
        name = names[text]
        script += [
            _mark(f"begin_{name}"),
            f"{before}\nLemma {name} : {statement}.\nProof.{tactics}Qed.",
            f"Lemma own_{name} : {statement}.\nProof. exact {name}. Qed.\nCheck own_{name}.",
            _mark(f"end_{name}"),
            "Abort All.",
            f"{_mark(f'begin_own_{name}')}\nPrint Assumptions own_{name}.\n{_mark(f'end_own_{name}')}",
        ]
    answers = coq.answers_after(sources, "\n".join(script), GOAL, folders, with_errors=True).text
    return {text: _stands_without_error(answers, name) for text, name in names.items()}


def _parts(name: str, source: str) -> tuple[str, str, str]:
    """What stands before a goal, its statement, and its tactics. Raises InputError for a text of another form."""
    bare = without_comments(source)
    if refused := first_of(FORBIDDEN, bare.replace("Goal ", "", 1)):
        raise InputError(f"{name!r:.60} has {refused[0]!r}", "it may not stand in a goal")
    found = _GOAL.fullmatch(bare)
    if found is None or re.search(r"\.\s", found["statement"]):
        raise InputError(f"{name!r:.60} has no goal that could be proved", "write Goal ... . Proof. ... Qed.")
    if refused := NOT_IN_SCRIPTS.search(found["tactics"]):
        raise InputError(f"{name!r:.60} has {refused[0]!r} among its tactics", "it may not stand there")
    return found["before"], found["statement"], found["tactics"]


def _examined(
    known: Mapping[str, Theorem], texts: Mapping[str, str], folders: Sequence[Path]
) -> tuple[dict[str, Any], bool]:
    """Each theorem's axioms, whether its tactics prove its text after its own file, and what they do with each mutant.

    The file's theorem has to prove the text as it is read after it, and the axioms are those of that proof. And whether
    the theorems themselves were proved in time; a near miss whose proof takes longer than SENTENCE counts as rejected
    (that it is false is tested elsewhere).
    """
    secret, file = _secret(), coq.last_of(texts)
    questions = [line for theorem in known.values() for line in _questions(theorem, file, secret)]
    answers = coq.answers_after(texts, "\n".join(questions), GOAL, folders)
    told = {"definitions": meaning_of(file, texts), "shadowed": sorted(known_names.shadowed(texts, folders))}
    found = {name: _answer(theorem, answers.text, secret) | told for name, theorem in known.items()}
    proved = all(each["own"] and each["again"] == "upheld" for each in found.values())
    return found, proved or not answers.timed_out


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
        "statement": theorem.text,
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
    """Whether between the marks of a name it was answered that its own statement stands, on allowed axioms alone, and
    nothing has failed."""
    told = _between(answers, name)
    return (
        told is not None
        and _stands(told, f"own_{name}")
        and re.search("^Error:", told, re.M) is None
        and not {*_axioms(answers, f"own_{name}")} - {*ALLOWED}
    )


def _between(answers: str, name: str) -> str | None:
    """What was answered between the marks of a name."""
    found = re.search(rf"^begin_{name}\n? +: unit\n(.*?)^end_{name} is defined$", answers, re.M | re.S)
    return found and found[1]


def _secret() -> str:
    """What a file cannot print by itself to be taken for an answer."""
    return f"k{secrets.token_hex(8)}"


def _mark(name: str) -> str:
    """Sentences that print the name on a line of its own."""
    return f"Definition {name} := tt.\nCheck {name}."


def _axioms(answers: str, name: str) -> list[str]:
    """The names that `Print Assumptions` gave; what cannot be read is passed on as one that is not allowed."""
    told = _between(answers, name)
    if told is None:
        return [UNREAD]
    before, mark, listed = told.partition("Axioms:\n")
    rest = [line for line in before.splitlines() if line and not line.startswith(FETCHED)]
    if rest == [NO_AXIOM] and not mark:
        return []
    # One that is long stands on a line of its own, its type below.
    return sorted({*rest, *re.findall(r"^(\S[^:\n]*?)(?: :|\n? +:|$)", listed, re.M)}) or [UNREAD]


def _key(texts: Mapping[str, str]) -> str:
    """Names what results depend on: the compiled file, and how it is read and asked."""
    return hashlib.sha256(f"{coq.depends_on(texts)}\n{_CODE}".encode()).hexdigest()


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
