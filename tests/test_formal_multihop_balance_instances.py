"""The theorems of multihop.v on the data sets used by name at single hop classes, against what Python counts there."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest
from coq_words import Instance, assert_instances, statement_of

from headproof.checks.engines import coq
from headproof.theory.formal import theorems
from headproof.theory.multihop.balance import (
    ANSWERS,
    MOST_HOPS,
    PAIR_NUMBERS,
    SPLITS,
    TARGET,
    WHOLE,
    BalanceCase,
    counts,
)

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)

TOPIC = "multihop"


# -- the data sets -------------------------------------------------------------------------------------------------

# What "equally often", "as often up to one" and a class of the number task come to: how often, and among what.
COUNTED = r"""
Lemma sum_most (T : eqType) (g : T -> nat) k (s : seq T) : {in s, forall b, g b <= k} -> sumn (map g s) <= size s * k.
Proof.
elim: s => //= b s IH most; rewrite mulSn leq_add ?most ?mem_head // IH // => c c_in; apply: most.
by rewrite inE c_in orbT.
Qed.
Lemma sum_least (T : eqType) (g : T -> nat) k (s : seq T) : {in s, forall b, k <= g b} -> size s * k <= sumn (map g s).
Proof.
elim: s => //= b s IH least; rewrite mulSn leq_add ?least ?mem_head // IH // => c c_in; apply: least.
by rewrite inE c_in orbT.
Qed.
Lemma sum_split (T : eqType) (g : T -> nat) a (s : seq T) : a \in s ->
  sumn (map g s) = g a + sumn (map g (rem a s)).
Proof.
elim: s => //= b s IH; rewrite inE [a == b]eq_sym; case: eqP => [-> // | _ /= /IH ->]; by rewrite addnCA.
Qed.
Lemma times_often (T A : eqType) (f : T -> option A) values (D : seq T) a n :
  uniq values -> (forall x, x \in D -> exists2 b, b \in values & f x = Some b) -> equally_often f values D ->
  a \in values -> size D == size values * n -> often f D a = n.
Proof.
move=> single known even a_in; rewrite (size_often single known).
have -> : sumn (map (often f D) values) = size values * often f D a.
  apply/eqP; rewrite eqn_leq sum_most ?sum_least // => b b_in; by rewrite (even b a).
have some : 0 < size values by case: (values) a_in.
by rewrite eqn_pmul2l // => /eqP.
Qed.
Lemma times_nearly (T A : eqType) (f : T -> option A) values (D : seq T) a n :
  uniq values -> (forall x, x \in D -> exists2 b, b \in values & f x = Some b) -> nearly_as_often f values D ->
  a \in values -> size values * n <= size D -> size D < size values * n.+1 ->
  n <= often f D a <= n.+1.
Proof.
move=> single known near a_in; rewrite (size_often single known) (sum_split _ a_in) => least most.
have some : 0 < size values by case: (values) a_in.
have size_s : size values = (size (rem a values)).+1 by rewrite size_rem // prednK.
have sub b : b \in rem a values -> b \in values by apply: mem_rem.
apply/andP; split; rewrite leqNgt; apply/negP => off.
  move: least; rewrite leqNgt size_s mulSn -addSn leq_add // sum_most // => b /sub b_in.
  by apply: leq_trans (near b a b_in a_in) off.
move: most; rewrite ltnNge size_s mulSn leq_add ?(ltnW off) // sum_least // => b /sub b_in.
by rewrite -ltnS; apply: leq_trans off (near a b a_in b_in).
Qed.
Lemma number_class_values hops D x : number_class hops D -> x \in D ->
  exists a k, [/\ a \in number_values, k \in places, number_answer x = Some a & number_place x = Some k].
Proof.
move=> /andP[_ /allP sound] /sound /andP[/and4P[_ /allP front /allP back _] /eqP].
rewrite /number_answer /number_place /solve_number.
case: number_path => [path|] //; case at_p: (token_at x (last 0 path)) => [[a|i]|] // _.
have /andP[pos _] := token_at_bound at_p.
have near : last 0 path <= 8.
  rewrite leqNgt; apply/negP => far; suff /back : inl a \in drop 8 x by [].
  move: at_p; rewrite -{1}(cat_take_drop 8 x) token_at_cat size_take.
  case: ltnP => [_|short]; first by rewrite leqNgt far /= => /token_at_mem.
  by rewrite (leqNgt _ (size x)) (leq_ltn_trans short far) /= => /token_at_mem.
