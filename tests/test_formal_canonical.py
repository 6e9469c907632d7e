"""The Coq statements on heads over a set of angles (dec.toy) say what the Python ones do."""

from fractions import Fraction
from itertools import combinations, product
from random import Random

import pytest

from headproof.checks.engines import coq
from headproof.checks.engines.kernel import accepted
from headproof.theory.angles import Angle
from headproof.theory.canonical import period
from headproof.theory.canonical.cases import SetCase, ToyCase, computes_index, equal_keys_share, exchanges_unseen

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
TOPIC = "canonical"
ANGLES = [  # multiples of pi, keys
    ((Fraction(2, 3),), 3),
    ((Fraction(2, 3),), 4),
    ((Fraction(2, 3), Fraction(1)), 4),
    ((Fraction(2, 3), Fraction(1)), 6),
    ((Fraction(1),), 2),
    ((Fraction(1),), 3),
    ((Fraction(0),), 2),
    ((Fraction(4, 3), Fraction(-2, 3)), 4),
    ((Fraction(1, 2), Fraction(5, 2)), 4),
    ((Fraction(1, 2), Fraction(5, 2)), 5),
]
WHOLE = """Lemma whole{0} t p q z : IZR q <> 0 -> INR t * (IZR p / IZR q * PI) = 2 * PI * IZR z ->
  (Z.of_nat t * p = 2 * q * z)%Z.
Proof.
move=> q0 turn; have pi := PI_RGT_0; apply: eq_IZR; rewrite !mult_IZR -INR_IZR_INZ.
apply: (Rmult_eq_reg_r PI); last lra.
have -> : INR t * IZR p * PI = INR t * (IZR p / IZR q * PI) * IZR q by field.
by rewrite turn; ring.
Qed.
"""


def table(turns):
    listed = "; ".join(f"{each.numerator} / {each.denominator} * PI" for each in turns)
    return f"(fun f : 'I_{len(turns)} => nth 0 [:: {listed}] f)"


def some_repeat(turns, keys):
    """The proof that the angles alias, at the first distance where Python says so, at 1 if it does not."""
    t = period([Angle(each) for each in turns], keys - 1) or 1
    cases = " | ".join(f"exists ({each * t // 2})%Z; rewrite /=; field" for each in turns)
    return t, f"[{cases}]"


@pytest.mark.parametrize("symbols", [2, 3])
def test_equal_keys_are_right_where_python_says_so(symbols):
    texts, expected = {}, {}
    for number, (turns, keys) in enumerate(ANGLES):
        case = SetCase(turns, (), keys, symbols)
        goal = f"canonical_equal_keys_right {table(turns)} {symbols} {keys}"
        facts = "; ".join(
            f"have [z{f} e{f}] := every (Ordinal (isT : ({f} < {len(turns)})%N)); "
            f"have w{f} := @whole{number} t ({each.numerator}) ({each.denominator}) z{f} ltac:(lra) e{f}"
            for f, each in enumerate(turns)
        )
        yes = f"apply/dec_toy_index_together => // -[t [/andP[/leP t1 tK] every]]; {facts}; rewrite subn1 /= in tK; "
        yes += "move/leP: tK => tK; lia"
        t, cases = some_repeat(turns, keys)
        pattern = "[|" * len(turns) + "m" + "]" * len(turns)
        no = (
            f"move=> right; have none := proj1 (dec_toy_index_together {keys} {table(turns)} "
            f"(isT : (2 <= {symbols})%N)) right; apply: none; exists {t}%N; split; [done |]; "
            f"case=> [{pattern} below] //=; {cases}"
        )
        right = equal_keys_share(case.angles, keys, symbols) == 1
        texts[f"{number} yes"] = f"{WHOLE.replace('{0}', str(number))}Goal {goal}. Proof. {yes}. Qed."
        texts[f"{number} no"] = f"Goal ~ {goal}. Proof. {no}. Qed."
        expected |= {f"{number} yes": right, f"{number} no": not right}
    assert len(set(expected.values())) == 2
    assert accepted(TOPIC, texts) == expected


