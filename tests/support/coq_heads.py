"""Heads given as tables of factors e^logit, in Coq's words, and such heads of either kind for the tests on them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from coq_words import real, rows_of

from headproof.theory.expressivity.attention_instances import OWN, Entry
from headproof.theory.expressivity.task_cases import AffineCase, IndexCase, InductionCase, LetterCase, NumberCase

# A head given by its factors e^logit: by query, key and place, and one for each query's own key. Tokens are numbered.
TABLE = (
    "table (T : Type) (code : T -> nat) (rows : seq (seq (seq nat))) (own : seq nat) (q : T) (n : nat) (t : T) "
    "(j : nat) : R := ln (INR (if j == n then nth 1%N own (code q) else "
    "nth 1%N (nth [::] (nth [::] rows (code q)) (code t)) j.-1))",
    "place_code s m (t : 'I_s + 'I_m) : nat := match t with inl c => c : nat | inr p => s + p end%N",
    "pair_code s a (t : 'I_s * 'I_a + 'I_s) : nat := match t with inl p => p.1 * a + p.2 | inr c => s * a + c end%N",
    "number_code k (t : 'I_k + nat) : nat := match t with inl c => c : nat | inr i => k + i end%N",
    "letter_code k r (t : 'I_k * ('I_k + 'I_r)) : nat := "
    "match t.2 with inl v => t.1 * k + v | inr c => k * k + (t.1 * r + c) end%N",
)
# It is symbolic if no place counts in any row, positional if no content does.
LEMMAS = r"""
Definition same_in_places m (rows : seq (seq (seq nat))) : bool :=
  all (all (fun cell => constant (mkseq (nth 1%N cell) m))) rows.
Definition same_in_contents m count (rows : seq (seq (seq nat))) : bool :=
  all (fun row => all (fun i => constant (mkseq (fun b => nth 1%N (nth [::] row b) i) count)) (iota 0 m)) rows.
Lemma constant_at (T : eqType) (f : nat -> T) n i j : constant (mkseq f n) -> (i < n)%N -> (j < n)%N -> f i = f j.
Proof.
case: n => // n same li lj; have first k : (k < n.+1)%N -> f k = f 0%N.
  case: k => // k lk; move: same => /=; rewrite -/(iota _ _) => /allP/(_ (f k.+1)) h; apply/eqP/h.
  by apply: map_f; rewrite mem_iota.
