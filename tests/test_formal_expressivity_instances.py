"""The Coq theorems on what symbolic and positional heads cannot compute, by name, at heads that Python has decided."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from coq_heads import (
    BEFORE,
    INSIDE,
    LETTERS,
    against,
    away_or_own,
    by_letter,
    by_place,
    by_symbol,
    flat,
    head,
    head_with,
    impossible,
    of_kind,
    table_of,
    words_of,
)
from coq_words import assert_refuted_at, goal, place, real, right_ones, rows_of

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.theory.claim import Statement
from headproof.theory.expressivity.attention_cases import PermutedCase
from headproof.theory.expressivity.attention_instances import OWN, Entry
from headproof.theory.expressivity.invariance import attention
from headproof.theory.expressivity.task_cases import (
    AffineCase,
    IndexCase,
    InductionCase,
    LetterCase,
    NumberCase,
    RetrievalCase,
)
from headproof.theory.formal import identifier

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
FILE = "expressivity"


def statement_of(claim_id: str) -> Statement:
    statement = claims()[claim_id].statement
    assert statement is not None
    return statement


def accepted_ones(texts: dict[str, str]) -> set[str]:
    """The names of those texts that Coq accepts, with tables of factors and their lemmas known."""
    first = next(iter(texts))
    return right_ones(FILE, texts | {first: BEFORE + texts[first]})


# -- upheld claims: no head of the kind computes the task ----------------------------------------------------------

SYMBOLIC = "exact: table_symbolic"
PAIRS = "by apply: pairs_positional => // x q y [p [? [_ [-> _]]]]; exists p"
LETTERS_ALIKE = "exact: letters_positional"
# By claim: what shows the head's kind, tasks, and heads that compute theirs, each by the lack of one premise.
UPHELD: dict[str, tuple[str, list[Any], list[Any]]] = {
    "dec.thm2": (
        SYMBOLIC,
        [IndexCase(2, 3), IndexCase(3, 4)],
        [head(IndexCase(2, 3), by_place), IndexCase(1, 3), IndexCase(2, 2)],
    ),
    "dec.cor1.symbolic": (
        SYMBOLIC,
        [InductionCase(1, 2, 3), InductionCase(2, 2, 4)],
        [head(InductionCase(1, 2, 3), by_place), InductionCase(2, 1, 3), InductionCase(2, 2, 2)],
    ),
    "dyn.rem3.1.index": (
        SYMBOLIC,
        [NumberCase(2, 3), NumberCase(1, 4)],
        [head(NumberCase(2, 3), by_place), NumberCase(1, 3), NumberCase(2, 2)],
    ),
    "dec.thm4": (
        PAIRS,
        [RetrievalCase(2, 2, 3), RetrievalCase(3, 2, 4)],
        [head(RetrievalCase(2, 2, 3), by_symbol), RetrievalCase(2, 1, 3), RetrievalCase(2, 2, 2)],
    ),
    "dec.cor1.positional": (
        PAIRS,
        [InductionCase(2, 2, 3), InductionCase(2, 3, 4)],
        [
            head(InductionCase(2, 2, 3), by_symbol),
            head(InductionCase(1, 2, 3), by_place),
            InductionCase(2, 1, 3),
            InductionCase(2, 2, 2),
        ],
    ),
    "dec.thm4.affine": (
        PAIRS,
        [AffineCase(2, 2, 3), AffineCase(3, 2, 4)],
        [
            head(AffineCase(2, 2, 3), by_symbol),
            head(AffineCase(2, 1, 3), flat),
            head(AffineCase(2, 2, 2), flat),
        ],
    ),
    "dyn.rem3.1.retrieval": (
        LETTERS_ALIKE,
        [LetterCase(2, 1, 3), LetterCase(2, 1, 4)],
        [
            head(LetterCase(2, 1, 3), by_letter),
            head(LetterCase(1, 1, 3), away_or_own),
            head(LetterCase(2, 1, 2), away_or_own),
        ],
    ),
}


def test_no_head_of_the_kind_computes_the_task():
    """The theorems decide single heads as Python does, which goes through all inputs. Where one premise is wrong and
    Python finds that the head computes its task, the same tactics show nothing."""
    draw, texts, right = random.Random(31), {}, set()
    for claim_id, (kind, cases, computing) in UPHELD.items():
        statement, premises = statement_of(claim_id), statement_of(claim_id).premises
        tactics = f"move=> *; apply: {identifier(claim_id)}; first [by [] | by left | by right | {kind}]."
        for case in (of_kind(case, premises[0].name, draw) for case in cases):
            assert statement.meets(case)
            assert statement.conclusion(case)
            right.add(f"{claim_id}: {case}")
            texts[f"{claim_id}: {case}"] = goal(impossible(case, statement.conclusion.output), tactics)
        for case in computing:
            assert [premise.holds(case) for premise in premises].count(False) == 1
            assert not statement.conclusion(case)
            texts[f"{claim_id}: {case}"] = goal(impossible(case, statement.conclusion.output), tactics)
    assert accepted_ones(texts) == right


# -- lemma 1: the output for another order of the keys -------------------------------------------------------------

ORDERS = {(1, 0): "(tperm {0} {1})", (2, 1, 0): "(tperm {0} {2})", (1, 2, 0): "(tperm {0} {1} * tperm {0} {2})%g"}


def permuted(case: PermutedCase, order: tuple[int, ...]) -> tuple[str, str, str]:
    """The head of the case, its output map left open as F, its keys, and an order of them."""
    count = len(case.keys)
    number = {token: str(at) for at, token in enumerate(case.tokens)}
    row = [[f"{case.table[Entry('q', t, j)]}" for j in range(1, count + 1)] for t in case.tokens[:-1]]
    own = ["1"] * (len(number) - 1) + [f"{case.table[Entry('q', 'q', OWN)]}"]
    table = f"(@table nat id [:: {'[::]; ' * len(row)}{rows_of(row)}]%N [:: {'; '.join(own)}]%N)"
    values = "; ".join(real(case.value[t]) for t in case.tokens)
    keys = f"(fun j : 'I_{count} => nth 0 [:: {'; '.join(number[key] for key in case.keys)}] j)%N"
    pi = ORDERS[order].format(*(place(at, count) for at in range(count)))
    return f"(@Head nat [finType of 'I_1] R {table} (fun t _ => nth 0 [:: {values}] t) F)", keys, pi


def output_of(case: PermutedCase, order: tuple[int, ...]) -> Fraction:
    """Python's attention output by softmax for this order of the keys."""
    weights = attention(case, tuple(case.keys[at] for at in order), "q", hard=False)
    return sum((weight * case.value[t] for t, weight in weights.items()), Fraction(0)) / sum(weights.values())


