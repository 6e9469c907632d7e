"""Names that a reader knows from Coq or MathComp, and that a formal file gives another meaning.

A statement that says `cos` has to mean Coq's cosine. Which names a file has taken is asked of Coq, whatever words made
them; so is whether a name had a meaning where only Coq's and MathComp's libraries are read. A file may take one of
these if it says so, in a line `(* own meanings: head, value *)`; those in STANDING it may not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from headproof.checks.engines import coq
from headproof.theory.errors import InputError
from headproof.theory.formal.rules import libraries_of, own_meanings

# What the statements take from Coq and MathComp, and a reader takes for granted.
STANDING = (
    *("R", "PI", "INR", "IZR", "cos", "sin", "tan", "exp", "ln", "sqrt", "pow", "Rabs", "Rmax", "Rmin", "Rle", "Rlt"),
    *("Rplus", "Rmult", "Rminus", "Ropp", "Rdiv", "Rinv", "Rpower", "Int_part", "frac_part", "nat", "bool"),
    *("ordinal", "perm", "perm_type", "tperm", "seq", "list", "size", "last", "nth", "all", "iota", "mkseq", "rcons"),
    *("True", "False", "iff", "is_true", "prod", "sum", "option", "count", "uniq", "S", "O"),
    *("Z", "odd", "half", "leq", "eq", "and", "or", "not", "ex", "injective", "lift", "unlift", "ord0", "ord_max"),
    *("take", "map", "filter", "foldr", "cat", "rev", "Some", "None", "pair", "fst", "snd", "inl", "inr", "omap"),
)
UNKNOWN = "No object of basename"
# By these a line does not say what a name alone means in a term.
UNSAID = (UNKNOWN, "(shorter name to refer to it", "Module ", "Library ")


def shadowed(texts: Mapping[str, str], folders: Sequence[Path]) -> set[str]:
    """Known names that some compiled texts, as `formal.sources_of` gives them, take anew without saying so; and those
    that two of them take. Raises InputError where Coq does not answer."""
    taken = _taken(texts, folders)
    names = {name for own in taken.values() for name in own}
    known = _known(texts, names, folders)
    twice = {name for name in names if sum(name in own for own in taken.values()) > 1}
    undeclared = {name for file, own in taken.items() for name in own & known - own_meanings(texts[file])}
    return undeclared | twice | (names & {*STANDING})


def _taken(texts: Mapping[str, str], folders: Sequence[Path]) -> dict[str, set[str]]:
    """By file the names that it gives to something: constants, types, constructors, fields."""
    required = [f"From {coq.LIBRARY} Require {file}." for file in texts]
    listed = {file: f"Locate Module {file}.\nSearch _ inside {file}." for file in texts}
    answers = _answers(texts, required, listed, folders)
    if strays := [file for file, said in answers.items() if f"Module {coq.LIBRARY}.{file}\n" not in said]:
        raise InputError(f"Coq does not take up theory/formal/{strays[0]}.v, which it has compiled", "run it again")
    return {
        file: {name.rpartition(".")[2] for name in re.findall(r"^([\w.']+): ", said, re.M)}
        for file, said in answers.items()
    }


def _known(texts: Mapping[str, str], names: Iterable[str], folders: Sequence[Path]) -> set[str]:
    """Those of some names that mean something to Coq and its libraries by themselves."""
    answers = _answers(texts, [], {name: f"Locate {name}." for name in sorted(names)}, folders)
    lines = {name: [line for line in said.splitlines() if line.strip()] for name, said in answers.items()}
    return {name for name, told in lines.items() if not all(any(word in line for word in UNSAID) for line in told)}


def _answers(
    texts: Mapping[str, str], opening: Sequence[str], questions: Mapping[str, str], folders: Sequence[Path]
) -> dict[str, str]:
    """What Coq answers to each question, after the libraries that the last text requires and an opening."""
    script = [libraries_of(texts[coq.last_of(texts)]), *opening, "Set Printing Width 10000."]
    for number, question in enumerate(questions.values()):
        script += [f"Locate mark_{number}.", question]
    told = coq.session("\n".join(script), folders).text
    parts = re.split(rf"^{UNKNOWN} mark_\d+\n", told, flags=re.M)[1:]
    if len(parts) != len(questions):
        raise InputError(f"Coq did not answer what the names of {coq.last_of(texts)}.v mean", "run it again")
    return dict(zip(questions, parts, strict=True))