by rewrite (first i) // (first j).
Qed.
Lemma row_of (P : pred (seq (seq nat))) rows a : P [::] -> all P rows -> P (nth [::] rows a).
Proof. by move=> none /allP every; case: (ltnP a (size rows)) => lt; [apply/every/mem_nth | rewrite nth_default]. Qed.
Lemma table_symbolic_on T (code : T -> nat) rows own D Out V F m (x : 'I_m -> T) q :
  same_in_places m rows -> symbolic_on (@Head T D Out (@table T code rows own) V F) x q.
Proof.
move=> same pi j; rewrite /= /table !eqSS !(ltn_eqF (ltn_ord _)) /=; congr (ln (INR _)).
apply: (@constant_at _ (nth 1%N (nth [::] (nth [::] rows (code q)) (code (x j)))) m) => //.
have row := @row_of (all (fun cell => constant (mkseq (nth 1%N cell) m))) rows (code q) isT same.
case: (ltnP (code (x j)) (size (nth [::] rows (code q)))) => lt; first by apply: (allP row); apply: mem_nth.
rewrite [nth [::] _ (code (x j))]nth_default //; case: m {same row x pi j lt} => // m.
by apply/allP => z /mapP[i _ ->]; rewrite /= !nth_nil.
Qed.
Lemma table_symbolic T (code : T -> nat) rows own D Out V F Y m (f : task T Y m) :
  same_in_places m rows -> symbolic (@Head T D Out (@table T code rows own) V F) f.
Proof. by move=> same x q y _; apply: table_symbolic_on. Qed.
Lemma table_positional T (code : T -> nat) rows own D Out V F Y m count (f : task T Y m) :
  same_in_contents m count rows -> (forall x q y, f x q y -> forall j, code (x j) < count)%N ->
  positional (@Head T D Out (@table T code rows own) V F) f.
Proof.
move=> same within x q y valid pi j; rewrite /= /table !eqSS !(ltn_eqF (ltn_ord _)) /=; congr (ln (INR _)).
apply: (@constant_at _ (fun b => nth 1%N (nth [::] (nth [::] rows (code q)) b) j) count); try exact: within valid _.
set P := fun row : seq (seq nat) =>
  all (fun i => constant (mkseq (fun b => nth 1%N (nth [::] row b) i) count)) (iota 0 m).
have none : P [::].
  apply/allP => i _; case: (count) => // k.
  by apply/allP => z /mapP[b _ ->]; rewrite /= !nth_nil.
by apply: (allP (@row_of P rows (code q) none same)); rewrite mem_iota /=.
Qed.
Lemma radix s a (c : 'I_s) (y : 'I_a) : (c * a + y < s * a)%N.
Proof. by apply: (@leq_trans (c.+1 * a)); [rewrite mulSn addnC ltn_add2r | rewrite leq_mul2r ltn_ord orbT]. Qed.
Lemma pairs_positional s a rows own D Out V F Y m (f : task ('I_s * 'I_a + 'I_s) Y m) :
  same_in_contents m (s * a) rows -> (forall x q y, f x q y -> exists p : 'I_m -> 'I_s * 'I_a, x = inl \o p) ->
  positional (@Head _ D Out (@table _ (@pair_code s a) rows own) V F) f.
Proof. by move=> same pairs; apply: table_positional same _ => x q y /pairs[p ->] j; apply: radix. Qed.
Lemma letters_positional k r rows own D Out V F Y m (f : task ('I_k * ('I_k + 'I_r)) Y m) :
  same_in_contents m (k * k + k * r) rows -> positional (@Head _ D Out (@table _ (@letter_code k r) rows own) V F) f.
Proof.
move=> same; apply: table_positional same _ => x q y _ j; rewrite /letter_code; case: (x j) => u [v|c] /=.
  exact: leq_trans (radix u v) (leq_addr _ _).
by rewrite ltn_add2l; apply: radix.
Qed.
"""
BEFORE = "".join(f"Definition {each}.\n" for each in TABLE) + LEMMAS
# The same inside a proof, without the lemmas.
INSIDE = "".join(f"pose {each}. " for each in TABLE)
LETTERS = "abcdefgh"


def words_of(case: Any) -> tuple[list[Any], str, str]:
    """All tokens, the function that numbers them, and the task."""
    m = case.length - 1
    if isinstance(case, IndexCase):
        tokens, sizes = [*LETTERS[: case.symbols], *range(1, case.length)], f"{case.symbols} {m}"
        return tokens, f"(@place_code {sizes})%N", f"(@Index {sizes})"
    if isinstance(case, NumberCase):
        tokens = [*LETTERS[: case.letters], *range(case.length)]
        return tokens, f"(@number_code {case.letters})%N", f"(@Whole_index {case.letters} {m})"
    if isinstance(case, LetterCase):
        sizes = f"{case.letters} {case.numbers}"
        return list(case.tokens), f"(@letter_code {sizes})%N", f"(@Whole_retrieval {sizes} {m})"
    sizes, symbols = f"{case.symbols} {case.attributes}", LETTERS[: case.symbols]
    task = "Induction" if isinstance(case, InductionCase) else "Retrieval"
    pairs = product(symbols, range(1, case.attributes + 1))
    return [*pairs, *symbols], f"(@pair_code {sizes})%N", f"(@{task} {sizes} {m})"


def table_of(case: Any) -> str:
    """The logits of a case's head; what the case has no entry for is never asked."""
    tokens, code, _ = words_of(case)

    def factor(*entry: Any) -> str:
        return f"{case.table.get(Entry(*entry), 1)}"

    rows = [rows_of([[factor(q, t, j) for j in range(1, case.length)] for t in tokens]) for q in tokens]
    if all(factor == 1 for entry, factor in case.table.items() if entry.position != OWN):  # what is left out is 1
        rows = []
    own = "; ".join(factor(q, q, OWN) for q in tokens)
    return f"(@table _ {code} [:: {'; '.join(rows)}]%N [:: {own}]%N)"


def numbers_of(case: Any, name: str, owners: list[Any], answers: list[Any]) -> str:
    """A row of numbers of the case, by owner and by answer."""
    held = dict(zip(case.row_keys[name], getattr(case, name), strict=False))
    return rows_of([[real(held.get((owner, each), 0)) for each in answers] for owner in owners])


def impossible(case: Any, output: str) -> str:
    """That the case's head computes its task by neither kind of attention, with output maps of this kind."""
    tokens, code, task = words_of(case)
    table = table_of(case)
    if output == "any":
        return f"forall kind (D : finType) V F, ~ computes kind (@Head _ D _ {table} V F) {task}"
    if isinstance(case, LetterCase):
        return f"forall kind, ~ decides kind (copying {table} (@one_hot _)) {task}"
    if output == "projection":
        return f"forall kind, ~ decides kind (projecting {table}) {task}"
    answers = list(range(1, case.attributes + 1))
    queries = [each if isinstance(each, str) else None for each in tokens]
    values, biases = numbers_of(case, "values", tokens, answers), numbers_of(case, "biases", queries, answers)
    return (
        f"forall kind, ~ decides kind (affine {table} (@one_hot _) (fun (y : 'I_{len(answers)}) d => "
        f"nth 0 (nth [::] {values} ({code} d)) y) (fun y q => nth 0 (nth [::] {biases} ({code} q)) y)) {task}"
    )


# -- heads ---------------------------------------------------------------------------------------------------------


def of_kind(case: Any, kind: str, draw: random.Random) -> Any:
    """The case with a head of this kind, else drawn at random; values and biases, where it has them, as well."""
    factors: dict[Any, Fraction] = {}
    chosen: dict[Entry, Fraction] = {}
    for entry in case.instance.entries:
        seen = entry.content if kind == "symbolic" else entry.position
        chosen[entry] = factors.setdefault((entry.query, entry.position == OWN, seen), Fraction(draw.randint(1, 4)))
    found = case.with_factors(chosen)
    if isinstance(case, AffineCase):
        rows = {name: tuple(Fraction(draw.randint(-9, 9), 2) for _ in keys) for name, keys in case.row_keys.items()}
        found = replace(found, **rows)
    return found


def head(case: Any, factor: Callable[[Entry], int]) -> Any:
    """The case with this head; where there are values, a pair has the value 1 at its attribute."""
    found = case.with_factors({entry: Fraction(factor(entry)) for entry in case.instance.entries})
    if isinstance(case, AffineCase):
        found = replace(found, values=tuple(Fraction(t[1:] == (y,)) for t, y in case.row_keys["values"]))
    return found


def flat(_: Entry) -> int:
    return 1


def by_place(entry: Entry) -> int:
    """A positional head: later places get more."""
    return 5**entry.position


def by_symbol(entry: Entry) -> int:
    """A symbolic head of DEC's tasks, but for later places, which get more."""
    return 20**entry.position if entry.content[0] == entry.query else 1


def by_letter(entry: Entry) -> int:
    """A symbolic head of DYN's Retrieval: the pairs that the query names."""
    right = entry.query[1]
    return 9 if (entry.content[0] == right if isinstance(right, str) else entry.position == OWN) else 1


def away_or_own(entry: Entry) -> int:
    """A positional head: it attends to its own key if that names itself or is a number, else away from it."""
    return 9 if (entry.position == OWN) == (entry.query[1] == entry.query[0] or isinstance(entry.query[1], int)) else 1


def against(case: Any, given: str, premises: int) -> str:
    """What is denied of all heads, put to a head by softmax; it is left to show its kind, and that it is right."""
    sizes = " ".join(f"{size}%N" for size in words_of(case)[2].strip("()").split()[1:])
    return f"move=> /(_ Softmax {sizes} {given} {'isT ' * premises}); apply;"


def head_with(case: Any, out: str) -> str:
    """The head of the case, with one-hot values and an output map."""
    return f"_ (Head {table_of(case)} (@one_hot _) {out})"
