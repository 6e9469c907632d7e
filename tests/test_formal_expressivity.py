"""The Coq statements on what symbolic and positional heads cannot compute say what the Python ones do."""

import random
from fractions import Fraction
from itertools import product

import pytest

from headproof.checks.engines import coq
from headproof.checks.engines.kernel import accepted
from headproof.theory.expressivity.attention_cases import PermutedCase
from headproof.theory.expressivity.attention_instances import OWN, Entry
from headproof.theory.expressivity.impossibility_claims import IMPOSSIBILITY_CLAIMS
from headproof.theory.expressivity.invariance import Invariance, attention
from headproof.theory.expressivity.invariance_claims import INVARIANCE_CLAIMS
from headproof.theory.expressivity.task_cases import IndexCase, InductionCase, LetterCase, NumberCase, RetrievalCase
from headproof.theory.formal import identifier, theorems

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
TOPIC = "expressivity"

# Each task on lists, where it can be computed, with proofs for lists of every length; and the attention, key by key.
ON_LISTS = r"""
Definition of_list T (d : T) (l : seq T) : 'I_(size l) -> T := fun j => nth d l j.
Lemma token_list T (d : T) l q i : token_at (@of_list T d l) q i = nth q l i.
Proof.
case: (ltnP i (size l)) => [lt|ge]; last by rewrite nth_default // /token_at insubN // -leqNgt.
by rewrite -[i]/(nat_of_ord (Ordinal lt)) token_early; apply: set_nth_default.
Qed.
Lemma index_list s m (c : 'I_m -> 'I_s) p y : Index (inl \o c) (inr p) y <-> y == c p.
Proof.
split=> [[c' [p' [cc [[->] ->]]]]|/eqP->]; last by exists c, p.
by have := congr1 (fun f => f p') cc => -[->].
Qed.
Lemma inl_inj A B C (f g : A -> B) : inl \o f = (inl \o g : A -> B + C) -> f =1 g.
Proof. by move=> e j; have := congr1 (fun h => h j) e => -[]. Qed.
Lemma retrieval_list s a d l (c : 'I_s) (y : 'I_a) :
  Retrieval (inl \o @of_list _ d l) (inr c) y <-> uniq (map fst l) && ((c, y) \in l).
Proof.
split=> [[p [j [once [/inl_inj same [[->] ->]]]]]|/andP[once /(nthP d)[i lt here]]].
  apply/andP; split; last by rewrite -surjective_pairing -same; apply: mem_nth.
  apply/(uniqP d.1) => i i'; rewrite !inE size_map => lt lt'; rewrite !(nth_map d) // => e.
  have : Ordinal lt = Ordinal lt' by apply: once; rewrite /= -!same.
  by case.
exists (of_list d (l := l)), (Ordinal lt); rewrite /of_list /= here; split=> // i1 i2 /= e.
have lt1 : (i1 < size (map fst l))%N by rewrite size_map.
have lt2 : (i2 < size (map fst l))%N by rewrite size_map.
apply/val_inj/eqP; have := nth_uniq d.1 lt1 lt2 once.
by rewrite !(nth_map d) ?ltn_ord // e eqxx => <-.
Qed.
Lemma induction_list s a d l (c : 'I_s) (y : 'I_a) :
  Induction (inl \o @of_list _ d l) (inr c) y <->
  has (fun i => (nth d l i == (c, y)) && all (fun i' => (i < i')%N ==> ((nth d l i').1 != c)) (iota 0 (size l)))
      (iota 0 (size l)).
Proof.
split=> [[p [j [last [/inl_inj same [[->] ->]]]]]|/hasP[i]].
  apply/hasP; exists (j : nat); first by rewrite mem_iota /= add0n.
  rewrite -[nth d l j]/(of_list d j) same -surjective_pairing eqxx; apply/allP => i.
  rewrite mem_iota add0n => /= lt; apply/implyP => later; rewrite -[nth d l i]/(of_list d (Ordinal lt)) same.
  by apply/eqP/last.
rewrite mem_iota => /= lt /andP[/eqP here /allP last].
exists (of_list d (l := l)), (Ordinal lt); rewrite /of_list /= here; split=> // i' later.
by apply/eqP; have := last i'; rewrite mem_iota ltn_ord later => /(_ isT).
Qed.
Lemma whole_index_list k d l (q y : 'I_k + nat) :
  Whole_index (@of_list _ d l) q y <->
  all (fun j => if nth q l j is inr i then (0 < i <= j)%N else true) (iota 0 (size l).+1) &&
  (y == if q is inr i then (if nth q l (size l - i) is inl a then inl a else q) else q).
Proof.
have valid : valid_numbers (@of_list _ d l) q <->
  all (fun j => if nth q l j is inr i then (0 < i <= j)%N else true) (iota 0 (size l).+1).
  split=> [ok|/allP ok j i le]; last by have := ok j; rewrite mem_iota /= ltnS le token_list => /(_ isT) + e; rewrite e.
  apply/allP => j; rewrite mem_iota ltnS => le; case e: nth => [|i] //.
  by apply: ok; rewrite ?token_list.
have right : (y = match q with inl _ => q | inr i => match token_at (@of_list _ d l) q (size l - i) with
    inl a => inl a | inr _ => q end end) <->
  (y == if q is inr i then (if nth q l (size l - i) is inl a then inl a else q) else q).
  by case: q {valid} => [a|i]; rewrite ?token_list; split=> /eqP.
by split=> [[/valid-> /right->]|/andP[/valid ok /right is_y]].
Qed.
Lemma whole_retrieval_list k r d l (q y : 'I_k * ('I_k + 'I_r)) :
  Whole_retrieval (@of_list _ d l) q y <->
  all (fun j => if (nth q l j).2 is inl c then
        has (fun t => (t.1 == c) && all (fun u => (u.1 == c) ==> (u == t)) (map (nth q l) (iota 0 j.+1)))
            (map (nth q l) (iota 0 j.+1)) else true) (iota 0 (size l).+1) &&
  (if q.2 is inl c then (y.1 == c) && (y \in rcons l q) else y == q).
Proof.
set ok := all _ _.
have is_proper : proper (@of_list _ d l) q <-> ok.
  split=> [good|/allP good j c le].
    apply/allP => j; rewrite mem_iota ltnS => le; case named: (nth q l j).2 => [c|] //.
    have named' : (token_at (@of_list _ d l) q j).2 = inl c by rewrite token_list.
    have [t [[i [lei <-]] [left only]]] := good j c le named'; rewrite token_list in left only.
    apply/hasP; exists (nth q l i); first by apply: (map_f _ (x := i)); rewrite mem_iota ltnS.
    rewrite left eqxx; apply/allP => u /mapP[i']; rewrite mem_iota ltnS => lei' ->; apply/implyP => /eqP left'.
    by rewrite -(token_list d) only // token_list.
  rewrite token_list => named; have := good j; rewrite mem_iota ltnS le named => /(_ isT) /hasP[t].
  move=> /mapP[i]; rewrite mem_iota ltnS => lei -> /andP[/eqP left /allP only].
  exists (nth q l i); split; first by exists i; rewrite token_list.
  split=> // i' lei'; rewrite token_list => left'; apply/eqP; have := only (nth q l i').
  by rewrite left' eqxx; apply; apply: (map_f _ (x := i')); rewrite mem_iota ltnS.
have rc i : nth q (rcons l q) i = nth q l i.
  by rewrite nth_rcons; case: ltnP => // ge; rewrite nth_default // if_same.
have mem : (exists i, (i <= size l)%N /\ token_at (@of_list _ d l) q i = y) <-> y \in rcons l q.
  split=> [[i [le <-]]|/(nthP q)[i]].
    by rewrite token_list -rc; apply: mem_nth; rewrite size_rcons ltnS.
  by rewrite size_rcons ltnS => le <-; exists i; rewrite token_list rc.
rewrite /Whole_retrieval; case: q.2 => [c|c]; split=> [[/is_proper->]|/andP[/is_proper good]].
- by move=> [-> /mem->]; rewrite eqxx.
- by move=> /andP[/eqP-> /mem].
- by move=> ->; rewrite eqxx.
- by move=> /eqP->.
Qed.
Lemma hard_top n (l : 'I_n -> R) i : (forall j, l j <= l i) -> share Hard l i = 1.
Proof. by move=> top /=; rewrite /largest; case: forallP => // -[] j; case: Rle_dec => // /(_ (top j)). Qed.
Lemma hard_low n (l : 'I_n -> R) i j : l i < l j -> share Hard l i = 0.
Proof. by move=> low /=; rewrite /largest; case: forallP => // /(_ j); case: Rle_dec => //= ? _; lra. Qed.
Lemma attended_shares kind T D Out (H : head T D Out) m (x : 'I_m -> T) q d (c : seq R) :
  (forall i : 'I_m.+1, share kind (logits (logit H) x q) i = nth 0 c i) ->
  attended kind H x q d = (sum_(j < m) (nth 0 c j * value H (x j) d) + nth 0 c m * value H q d) /
    (sum_(j < m) nth 0 c j + nth 0 c m).
Proof.
move=> shares; set total := sum_(j < m) nth 0 c j + _.
have all : sum_(i < m.+1) share kind (logits (logit H) x q) i = total.
  by rewrite sum_keys shares /total; congr (_ + _); apply: eq_bigr => j _; rewrite shares lift_last.
have -> : attended kind H x q d = sum_(i < m.+1) (/ total * (nth 0 c i * value H (token_at x q i) d)).
  by apply: eq_bigr => i _; rewrite /weight shares all /Rdiv; ring.
rewrite sum_scale sum_keys token_last /Rdiv Rmult_comm; congr ((_ + _) * _).
by apply: eq_bigr => j _; rewrite token_lift lift_last.
Qed.
"""