have : inl a \in take 8 x by apply/token_at_take; exists (last 0 path).
by move=> /front a_120; exists a, (last 0 path); split; rewrite ?mem_iota ?pos ?add1n ?ltnS.
Qed.
Lemma known (T A : eqType) (answer : T -> option A) (place : T -> option nat) (values : seq A) (D : seq T) :
  (forall x, x \in D -> exists a k, [/\ a \in values, k \in places, answer x = Some a & place x = Some k]) ->
  [/\ forall x, x \in D -> exists2 a, a \in values & answer x = Some a,
      forall x, x \in D -> exists2 k, k \in places & place x = Some k &
      forall x, x \in D -> exists2 c, c \in cells values & together answer place x = Some c].
Proof.
move=> vals; split=> x /vals [a [k [a_in k_in e e']]]; [by exists a | by exists k | exists (a, k)].
  exact: allpairs_f.
by rewrite /together e e'.
Qed.
Ltac counts_up many := rewrite ?many; vm_compute; reflexivity.
"""
UNIQUE = {"number": "(iota_uniq 0 120)", "letter": "uniq_letter_values"}
HOPS = (1, MOST_HOPS)
# By theorem: its tasks, and what it says of a class: answers, places, both together; exactly or up to one.
WHOLE_CLASSES = {
    "dyn_tasks_balance": (("number", "letter"), {"answer": "often", "place": "often"}),
    "dyn_tasks_balance_jointly_number": (("number",), {"cell": "often"}),
    "dyn_tasks_balance_jointly_repaired": (
        ("number", "letter"),
        {"answer": "often", "place": "often", "cell": "nearly"},
    ),
}
SPLIT_CLASSES = {
    "dyn_tasks_balance_in_each_split_number": (("number",), {"answer": "often", "place": "often"}),
    "dyn_tasks_balance_in_each_split_repaired": (
        ("number", "letter"),
        {"answer": "nearly", "place": "often", "cell": "nearly"},
    ),
}


def product(count: int) -> str:
    """A count as Coq reads large ones."""
    return f"({count // 100} * 100 + {count % 100})"


@dataclass(frozen=True)
class Class:
    """A hop class of a task in Coq: `D`, the whole, or one of the splits `D1 D2 D3`."""

    theorem: str
    task: str
    hops: int
    split: int | None = None

    @property
    def part(self) -> str:
        return "D" if self.split is None else f"D{self.split + 1}"

    @property
    def size(self) -> int:
        return WHOLE if self.split is None else SPLITS[self.split]

    def goal(self, said: str, hops: int, size: int) -> str:
        names, whole = ("D", "D") if self.split is None else ("D1 D2 D3", "(D1 ++ D2 ++ D3)")
        return f"exists {names}, {self.task}_class {hops} {whole} /\\ size {self.part} == {product(size)} /\\ {said}"

    def tactics(self, kinds: Mapping[str, str], kind: str, both: bool) -> str:
        """How the theorem gives what the goal says of one kind."""
        of = f"proj{1 + (self.task == 'letter')} said" if both else "said"
        *others, names = kinds
        for each in reversed(others):
            names = f"[{each} {names}]"
        opened = f"have [D [sound [many {names}]]] := {of}; exists D"
        if self.split is not None:
            opened = (
                f"have [D1 [D2 [D3 [sound [m1 [m2 [m3 every]]]]]]] := {of}; have many := m{self.split + 1}; "
                f"have {names} := every {self.part} ltac:(by rewrite !inE eqxx ?orbT); exists D1, D2, D3"
            )
        unique = {"answer": UNIQUE[self.task], "place": "(iota_uniq 1 8)", "cell": f"(uniq_cells {UNIQUE[self.task]})"}
        return (
            f"match goal with |- context [{self.task}_class ?h _] => have said := @{self.theorem} h isT isT end; "
            f"{opened}; have inside x (x_in : x \\in {self.part}) := "
            f"@{self.task}_class_values _ _ x sound ltac:(by rewrite ?mem_cat x_in ?orbT); "
            "have [of_answer of_place of_cell] := known inside; "
            "split; [exact sound | split; [counts_up many | ]]; "
            f"apply: (times_{kinds[kind]} {unique[kind]} of_{kind} {kind}); counts_up many."
        )


def word(task: str, kind: str, answer: int, place: int) -> tuple[str, str]:
    """What is counted, and where: an answer, by its number, a place, or both."""
    value = str(answer) if task == "number" else f"({answer // PAIR_NUMBERS}, inr {answer % PAIR_NUMBERS})"
    return {
        "answer": (f"{task}_answer", value),
        "place": (f"{task}_place", str(place)),
        "cell": (f"(together {task}_answer {task}_place)", f"({value}, {place})"),
    }[kind]


def count(task: str, kind: str, size: int, exact: bool) -> int:
    """How often Python's table has each answer, place or both; the least, where they are so up to one."""
    table = counts(size, ANSWERS[task], TARGET)
    found = {
        "answer": [sum(row) for row in table],
        "place": [sum(column) for column in zip(*table, strict=True)],
        "cell": [each for row in table for each in row],
    }[kind]
    assert max(found) - min(found) <= (0 if exact else 1)
    return min(found)


def said(kind: str, of: Class, how: str, answer: int, place: int, least: int) -> str:
    function, at = word(of.task, kind, answer, place)
    times = f"often {function} {of.part} {at}"
    return f"{times} = {product(least)}" if how == "often" else f"{product(least)} <= {times} <= {product(least + 1)}"


def balance_instance(of: Class, kinds: Mapping[str, str], both: bool, draw: random.Random) -> Instance:
    """One kind at the first or last answer and place; beside it another count, answer or place, length, or size."""
    kind, answer, place = draw.choice([*kinds]), draw.choice((0, ANSWERS[of.task] - 1)), draw.choice((1, TARGET))
    least = count(of.task, kind, of.size, kinds[kind] == "often")
    right = said(kind, of, kinds[kind], answer, place, least)
    wrong = [
        of.goal(said(kind, of, kinds[kind], answer, place, least + 1), of.hops, of.size),
        of.goal(said(kind, of, kinds[kind], ANSWERS[of.task], TARGET + 1, least), of.hops, of.size),
        of.goal(right, MOST_HOPS + 1 if of.hops == MOST_HOPS else 0, of.size),
        of.goal(right, of.hops, of.size + 100),
    ]
    tactics = of.tactics(kinds, kind, both)
    return Instance(of.theorem, of.goal(right, of.hops, of.size), draw.choice(wrong), tactics)


def test_balanced_classes_have_the_counts_of_python() -> None:
    draw, instances = random.Random(3), []
    for theorem, (tasks, kinds) in (WHOLE_CLASSES | SPLIT_CLASSES).items():
        if theorem in WHOLE_CLASSES:
            classes = [Class(theorem, task, hops) for task, hops in zip(tasks, HOPS, strict=False)]
        else:
            classes = [Class(theorem, tasks[-1], draw.choice(HOPS), split) for split in range(len(SPLITS))]
        for of in classes:
            case = BalanceCase(of.task, of.hops, of.size)
            assert statement_of(theorem).meets(case)
            assert statement_of(theorem).conclusion(case)
            instances.append(balance_instance(of, kinds, len(tasks) == 2, draw))
    # One session reads them all, so that what the first one defines is there for the rest.
    assert_instances(TOPIC, [replace(instances[0], before=COUNTED), *instances[1:]])


# -- data sets that there are not ----------------------------------------------------------------------------------

JOINTLY, IN_EACH_SPLIT = "dyn_tasks_balance_jointly_fails", "dyn_tasks_balance_in_each_split_fails"
PRINTED_HOPS = range(1, 6)


def class_of(name: str, case: BalanceCase) -> str:
    """There is a class of the case's size with what the claim wants of it."""
    task = case.task
    wanted = {
        JOINTLY: f"equally_often (together {task}_answer {task}_place) (cells {task}_values) D",
        IN_EACH_SPLIT: f"equally_often {task}_answer {task}_values D /\\ equally_often {task}_place places D",
    }[name]
    return f"(exists D, {task}_class {case.hops} D /\\ size D = {size_of(case.sequences)} /\\ {wanted})"


def size_of(count: int) -> str:
    """A number of sequences as the theorems write it."""
    return str(count) if count < 1000 else f"{count // 1000} * 1000" if count % 1000 == 0 else f"{count // 100} * 100"


def denied(name: str, case: BalanceCase) -> str:
    """That there is no such class, by the theorem that denies it."""
    size = f", ({size_of(case.sequences)}); split; first by [rewrite !inE eqxx ?orbT]" if name == IN_EACH_SPLIT else ""
    return f"move=> found; apply: {name}; exists {case.hops}{size}; exact: found."


def test_data_sets_are_denied_where_python_counts_no_multiple() -> None:
    """The letter task's classes; the number task's are multiples, and classes of other sizes are not spoken of."""
    instances = []
    for name, sizes in ((JOINTLY, [WHOLE]), (IN_EACH_SPLIT, SPLITS)):
        said_of = statement_of(name)
        case = said_of.case_type.of_json(theorems(TOPIC)[name].case)
        assert case in {BalanceCase("letter", hops, size) for hops in PRINTED_HOPS for size in sizes}
        for size in sizes:
            for hops in PRINTED_HOPS:
                mine, other = BalanceCase("letter", hops, size), BalanceCase("number", hops, size)
                outside = BalanceCase("letter", hops, size + 100)
                assert [said_of.refuted_by(each) for each in (mine, other)] == [True, False]
                assert not said_of.meets(outside)
                wrong = class_of(name, (other, outside)[hops % 2])
                instances.append(Instance(name, f"~ {class_of(name, mine)}", f"~ {wrong}", denied(name, mine)))
    assert_instances(TOPIC, instances)