def test_a_symbolic_head_has_the_output_of_any_other_order():
    """By the lemma the output for another order is that of the input; Python finds it in that order. Where the head is
    not symbolic on the input, the lemma gives nothing, and Python's outputs differ."""
    statement, draw, texts, right = statement_of("dec.lemma1"), random.Random(33), {}, set()
    by_lemma = "(rewrite dec_lemma1; last exact: table_symbolic_on); "
    number = "by rewrite /F /output /= attended_softmax !big_ord_recl !big_ord0 /table /= !exp_ln; lra."
    for keys, order in product((("a", "b"), ("a", "b", "a"), ("b", "a", "c")), ORDERS):
        if len(keys) != len(order):
            continue
        for kind in ("symbolic", "positional"):
            case = of_kind(PermutedCase(keys), kind, draw) if kind == "symbolic" else head(PermutedCase(keys), by_place)
            case = replace(case, values=tuple(Fraction(each) for each in draw.sample(range(-4, 5), len(case.tokens))))
            assert statement.meets(case) == (kind == "symbolic") == statement.conclusion(case)
            head_, x, pi = permuted(case, order)
            query, name, value = len(case.tokens) - 1, f"{case} {order}", output_of(case, order)
            for beside in (0, Fraction(1, 97)):
                said = f"let F (z : 'I_1 -> R) (q : nat) := z ord0 in output Softmax {head_} ({x} \\o {pi}) {query}%N"
                texts[f"{name} {beside}"] = goal(f"{said} = {real(value + beside)}", f"move=> F; {by_lemma}{number}")
            same = f"output kind {head_} ({x} \\o {pi}) {query}%N = output kind {head_} {x} {query}%N"
            texts[f"{name} any"] = goal(f"forall kind F, {same}", f"move=> kind F; {by_lemma}by [].")
            if kind == "symbolic":
                right |= {f"{name} 0", f"{name} any"}
    assert accepted_ones(texts) == right


# -- refuted claims: heads that compute their tasks ----------------------------------------------------------------