def goal(statement, script):
    return f"Goal {statement}. Proof. {script} Qed."


def outcomes(texts):
    """Which goals are accepted, with the lemmas on lists before the first."""
    first, *_ = texts
    return accepted(TOPIC, {**texts, first: ON_LISTS + texts[first]})


# -- the tasks: a right answer, a wrong one, an input that is not valid --------------------------------------------


def below(number, count):
    return f"(@Ordinal {count} {number} isT)"


def letter(name, count):
    return below("abcdefgh".index(name), count)


def pair(token, case):
    return f"({letter(token[0], case.symbols)}, {below(token[1] - 1, case.attributes)})"


def number_token(token, case):
    return f"(inr {token}%N)" if isinstance(token, int) else f"(inl {letter(token, case.letters)})"


def letter_pair(token, case):
    left, right = token
    kind = ("inr", below(right - 1, case.numbers)) if isinstance(right, int) else ("inl", letter(right, case.letters))
    return f"({letter(left, case.letters)}, {kind[0]} {kind[1]} : 'I_{case.letters} + 'I_{case.numbers})"


def listed(tokens, write, case):
    held = [write(token, case) for token in tokens]
    return f"of_list {held[0]} (l := [:: {'; '.join(held)}])"


def index_goal(case, keys, query, answer):
    held = listed(keys, lambda token, case: letter(token, case.symbols), case)
    return f"Index (inl \\o {held}) (inr {below(query - 1, len(keys))}) {letter(answer, case.symbols)}"


