"""The rules of the formal files: what may not stand in them, so that they say no more than their words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headproof.theory.errors import InputError

COMMON = "common"
END_OF_HEADER = "(* end of header *)"
CLOSED = "no axiom"
# The axioms of the standard library's reals, and what its lemmas about them use; nothing else passes.
ALLOWED = (
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
)
# What the kernel would take on trust, or what would let a file say another thing than its words do.
FORBIDDEN = (
    "Admitted",
    "admit",
    "give_up",
    "Axiom",
    "Axioms",
    "Parameter",
    "Parameters",
    "Conjecture",
    "Hypothesis",
    "Hypotheses",
    "Abort",
    "Defined",
    "Save",
    "Goal",
    "Declare",
    "Module",
    "Unset Guard Checking",
    "Unset Positivity Checking",
    "Unset Universe Checking",
    "bypass_check",
    "Load",
    "Drop",
    "Extract",
)
# Of these a reader of a topic's file need fear nothing, since only the shared file may use them.
ONLY_COMMON = (
    "Notation",
    "Infix",
    "where",
    "Canonical",
    "canonical",
    "Coercion",
    "coercion",
    "Local",
    "local",
    "Reserved",
    "Bind",
    "Delimit",
    '"',
)
# A field or constructor by which a type is silently taken for another, without the word.
_COERCION = re.compile(r"\b(?:Record|Structure|Class|(?:Co)?Inductive|Variant)\b(?:(?!\.\s).)*?(:>)", re.S)
# Sentences that tactics have no use for: they could end a proof early, or print what passes for an answer.
NOT_IN_SCRIPTS = re.compile(
    r"\b(?:Abort|Show|Lemma|Theorem|Fact|Remark|Corollary|Proposition|Property|Goal|Proof|Definition|Example|Program|"
    r"(?:Co)?Fixpoint|(?:Co)?Inductive|Record|Variant|Structure|Class|Function|Let|Scheme|Derive|Set|Unset|Check|Print|"
    r"Eval|Compute|Search|About|Qed|Defined|Save|Require|Import|Export|Section|End|Ltac|Tactic|Hint|Variables?|Context|"
    r"Instance|Restart|Undo|Fail|Time|Timeout|Redirect|Opaque|Transparent|Arguments|Open|Close|Notation|Infix|idtac)\b"
)
# Libraries that add no axiom beyond those of the reals.
LIBRARIES = {
    "Coq": ("Reals", "Lra", "Lia", "Psatz", "ZArith", "List"),
    "mathcomp": (
        *("ssreflect", "ssrfun", "ssrbool", "eqtype", "ssrnat", "seq", "choice", "div", "fintype", "finfun"),
        *("bigop", "fingroup", "perm"),
    ),
}
_REQUIRE = re.compile(r"^From (?P<library>\w+) Require (?:Import )?(?P<names>[\w ]+)\.$", re.M)
# By this line a file says which names of Coq's or MathComp's it gives a meaning of its own.
_OWN = re.compile(r"^\(\* own meanings: (\w+(?:, \w+)*) \*\)$", re.M)


def header_of(source: str) -> str:
    """What stands before the definitions: imports and scopes. Raises InputError for a file without its end."""
    head, mark, _ = source.partition(END_OF_HEADER)
    if not mark:
        raise InputError(f"a formal file without the line {END_OF_HEADER}", "put it after the imports")
    return head


def libraries_of(source: str) -> str:
    """The sentences by which a file requires Coq's and MathComp's libraries."""
    found = _REQUIRE.finditer(without_comments(source))
    return "\n".join(each[0] for each in found if each["library"] in LIBRARIES)


def own_meanings(source: str) -> set[str]:
    """The names of Coq's or MathComp's to which a file says that it gives a meaning of its own."""
    return {name for names in _OWN.findall(source) for name in names.split(", ")}


def require_honest(file: str, source: str) -> None:
    """Raise InputError naming the first word in a file that would have the kernel trust something, or that changes
    what the words of a statement mean."""
    if not re.fullmatch(r"[a-z][a-z_]*", file):
        raise InputError(f"theory/formal/{file}.v", "these files have names of small letters")
    text = without_comments(source)
    _require_none(file, text, first_of(FORBIDDEN, text))
    if file != COMMON:
        _require_none(file, text, first_of(ONLY_COMMON, text) or _COERCION.search(text))
        header_of(source)
    _require_known_libraries(file, text)
    _require_closed(file, text)


def _require_none(file: str, text: str, found: re.Match[str] | None) -> None:
    """Raise InputError for what was found in a text."""
    if found:
        word = found[found.lastindex or 0]
        line = text.count("\n", 0, found.start(found.lastindex or 0)) + 1
        raise InputError(f"theory/formal/{file}.v, line {line}: {word}", "it may not stand in these files")


def first_of(words: Sequence[str], text: str) -> re.Match[str] | None:
    """Where the first of some words that a text without comments has stands in it; None for a text without them."""
    for word in words:
        edges = (r"(?<![\w.])", r"(?![\w'])") if word[0].isalpha() else ("", "")
        written = r"\s+".join(map(re.escape, word.split()))
        if found := re.search(rf"{edges[0]}{written}{edges[1]}", text):
            return found
    return None


def _require_known_libraries(file: str, text: str) -> None:
    """Raise InputError unless every `Require` is one of the known form, of a known library."""
    known = list(_REQUIRE.finditer(text))
    imported = sum("Import" in each[0] for each in known)
    asked = [len(re.findall(pattern, text)) for pattern in (r"\bRequire\b", r"\b(?:Import|Export|Include)\b")]
    if asked != [len(known), imported]:
        raise InputError(f"theory/formal/{file}.v requires in another form", "write From LIBRARY Require Import NAMES.")
    for each in known:
        names = each["names"].split()
        allowed = LIBRARIES.get(each["library"], names if each["library"] == "headproof" else ())
        if stray := [name for name in names if name not in allowed]:
            raise InputError(f"theory/formal/{file}.v requires {each['library']}'s {stray[0]}", "it may bring axioms")


def _require_closed(file: str, text: str) -> None:
    """Raise InputError for a variable outside every section, which is an axiom, and for a theorem within one."""
    depth = 0
    for line in text.splitlines():
        depth += bool(re.match(r"\s*Section\b", line)) - bool(re.match(r"\s*End\b", line))
        if depth == 0 and (found := re.match(r"\s*(Variables?|Context)\b", line)):
            raise InputError(f"theory/formal/{file}.v: {found[1]} outside every section", "it is an axiom there")
        if depth and re.match(r"\s*Theorem\b", line):
            raise InputError(f"theory/formal/{file}.v: a theorem within a section", "its statement would not be closed")


def without_comments(source: str) -> str:
    """The text with blanks for its comments, which may be nested; every other character stays in its place.

    As Coq reads it: within a string, also one in a comment, nothing opens or closes a comment.
    """
    kept: list[str] = []
    depth, quoted = 0, False
    for piece in re.split(r"(\(\*|\*\)|\")", source):
        quoted ^= piece == '"'
        depth += piece == "(*" and not quoted
        kept.append(piece if depth == 0 else re.sub(r"[^\n]", " ", piece))
        depth -= piece == "*)" and not quoted and depth > 0
    return "".join(kept)