NO_LOGITS = "by move=> x q y _ pi j; rewrite /= /table !eqSS !(ltn_eqF (ltn_ord _)) /= !nth_nil"


def one_answer(case: Any) -> str:
    """No logits: the output is the answer to the first input, whatever the input."""
    answer, sizes = case.instance.inputs[0].answer, words_of(case)[0]
    if isinstance(case, InductionCase):
        at, premises = place(answer - 1, case.attributes), 3
    else:
        at, premises = place(LETTERS.index(answer), sizes.index(1) if isinstance(case, IndexCase) else case.letters), 2
    right = "by move=> x q y _; rewrite /output /= [y]ord1; apply: val_inj"
    if isinstance(case, NumberCase):
        at = f"(inl {at})"
        right = (
            "move=> x q y [valid ->]; rewrite /output /=; case: q valid => [letter|i] valid; "
            "first (by rewrite [letter]ord1; congr inl; apply: val_inj); "
            "have := valid 1%N i isT (token_last x (inr i)); case: i valid => [|[|i]] // valid _; rewrite subnn; "
            "case: (token_at x (inr 1%N) 0) (valid 0%N ^~ isT) => [letter _|i /(_ i erefl)]; "
            "[by rewrite [letter]ord1; congr inl; apply: val_inj | by case: i]"
        )
    given = f"_ (Head {table_of(case)} (fun _ (_ : 'I_1) => 0) (fun _ _ => {at}))"
    return f"{INSIDE} {against(case, given, premises)} [{NO_LOGITS} | {right}]."


def one_attribute(case: Any) -> str:
    """No logits: there is no other attribute that could have a larger score."""
    return f"{INSIDE} {against(case, table_of(case), 3)} [{NO_LOGITS} | by move=> x q y _ z; rewrite [y]ord1 [z]ord1]."


def attribute_looked_up(case: AffineCase) -> str:
    """The output map looks up which of the query's pairs has attention."""
    out = (
        "pose out (z : 'I_2 * 'I_2 + 'I_2 -> R) (q : 'I_2 * 'I_2 + 'I_2) : 'I_2 := "
        "if q is inr c then if Rlt_dec 0 (z (inl (c, ord0))) then ord0 else ord_max else ord0."
    )
    right = (
        "move=> x q y [p [j [once [-> [-> ->]]]]]; rewrite /output /= {1}/out; case: Rlt_dec => /= [present|absent]; "
        "[have [i [le]] := proj1 (attention_shows _ _ _ _ _) present; rewrite leq_eqVlt in le; case/orP: le => "
        "[/eqP->|lt]; [by rewrite token_last | by rewrite -[i]/(nat_of_ord (Ordinal lt)) token_early => -[here]; "
        "move: (once (Ordinal lt) j) => /=; rewrite here => /(_ erefl) <-; rewrite here] | "
        "case: (of_two (p j).2) => y0 //; case: absent; apply: (proj2 (attention_shows _ _ _ _ _)); "
        "by exists j; rewrite ltnW // token_early /= -y0 -surjective_pairing]"
    )
    return f"{INSIDE} {out} {against(case, head_with(case, 'out'), 3)} [{NO_LOGITS} | {right}]."


def attribute_with_more(case: InductionCase) -> str:
    """The output map takes the attribute whose pair with the query's symbol has more attention; the head, entry by
    entry, is the one of which the file says that this is the later pair's."""
    out = (
        "pose out (z : 'I_2 * 'I_2 + 'I_2 -> R) (q : 'I_2 * 'I_2 + 'I_2) : 'I_2 := "
        "if q is inr c then if Rlt_dec (z (inl (c, ord_max))) (z (inl (c, ord0))) then ord0 else ord_max else ord0."
    )
    table = table_of(case)
    facts = (
        f"(have early c t j : (j < 2)%N -> {table} (inr c) 3%N (inl t) j.+1 = doubling (inr c) 3%N (inl t) j.+1; "
        "first by case: j => [|[|?]] // _; case: c => [[|[|?]] ?] //; case: t => [[[|[|?]] ?] [[|[|?]] ?]] //; "
        "rewrite /table /doubling /= ?ln_1 //; congr ln; lra); "
        f"(have own c : {table} (inr c) 3%N (inr c) 3%N = doubling (inr c : 'I_2 * 'I_2 + 'I_2) 3%N (inr c) 3%N; "
        "first by case: c => [[|[|?]] ?] //; rewrite /table /doubling /= ln_1). "
    )
    right = (
        "move=> x q y [p [j [later [-> [-> ->]]]]]; rewrite /output /= {1}/out; "
        f"(have same d : attended Softmax (Head {table} (@one_hot _) out) (inl \\o p) (inr (p j).1) d = "
        "attended Softmax (Head (@doubling 2%N 2%N) (@one_hot _) out) (inl \\o p) (inr (p j).1) d; "
        "first by rewrite !attended_softmax !big_ord_recl !big_ord0 [logit _]/= !own !early); "
        "rewrite !same; have [first_if if_first] := doubling_prefers out later; "
        "case: Rlt_dec => /= [less|not_less]; [by rewrite first_if | "
        "by case: (of_two (p j).2) => [is_first|->] //; case: (not_less (if_first is_first))]"
    )
    kind = "by move=> x q y [p [j0 [_ [-> [-> _]]]]] pi j; rewrite /= !early"
    return f"{INSIDE} {out} {facts} {against(case, head_with(case, 'out'), 3)} [{kind} | {right}]."