def pairs_goal(task):
    def written(case, keys, query, answer):
        asked, right = letter(query, case.symbols), below(answer - 1, case.attributes)
        return f"{task} (inl \\o {listed(keys, pair, case)}) (inr {asked}) {right}"

    return written


def whole_goal(task, write):
    def written(case, keys, query, answer):
        return f"{task} ({listed(keys, write, case)}) {write(query, case)} {write(answer, case)}"

    return written


def letters(case):
    return "abcdefgh"[: getattr(case, "symbols", None) or case.letters]


def pairs(case):
    return list(product(letters(case), range(1, case.attributes + 1)))


def numbers(case):
    return [*letters(case), *range(case.length + 2)]


# A case, its keys, queries and answers whether valid or not, the Coq statement, the lemma that decides it.
TASKS = {
    "Index": (IndexCase(3, 4), letters, lambda case: range(1, case.length), letters, index_goal, "index_list"),
    "Retrieval": (
        RetrievalCase(3, 2, 3),
        pairs,
        letters,
        lambda case: [1, 2],
        pairs_goal("Retrieval"),
        "retrieval_list",
    ),
    "Induction": (
        InductionCase(2, 3, 4),
        pairs,
        letters,
        lambda case: [1, 2, 3],
        pairs_goal("Induction"),
        "induction_list",
    ),
    "Whole_index": (
        NumberCase(2, 4),
        numbers,
        numbers,
        numbers,
        whole_goal("Whole_index", number_token),
        "whole_index_list",
    ),
    "Whole_retrieval": (
        LetterCase(2, 1, 3),
        lambda case: case.tokens,
        lambda case: case.tokens,
        lambda case: case.tokens,
        whole_goal("Whole_retrieval", letter_pair),
        "whole_retrieval_list",
    ),
}