@pytest.mark.parametrize("task", ["index", "induction"])
def test_aliased_angles_keep_every_head_from_the_task(task):
    """With a head's planes at these angles, Coq proves that it fails exactly where the places alias in Python."""
    texts, expected = {}, {}
    for number, (turns, keys) in enumerate(ANGLES):
        t, _ = some_repeat(turns, keys)
        kind = "'I_2 'I_{0} 'I_2" if task == "index" else "('I_1 * 'I_2) 'I_1 'I_2"
        angles = " \\/ ".join(f"angle f = {each.numerator} / {each.denominator} * PI" for each in turns)
        sizes = f"(t := {t})" if task == "index" else f"(K := {keys}) (t := {t})"
        pattern = "|".join(f"exists ({each * t // 2})%Z; rewrite at{f} /=; field" for f, each in enumerate(turns))
        cases = "[" + "|[".join(f"at{f}" for f in range(len(turns))) + "]" * len(turns)
        split = f"case: (every f) => {cases}" if len(turns) > 1 else "have at0 := every f"
        head = f"canonical_head {kind.replace('{0}', str(keys))}"
        length = "" if task == "index" else keys
        texts[f"{number}"] = (
            f"Goal forall (a : canonical_attention) (h : {head}), (forall f : 'I_(planes h), {angles}) -> "
            f"~ canonical_computes_{task} a {length} h. "
            f"Proof. move=> a h every; apply: (dec_toy_{task}_aliased {sizes}) => // f; {split}; [{pattern}]. Qed."
        )
        expected[f"{number}"] = period([Angle(each) for each in turns], keys - 1) is not None
    assert len(set(expected.values())) == 2
    assert accepted(TOPIC, texts) == expected


QUARTER_TURNS = {  # by the distance: what turns cosine and sine of the quarter turns into numbers
    1: "rewrite Rmult_1_r cos_PI2 sin_PI2 /=; lra",
    0: "rewrite Rmult_0_r cos_0 sin_0 /=; lra",
    -1: "rewrite (_ : PI / 2 * -1 = - (PI / 2)); last ring; rewrite cos_neg sin_neg cos_PI2 sin_PI2 /=; lra",
}


def vector(random):
    return tuple(Fraction(random.randint(-4, 4), random.randint(1, 3)) for _ in range(2))


def test_a_plane_turns_as_in_python():
    """At quarter turns the part of a logit is rational: Coq's is the one whose order Python's head has."""
    random, texts = Random(7), {}
    for number in range(3):
        keys, query = (vector(random), vector(random)), vector(random)
        case = ToyCase((Fraction(1, 2),), (), 3, (*keys[0], *keys[1]), query, (Fraction(0), Fraction(0)))
        order, values = case.ranks(2), {}
        for place, (symbol, key) in product((1, 2, 3), enumerate(keys)):
            turned = query
            for _ in range((2 - place) % 4):
                turned = (-turned[1], turned[0])
            values[place, symbol] = key[0] * turned[0] + key[1] * turned[1]
            shown = " ".join(f"({one.numerator} / {one.denominator}, {other.numerator} / {other.denominator})"
                             for one, other in (key, query))  # fmt: skip
            for wrong in (0, 1):
                value = values[place, symbol] + wrong
                texts[f"{number} {place} {symbol} {wrong}"] = (
                    f"Goal canonical_part (PI / 2) ({2 - place}) {shown} = {value.numerator} / {value.denominator}. "
                    f"Proof. rewrite /canonical_part; {QUARTER_TURNS[2 - place]}. Qed."
                )
        for one, other in combinations(values, 2):
            assert (values[one] < values[other]) == (order[one] < order[other])
    assert accepted(TOPIC, texts) == {name: name.endswith(" 0") for name in texts}


def test_aliasing_heads_fail_in_python():
    """What the theorem says of every head, on heads with a plane for each angle, queries turned to the target."""
    for turns, keys in ANGLES:
        vectors = (Fraction(1), Fraction(0)) * len(turns)
        case = ToyCase(turns, (), keys, vectors * 2, vectors, (Fraction(0),) * len(vectors))
        alias = period([Angle(each) for each in turns], keys - 1) is not None
        assert exchanges_unseen(case)
        assert computes_index(case) == (not alias)