def own_pair(case: LetterCase) -> str:
    """The only pair with a number attends most to its own key; else the pairs of an input are one."""
    table, each = table_of(case), "[[[|?] ?] [[[|?] ?]|[[|?] ?]]]"
    right = (
        f"(have early q t : {table} q 2%N t 1%N = 0; first by case: q => {each} //; case: t => {each} //; "
        "rewrite /table /= ln_1); "
        f"(have named a c (t := (a, inl c) : 'I_1 * ('I_1 + 'I_1)) : {table} t 2%N t 2%N = 0; "
        "first by rewrite /t [a]ord1 [c]ord1 /table /= ln_1); "
        f"(have number a c (t := (a, inr c) : 'I_1 * ('I_1 + 'I_1)) : {table} t 2%N t 2%N = ln 2; "
        "first by rewrite /t [a]ord1 [c]ord1 /table /=; congr ln; lra); "
        "move=> x [a q] y [is_proper right] [b z] zy; "
        "rewrite /output /= !attended_softmax !big_ord_recl !big_ord0 [logit _]/= [value _]/= !early; "
        "case: q right is_proper zy => [c|c] right is_proper zy; "
        "[rewrite !named; have [t [_ [_ only]]] := is_proper 1%N c isT (congr1 snd (token_last x (a, inl c))); "
        "(have yt : y = t; first by case: right => left [i [le <-]]; apply: only; rewrite // [c]ord1; apply: ord1); "
        "(have own : (a, inl c) = t; first by rewrite -(token_last x (a, inl c)); apply: only; rewrite // [c]ord1; "
        "apply: ord1); (have first : x ord0 = t; first by rewrite -(token_early x (a, inl c)); apply: only; "
        "rewrite // [c]ord1; apply: ord1); rewrite first own yt one_hot_same /one_hot /=; case: eqP => [zt|_]; "
        "[by case: zy; rewrite -zt | rewrite exp_0; lra] | "
        "rewrite !number right one_hot_same exp_0 exp_ln; [rewrite /one_hot /=; "
        "case: ((a, inr c) =P (b, z)) => [qz|_]; [by case: zy; rewrite right -qz | do 2?[case: ifP => _]; lra] | lra]]"
    )
    kind = "by move=> x q y _ pi j; rewrite /= [pi j]ord1 [j]ord1"
    return f"{INSIDE} {against(case, table, 2)} [{kind} | {right}]."


def pair_looked_up(case: LetterCase) -> str:
    """The output map looks up the pair with attention that the query names."""
    token = f"'I_{case.letters} * ('I_{case.letters} + 'I_{case.numbers})"
    out = (
        f"pose out (z : {token} -> R) (q : {token}) : {token} := "
        "if q.2 is inl c then odflt q [pick t | (t.1 == c) && Rlt_dec 0 (z t)] else q."
    )
    right = (
        "move=> x q y [is_proper]; rewrite /output /= {1}/out; case named: q.2 => [c|] // [left [i [le at_i]]]; "
        "have [t [_ [_ only]]] := is_proper 2%N c isT (etrans (congr1 snd (token_last x q)) named); "
        "(have yt : y = t; first by rewrite -at_i; apply: only => //; rewrite at_i); "
        "case: pickP => [t' /andP[/eqP left' /=]|none] /=; [case: Rlt_dec => // present _; "
        "have [i' [le' at_i']] := proj1 (attention_shows _ _ _ _ _) present; "
        "by rewrite yt -at_i'; apply: only => //; rewrite at_i' | "
        "have /andP[] := negbT (none y); rewrite left eqxx; case: Rlt_dec => // absent; "
        "by case: absent; apply: (proj2 (attention_shows _ _ _ _ _)); exists i]"
    )
    return f"{INSIDE} {out} {against(case, head_with(case, 'out'), 2)} [{NO_LOGITS} | {right}]."