@pytest.mark.parametrize("task", TASKS)
def test_a_task_has_the_inputs_and_answers_of_the_python_instance(task):
    case, keys_of, queries_of, answers_of, written, lemma = TASKS[task]
    rng = random.Random(7)
    valid = [(each.keys, each.query, each.answer) for each in case.instance.inputs]
    drawn = rng.sample(valid, 6)
    drawn += [(keys, query, rng.choice(list(answers_of(case)))) for keys, query, _ in rng.sample(valid, 4)]
    for _ in range(6):
        keys = tuple(rng.choice(list(keys_of(case))) for _ in range(case.length - 1))
        drawn.append((keys, rng.choice(list(queries_of(case))), rng.choice(list(answers_of(case)))))
    texts, expected = {}, {}
    for each in dict.fromkeys(drawn):
        statement = written(case, *each)
        holds = f"apply/{lemma}; vm_compute; reflexivity."
        fails = f"move=> /{lemma}; vm_compute; discriminate."
        texts[f"{each}"], texts[f"not {each}"] = goal(statement, holds), goal(f"~ {statement}", fails)
        expected[f"{each}"], expected[f"not {each}"] = each in valid, each not in valid
    assert len(set(expected.values())) == 2
    assert outcomes(texts) == expected


# -- the attention, and what symbolic and positional mean ----------------------------------------------------------


def ratio(value):
    value = Fraction(value)
    return f"({value.numerator} / {value.denominator})%R"


def permuted_cases(count, values=(1, 2, Fraction(3, 2))):
    """Two keys, equal or not, and a head on them; tokens are numbers in Coq, the query the last."""
    rng = random.Random(11)
    for _ in range(count):
        keys = rng.choice([("a", "b"), ("a", "a"), ("b", "a")])
        entries = PermutedCase(keys).instance.entries
        factors = tuple(Fraction(rng.choice(values)) for _ in entries)
        held = tuple(Fraction(rng.randint(-3, 3)) for _ in PermutedCase(keys).tokens)
        yield PermutedCase(keys, factors, held)


def coq_head(case, function):
    """The head of a case; its logits are this function of the factors."""
    names = {token: number for number, token in enumerate(("a", "b", "q"))}
    own = ratio(case.table[Entry("q", "q", OWN)])
    rows = [
        "[:: " + "; ".join(ratio(case.table.get(Entry("q", token, place), 1)) for place in (1, 2)) + "]"
        for token in ("a", "b")
    ]
    values = "; ".join(ratio(case.value.get(token, 0)) for token in names)
    logit = f"(fun _ n t j => {function} (if j == n then {own} else nth 1%R (nth [::] [:: {'; '.join(rows)}] t) j.-1))"
    head = f"(@Head nat [finType of 'I_1] R {logit} (fun t _ => nth 0%R [:: {values}] t) (fun z _ => z ord0))"
    return head, f"(of_list 0%N (l := [:: {'; '.join(f'{names[key]}%N' for key in case.keys)}])) 2%N"


def python_output(case, hard):
    weights = attention(case, case.keys, "q", hard)
    return Fraction(sum(weight * case.value[token] for token, weight in weights.items())) / sum(weights.values())


