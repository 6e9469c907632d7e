(** What the topics share: finite sums of reals, the softmax, and what it means that one logit leads.

    Indices are those of MathComp (['I_n] holds 0, ..., n - 1, and [{perm 'I_n}] its permutations), numbers are the
    reals of Coq's standard library. MathComp's sums take any associative operation with a unit, so all that has to be
    said is that [Rplus] and [Rmult] are two of them. No axiom is added. *)

From Coq Require Import Reals Lra Psatz.
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq fintype finfun bigop fingroup perm.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope R_scope.

Canonical Rplus_monoid := Monoid.Law (fun a b c => esym (Rplus_assoc a b c)) Rplus_0_l Rplus_0_r.
Canonical Rplus_comoid := Monoid.ComLaw Rplus_comm.
Canonical Rmult_monoid := Monoid.Law (fun a b c => esym (Rmult_assoc a b c)) Rmult_1_l Rmult_1_r.
Canonical Rmult_comoid := Monoid.ComLaw Rmult_comm.
Canonical Rmult_muloid := Monoid.MulLaw Rmult_0_l Rmult_0_r.
Canonical Rplus_addoid := Monoid.AddLaw Rmult_plus_distr_r Rmult_plus_distr_l.

(* [sum_(i < n) F], over a finite type [sum_(s in T) F], and where a condition holds [sum_(i < n | P) F]. *)
Notation "'sum_' ( i < n ) F" := (\big[Rplus/0]_(i < n) F%R)
  (at level 36, i, n at level 50, F at level 36, format "'sum_' ( i  <  n )  F") : R_scope.
Notation "'sum_' ( i < n | P ) F" := (\big[Rplus/0]_(i < n | P%B) F%R)
  (at level 36, i, n at level 50, F at level 36, format "'sum_' ( i  <  n  |  P )  F") : R_scope.
Notation "'sum_' ( s 'in' T ) F" := (\big[Rplus/0]_(s : T) F%R)
  (at level 36, s, T at level 50, F at level 36, format "'sum_' ( s  'in'  T )  F") : R_scope.

(** ** Sums *)

Section Sums.
Variable I : finType.
Implicit Types (P : pred I) (f g : I -> R) (c : R).

Lemma sum_scale P c f : \big[Rplus/0]_(i | P i) (c * f i) = c * \big[Rplus/0]_(i | P i) f i.
Proof. by rewrite big_distrr. Qed.

Lemma sum_add P f g :
  \big[Rplus/0]_(i | P i) (f i + g i) = \big[Rplus/0]_(i | P i) f i + \big[Rplus/0]_(i | P i) g i.
Proof. by rewrite big_split. Qed.

Lemma sum_opp P f : \big[Rplus/0]_(i | P i) - f i = - \big[Rplus/0]_(i | P i) f i.
Proof.
rewrite (eq_bigr (fun i => -1 * f i)); last by move=> i _; lra.
by rewrite sum_scale; lra.
Qed.

Lemma sum_sub P f g :
  \big[Rplus/0]_(i | P i) (f i - g i) = \big[Rplus/0]_(i | P i) f i - \big[Rplus/0]_(i | P i) g i.
Proof. by rewrite /Rminus sum_add sum_opp. Qed.

Lemma sum_le P f g :
  (forall i, P i -> f i <= g i) -> \big[Rplus/0]_(i | P i) f i <= \big[Rplus/0]_(i | P i) g i.
Proof. by move=> le; apply: (big_ind2 Rle); [lra | move=> *; lra | exact: le]. Qed.

Lemma sum_ge0 P f : (forall i, P i -> 0 <= f i) -> 0 <= \big[Rplus/0]_(i | P i) f i.
Proof. by move=> le; apply: (big_ind (Rle 0)); [lra | move=> *; lra | exact: le]. Qed.

Lemma sum_gt0 f (i : I) : (forall j, 0 < f j) -> 0 < \big[Rplus/0]_j f j.
Proof.
move=> pos; rewrite (bigD1 i) //=; have := pos i.
suff: 0 <= \big[Rplus/0]_(j | j != i) f j by lra.
by apply: sum_ge0 => j _; apply: Rlt_le.
Qed.

(** A sum of terms that are not negative is 0 only where all of them are. *)
Lemma sum_eq0 P f :
  (forall i, P i -> 0 <= f i) -> \big[Rplus/0]_(i | P i) f i = 0 -> forall i, P i -> f i = 0.
Proof.
move=> nonneg total i Pi; move: total; rewrite (bigD1 i) //= => total.
have := nonneg i Pi.
suff: 0 <= \big[Rplus/0]_(j | P j && (j != i)) f j by lra.
by apply: sum_ge0 => j /andP[Pj _]; apply: nonneg.
Qed.

Lemma sum_const (c : R) : \big[Rplus/0]_(i : I) c = INR #|I| * c.
Proof.
rewrite big_const; elim: #|I| => [|n IH]; first by rewrite /=; lra.
by rewrite iterS IH S_INR; lra.
Qed.

End Sums.

Lemma sum_const_ord n (c : R) : sum_(i < n) c = INR n * c.
Proof. by rewrite sum_const card_ord. Qed.

(** ** The softmax *)

(** The attention weight on key [i] of [n] keys with logits [l]. *)
Definition softmax n (l : 'I_n -> R) (i : 'I_n) : R := exp (l i) / sum_(j < n) exp (l j).

(** Key [i] has the largest logit, and no other key has as much. *)
Definition leads n (l : 'I_n -> R) (i : 'I_n) : Prop := forall j, j <> i -> l j < l i.

Lemma sum_exp_gt0 n (l : 'I_n -> R) (i : 'I_n) : 0 < sum_(j < n) exp (l j).
Proof. by apply: (sum_gt0 i) => j; apply: exp_pos. Qed.

Lemma softmax_gt0 n (l : 'I_n -> R) (i : 'I_n) : 0 < softmax l i.
Proof. by apply: Rdiv_lt_0_compat; [apply: exp_pos | apply: (sum_exp_gt0 l i)]. Qed.

Lemma softmax_sum1 n (l : 'I_n -> R) : (0 < n)%N -> sum_(i < n) softmax l i = 1.
Proof.
case: n l => // n l _; have pos := sum_exp_gt0 l ord0.
set total := sum_(j < n.+1) exp (l j) in pos *.
rewrite (eq_bigr (fun i => / total * exp (l i))); last by move=> i _; rewrite /softmax -/total; lra.
by rewrite sum_scale -/total; field; lra.
Qed.