def naming_values(case: LetterCase) -> str:
    """The value map, entry by entry, is the one whose scores the file compares; the own key has 9 parts of 11."""
    count, table, code = len(case.tokens), table_of(case), words_of(case)[1]
    values = rows_of([[real(each) for each in case.values[at : at + count]] for at in range(0, count**2, count)])
    each = "[[[|[|?]] ?] [[[|[|?]] ?]|[[|?] ?]]]"
    token = f"'I_{case.letters} * ('I_{case.letters} + 'I_{case.numbers})"
    facts = (
        f"pose value (t d : {token}) : R := nth 0 (nth [::] {values} ({code} t)) ({code} d). "
        f"(have early s t j : (j < 2)%N -> {table} s 3%N t j.+1 = 0; first by case: j => [|[|?]] // _; "
        "rewrite /table /= !nth_nil ln_1). "
        f"(have own t : {table} t 3%N t 3%N = ln 9; first by case: t => {each} //; rewrite /table /=; congr ln; lra). "
        f"(have named t d : value t d = naming t d; first by case: t => {each} //; case: d => {each} //; "
        "rewrite /value /naming /=; lra). "
        "(have parts a b c a' b' c' : a + b + 9 * c < a' + b' + 9 * c' -> "
        "(1 * a + (1 * b + 0) + 9 * c) / (1 + (1 + 0) + 9) < (1 * a' + (1 * b' + 0) + 9 * c') / (1 + (1 + 0) + 9); "
        "first by lra). "
    )
    right = (
        "move=> x q y right z zy; (have second : lift ord0 ord0 = ord_max :> 'I_2; first by apply: val_inj); "
        "rewrite /output /= !attended_softmax !big_ord_recl !big_ord0 /= "
        "!own !early // second !named exp_0 exp_ln; [exact: parts (naming_right right zy) | lra]"
    )
    kind = "by move=> x q y _ pi j; rewrite /= !early"
    return f"{INSIDE} {facts} {against(case, f'{table} value', 2)} [{kind} | {right}]."


# The head of the counterexample, but with the identity for values.
IDENTITY = replace(
    head(LetterCase(2, 1, 3), lambda entry: 9 if entry.position == OWN else 1),
    values=tuple(Fraction(at % 7 == 0) for at in range(36)),
)
REFUTED: dict[str, tuple[Callable[[Any], str], Any]] = {
    "dec.thm2.any-alphabet": (one_answer, IndexCase(2, 3)),
    "dec.cor1.symbolic.any-alphabet": (one_answer, InductionCase(1, 2, 3)),
    "dyn.rem3.1.index.any-alphabet": (one_answer, NumberCase(2, 3)),
    "dec.thm4.any-alphabet": (one_attribute, RetrievalCase(2, 2, 3)),
    "dec.cor1.positional.any-alphabet": (one_attribute, InductionCase(2, 2, 3)),
    "dec.cor1.positional.any-output-map": (attribute_with_more, InductionCase(2, 2, 3)),
    "dyn.rem3.1.retrieval.any-alphabet": (own_pair, LetterCase(1, 1, 2)),
    "dyn.rem3.1.retrieval.any-output-map": (pair_looked_up, head(LetterCase(2, 1, 3), by_letter)),
    "dyn.rem3.1.retrieval.any-value-map": (naming_values, IDENTITY),
    "dec.thm4.any-output-map": (attribute_looked_up, head(AffineCase(2, 2, 3), by_symbol)),
}


@pytest.mark.parametrize("claim_id", REFUTED)
def test_a_refuted_claim_fails_at_its_counterexample(claim_id: str):
    """What is denied leads to a contradiction at the theorem's own head, and not at a head that refutes nothing."""
    tactics, other = REFUTED[claim_id]
    assert_refuted_at(FILE, f"{identifier(claim_id)}_fails", claims()[claim_id], tactics, other)