@pytest.mark.parametrize("off", [0, 1])
def test_the_attention_output_is_pythons_by_softmax(off):
    script = "rewrite attended_softmax /of_list !big_ord_recl !big_ord0 /= !exp_ln; lra."
    texts = {}
    for case in permuted_cases(6):
        head, given = coq_head(case, "ln")
        texts[str(case)] = goal(
            f"attended Softmax {head} {given} ord0 = {ratio(python_output(case, False) + off)}", script
        )
    assert set(outcomes(texts).values()) == {off == 0}


@pytest.mark.parametrize("off", [0, 1])
def test_the_attention_output_is_pythons_by_hard_attention(off):
    """Only the order of the logits counts, so the factors themselves stand for them."""
    texts = {}
    for case in permuted_cases(6):
        head, given = coq_head(case, "")
        row = [case.table[Entry("q", key, place)] for place, key in enumerate(case.keys, 1)]
        row.append(case.table[Entry("q", "q", OWN)])
        shares = "; ".join("1" if each == max(row) else "0" for each in row)
        top = "apply: hard_top; apply: keys_ind => [[[|[|?]] ?]|] //"
        low = [
            f"apply: (hard_low (j := {place}))" for place in ("lift ord_max ord0", "lift ord_max ord_max", "ord_max")
        ]
        compare = "rewrite ?logits_early ?logits_own /of_list /=; lra"
        script = (
            f"rewrite (attended_shares ord0 (c := [:: {shares}]%R)); "
            "[by rewrite /of_list !big_ord_recl !big_ord0 /=; lra | apply: keys_ind => [[[|[|?]] ?]|] //=; "
            f"first [{' | '.join(f'by {each}; {compare}' for each in (top, *low))}]]."
        )
        texts[str(case)] = goal(f"attended Hard {head} {given} ord0 = {ratio(python_output(case, True) + off)}", script)
    assert set(outcomes(texts).values()) == {off == 0}


@pytest.mark.parametrize("kind", ["symbolic", "positional"])
def test_symbolic_and_positional_are_pythons(kind):
    move = "case: (pi j) => [[|[|?]] ?] //; case: j => [[|[|?]] ?] //=; lra."
    places = "(@Ordinal 2 0 isT)", "(@Ordinal 2 1 isT)"
    first, second = (f"have := all (tperm {' '.join(places)}) {place}" for place in places)
    fails = f"move=> all; {first}; {second}; rewrite !tpermL !tpermR /of_list /=; lra."
    texts, expected = {}, {}
    for number, case in enumerate(permuted_cases(16, (1, 1, 1, 2))):
        head, given = coq_head(case, "")
        holds = Invariance(kind)(case)
        texts[f"{number}"] = goal(f"{kind}_on {head} {given}", f"move=> pi j; rewrite /of_list /=; {move}")
        texts[f"not {number}"] = goal(f"~ {kind}_on {head} {given}", fails)
        expected[f"{number}"], expected[f"not {number}"] = holds, not holds
    assert set(expected.values()) == {True, False}
    assert outcomes(texts) == expected


# -- the refuted claims: with the missing premise they hold --------------------------------------------------------

CLAIMS = (*INVARIANCE_CLAIMS, *IMPOSSIBILITY_CLAIMS)
# Where the mutant leads back to another theorem than that of the repair that the claim names.
PROJECTED = {"dec.thm4.any-output-map": "dec.thm4"}


def test_a_refuted_claim_holds_with_the_premise_that_its_mutant_restores():
    known = theorems(TOPIC)
    texts = {}
    for claim in (each for each in CLAIMS if each.repair is not None):
        theorem = known[f"{identifier(claim.id)}_fails"]
        (edit,) = theorem.mutants
        use = f"have use := {identifier(PROJECTED.get(claim.id, claim.repair))}; apply=> *; apply: use; eauto; by left."
        texts[claim.id] = goal(f"~ ({edit.statement})", use)
        texts[f"{claim.id} itself"] = goal(f"~ ({theorem.statement})", use)
    assert len(texts) == 20
    assert outcomes(texts) == {name: not name.endswith("itself") for name in texts}


def test_every_claim_has_its_theorem():
    known = theorems(TOPIC)
    assert set(known) >= {identifier(each.id) + "_fails" * (each.repair is not None) for each in CLAIMS}
