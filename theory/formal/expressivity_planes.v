(** Heads of one or two rotary planes that compute the tasks of DEC and DYN: for which angles, lengths and alphabets.

    Keys stand at the places 0, 1, ... (the papers' 1, 2, ...) and the query after them; a key [t] steps before the
    query is turned by [t] angles against it. Under hard attention the keys of the largest logit share the weight. *)

From Coq Require Import Reals Lra Lia Psatz ZArith.
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finfun bigop fingroup perm.
From headproof Require Import common.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope R_scope.
(* end of header *)

(** ** Attention and what it is to be right *)

(** [x <= y], decided. *)
Definition plane_le (x y : R) : bool := if Rle_dec x y then true else false.
(** Key [k] has a largest logit: no key has more. *)
Definition plane_attended (K : finType) (l : K -> R) (k : K) : bool := [forall j, plane_le (l j) (l k)].
(** Hard attention, ties averaged: the keys of the largest logit share the weight equally. *)
Definition plane_hard (K : finType) (l : K -> R) (k : K) : R :=
  if plane_attended l k then / INR #|plane_attended l| else 0.
Arguments plane_hard {K} l k.
(** Softmax attention, over any finite set of keys. *)
Definition plane_soft (K : finType) (l : K -> R) (k : K) : R := exp (l k) / \big[Rplus/0]_(j : K) exp (l j).
Arguments plane_soft {K} l k.

(** The keys of DEC's inputs are [Some j] for the place [j], and [None] for the query's own key. What a head with
    the weights [w] gives to the answer [a]: the weight of the places that hold it. The query's own key holds no
    answer. *)
Definition plane_score T A (w : option 'I_T -> R) (held : 'I_T -> 'I_A) (a : 'I_A) : R :=
  sum_(j < T | held j == a) w (Some j).
(** A head is right if the answer [a] is the unique largest: above 0 and above every other one (Python:
    `always_right`). *)
Definition plane_right T A (w : option 'I_T -> R) (held : 'I_T -> 'I_A) (a : 'I_A) : Prop :=
  0 < plane_score w held a /\ forall b, b <> a -> plane_score w held b < plane_score w held a.

Lemma plane_leP x y : reflect (x <= y) (plane_le x y).
Proof. by rewrite /plane_le; case: (Rle_dec x y) => le; constructor. Qed.

Lemma plane_attendedP (K : finType) (l : K -> R) k : reflect (forall j, l j <= l k) (plane_attended l k).
Proof. by apply: (iffP forallP) => le j; [apply/plane_leP | apply/plane_leP]; apply: le. Qed.

Lemma plane_hard_ge0 (K : finType) (l : K -> R) k : 0 <= plane_hard l k.
Proof.
rewrite /plane_hard; case: ifP => [att|_]; last by lra.
apply/Rlt_le/Rinv_0_lt_compat/lt_0_INR/ltP/card_gt0P.
by exists k.
Qed.

Lemma plane_hard_gt0 (K : finType) (l : K -> R) k : (forall j, l j <= l k) -> 0 < plane_hard l k.
Proof.
move=> top; have att : plane_attended l k by apply/plane_attendedP.
by rewrite /plane_hard att; apply/Rinv_0_lt_compat/lt_0_INR/ltP/card_gt0P; exists k.
Qed.

Lemma plane_hard_eq0 (K : finType) (l : K -> R) j k : l j < l k -> plane_hard l j = 0.
Proof.
by rewrite /plane_hard; case: ifP => // /plane_attendedP top lt; have := top k; lra.
Qed.

Lemma plane_hard_le (K : finType) (l : K -> R) j k : l j <= l k -> plane_hard l j <= plane_hard l k.
Proof.
move=> le; case: (boolP (plane_attended l j)) => [att|out]; last first.
  by rewrite {1}/plane_hard (negbTE out); apply: plane_hard_ge0.
have also : plane_attended l k.
  by apply/plane_attendedP => i; move/plane_attendedP: att => /(_ i); lra.
by rewrite /plane_hard att also; lra.
Qed.

Lemma plane_soft_gt0 (K : finType) (l : K -> R) k : 0 < plane_soft l k.
Proof.
rewrite /plane_soft; apply: Rdiv_lt_0_compat; first exact: exp_pos.
by apply: (sum_gt0 k) => j; apply: exp_pos.
Qed.

Lemma plane_score_ge T A (w : option 'I_T -> R) (held : 'I_T -> 'I_A) j :
  (forall k, 0 <= w k) -> w (Some j) <= plane_score w held (held j).
Proof.
move=> nonneg; rewrite /plane_score (bigD1 j) //=.
rewrite -{1}[w _]Rplus_0_r; apply: Rplus_le_compat_l.
by apply: sum_ge0 => k _; apply: nonneg.
Qed.

Lemma plane_hard_right T A (l : option 'I_T -> R) (held : 'I_T -> 'I_A) i :
  (forall j, j <> i -> l (Some j) < l (Some i)) -> l None <= l (Some i) ->
  plane_right (plane_hard l) held (held i).
Proof.
move=> lead own; have top : 0 < plane_hard l (Some i).
  apply: plane_hard_gt0 => -[j|] //; case: (eqVneq j i) => [->|/eqP ne]; first exact: Rle_refl.
  by apply/Rlt_le/lead.
have wins := @plane_score_ge T A _ held i (@plane_hard_ge0 _ l).
split=> [|b ne]; first exact: Rlt_le_trans top wins.
have -> : plane_score (plane_hard l) held b = 0; last exact: Rlt_le_trans top wins.
apply: big1 => j /eqP hb; apply: (plane_hard_eq0 (k := Some i)); apply: lead => eq_ji.
by apply: ne; rewrite -hb eq_ji.
Qed.

Lemma plane_wrong T A (w : option 'I_T -> R) (a b : 'I_A) i j :
  (forall k, 0 <= w k) -> b <> a -> j <> i -> w (Some i) <= w (Some j) ->
  ~ plane_right w (fun k => if k == i then a else b) a.
Proof.
move=> nonneg ne ne_ji le [_ /(_ b ne)]; apply: Rle_not_lt.
have := @plane_score_ge T A w (fun k => if k == i then a else b) j nonneg.
case: eqP => // _ wins; apply: Rle_trans wins; apply: Rle_trans le; apply: Req_le.
rewrite /plane_score (bigD1 i) ?eqxx //= big1 ?Rplus_0_r // => k /andP[].
by case: (k == i) => // /eqP.
Qed.

(** ** Cosines *)

Lemma plane_cos_diff x y : cos x - cos y = 2 * sin ((y - x) / 2) * sin ((x + y) / 2).
Proof.
have -> : (y - x) / 2 = - ((x - y) / 2) by lra.
by rewrite form2 sin_neg; lra.
Qed.

Lemma plane_cos_lt x y : 0 < x + y < 2 * PI -> 0 < y - x < 2 * PI -> cos y < cos x.
Proof.
move=> sum diff.
have s1 : 0 < sin ((y - x) / 2) by apply: sin_gt_0; lra.
have s2 : 0 < sin ((x + y) / 2) by apply: sin_gt_0; lra.
by have := plane_cos_diff x y; have := Rmult_lt_0_compat _ _ s1 s2; lra.
Qed.

Lemma plane_cos_le x y : 0 <= x + y <= 2 * PI -> 0 <= y - x <= 2 * PI -> cos y <= cos x.
Proof.
move=> sum diff.
have s1 : 0 <= sin ((y - x) / 2) by apply: sin_ge_0; lra.
have s2 : 0 <= sin ((x + y) / 2) by apply: sin_ge_0; lra.
by have := plane_cos_diff x y; have := Rmult_le_pos _ _ s1 s2; lra.
Qed.


Lemma plane_cos_turns x (k : Z) : cos (x + 2 * IZR k * PI) = cos x.
Proof.
case: (Z_le_gt_dec 0 k) => sgn.
  by rewrite -(Z2Nat.id k) // -INR_IZR_INZ cos_period.
rewrite -(cos_period (x + 2 * IZR k * PI) (Z.to_nat (- k))) INR_IZR_INZ Z2Nat.id; last by lia.
by rewrite opp_IZR; congr cos; lra.
Qed.

Lemma plane_cos_1 x : cos x = 1 -> exists k : Z, x = 2 * IZR k * PI.
Proof.
move=> one; have [k eq_k] : exists k, x / 2 = IZR k * PI.
  apply: sin_eq_0_0; have := cos_2a_sin (x / 2).
  have -> : 2 * (x / 2) = x by lra.
  by nra.
by exists k; lra.
Qed.

(** The symbols on the regular polygon, omega = 2 pi / S: [p omega] for the symbol [s], number [p] from the query's.
    *)
Definition plane_turn S (q s : 'I_S) : R := (INR s - INR q) * (2 * PI / INR S).

Lemma plane_turn_neg S (q s : 'I_S) : - plane_turn q s = plane_turn s q.
Proof. by rewrite /plane_turn; lra. Qed.

Lemma plane_turn_number S (q s : 'I_S) : s <> q ->
  exists p, 1 <= p <= INR S - 1 /\ forall x, cos (x + plane_turn q s) = cos (x + p * (2 * PI / INR S)).
Proof.
move=> ne; have := lt_INR _ _ (ltP (ltn_ord s)); have := lt_INR _ _ (ltP (ltn_ord q)).
have := pos_INR q; have := pos_INR s => *.
case: (ltngtP s q) => [lt|lt|/val_inj //].
  exists (INR s - INR q + INR S); split.
    have := le_INR _ _ (ltP lt); rewrite S_INR => *.
    have := le_INR _ _ (ltP (ltn_ord q)); rewrite S_INR => *; lra.
  move=> x; rewrite -(plane_cos_turns _ 1) /plane_turn; congr cos; field; lra.
exists (INR s - INR q); split; last by [].
have := le_INR _ _ (ltP lt); rewrite S_INR => *.
have := le_INR _ _ (ltP (ltn_ord s)); rewrite S_INR => *; lra.
Qed.

(** A match is above a key of another symbol. *)
Lemma plane_phase_wins S (q s : 'I_S) theta t u :
  s <> q -> 0 <= theta -> 0 <= t -> 0 <= u -> (t + u) * theta < 2 * PI / INR S ->
  cos (u * theta + plane_turn q s) < cos (t * theta).
Proof.
move=> ne theta0 t0 u0 small; have [p [p_in ->]] := plane_turn_number ne.
have SgT0 : 0 < INR S by lra.
have Sw : INR S * (2 * PI / INR S) = 2 * PI by field; lra.
set w := 2 * PI / INR S in small Sw *.
have := PI_RGT_0 => pi0; have w0 : 0 < w by apply: Rdiv_lt_0_compat; lra.
have := Rmult_le_pos _ _ t0 theta0; have := Rmult_le_pos _ _ u0 theta0 => *.
have : w <= p * w by nra.
have : p * w <= 2 * PI - w by nra.
by move=> *; apply: plane_cos_lt; nra.
Qed.

(** ** Angles up to their sign and full turns *)

(** The angle, up to its sign and full turns, is above 0 and below a bound (Python: `between(reduced(theta), 0,
    bound)`). *)
Definition plane_reduced (theta bound : R) : Prop := exists k : Z, 0 < Rabs (theta - 2 * IZR k * PI) < bound.

Lemma plane_reduce theta : exists k : Z, 0 <= Rabs (theta - 2 * IZR k * PI) <= PI.
Proof.
have := PI_RGT_0 => pi0.
have [above near] := archimed (theta / (2 * PI) - 1 / 2).
exists (up (theta / (2 * PI) - 1 / 2)); set k := IZR _ in above near *.
split; first exact: Rabs_pos.
have e : theta = theta / (2 * PI) * (2 * PI) by field; lra.
set v := theta / (2 * PI) in above near e.
by rewrite e; apply: Rabs_le; nra.
Qed.

Lemma plane_same theta (k : Z) :
  let r := Rabs (theta - 2 * IZR k * PI) in
  (forall t x, cos (INR t * theta + x) = cos (INR t * r + x)) \/
  (forall t x, cos (INR t * theta + x) = cos (INR t * r - x)).
Proof.
move=> r; rewrite /r; case: (Rcase_abs (theta - 2 * IZR k * PI)) => sgn.
  rewrite Rabs_left //; right=> t x.
  rewrite -(plane_cos_turns _ (- (Z.of_nat t * k))) -cos_neg opp_IZR mult_IZR -INR_IZR_INZ.
  by congr cos; lra.
rewrite Rabs_right //; left=> t x.
rewrite -(plane_cos_turns _ (- (Z.of_nat t * k))) opp_IZR mult_IZR -INR_IZR_INZ.
by congr cos; lra.
Qed.

(** The logits on an input of [T] pairs: key [j], with the symbol [sym j], is [T - j] steps before the query of the
    symbol [q]; [own] is the logit of the query's own key. *)
Definition plane_pairs S T (L : 'I_S -> 'I_S -> nat -> R) (own : R) (q : 'I_S) (sym : 'I_T -> 'I_S)
    (k : option 'I_T) : R :=
  if k is Some j then L q (sym j) (T - j)%N else own.

(** Right on every Retrieval input of [T] keys: all symbols differ, [held j] is the attribute bound at [j], the
    query asks for the symbol at some place [i], and the answer is the attribute there (Python: `right_on_pairs`).
    *)
Definition plane_retrieval S A T (attend : (option 'I_T -> R) -> option 'I_T -> R)
    (L : 'I_S -> 'I_S -> nat -> R) (own : R) : Prop :=
  forall (sym : 'I_T -> 'I_S) (held : 'I_T -> 'I_A) (i : 'I_T), injective sym ->
    plane_right (attend (plane_pairs L own (sym i) sym)) held (held i).
Arguments plane_retrieval {S} A T attend L own.

(** Right on every partial induction input of [T] keys: symbols may repeat, and [i] is the last place of the query's
    symbol. *)
Definition plane_induction S A T (attend : (option 'I_T -> R) -> option 'I_T -> R)
    (L : 'I_S -> 'I_S -> nat -> R) (own : R) : Prop :=
  forall (sym : 'I_T -> 'I_S) (held : 'I_T -> 'I_A) (i : 'I_T), (forall j : 'I_T, (i < j)%N -> sym j <> sym i) ->
    plane_right (attend (plane_pairs L own (sym i) sym)) held (held i).
Arguments plane_induction {S} A T attend L own.

(** H_SYM (DEC, theorem 5): logit [c] for the query's symbol and 0 for every other one, wherever it stands. *)
Definition plane_match S (c : R) (q s : 'I_S) (t : nat) : R := if s == q then c else 0.
(** Two planes (DEC, theorem 6): angle 0 with the symbols on the polygon, and angle [theta] with weight [b]. *)
Definition plane_two_angles S (theta b : R) (q s : 'I_S) (t : nat) : R :=
  cos (plane_turn q s) + b * cos (INR t * theta).
(** One plane with the symbol in the phase: [cos(t theta + p omega)]. *)
Definition plane_phase S (theta : R) (q s : 'I_S) (t : nat) : R := cos (INR t * theta + plane_turn q s).
Arguments plane_match : clear implicits.
Arguments plane_two_angles : clear implicits.
Arguments plane_phase : clear implicits.

Lemma plane_induction_right S A T (L : 'I_S -> 'I_S -> nat -> R) own :
  (forall q t u, (1 <= t)%N -> (t < u)%N -> (u <= T)%N -> L q q u < L q q t) ->
  (forall q s t u, s <> q -> (1 <= t <= T)%N -> (1 <= u <= T)%N -> t <> u -> L q s u < L q q t) ->
  (forall q t, (1 <= t <= T)%N -> own <= L q q t) ->
  plane_induction A T plane_hard L own.
Proof.
move=> later wrong own_loses sym held i last; apply: plane_hard_right => [j ne|]; rewrite /plane_pairs.
  have steps (k : 'I_T) : (1 <= T - k <= T)%N by rewrite subn_gt0 ltn_ord leq_subr.
  case: (eqVneq (sym j) (sym i)) => [same|/eqP other]; last first.
    apply: wrong => // eq_steps; apply: ne; apply: val_inj.
    by rewrite /= -(subKn (ltnW (ltn_ord j))) -eq_steps subKn // ltnW.
  have lt : (j < i)%N.
    by case: (ltngtP j i) => // [/last //|/val_inj].
  rewrite same; apply: later; [by case/andP: (steps i) | by rewrite ltn_sub2l | exact: leq_subr].
by apply: own_loses; rewrite subn_gt0 ltn_ord leq_subr.
Qed.

Lemma plane_two (A : nat) : (2 <= A)%N -> exists a b : 'I_A, [/\ val a = 0%N, val b = 1%N & b <> a].
Proof.
move=> two; exists (Ordinal (ltnW two)), (Ordinal two); split=> // /(congr1 val).
Qed.

Lemma plane_induction_leads S A T (L : 'I_S -> 'I_S -> nat -> R) own (sym : 'I_T -> 'I_S) (i j : 'I_T) :
  (2 <= A)%N -> plane_induction A T plane_hard L own -> (forall k : 'I_T, (i < k)%N -> sym k <> sym i) -> j <> i ->
  L (sym i) (sym j) (T - j)%N < L (sym i) (sym i) (T - i)%N.
Proof.
move=> two right last ne; have [a [b [_ _ ne_ab]]] := plane_two two.
case: (Rlt_le_dec (L (sym i) (sym j) (T - j)%N) (L (sym i) (sym i) (T - i)%N)) => // le.
case: (plane_wrong (w := plane_hard (plane_pairs L own (sym i) sym)) _ ne_ab ne).
- exact: plane_hard_ge0.
- exact: plane_hard_le.
by have := right sym (fun k => if k == i then a else b) i last; rewrite eqxx.
Qed.

Lemma plane_key T t : (1 <= t <= T)%N -> exists i : 'I_T, (T - i = t)%N.
Proof.
case/andP=> t1 tT; have lt : (T - t < T)%N by rewrite -subn_gt0 subKn.
by exists (Ordinal lt); rewrite /= subKn.
Qed.

Lemma plane_induction_order S A T (L : 'I_S -> 'I_S -> nat -> R) own q s t u :
  (2 <= A)%N -> plane_induction A T plane_hard L own -> s <> q -> (1 <= t)%N -> (t < u <= T)%N -> L q q u < L q q t.
Proof.
move=> two right ne t1 /andP[tu uT].
have [i Ti] : exists i : 'I_T, (T - i = t)%N by apply: plane_key; rewrite t1 (leq_trans (ltnW tu)).
have [j Tj] : exists j : 'I_T, (T - j = u)%N by apply: plane_key; rewrite uT (leq_ltn_trans _ tu).
have := @plane_induction_leads S A T L own (fun k => if ((T - k == t) || (T - k == u))%N then q else s) i j two right.
rewrite Ti Tj !eqxx orbT; apply.
  move=> k ik; have lt : (T - k < t)%N by rewrite -Ti ltn_sub2l.
  by rewrite ltn_eqF // ltn_eqF // (ltn_trans lt).
by move=> eq_ji; move: tu; rewrite -Ti -Tj eq_ji ltnn.
Qed.

Lemma plane_induction_wrong S A T (L : 'I_S -> 'I_S -> nat -> R) own q s t u :
  (2 <= A)%N -> plane_induction A T plane_hard L own -> s <> q -> (1 <= t <= T)%N -> (1 <= u <= T)%N -> t <> u ->
  L q s u < L q q t.
Proof.
move=> two right ne t_in u_in tu.
have [i Ti] := plane_key t_in; have [j Tj] := plane_key u_in.
have := @plane_induction_leads S A T L own (fun k => if (T - k == t)%N then q else s) i j two right.
rewrite Ti Tj !eqxx (_ : (u == t) = false); last by apply/eqP=> /esym.
apply.
  by move=> k ik; have lt : (T - k < t)%N; [rewrite -Ti ltn_sub2l | rewrite ltn_eqF].
by move=> eq_ji; apply: tu; rewrite -Ti -Tj eq_ji.
Qed.

Lemma plane_turn_self S (q : 'I_S) : plane_turn q q = 0.
Proof. by rewrite /plane_turn; lra. Qed.

Lemma plane_size S (q : 'I_S) : 1 <= INR S.
Proof. by have := le_INR _ _ (ltP (ltn_ord q)); have := pos_INR q; rewrite S_INR; lra. Qed.

(** Later matches lead in the range. *)
Lemma plane_later_wins T (r : R) t u :
  0 < r -> (2 * INR T - 1) * r < 2 * PI -> (1 <= t)%N -> (t < u)%N -> (u <= T)%N ->
  cos (INR u * r) < cos (INR t * r).
Proof.
move=> r0 range /leP/le_INR /= t1 /ltP/le_INR; rewrite S_INR => tu /leP/le_INR uT.
by apply: plane_cos_lt; split; nra.
Qed.

(** Order forces the range. *)
Lemma plane_order_range T (r : R) :
  (2 <= T)%N -> 0 <= r <= PI ->
  (forall t, (1 <= t)%N -> (t < T)%N -> cos (INR t.+1 * r) < cos (INR t * r)) ->
  0 < r < 2 * PI / (2 * INR T - 1).
Proof.
move=> T2 r_in order; have := PI_RGT_0 => pi0.
have := order 1%N isT T2; rewrite /= => first.
have r0 : 0 < r by case: (Req_dec r 0) => [e|]; [move: first; rewrite e !Rmult_0_r; lra | lra].
have s0 : 0 < sin (r / 2) by apply: sin_gt_0; lra.
have below t : (t < T)%N -> (2 * INR t + 1) * r < 2 * PI.
  elim: t => [|t IH] tT; first by rewrite /=; lra.
  have := IH (ltnW tT); have := order t.+1 isT tT; have := plane_cos_diff (INR t.+1 * r) (INR t.+2 * r).
  rewrite !S_INR.
  have -> : ((INR t + 1 + 1) * r - (INR t + 1) * r) / 2 = r / 2 by lra.
  set x := ((INR t + 1) * r + (INR t + 1 + 1) * r) / 2 => diff gt prev.
  have sx : 0 < sin x by nra.
  case: (Rlt_le_dec x PI) => [lt|ge]; first by move: lt; rewrite /x; lra.
  have : sin x <= 0 by apply: sin_le_0; rewrite // /x; lra.
  by lra.
have T1 : 2 <= INR T by have := le_INR _ _ (leP T2).
split=> //; apply: (Rmult_lt_reg_r (2 * INR T - 1)); first by lra.
have := below T.-1; rewrite ltn_predL (leq_trans _ T2) // => /(_ isT).
have -> : INR T.-1 = INR T - 1 by move: T2; case: (T) => // t _; rewrite S_INR /=; lra.
by move=> lt; field_simplify; nra.
Qed.

Lemma plane_same_match theta (k : Z) t : cos (INR t * theta) = cos (INR t * Rabs (theta - 2 * IZR k * PI)).
Proof.
by case: (plane_same theta k) => /(_ t 0) e; move: e; rewrite !Rplus_0_r ?Rminus_0_r.
Qed.

Lemma plane_cos_ge_m1 x : -1 <= cos x.
Proof. by case: (COS_bound x). Qed.

Lemma plane_width S : (1 <= S)%N -> 0 < 2 * PI / INR S /\ INR S * (2 * PI / INR S) = 2 * PI.
Proof.
move=> S1; have := le_INR _ _ (leP S1); rewrite /= => S_ge; have := PI_RGT_0 => pi0.
by split; [apply: Rdiv_lt_0_compat; lra | field; lra].
Qed.

(** Another symbol is at least one side of the polygon away. *)
Lemma plane_turn_far S (q s : 'I_S) : s <> q -> cos (plane_turn q s) <= cos (2 * PI / INR S).
Proof.
move=> ne; have [p [p_in /(_ 0)]] := plane_turn_number ne; rewrite !Rplus_0_l => ->.
have S1 : (1 <= S)%N by apply: leq_ltn_trans (ltn_ord q).
have [w0 Sw] := plane_width S1; set w := 2 * PI / INR S in w0 Sw *.
by apply: plane_cos_le; nra.
Qed.

Lemma plane_other S (q s : 'I_S) : s <> q -> 2 <= INR S.
Proof. by move=> /plane_turn_number[p [p_in _]]; lra. Qed.

(** In the range the match farthest away is the lowest, and a key right before the query is the highest. *)
Lemma plane_ends T (r : R) t :
  0 < r -> (2 * INR T - 1) * r < 2 * PI -> (1 <= t <= T)%N ->
  cos (INR T * r) <= cos (INR t * r) /\ cos (INR t * r) <= cos r.
Proof.
move=> r0 range /andP[t1 tT]; have one : cos r = cos (INR 1 * r) by rewrite /= Rmult_1_l.
split.
  case: (ltngtP t T) tT => // [lt _|-> _]; last exact: Rle_refl.
  exact/Rlt_le/(plane_later_wins r0 range).
rewrite one; case: (ltngtP 1 t) t1 => // [lt _|<- _]; last exact: Rle_refl.
exact/Rlt_le/(plane_later_wins r0 range).
Qed.

(** The two planes are right if the matches are in order and the margin of the symbols is above their spread. *)
Lemma plane_two_right S A T (theta b r : R) :
  (forall t, cos (INR t * theta) = cos (INR t * r)) -> 0 < b -> 0 < r -> (2 * INR T - 1) * r < 2 * PI ->
  (2 <= INR S -> b * (cos r - cos (INR T * r)) < 1 - cos (2 * PI / INR S)) ->
  plane_induction A T plane_hard (plane_two_angles S theta b) (-1 - b).
Proof.
move=> same b0 r0 range margin; apply: plane_induction_right => [q t u t1 tu uT|q s t u ne t_in u_in tu|q t t_in];
  rewrite /plane_two_angles !same ?plane_turn_self ?cos_0.
- have := plane_later_wins r0 range t1 tu uT; nra.
- have := plane_turn_far ne; have := margin (plane_other ne).
  have [low _] := plane_ends r0 range t_in; have [_ high] := plane_ends r0 range u_in; nra.
by have := plane_cos_ge_m1 (INR t * r); nra.
Qed.

Lemma plane_below (x d v : R) : 0 < d -> x < v / d -> d * x < v.
Proof.
move=> d0 lt; have -> : v = d * (v / d) by field; lra.
exact: Rmult_lt_compat_l.
Qed.

Lemma plane_alone T (i j : 'I_T) : T = 1%N -> j = i.
Proof. by move=> T_eq; case: _ / (esym T_eq) i j => i j; rewrite !ord1. Qed.

(** dec.thm6. The head with the angles 0 and theta, symbols on the polygon and both planes of weight 1, is right on
    every partial induction input of T keys: [0 < theta] and [S T theta < pi] is enough. *)
Theorem dec_thm6 :
  forall (S A T : nat) (theta : R),
    0 < theta -> INR S * INR T * theta < PI -> plane_induction A T plane_hard (plane_two_angles S theta 1) (-2).
Proof.
move=> S A T theta angle small sym held i last.
have S1 := plane_size (sym i); have T1 := plane_size i; have := PI_RGT_0 => pi0.
have near : INR T * theta < PI by nra.
have -> : -2 = -1 - 1 by lra.
apply: (plane_two_right (r := theta)) last => //; [lra | nra | move=> S2].
have [w0 Sw] : 0 < 2 * PI / INR S /\ INR S * (2 * PI / INR S) = 2 * PI.
  by apply: plane_width; apply: leq_ltn_trans (ltn_ord (sym i)).
set w := 2 * PI / INR S in w0 Sw *.
have [_ one] := COS_bound theta.
suff : cos w < cos (INR T * theta) by lra.
by apply: plane_cos_lt; split; nra.
Qed.
(* mutant whatever the symbols
   from: INR S * INR T * theta < PI
   to:   INR T * theta < PI *)
(* mutant three times
   from: theta < PI
   to:   theta < 3 * PI *)
(* mutant no angle
   from: 0 < theta
   to:   0 <= theta *)

(** dec.thm6.range. With weight b > 0 the head on the polygon is right on every partial induction input of T keys if
    and only if T = 1, or theta, up to its sign and full turns, is above 0 and below [2 pi / (2T - 1)] and [1 -
    cos(2 pi / S)] is above [b (cos theta - cos(T theta))]. *)
Theorem dec_thm6_range :
  forall (S A T : nat) (theta b : R), (2 <= S)%N -> (2 <= A)%N -> (1 <= T)%N -> 0 < b ->
    (plane_induction A T plane_hard (plane_two_angles S theta b) (-1 - b) <->
     T = 1%N \/
     plane_reduced theta (2 * PI / (2 * INR T - 1)) /\
     b * (cos theta - cos (INR T * theta)) < 1 - cos (2 * PI / INR S)).
Proof.
move=> S A T theta b S2 A2 T1 b0; have [q [s [q0 s1 ne]]] := plane_two S2.
have same k t := plane_same_match theta k t.
have ends k : cos theta - cos (INR T * theta) =
    cos (Rabs (theta - 2 * IZR k * PI)) - cos (INR T * Rabs (theta - 2 * IZR k * PI)).
  by rewrite -same; have := same k 1%N; rewrite /= !Rmult_1_l => ->.
have T_ge := le_INR _ _ (leP T1); rewrite /= in T_ge.
split=> [right|[T_eq|[[k [angle range]] margin]]].
- case: (ltngtP T 1) T1 => // [T2 _|]; last by left.
  right; have [k r_in] := plane_reduce theta; split.
    exists k; apply: plane_order_range => // t t1 tT.
    have : (t < t.+1 <= T)%N by rewrite ltnSn.
    have := plane_induction_order (t := t) (u := t.+1) A2 right ne t1.
    by rewrite /plane_two_angles !(same k) => /[apply]; nra.
  have : 1%N <> T by move=> T_eq; rewrite -T_eq in T2.
  have := plane_induction_wrong (t := T) (u := 1%N) A2 right ne.
  rewrite /plane_two_angles plane_turn_self cos_0 (ltnW T2) leqnn /= Rmult_1_l => /(_ isT isT) wrong T_ne.
  have : plane_turn q s = 2 * PI / INR S.
    by rewrite /plane_turn q0 s1 /=; lra.
  by move=> e; move: (wrong (not_eq_sym T_ne)); rewrite e; lra.
- move=> sym held i last; apply: plane_hard_right => [j ne_ji|]; rewrite /plane_pairs.
    by case: ne_ji; apply: plane_alone.
  rewrite /plane_two_angles plane_turn_self cos_0.
  by have := plane_cos_ge_m1 (INR (T - i) * theta); nra.
apply: (plane_two_right (same k)) => //; last by rewrite -ends.
by apply: plane_below range; lra.
Qed.
(* mutant wider
   from: (2 * INR T - 1)
   to:   (2 * INR T - 2) *)
(* mutant narrower
   from: (2 * INR T - 1)
   to:   (2 * INR T) *)
(* mutant half the margin
   from: < 1 - cos (2 * PI / INR S)
   to:   < (1 - cos (2 * PI / INR S)) / 2 *)
(* mutant tie
   from: < 1 - cos
   to:   <= 1 - cos *)
(* mutant no recency
   from: 0 < b
   to:   0 <= b *)
(* mutant one symbol
   from: (2 <= S)%N
   to:   (1 <= S)%N *)

(** ** One angle *)

(** A side of the polygon over an odd number is below a full turn over it. *)
Lemma plane_side S (v : R) : 1 <= INR S -> v < 2 * PI / INR S -> v < 2 * PI.
Proof.
move=> S1 lt; apply: Rlt_le_trans lt _; have pi0 := PI_RGT_0.
by apply: (Rmult_le_reg_r (INR S)); [lra | field_simplify; nra].
Qed.

Lemma plane_steps T t u :
  (1 <= t <= T)%N -> (1 <= u <= T)%N -> t <> u -> INR t + INR u <= 2 * INR T - 1.
Proof.
move=> /andP[_ /leP/le_INR tT] /andP[_ /leP/le_INR uT] tu.
by case: (ltngtP t u) => // /leP/le_INR; rewrite S_INR; lra.
Qed.

Lemma plane_phase_right S A T (theta r : R) :
  (forall t x, cos (INR t * theta + x) = cos (INR t * r + x)) \/
  (forall t x, cos (INR t * theta + x) = cos (INR t * r - x)) ->
  0 < r -> (2 * INR T - 1) * r < 2 * PI / INR S -> plane_induction A T plane_hard (plane_phase S theta) (-1).
Proof.
move=> same r0 range; have cosT t : cos (INR t * theta) = cos (INR t * r).
  by case: same => /(_ t 0); rewrite !Rplus_0_r ?Rminus_0_r.
apply: plane_induction_right => [q t u t1 tu uT|q s t u ne t_in u_in tu|q t t_in];
  rewrite /plane_phase ?plane_turn_self ?Rplus_0_r; last exact: plane_cos_ge_m1.
  by rewrite !cosT; apply: plane_later_wins t1 tu uT => //; apply: plane_side range; apply: plane_size.
have sum : (INR t + INR u) * r < 2 * PI / INR S.
  by apply: Rle_lt_trans range; apply: Rmult_le_compat_r; [lra | exact: plane_steps].
rewrite cosT; case: same => ->.
  by apply: plane_phase_wins sum => //; [lra | exact: pos_INR | exact: pos_INR].
rewrite /Rminus plane_turn_neg.
by apply: plane_phase_wins sum => //; [exact: not_eq_sym | lra | exact: pos_INR | exact: pos_INR].
Qed.

(** A wrong key one step nearer, turned back by one side of the polygon, is above the match from the range's end on.
    *)
Lemma plane_turned_back (t w r : R) :
  0 < w <= PI -> 0 <= r <= PI -> w <= (2 * t - 1) * r <= w + 2 * PI -> cos (t * r) <= cos ((t - 1) * r - w).
Proof.
move=> w_in r_in past.
rewrite -(cos_neg ((t - 1) * r - w)) -[cos (t * r)]cos_neg.
have -> : - ((t - 1) * r - w) = w - (t - 1) * r by lra.
rewrite cos_neg; have d := plane_cos_diff (w - (t - 1) * r) (t * r).
have s1 : 0 <= sin ((t * r - (w - (t - 1) * r)) / 2) by apply: sin_ge_0; lra.
have s2 : 0 <= sin ((w - (t - 1) * r + t * r) / 2) by apply: sin_ge_0; lra.
by have := Rmult_le_pos _ _ s1 s2; lra.
Qed.

(** dec.thm6.one-angle.range. The head of one plane with the logit [cos(t theta + p omega)] is right on every partial
    induction input of T keys if and only if T = 1, or theta, up to its sign and full turns, is above 0 and below
    [omega / (2T - 1)]. *)
Theorem dec_thm6_one_angle_range :
  forall (S A T : nat) (theta : R), (2 <= S)%N -> (2 <= A)%N -> (1 <= T)%N ->
    (plane_induction A T plane_hard (plane_phase S theta) (-1) <->
     T = 1%N \/ plane_reduced theta (2 * PI / INR S / (2 * INR T - 1))).
Proof.
move=> S A T theta S2 A2 T1; have [q [s [q0 s1 ne]]] := plane_two S2.
have T_ge := le_INR _ _ (leP T1); rewrite /= in T_ge.
split=> [right|[T_eq|[k [angle range]]]].
- case: (ltngtP T 1) T1 => // [T2 _|]; last by left.
  right; have [k r_in] := plane_reduce theta; exists k.
  have same t := plane_same_match theta k t; have both := plane_same theta k.
  set r := Rabs _ in r_in same both *.
  have [r0 below] : 0 < r < 2 * PI / (2 * INR T - 1).
    apply: plane_order_range => // t t1 tT; have tu : (t < t.+1 <= T)%N by rewrite ltnSn.
    have := plane_induction_order (t := t) (u := t.+1) A2 right ne t1 tu.
    by rewrite /plane_phase plane_turn_self !Rplus_0_r !same.
  split=> //; case: (Rlt_le_dec r (2 * PI / INR S / (2 * INR T - 1))) => // beyond.
  have [w0 Sw] := plane_width (ltnW S2); set w := 2 * PI / INR S in w0 Sw beyond *.
  have S_ge := le_INR _ _ (leP S2); rewrite /= in S_ge.
  have past : w <= (2 * INR T - 1) * r.
    have -> : w = (2 * INR T - 1) * (w / (2 * INR T - 1)) by field; lra.
    by apply: Rmult_le_compat_l; lra.
  have end_ : (2 * INR T - 1) * r < 2 * PI by apply: plane_below below; lra.
  have back : cos (INR T * r) <= cos ((INR T - 1) * r - w) by apply: plane_turned_back; nra.
  have T_in : (1 <= T <= T)%N by rewrite leqnn ltnW.
  have before : (1 <= T.-1 <= T)%N by rewrite leq_pred andbT -ltnS prednK // ltnW.
  have far : T <> T.-1 by move: T2; case: (T) => // t _ /eqP; rewrite /= (gtn_eqF (ltnSn t)).
  have pred : INR T.-1 = INR T - 1 by move: T2; case: (T) => // t _; rewrite S_INR /=; lra.
  have turn : plane_turn q s = w by rewrite /plane_turn q0 s1 /= -/w; lra.
  case: both => e.
    have := plane_induction_wrong A2 right (not_eq_sym ne) T_in before far.
    rewrite /plane_phase plane_turn_self Rplus_0_r same e pred -(plane_turn_neg q s) turn.
    by move: back; rewrite /Rminus; lra.
  have := plane_induction_wrong A2 right ne T_in before far.
  by rewrite /plane_phase plane_turn_self Rplus_0_r same e pred turn; lra.
- move=> sym held i last; apply: plane_hard_right => [j ne_ji|]; rewrite /plane_pairs.
    by case: ne_ji; apply: plane_alone.
  by rewrite /plane_phase plane_turn_self Rplus_0_r; apply: plane_cos_ge_m1.
apply: (plane_phase_right (plane_same theta k)) => //.
by apply: plane_below range; lra.
Qed.
(* mutant wider
   from: (2 * INR T - 1)
   to:   (2 * INR T - 2) *)
(* mutant narrower
   from: (2 * INR T - 1)
   to:   (2 * INR T) *)
(* mutant whatever the symbols
   from: (2 * PI / INR S / (2 * INR T - 1))
   to:   (2 * PI / (2 * INR T - 1)) *)
(* mutant one symbol
   from: (2 <= S)%N
   to:   (1 <= S)%N *)

(** dec.thm6.one-angle, refuted. It is not so that no head with one angle computes partial induction: with two
    symbols, attributes and keys, theta = 1 is right on every input. *)
Theorem dec_thm6_one_angle_fails :
  ~ (forall (S A T : nat) (theta : R), (2 <= S)%N -> (2 <= A)%N -> (2 <= T)%N ->
       ~ plane_induction A T plane_hard (plane_phase S theta) (-1)).
Proof.
move=> no_head; apply: (no_head 2%N 2%N 2%N 1) => //; apply/dec_thm6_one_angle_range => //.
by right; exists 0%Z; rewrite Rmult_0_r Rmult_0_l Rminus_0_r Rabs_R1 /=; have := PI2_3_2; lra.
Qed.
(* mutant outside the range
   from: (2 <= T)%N ->
   to:   (2 <= T)%N -> ~ plane_reduced theta (2 * PI / INR S / (2 * INR T - 1)) -> *)
(* counterexample: {"theta": "1", "symbols": 2, "attributes": 2, "length": 3} *)

(** dec.thm6.one-angle.margin. In that range the smallest lead of a match over an earlier one is below
    [3/2 (omega / (2T - 1))^2]. *)
Theorem dec_thm6_one_angle_margin :
  forall (S T : nat) (theta : R), (1 <= S)%N -> (2 <= T)%N ->
    plane_reduced theta (2 * PI / INR S / (2 * INR T - 1)) ->
    exists t u : nat, (1 <= t)%N /\ (t < u)%N /\ (u <= T)%N /\
      cos (INR t * theta) - cos (INR u * theta) < 3 / 2 * (2 * PI / INR S / (2 * INR T - 1)) ^ 2.
Proof.
move=> S T theta S1 T2 [k [angle range]]; exists 1%N, 2%N; do 3 split=> //.
rewrite !(plane_same_match theta k); set r := Rabs _ in angle range *.
have T_ge := le_INR _ _ (leP T2); have S_ge := le_INR _ _ (leP S1); rewrite /= in T_ge S_ge.
set edge := _ / (2 * INR T - 1) in range *.
have small : (2 * INR T - 1) * r < 2 * PI by apply: (plane_side S_ge); apply: plane_below range; lra.
have r_small : 3 * r < 2 * PI by nra.
rewrite plane_cos_diff /=.
have -> : ((1 + 1) * r - 1 * r) / 2 = r / 2 by lra.
have -> : (1 * r + (1 + 1) * r) / 2 = 3 * r / 2 by lra.
have s1 : 0 <= sin (r / 2) by apply: sin_ge_0; lra.
have s2 : sin (r / 2) < r / 2 by apply: sin_lt_x; lra.
have s3 : sin (3 * r / 2) < 3 * r / 2 by apply: sin_lt_x; lra.
by nra.
Qed.
(* mutant two thirds
   from: 3 / 2
   to:   1 *)
(* mutant half
   from: 3 / 2
   to:   3 / 4 *)
(* mutant twice the range
   from: plane_reduced theta (2 * PI
   to:   plane_reduced theta (2 * 2 * PI *)

(** ** Index (DEC, theorem 3) *)

(** The place of a key, the query's own after all others. *)
Definition plane_place T (k : option 'I_T) : nat := if k is Some j then j else T.

(** H_POS (DEC, theorem 3) is right on every Index input of [T] symbols: the query names the place [i], the logit of
    the key at place [k] is [c cos(theta (i - k))], and the answer is the symbol [x i] (Python: `computes_index`).
    *)
Definition plane_index A T (c theta : R) : Prop :=
  forall (x : 'I_T -> 'I_A) (i : 'I_T),
    plane_right (plane_hard (fun k => c * cos (theta * (INR i - INR (plane_place k))))) x (x i).

(** The same at every length up to [T] symbols if the query names the offset [m - i] of its target: the key [t]
    steps back has the logit [c cos(theta (t - offset))]. *)
Definition plane_index_by_offset A T (c theta : R) : Prop :=
  forall m, (m <= T)%N -> forall (x : 'I_m -> 'I_A) (i : 'I_m),
    plane_right (plane_hard (fun k => c * cos (theta * (INR (m - plane_place k) - INR (m - i))))) x (x i).

Lemma plane_offset m i k : (i <= m)%N -> (k <= m)%N -> INR (m - k) - INR (m - i) = INR i - INR k.
Proof. by move=> /leP im /leP km; rewrite !minus_INR //; lra. Qed.

Lemma plane_cos_dist (theta : R) i k : cos (theta * (INR i - INR k)) = cos (INR ((i - k) + (k - i))%N * theta).
Proof.
case: (leqP i k) => le.
  rewrite (eqP (_ : i - k == 0)%N) ?subn_eq0 // add0n minus_INR; last exact/leP.
  by rewrite -cos_neg; congr cos; lra.
rewrite (eqP (_ : k - i == 0)%N) ?subn_eq0 ?addn0 ?minus_INR; [by congr cos; lra | exact/leP/ltnW | exact: ltnW].
Qed.

Lemma plane_same_place c theta v : c * cos (theta * (v - v)) = c.
Proof. by rewrite Rminus_eq_0 Rmult_0_r cos_0 Rmult_1_r. Qed.

(** Where nothing aliases up to [m], no cosine at such a distance is 1. *)
Lemma plane_free_below (theta : R) m i k :
  (forall t, (1 <= t <= m)%N -> ~ exists z : Z, INR t * theta = 2 * IZR z * PI) ->
  i <> k -> ((i - k) + (k - i) <= m)%N -> cos (theta * (INR i - INR k)) < 1.
Proof.
move=> free ne near; rewrite plane_cos_dist; set t := (_ + _)%N in near *.
have t1 : (1 <= t)%N.
  by rewrite /t; case: (ltngtP i k) => // lt; rewrite addn_gt0 !subn_gt0 lt ?orbT.
have [_ le] := COS_bound (INR t * theta).
case: (Req_dec (cos (INR t * theta)) 1) => [one|]; last by lra.
by case: (free t); [rewrite t1 | exact: plane_cos_1].
Qed.

Lemma plane_near T (i j : 'I_T) : ((i - j) + (j - i) <= T.-1)%N.
Proof.
have [lt_i lt_j] := (ltn_ord i, ltn_ord j); rewrite -ltnS prednK; last exact: leq_ltn_trans lt_i.
case: (leqP i j) => le.
  have -> : (i - j = 0)%N by apply/eqP; rewrite subn_eq0.
  by rewrite add0n; apply: leq_ltn_trans (leq_subr _ _) lt_j.
have -> : (j - i = 0)%N by apply/eqP; rewrite subn_eq0 ltnW.
by rewrite addn0; apply: leq_ltn_trans (leq_subr _ _) lt_i.
Qed.

Lemma plane_index_free A T (c theta : R) :
  0 < c -> (forall t, (1 <= t <= T.-1)%N -> ~ exists z : Z, INR t * theta = 2 * IZR z * PI) -> plane_index A T c theta.
Proof.
move=> c0 free x i; apply: plane_hard_right => [j ne|] /=; rewrite plane_same_place.
  suff : cos (theta * (INR i - INR j)) < 1 by nra.
  apply: plane_free_below free _ _ => [e|]; first by apply: ne; apply: val_inj.
  exact: plane_near.
by have [_ le] := COS_bound (theta * (INR i - INR T)); nra.
Qed.

(** Under Index every input counts, so the target has to lead. *)
Lemma plane_index_leads A T (c theta : R) (i j : 'I_T) :
  (2 <= A)%N -> plane_index A T c theta -> j <> i -> c * cos (theta * (INR i - INR j)) < c.
Proof.
move=> two right ne; have [a [b [_ _ ne_ab]]] := plane_two two.
case: (Rlt_le_dec (c * cos (theta * (INR i - INR j))) c) => // le.
pose l (k : option 'I_T) := c * cos (theta * (INR i - INR (plane_place k))).
case: (plane_wrong (w := plane_hard l) (i := i) (j := j) _ ne_ab ne).
- exact: plane_hard_ge0.
- by apply: plane_hard_le; rewrite /l /= plane_same_place.
by have := right (fun k => if k == i then a else b) i; rewrite eqxx.
Qed.

Lemma plane_right_ext T A (l h : option 'I_T -> R) (x : 'I_T -> 'I_A) a :
  (forall k, l k = h k) -> plane_right (plane_hard l) x a -> plane_right (plane_hard h) x a.
Proof.
move=> same; have att k : plane_attended l k = plane_attended h k.
  by apply: eq_forallb => j; rewrite !same.
have weigh k : plane_hard l k = plane_hard h k by rewrite /plane_hard (eq_card att) att.
have score b : plane_score (plane_hard l) x b = plane_score (plane_hard h) x b.
  by apply: eq_bigr => j _; apply: weigh.
by case=> pos lead; split=> [|b /lead]; rewrite -!score.
Qed.

(** A query that names the offset of a target has the logits of the query that names its place. *)
Lemma plane_offset_same A T (c theta : R) :
  (forall m, (m <= T)%N -> plane_index A m c theta) <-> plane_index_by_offset A T c theta.
Proof.
have same m (i : 'I_m) (k : option 'I_m) :
    c * cos (theta * (INR i - INR (plane_place k))) = c * cos (theta * (INR (m - plane_place k) - INR (m - i))).
  have km : (plane_place k <= m)%N by case: k => //= j; apply/ltnW/ltn_ord.
  by rewrite (plane_offset _ km) //; apply/ltnW/ltn_ord.
by split=> right m mT x i; apply: plane_right_ext (right m mT x i) => k; rewrite same.
Qed.

Lemma plane_free_less (theta : R) m n :
  (m <= n)%N -> (forall t, (1 <= t <= n)%N -> ~ exists z : Z, INR t * theta = 2 * IZR z * PI) ->
  forall t, (1 <= t <= m)%N -> ~ exists z : Z, INR t * theta = 2 * IZR z * PI.
Proof. by move=> le free t /andP[t1 tm]; apply: free; rewrite t1 (leq_trans tm). Qed.

(** At the angle pi / n no multiple below n is a whole number of turns. *)
Lemma plane_half_turn n m t : (m < n)%N -> (1 <= t <= m)%N -> ~ exists z : Z, INR t * (PI / INR n) = 2 * IZR z * PI.
Proof.
move=> mn /andP[/leP/le_INR /= t1 tm] [z eq_z]; have := PI_RGT_0 => pi0.
have /ltP/lt_INR tn : (t < n)%N by apply: leq_ltn_trans mn.
have n0 : 0 < INR n by lra.
have eq_2z : INR t = 2 * IZR z * INR n.
  by apply: (Rmult_eq_reg_r (PI / INR n)); [rewrite eq_z; field; lra | apply: Rgt_not_eq; apply: Rdiv_lt_0_compat].
case: (Z_le_gt_dec 1 z) => [/IZR_le|]; first by nra.
move=> /Z.gt_lt le; have /IZR_le : (z <= 0)%Z by lia.
by nra.
Qed.

(** dec.thm3.position. H_POS with the angle pi / n is right on every Index input of length n whose query names a
    place: the answer wins; that its key alone has the largest logit is not stated. *)
Theorem dec_thm3_position :
  forall (A n : nat) (c : R), 0 < c -> plane_index A n.-1 c (PI / INR n).
Proof.
move=> A n c c0 x i; apply: plane_index_free => // t; apply: plane_half_turn.
by case: n i {x} => [[]|n] //= i; apply: leq_ltn_trans (leq_pred n) _.
Qed.
(* mutant turned away
   from: 0 < c
   to:   c < 0 *)
(* mutant no angle
   from: (PI / INR n)
   to:   0 *)
(* mutant aliasing
   from: (PI / INR n)
   to:   (2 * PI / (INR n - 2)) *)

(** dec.thm3.offset. H_POS with the angle pi / n is right on every Index input of length n or less whose query names
    the target's offset: the answer wins; that its key alone has the largest logit is not stated. *)
Theorem dec_thm3_offset :
  forall (A n : nat) (c : R), 0 < c -> plane_index_by_offset A n.-1 c (PI / INR n).
Proof.
move=> A n c c0; apply/plane_offset_same => m mn x i; apply: plane_index_free => // t; apply: plane_half_turn.
case: n mn => [|n] /=; first by rewrite leqn0 => /eqP m0; move: i; rewrite m0 => -[].
by move=> mn; apply: leq_ltn_trans (leq_pred m) _.
Qed.
(* mutant turned away
   from: 0 < c
   to:   c < 0 *)
(* mutant no angle
   from: (PI / INR n)
   to:   0 *)

(** dec.thm3.angles. With two symbols or more, H_POS is right on every Index input of length n (if queries name
    offsets, of every length up to n) if and only if no [t theta] with [1 <= t <= n - 2] is a multiple of 2 pi. *)
Theorem dec_thm3_angles :
  forall (A n : nat) (c theta : R), (2 <= A)%N -> 0 < c ->
    let free := forall t, (1 <= t <= n - 2)%N -> ~ exists z : Z, INR t * theta = 2 * IZR z * PI in
    (plane_index A n.-1 c theta <-> free) /\ (plane_index_by_offset A n.-1 c theta <-> free).
Proof.
move=> A n c theta two c0 free; have e : (n.-1.-1 = n - 2)%N by rewrite -subn1 -subn1 -subnDA.
have enough : free -> forall m, (m <= n.-1)%N -> plane_index A m c theta.
  move=> no_alias m mn; apply: plane_index_free c0 (plane_free_less _ no_alias).
  by rewrite -e; case: (m) (n.-1) mn => [|?] [|?].
have needed : plane_index A n.-1 c theta -> free.
  move=> right t /andP[t1 tn] [z eq_z]; have lt : (t < n.-1)%N.
    by move: tn; rewrite -e; case: (n.-1) => [|k] //=; case: t t1 {eq_z}.
  pose first := Ordinal (leq_ltn_trans (leq0n t) lt).
  have := @plane_index_leads A n.-1 c theta (Ordinal lt) first two right.
  have -> : theta * (INR (Ordinal lt) - INR first) = 0 + 2 * IZR z * PI by rewrite -eq_z /=; lra.
  rewrite plane_cos_turns cos_0 => lead; have : c * 1 < c; last by lra.
  by apply: lead => /(congr1 val) /= t0; rewrite -t0 in t1.
split; split=> //; [by move=> no_alias; apply: enough | | by move=> /enough/plane_offset_same].
by move=> /plane_offset_same right; apply: needed; apply: right.
Qed.
(* mutant one multiple more
   from: n - 2
   to:   n - 1 *)
(* mutant one multiple fewer
   from: n - 2
   to:   n - 3 *)
(* mutant half turns
   from: = 2 * IZR z * PI
   to:   = IZR z * PI *)
(* mutant one symbol
   from: (2 <= A)%N
   to:   (1 <= A)%N *)
(* mutant no weight
   from: 0 < c
   to:   0 <= c *)

(** ** Retrieval without an angle (DEC, theorem 5) *)

(** dec.thm5. H_SYM, which uses no angle, is right on every Retrieval input of every length, for every weight c > 0.
    *)
Theorem dec_thm5 :
  forall (S A T : nat) (c : R), 0 < c -> plane_retrieval A T plane_hard (plane_match S c) 0.
Proof.
move=> S A T c c0 sym held i inj.
apply: plane_hard_right => [j ne|]; rewrite /plane_pairs /plane_match eqxx; last by lra.
by case: eqP => [/inj|]; [|lra].
Qed.
(* mutant no weight
   from: 0 < c
   to:   0 <= c *)
(* mutant own key above
   from: (plane_match S c) 0
   to:   (plane_match S c) (2 * c) *)
(* mutant repeated symbols
   from: plane_retrieval A T
   to:   plane_induction A T *)

Lemma plane_sum_others T (i : 'I_T) (v : R) : sum_(j < T | j != i) v = (INR T - 1) * v.
Proof.
have := sum_const_ord T v; rewrite (bigD1 i) //= => e.
by rewrite Rmult_minus_distr_r -e; set s := \big[_/_]_(_ < _ | _) _; rewrite /s; lra.
Qed.

Lemma plane_soft_match S T (c : R) (sym : 'I_T -> 'I_S) i : injective sym ->
  let z := \big[Rplus/0]_(k : option 'I_T) exp (plane_pairs (plane_match S c) 0 (sym i) sym k) in
  let w := plane_soft (plane_pairs (plane_match S c) 0 (sym i) sym) in
  [/\ 0 < z, w (Some i) = exp c / z & forall j, j != i -> w (Some j) = / z].
Proof.
move=> inj z w; split.
- by apply: (sum_gt0 None) => k; apply: exp_pos.
- by rewrite /w /plane_soft /plane_pairs /plane_match eqxx.
move=> j /eqP ne; rewrite /w /plane_soft -/z /plane_pairs /plane_match.
by case: eqP => [/inj //|_]; rewrite exp_0 /Rdiv Rmult_1_l.
Qed.

(** dec.thm5.softmax. Under softmax, with two attributes or more, H_SYM is right on every Retrieval input of length
    n if and only if [e^c > n - 2]. *)
Theorem dec_thm5_softmax :
  forall (S A n : nat) (c : R), (2 <= A)%N -> (2 <= n)%N -> (n <= S.+1)%N ->
    (plane_retrieval A n.-1 plane_soft (plane_match S c) 0 <-> INR n - 2 < exp c).
Proof.
move=> S A n c A2 n2 nS; have [a [b [_ _ ne_ab]]] := plane_two A2.
case: n n2 nS => [|T] // T1 TS; rewrite [T.+1.-1]/= S_INR.
split=> [right|large sym held i inj].
  pose i : 'I_T := Ordinal (T1 : 0 < T)%N; pose sym := widen_ord (TS : T <= S)%N.
  have inj : injective sym by move=> j k /(congr1 val) /= /val_inj.
  have [z0 wi wj] := plane_soft_match c i inj; set z := \big[_/_]_(_ : option _) _ in z0 wi wj.
  have [_ /(_ b)] := right sym (fun k => if k == i then a else b) i inj; rewrite eqxx => /(_ ne_ab).
  rewrite /plane_score (eq_bigl (fun j => j != i)); last first.
    by move=> j; case: (j == i); rewrite /= ?eqxx //; apply/eqP=> /esym.
  rewrite (eq_bigr (fun=> / z)) // plane_sum_others (bigD1 i) ?eqxx //= big1 => [|j /andP[]]; last first.
    by case: (j == i) => // /eqP.
  rewrite Rplus_0_r wi => lt; suff : INR T - 1 < exp c by lra.
  by apply: (Rmult_lt_reg_r (/ z)) => //; apply: Rinv_0_lt_compat.
have [z0 wi wj] := plane_soft_match c i inj; set z := \big[_/_]_(_ : option _) _ in z0 wi wj.
have [pos_z pos_w] := (Rinv_0_lt_compat _ z0, plane_soft_gt0 (plane_pairs (plane_match S c) 0 (sym i) sym)).
have top : exp c / z <= plane_score (plane_soft (plane_pairs (plane_match S c) 0 (sym i) sym)) held (held i).
  by rewrite -wi; apply: plane_score_ge => k; apply/Rlt_le/pos_w.
split=> [|d ne]; first by apply: Rlt_le_trans top; apply: Rdiv_lt_0_compat => //; apply: exp_pos.
apply: Rlt_le_trans top; apply: (Rle_lt_trans _ ((INR T - 1) * / z)); last by apply: Rmult_lt_compat_r => //; lra.
rewrite -(plane_sum_others i) /plane_score big_mkcond [X in _ <= X]big_mkcond; apply: sum_le => j _.
case: eqP => [hd|_]; last by case: ifP => _; [apply: Rlt_le | apply: Rle_refl].
have ne_j : j != i by apply/eqP=> e; apply: ne; rewrite -hd e.
by rewrite ne_j wj //; apply: Rle_refl.
Qed.
(* mutant more
   from: INR n - 2
   to:   INR n - 1 *)
(* mutant less
   from: INR n - 2
   to:   INR n - 3 *)
(* mutant tie
   from: INR n - 2 < exp c
   to:   INR n - 2 <= exp c *)
(* mutant one attribute
   from: (2 <= A)%N
   to:   (1 <= A)%N *)

(** ** The irrationality of pi *)

(** No quotient of whole numbers. *)
Definition plane_irrational (x : R) : Prop := forall (p : Z) (q : nat), (0 < q)%N -> x <> IZR p / INR q.

(** Hermite's functions: sin x, sin x - x cos x, and [A_(n+2) = (2n + 3) A_(n+1) - x^2 A_n]. *)
Fixpoint plane_hermite (n : nat) (x : R) : R :=
  match n with
  | 0%N => sin x
  | S m => match m with
           | 0%N => sin x - x * cos x
           | S k => (2 * INR k + 3) * plane_hermite m x - x * x * plane_hermite k x
           end
  end.

Lemma plane_hermite_step n x :
  plane_hermite n.+2 x = (2 * INR n + 3) * plane_hermite n.+1 x - x * x * plane_hermite n x.
Proof. by []. Qed.

Lemma plane_hermite_at_0 n : plane_hermite n 0 = 0.
Proof.
suff : plane_hermite n 0 = 0 /\ plane_hermite n.+1 0 = 0 by case.
elim: n => [|n [IH IH1]]; first by rewrite /= sin_0; lra.
by split=> //; rewrite plane_hermite_step IH IH1; lra.
Qed.

Lemma plane_hermite_derive n x : derivable_pt_lim (plane_hermite n.+1) x (x * plane_hermite n x).
Proof.
suff : derivable_pt_lim (plane_hermite n.+1) x (x * plane_hermite n x) /\
       derivable_pt_lim (plane_hermite n.+2) x (x * plane_hermite n.+1 x) by case.
have d0 : derivable_pt_lim (plane_hermite 1) x (x * plane_hermite 0 x).
  have -> : x * plane_hermite 0 x = cos x - (1 * cos x + x * - sin x) by rewrite /=; lra.
  apply: derivable_pt_lim_minus; first exact: derivable_pt_lim_sin.
  by apply: (derivable_pt_lim_mult id); [exact: derivable_pt_lim_id | exact: derivable_pt_lim_cos].
have step c f g df dg : derivable_pt_lim f x df -> derivable_pt_lim g x dg ->
    derivable_pt_lim (fun y => c * f y - y * y * g y) x (c * df - ((1 * x + x * 1) * g x + x * x * dg)).
  move=> hf hg; apply: derivable_pt_lim_minus; first exact: derivable_pt_lim_scal.
  apply: (derivable_pt_lim_mult (fun y => y * y)) => //.
  by apply: (derivable_pt_lim_mult id id); exact: derivable_pt_lim_id.
elim: n => [|n [IH IH1]].
  split=> //; have -> : x * plane_hermite 1 x =
      (2 * INR 0 + 3) * (x * plane_hermite 0 x) - ((1 * x + x * 1) * sin x + x * x * cos x) by rewrite /=; lra.
  by apply: (step (2 * INR 0 + 3) (plane_hermite 1) sin) => //; exact: derivable_pt_lim_sin.
split=> //; have -> : x * plane_hermite n.+2 x = (2 * INR n.+1 + 3) * (x * plane_hermite n.+1 x) -
    ((1 * x + x * 1) * plane_hermite n.+1 x + x * x * (x * plane_hermite n x)).
  by rewrite plane_hermite_step S_INR; lra.
exact: (step (2 * INR n.+1 + 3) (plane_hermite n.+2) (plane_hermite n.+1)).
Qed.

(** The product of the odd numbers up to [2n + 1]. *)
Fixpoint plane_odds (n : nat) : R := if n is m.+1 then (2 * INR m + 3) * plane_odds m else 1.

Lemma plane_odds_step n : plane_odds n.+1 = (2 * INR n + 3) * plane_odds n.
Proof. by []. Qed.

Lemma plane_odds_gt0 n : 0 < plane_odds n.
Proof. by elim: n => [|n IH] /=; [lra | have := pos_INR n; nra]. Qed.

(** A function that is 0 at 0 has the sign of its derivative. *)
Lemma plane_grows (f df : R -> R) x :
  0 < x -> f 0 = 0 -> (forall y, derivable_pt_lim f y (df y)) -> exists2 y, 0 < y < x & f x = df y * x.
Proof.
move=> x0 f0 diff; have [y [e y_in]] : exists y, f x - f 0 = df y * (x - 0) /\ 0 < y < x.
  by apply: MVT_cor2 => // y _; apply: diff.
by exists y => //; lra.
Qed.

(** The value at [x] is above 0 and at most [x^(2n + 1)] over the odd numbers' product. *)
Definition plane_hermite_fits n x : Prop :=
  0 < plane_hermite n x /\ plane_hermite n x * plane_odds n <= x ^ (2 * n + 1).

Lemma plane_hermite_next n x :
  0 < x -> (forall y, 0 < y < x -> plane_hermite_fits n y) -> plane_hermite_fits n.+1 x.
Proof.
move=> x0 IH; split.
  have [y y_in ->] := plane_grows x0 (plane_hermite_at_0 n.+1) (plane_hermite_derive n).
  by have [pos _] := IH y y_in; apply: Rmult_lt_0_compat => //; apply: Rmult_lt_0_compat => //; lra.
pose f y := y ^ (2 * n.+1 + 1) - plane_odds n.+1 * plane_hermite n.+1 y.
pose df y := INR (2 * n.+1 + 1) * y ^ (2 * n.+1 + 1).-1 - plane_odds n.+1 * (y * plane_hermite n y).
have f0 : f 0 = 0 by rewrite /f plane_hermite_at_0 addn1 /=; lra.
have diff y : derivable_pt_lim f y (df y).
  apply: derivable_pt_lim_minus; first exact: derivable_pt_lim_pow.
  by apply: derivable_pt_lim_scal; exact: plane_hermite_derive.
have [y y_in e] := plane_grows x0 f0 diff.
suff : 0 <= df y by move: e; rewrite /f; nra.
have [_ le] := IH y y_in; rewrite /df.
have -> : ((2 * n.+1 + 1).-1 = (2 * n + 1).+1)%N by rewrite !addn1 mulnS.
have -> : INR (2 * n.+1 + 1) = 2 * INR n + 3 by rewrite addn1 mulnS !S_INR mul2n -addnn plus_INR; lra.
rewrite plane_odds_step; have := pos_INR n; rewrite /pred -tech_pow_Rmult.
set a := y ^ _ in le *; set o := plane_odds n in le *.
set h := plane_hermite n y in le * => n0.
have -> : (2 * INR n + 3) * (y * a) - (2 * INR n + 3) * o * (y * h) = (2 * INR n + 3) * y * (a - h * o) by lra.
by apply: Rmult_le_pos; [apply: Rmult_le_pos|]; lra.
Qed.

Lemma plane_hermite_bounds n x : 0 < x < PI -> plane_hermite_fits n x.
Proof.
elim: n x => [|n IH] x x_in; last by apply: plane_hermite_next => [|y y_in]; [|apply: IH]; lra.
split; first by apply: sin_gt_0; lra.
by rewrite /= !Rmult_1_r; apply: Rlt_le; apply: sin_lt_x; lra.
Qed.

(** If pi were p / q, these multiples of the functions' values there would be whole numbers. *)
Lemma plane_hermite_whole (p : Z) (q : nat) n :
  INR q * PI = IZR p -> exists z : Z, IZR z = INR q ^ (2 * n + 1) * plane_hermite n PI.
Proof.
move=> e; suff : (exists z : Z, IZR z = INR q ^ (2 * n + 1) * plane_hermite n PI) /\
    (exists z : Z, IZR z = INR q ^ (2 * n.+1 + 1) * plane_hermite n.+1 PI) by case.
have two m : INR q ^ (2 * m.+1 + 1) = INR q * INR q * INR q ^ (2 * m + 1).
  have -> : (2 * m.+1 + 1 = (2 * m + 1).+2)%N by rewrite !addn1 mulnS.
  by rewrite -!tech_pow_Rmult; ring.
elim: n => [|n [[z z_e] [z1 z1_e]]].
  split; first by exists 0%Z; rewrite /= sin_PI; lra.
  exists (Z.of_nat q * Z.of_nat q * p)%Z; rewrite two !mult_IZR -INR_IZR_INZ -e /= sin_PI cos_PI; lra.
split; first by exists z1.
exists ((2 * Z.of_nat n + 3) * (Z.of_nat q * Z.of_nat q) * z1 - p * p * (Z.of_nat q * Z.of_nat q) * z)%Z.
rewrite minus_IZR !mult_IZR plus_IZR mult_IZR -!INR_IZR_INZ z_e z1_e plane_hermite_step (two n.+1) (two n) -e; ring.
Qed.

Lemma plane_pow_ge j : INR j <= 2 ^ j.
Proof. by elim: j => [|j IH]; [rewrite /=; lra | rewrite S_INR /=; have := pow_R1_Rle 2 j; lra]. Qed.

Lemma plane_unbounded (r : R) : exists n, INR n > r.
Proof.
have [above _] := archimed r; exists (Z.to_nat (up r)); apply: Rge_gt_trans above; apply: Rle_ge.
by rewrite INR_IZR_INZ; apply: IZR_le; lia.
Qed.

(** No geometric sequence keeps up with the product of the odd numbers. *)
Lemma plane_odds_large (v m : R) : 0 < v -> 0 < m -> exists n, v * m ^ n.+1 < plane_odds n.+1.
Proof.
move=> v0 m0; have [N large] := plane_unbounded m.
have grown j : plane_odds N.+1 * (2 * m) ^ j <= plane_odds (N.+1 + j).
  elim: j => [|j IH]; first by rewrite addn0 /=; lra.
  rewrite addnS [plane_odds (_ + _).+1]plane_odds_step -tech_pow_Rmult.
  have o0 := plane_odds_gt0 (N.+1 + j); have : 2 * m <= 2 * INR (N.+1 + j) + 3.
    have -> : INR (N.+1 + j) = INR N + 1 + INR j by rewrite -S_INR; exact: plus_INR.
    by have := pos_INR j; lra.
  move=> /(Rmult_le_compat_r _ _ _ (Rlt_le _ _ o0)); apply: Rle_trans.
  by have := Rmult_le_compat_l (2 * m) _ _ ltac:(lra) IH; lra.
have o0 := plane_odds_gt0 N.+1.
have [j far] := plane_unbounded (v * m ^ N.+1 / plane_odds N.+1); exists (N + j)%N.
apply: Rlt_le_trans (grown j); rewrite -addSn pow_add Rpow_mult_distr.
have : v * m ^ N.+1 < plane_odds N.+1 * 2 ^ j.
  have -> : v * m ^ N.+1 = v * m ^ N.+1 / plane_odds N.+1 * plane_odds N.+1 by field; lra.
  by rewrite Rmult_comm; apply: Rmult_lt_compat_l => //; have := plane_pow_ge j; lra.
have : 0 < m ^ j by apply: pow_lt.
by nra.
Qed.

Lemma plane_PI_irrational : plane_irrational PI.
Proof.
move=> p q q0 e; have /ltP/lt_INR /= q_gt : (0 < q)%N by [].
have qp : INR q * PI = IZR p by rewrite e; field; lra.
have pi0 := PI_RGT_0; set v := INR q * PI.
have v0 : 0 < v by apply: Rmult_lt_0_compat.
have [n large] := plane_odds_large v0 (Rmult_lt_0_compat _ _ v0 v0).
have [pos le] : plane_hermite_fits n.+1 PI by apply: plane_hermite_next => // y; exact: plane_hermite_bounds.
have [z z_e] := plane_hermite_whole n.+1 qp.
have qn : 0 < INR q ^ (2 * n.+1 + 1) by apply: pow_lt.
have z1 : 1 <= IZR z.
  by apply: (IZR_le 1); have : (0 < z)%Z; [apply: lt_IZR; rewrite z_e; apply: Rmult_lt_0_compat | lia].
have : plane_odds n.+1 <= v ^ (2 * n.+1 + 1).
  rewrite /v Rpow_mult_distr; have := plane_odds_gt0 n.+1; rewrite z_e in z1; nra.
have -> : v ^ (2 * n.+1 + 1) = v * (v * v) ^ n.+1.
  by rewrite addn1 -tech_pow_Rmult pow_mult /= Rmult_1_r.
by lra.
Qed.

(** ** The constructions of DYN, theorem 3.1 *)

(** A logit of one rotary plane: [k^T R(t theta) q], the query turned by [t] angles against the key. *)
Definition plane_rope (theta : R) (t : nat) (q k : R * R) : R :=
  k.1 * (q.1 * cos (INR t * theta) - q.2 * sin (INR t * theta)) +
  k.2 * (q.1 * sin (INR t * theta) + q.2 * cos (INR t * theta)).

(** The token with the largest score is [y], and no other has as much. *)
Definition plane_writes (U : Type) (score : U -> R) (y : U) : Prop := forall z, z <> y -> score z < score y.

(** How far back a token points: an integer [i] by [i] places, a letter by none. *)
Definition plane_named A (x : 'I_A + nat) : nat := if x is inr i then i else 0%N.
(** [W_K E = v] for every token, [v] a unit vector. *)
Definition plane_number_key A (x : 'I_A + nat) : R * R := (1, 0).
(** [W_Q E = rho(theta)^(-i) v] for an integer [i], and [v] for a letter. *)
Definition plane_number_query A (theta : R) (x : 'I_A + nat) : R * R :=
  (cos (INR (plane_named x) * theta), - sin (INR (plane_named x) * theta)).
(** The logit of a key [t] places before the query. *)
Definition plane_number_logit A (theta : R) (query key : 'I_A + nat) (t : nat) : R :=
  plane_rope theta t (plane_number_query theta query) (plane_number_key key).
(** The logits of the query at place [p] of a sequence over the keys up to it, its own last. *)
Definition plane_number_logits A (theta : R) (x : nat -> 'I_A + nat) (p : nat) (j : 'I_p.+1) : R :=
  plane_number_logit theta (x p) (x j) (p - j).
(** What the transformer writes at place [p], as scores of the tokens: the residual [x_p] and the attended values,
    which are [value] on letters and 0 on integers. DYN's construction has [value = 2] and [residual = 1]. *)
Definition plane_number_output A (value residual theta : R) (x : nat -> 'I_A + nat) (p : nat) (y : 'I_A + nat) : R :=
  (if y == x p then residual else 0) +
  sum_(j < p.+1 | x j == y)
    (plane_hard (plane_number_logits theta x (p := p)) j * (if y is inl _ then value else 0)).
(** A valid sequence of [n] tokens: each integer points to an earlier place. *)
Definition plane_valid A (x : nat -> 'I_A + nat) (n : nat) : Prop :=
  forall p i, (p < n)%N -> x p = inr i -> (1 <= i)%N /\ (i <= p)%N.
(** The function Index: an integer becomes the letter that it points to, all else stays. *)
Definition plane_index_of A (x : nat -> 'I_A + nat) (p : nat) : 'I_A + nat :=
  if x p is inr i then (if x (p - i)%N is inl a then inl a else inr i) else x p.
(** The output at every place of [n] tokens is that of Index (Python: `computes_index`). *)
Definition plane_number_right A (value residual theta : R) (x : nat -> 'I_A + nat) (n : nat) : Prop :=
  forall p, (p < n)%N -> plane_writes (plane_number_output value residual theta x p) (plane_index_of x p).

Lemma plane_number_logitE A theta (q k : 'I_A + nat) t :
  plane_number_logit theta q k t = cos (theta * (INR t - INR (plane_named q))).
Proof.
rewrite /plane_number_logit /plane_rope /=.
have -> : theta * (INR t - INR (plane_named q)) = INR t * theta - INR (plane_named q) * theta by lra.
by rewrite cos_minus; lra.
Qed.

Lemma plane_hard_leads n (l : 'I_n -> R) i : leads l i -> plane_hard l i = 1 /\ forall j, j <> i -> plane_hard l j = 0.
Proof.
move=> lead; split=> [|j ne]; last by apply: plane_hard_eq0 (lead j ne).
have only : plane_attended l =1 pred1 i.
  move=> j; rewrite /=; case: (eqVneq j i) => [->|/eqP ne].
    apply/plane_attendedP => k; case: (eqVneq k i) => [->|/eqP ne]; first exact: Rle_refl.
    exact/Rlt_le/lead.
  by apply/plane_attendedP => /(_ i) le; have := lead j ne; lra.
have -> : plane_hard l i = / INR #|plane_attended l| by rewrite /plane_hard only /= eqxx.
by rewrite (eq_card only) card1 Rinv_1.
Qed.

(** Where nothing aliases within reach, the target alone has the largest logit. *)
Lemma plane_number_leads A theta (x : nat -> 'I_A + nat) p (i : 'I_p.+1) m :
  (i = p - plane_named (x p) :> nat)%N -> (plane_named (x p) <= p)%N ->
  (maxn (plane_named (x p)) (p - plane_named (x p)) <= m)%N ->
  (forall t, (1 <= t <= m)%N -> ~ exists z : Z, INR t * theta = 2 * IZR z * PI) ->
  leads (plane_number_logits theta x (p := p)) i.
Proof.
move=> i_e named reach free j ne; rewrite /plane_number_logits !plane_number_logitE.
set v := plane_named (x p) in i_e named reach *.
have -> : (p - i = v)%N by rewrite i_e subKn.
have -> : theta * (INR v - INR v) = 0 by lra.
rewrite cos_0; apply: plane_free_below free _ _.
  move=> e; apply: ne; apply: val_inj; rewrite /= i_e -e subKn // -ltnS; exact: ltn_ord.
apply: leq_trans reach; rewrite leq_max; case: (leqP (p - j) v) => le.
  have -> : (p - j - v = 0)%N by apply/eqP; rewrite subn_eq0.
  by rewrite add0n leq_subr.
have -> : (v - (p - j) = 0)%N by apply/eqP; rewrite subn_eq0 ltnW.
by rewrite addn0 leq_sub2r ?leq_subr // orbT.
Qed.

Lemma plane_valid_named A (x : nat -> 'I_A + nat) n p : plane_valid x n -> (p < n)%N -> (plane_named (x p) <= p)%N.
Proof. by move=> valid pn; case e : (x p) => [a|i] //=; have [] := valid p i pn e. Qed.

Lemma plane_number_core A theta (x : nat -> 'I_A + nat) n :
  plane_valid x n -> (forall t, (1 <= t)%N -> (t < n)%N -> ~ exists z : Z, INR t * theta = 2 * IZR z * PI) ->
  plane_number_right 2 1 theta x n.
Proof.
move=> valid free p pn; have named := plane_valid_named valid pn.
have lt : (p - plane_named (x p) < p.+1)%N by rewrite ltnS leq_subr.
pose i : 'I_p.+1 := Ordinal lt.
have lead : leads (plane_number_logits theta x (p := p)) i.
  apply: (@plane_number_leads _ _ _ _ _ p) => //; first by rewrite geq_max named leq_subr.
  by move=> t /andP[t1 tp]; apply: free => //; apply: leq_ltn_trans pn.
have [at_i others] := plane_hard_leads lead.
have out y : plane_number_output 2 1 theta x p y =
    (if y == x p then 1 else 0) + (if x i == y then (if y is inl _ then 2 else 0) else 0).
  rewrite /plane_number_output; congr (_ + _).
  rewrite big_mkcond (bigD1 i) //= big1 => [|j /eqP ne].
    by rewrite Rplus_0_r at_i Rmult_1_l.
  by rewrite others // Rmult_0_l; case: ifP.
move=> z; rewrite !out {out}; rewrite (_ : x i = x (p - plane_named (x p))%N) // /plane_index_of.
case e : (x p) => [a|v] /=.
  by rewrite subn0 e eqxx => /eqP ne; rewrite (negbTE ne) [inl a == z]eq_sym (negbTE ne); lra.
case f : (x (p - v)%N) => [b|k] /= /eqP ne.
  by rewrite [inl b == z]eq_sym (negbTE ne) eqxx; case: (z == inr v); lra.
by rewrite eqxx (negbTE ne); case: (inr k == inr v); case: eqP => [<-|_]; lra.
Qed.

(** dyn.thm3.1.index.repaired. If no [t theta] with [1 <= t < n] is a multiple of 2 pi, the construction writes at
    every token of every valid input of n tokens what Index writes. *)
Theorem dyn_thm3_1_index_repaired :
  forall (A n : nat) (theta : R) (x : nat -> 'I_A + nat), plane_valid x n ->
    (forall t, (1 <= t)%N -> (t < n)%N -> ~ exists z : Z, INR t * theta = 2 * IZR z * PI) ->
    plane_number_right 2 1 theta x n.
Proof.
by move=> A n theta x; apply: plane_number_core.
Qed.
(* mutant one less
   from: (t < n)%N
   to:   (t < n.-1)%N *)
(* mutant value 1
   from: right 2 1
   to:   right 1 1 *)
(* mutant no residual
   from: right 2 1
   to:   right 2 0 *)

(** dyn.thm3.1.index.irrational-multiple. With theta / pi irrational the construction computes Index at every
    length. *)
Theorem dyn_thm3_1_index_irrational_multiple :
  forall (A n : nat) (theta : R) (x : nat -> 'I_A + nat), plane_valid x n -> plane_irrational (theta / PI) ->
    plane_number_right 2 1 theta x n.
Proof.
move=> A n theta x valid free; apply: plane_number_core => // t t1 _ [z e].
have /leP/le_INR /= t_ge := t1; have := PI_RGT_0 => pi0; apply: (free (2 * z)%Z t t1).
have -> : theta = 2 * IZR z * PI / INR t by rewrite -e; field; lra.
by rewrite mult_IZR; field; lra.
Qed.
(* mutant irrational
   from: plane_irrational (theta / PI)
   to:   plane_irrational theta *)
(* mutant value 1
   from: right 2 1
   to:   right 1 1 *)
(* mutant no residual
   from: right 2 1
   to:   right 2 0 *)

(** dyn.thm3.1.index. For every n0, any angle with [0 < (n0 - 1) theta < 2 pi] serves on all valid inputs of n0
    tokens or less, under hard attention; what follows of softmax by lemma F.1 is not stated here. *)
Theorem dyn_thm3_1_index :
  forall (A n0 : nat) (theta : R), 0 < theta -> (INR n0 - 1) * theta < 2 * PI ->
    forall (n : nat) (x : nat -> 'I_A + nat), (n <= n0)%N -> plane_valid x n -> plane_number_right 2 1 theta x n.
Proof.
move=> A n0 theta angle short n x n_n0 valid; apply: plane_number_core => // t t1 tn [z e].
have /leP/le_INR /= t_ge := t1; have := PI_RGT_0 => pi0.
have /leP/le_INR : (t.+1 <= n0)%N by apply: leq_trans n_n0.
rewrite S_INR => t_le; have lt : INR t * theta < 2 * PI by nra.
case: (Z_le_gt_dec 1 z) => [/IZR_le|/Z.gt_lt less]; first by nra.
have /IZR_le : (z <= 0)%Z by lia.
by nra.
Qed.
(* mutant a turn longer
   from: INR n0 - 1
   to:   INR n0 - 2 *)
(* mutant value 1
   from: right 2 1
   to:   right 1 1 *)
(* mutant no residual
   from: right 2 1
   to:   right 2 0 *)

Lemma plane_number_le1 A theta (x : nat -> 'I_A + nat) p (j : 'I_p.+1) : plane_number_logits theta x j <= 1.
Proof.
rewrite /plane_number_logits plane_number_logitE.
by case: (COS_bound (theta * (INR (p - j) - INR (plane_named (x p))))).
Qed.

Lemma plane_number_alias A theta (x : nat -> 'I_A + nat) p (j : 'I_p.+1) (z : Z) :
  theta * (INR (p - j) - INR (plane_named (x p))) = 2 * IZR z * PI -> plane_number_logits theta x j = 1.
Proof. by rewrite /plane_number_logits plane_number_logitE => ->; rewrite -[_ * PI]Rplus_0_l plane_cos_turns cos_0. Qed.

(** dyn.thm3.1.index.unique-maximum.repaired. The last token's largest logit is unique if and only if [t theta] is no
    multiple of 2 pi for [1 <= t <= max(i, n - 1 - i)], where i is the integer it holds, 0 for a letter. *)
Theorem dyn_thm3_1_index_unique_maximum_repaired :
  forall (A n : nat) (theta : R) (x : nat -> 'I_A + nat), (1 <= n)%N -> plane_valid x n ->
    let i := plane_named (x n.-1) in
    (exists j, leads (plane_number_logits theta x (p := n.-1)) j) <->
    (forall t, (1 <= t)%N -> (t <= maxn i (n - 1 - i))%N -> ~ exists z : Z, INR t * theta = 2 * IZR z * PI).
Proof.
move=> A [//|p] theta x _ valid i; rewrite subSS subn0 /= in i *.
have named : (i <= p)%N by apply: plane_valid_named valid _.
pose target : 'I_p.+1 := inord (p - i); have place : target = (p - i)%N :> nat by rewrite inordK // ltnS leq_subr.
split=> [[j lead] t t1 reach [z e]|free]; last first.
  by exists target; apply: (@plane_number_leads _ _ _ _ _ (maxn i (p - i))) => // t /andP[t1 tm]; apply: free.
have [k [k_ne [y k_e]]] : exists k : 'I_p.+1, k <> target /\
    exists y : Z, theta * (INR (p - k) - INR i) = 2 * IZR y * PI.
  case/orP: (etrans (esym (leq_max _ _ _)) reach) => near.
    have k_p : (p - i + t < p.+1)%N by rewrite ltnS -{2}(subnK named) leq_add2l.
    exists (Ordinal k_p); split=> [/(congr1 val) /= same|].
      by move: t1; rewrite -(ltn_add2l (p - i)) same place addn0 ltnn.
    by exists (- z)%Z; rewrite /= subnDA subKn // minus_INR ?opp_IZR; [lra | apply/leP].
  have k_p : (p - i - t < p.+1)%N by rewrite ltnS -subnDA leq_subr.
  exists (Ordinal k_p); split=> [/(congr1 val) /= same|].
    by move: (ltn_subrL t (p - i)); rewrite t1 same place ltnn (leq_trans t1 near).
  exists z; rewrite /= -subnDA subKn ?plus_INR; first by lra.
  by rewrite -(subnKC named) leq_add2l.
have at_k := plane_number_alias k_e.
have at_target : plane_number_logits theta x target = 1.
  by apply: (@plane_number_alias _ _ _ _ _ 0); rewrite place subKn // -/i; lra.
case: (eqVneq j target) => [j_e|/eqP j_ne].
  by have := lead k; rewrite j_e at_k at_target => /(_ k_ne); lra.
by have := lead target (not_eq_sym j_ne); have := plane_number_le1 theta x j; rewrite at_target; lra.
Qed.
(* mutant one less
   from: (t <= maxn i (n - 1 - i))%N
   to:   (t <= (maxn i (n - 1 - i)).-1)%N *)
(* mutant one more
   from: (t <= maxn i (n - 1 - i))%N
   to:   (t <= (maxn i (n - 1 - i)).+1)%N *)
(* mutant as under a letter
   from: (t <= maxn i (n - 1 - i))%N
   to:   (t < n)%N *)

(** dyn.thm3.1.index.unique-maximum, refuted. An irrational theta does not make the largest logit unique: pi is
    irrational and turns every second key to where the target is. *)
Theorem dyn_thm3_1_index_unique_maximum_fails :
  ~ (forall (A n : nat) (theta : R) (x : nat -> 'I_A + nat), (1 <= n)%N -> plane_valid x n ->
       plane_irrational theta -> exists j, leads (plane_number_logits theta x (p := n.-1)) j).
Proof.
move=> unique; pose x (p : nat) : 'I_1 + nat := inl ord0.
have valid : plane_valid x 3 by [].
have := unique 1%N 3%N PI x isT valid plane_PI_irrational.
move/(dyn_thm3_1_index_unique_maximum_repaired PI (n := 3) isT valid)/(_ 2%N isT isT); apply.
by exists 1%Z; rewrite /=; lra.
Qed.
(* mutant irrational multiple
   from: plane_irrational theta
   to:   plane_irrational (theta / PI) *)
(* counterexample: {"theta": "pi", "tokens": ["a", "a", "a"]} *)

(** dyn.thm3.1.index.irrational, refuted. Nor does it make the output right: at pi the integer in a, a, 2 attends to
    its own key as much as to its target. *)
Theorem dyn_thm3_1_index_irrational_fails :
  ~ (forall (A n : nat) (theta : R) (x : nat -> 'I_A + nat), plane_valid x n -> plane_irrational theta ->
       plane_number_right 2 1 theta x n).
Proof.
move=> right; pose x (p : nat) : 'I_1 + nat := if p is 2%N then inr 2%N else inl ord0.
have valid : plane_valid x 3 by case=> [|[|[|p]]] // i _ [<-].
have ne : inr 2%N <> plane_index_of x 2 by [].
have := right 1%N 3%N PI x valid plane_PI_irrational 2%N isT (inr 2%N) ne.
rewrite /plane_number_output; set l := plane_number_logits PI x (p := 2).
have l0 : l ord0 = 1 by apply: (@plane_number_alias _ _ _ _ _ 0); rewrite /=; lra.
have l2 : l ord_max = 1 by apply: (@plane_number_alias _ _ _ _ _ (-1)); rewrite /=; lra.
have l1 : l (lift ord0 ord0) < l ord0.
  rewrite l0 /l /plane_number_logits plane_number_logitE /=.
  have -> : PI * (1 - (1 + 1)) = - PI by lra.
  by rewrite cos_neg cos_PI; lra.
have half : plane_hard l ord0 <= / 2.
  rewrite /plane_hard; case: ifP => _; last by lra.
  apply: Rinv_le_contravar; first by lra.
  apply: (le_INR 2); apply/leP/card_gt1P; exists ord0, ord_max; split=> //.
    by apply/plane_attendedP => j; rewrite l0; apply: plane_number_le1.
  by apply/plane_attendedP => j; rewrite l2; apply: plane_number_le1.
rewrite big1 => [|j _]; last by rewrite Rmult_0_r.
rewrite big_mkcond !big_ord_recl big_ord0 /= (plane_hard_eq0 l1).
by lra.
Qed.
(* mutant irrational multiple
   from: plane_irrational theta
   to:   plane_irrational (theta / PI) *)
(* counterexample: {"theta": "pi", "tokens": ["a", "a", 2]} *)

(** dyn.thm3.1.purely-positional. No permutation of the earlier tokens' contents changes a logit of the Index
    construction. *)
Theorem dyn_thm3_1_purely_positional :
  forall (A n : nat) (theta : R) (x : nat -> 'I_A + nat) (pi : {perm 'I_n.-1}) (j : 'I_n.-1),
    plane_number_logit theta (x n.-1) (x (pi j)) (n.-1 - j) = plane_number_logit theta (x n.-1) (x j) (n.-1 - j).
Proof.
by move=> A n theta x pi j; rewrite !plane_number_logitE.
Qed.
(* mutant symbolic
   from: (x (pi j)) (n.-1 - j)
   to:   (x j) (n.-1 - pi j) *)
(* mutant both
   from: (x j) (n.-1 - j)
   to:   (x j) (n.-1 - j) /\
         plane_number_logit theta (x n.-1) (x j) (n.-1 - pi j) =
         plane_number_logit theta (x n.-1) (x j) (n.-1 - j) *)

(** The letter that a pair asks for: its right letter, its own left letter where the right half is a number. *)
Definition plane_asked A (x : 'I_A * ('I_A + nat)) : 'I_A := if x.2 is inl b then b else x.1.
(** [rho(omega)^(-phi(a)) v], omega = 2 pi / |letters|: the key of a pair with left letter [a], the query that asks
    for it. *)
Definition plane_letter A (a : 'I_A) : R * R := (cos (INR a * (2 * PI / INR A)), - sin (INR a * (2 * PI / INR A))).
(** The logit of a key [t] places before the query. *)
Definition plane_pair_logit A (theta : R) (query key : 'I_A * ('I_A + nat)) (t : nat) : R :=
  plane_rope theta t (plane_letter (plane_asked query)) (plane_letter key.1).
(** The logits of the query at place [p] over the keys up to it, its own last. *)
Definition plane_pair_logits A (theta : R) (x : nat -> 'I_A * ('I_A + nat)) (p : nat) (j : 'I_p.+1) : R :=
  plane_pair_logit theta (x p) (x j) (p - j).
(** What the transformer writes at place [p]: values are one-hot, so each token has the weight of its places. *)
Definition plane_pair_output A (theta : R) (x : nat -> 'I_A * ('I_A + nat)) (p : nat) (y : 'I_A * ('I_A + nat)) : R :=
  sum_(j < p.+1 | x j == y) plane_hard (plane_pair_logits theta x (p := p)) j.
(** A proper sequence of [n] tokens: the right letter of each pair of letters is the left letter of a token up to
    there, and all such tokens are the same (DYN, appendix B). *)
Definition plane_proper A (x : nat -> 'I_A * ('I_A + nat)) (n : nat) : Prop :=
  forall p b, (p < n)%N -> (x p).2 = inl b ->
    (exists2 j, (j <= p)%N & (x j).1 = b) /\
    (forall j k, (j <= p)%N -> (k <= p)%N -> (x j).1 = b -> (x k).1 = b -> x j = x k).
(** Place [j] holds what Retrieval copies to place [p]: a token that the pair of letters names, or the token itself.
    *)
Definition plane_target A (x : nat -> 'I_A * ('I_A + nat)) (p j : nat) : Prop :=
  if (x p).2 is inl b then (x j).1 = b else j = p.
(** The output at every place of [n] tokens is that of Retrieval (Python: `computes_retrieval`). *)
Definition plane_pair_right A (theta : R) (x : nat -> 'I_A * ('I_A + nat)) (n : nat) : Prop :=
  forall p j, (p < n)%N -> (j <= p)%N -> plane_target x p j -> plane_writes (plane_pair_output theta x p) (x j).

Lemma plane_pair_logitE A theta (q k : 'I_A * ('I_A + nat)) t :
  plane_pair_logit theta q k t = cos (INR t * theta + plane_turn (plane_asked q) k.1).
Proof.
rewrite /plane_pair_logit /plane_rope /=; set w := 2 * PI / INR A.
have -> : INR t * theta + plane_turn (plane_asked q) k.1 = INR k.1 * w + (INR t * theta - INR (plane_asked q) * w).
  by rewrite /plane_turn -/w; lra.
by rewrite cos_plus cos_minus sin_minus; ring.
Qed.

Lemma plane_argmax (K : finType) (l : K -> R) : K -> exists k, forall j, l j <= l k.
Proof.
move=> k0; suff [k top] : exists k, forall j, j \in enum K -> l j <= l k.
  by exists k => j; apply: top; rewrite mem_enum.
elim: (enum K) => [|i s [k top]]; first by exists k0.
case: (Rle_lt_dec (l i) (l k)) => le; [exists k | exists i] => j; rewrite inE => /orP[/eqP -> //|/top]; lra.
Qed.

Lemma plane_writes_only (U : eqType) p (l : 'I_p.+1 -> R) (x : nat -> U) y :
  (forall k : 'I_p.+1, (forall j, l j <= l k) -> x k = y) ->
  plane_writes (fun z => sum_(j < p.+1 | x j == z) plane_hard l j) y.
Proof.
move=> only z ne; rewrite big1 => [|j /eqP xj]; last first.
  rewrite /plane_hard; case: ifP => // /plane_attendedP /only e.
  by case: ne; rewrite -xj e.
have [k top] := plane_argmax l ord0.
rewrite (bigD1 k) /=; last by rewrite (only k top).
apply: Rplus_lt_le_0_compat; first exact: plane_hard_gt0.
by apply: sum_ge0 => j _; apply: plane_hard_ge0.
Qed.

Lemma plane_apart p t u : (t <= p)%N -> (u <= p)%N -> t <> u -> INR t + INR u <= 2 * INR p - 1.
Proof.
move=> /leP/le_INR tp /leP/le_INR up tu.
by case: (ltngtP t u) => // /leP/le_INR; rewrite S_INR; lra.
Qed.

Lemma plane_pair_core A theta (r : R) (x : nat -> 'I_A * ('I_A + nat)) n :
  (forall t v, cos (INR t * theta + v) = cos (INR t * r + v)) \/
  (forall t v, cos (INR t * theta + v) = cos (INR t * r - v)) ->
  0 < r -> (2 * INR n - 3) * r < 2 * PI / INR A -> plane_proper x n -> plane_pair_right theta x n.
Proof.
move=> same r0 range proper p j pn jp target; apply: plane_writes_only => k top.
have cosT t : cos (INR t * theta) = cos (INR t * r).
  by case: same => /(_ t 0); rewrite !Rplus_0_r ?Rminus_0_r.
have kp : (k <= p)%N by rewrite -ltnS; apply: ltn_ord.
have near t u : (t <= p)%N -> (u <= p)%N -> t <> u -> (INR t + INR u) * r < 2 * PI / INR A.
  move=> tp up tu; apply: Rle_lt_trans range; apply: Rmult_le_compat_r; first by lra.
  by have := plane_apart tp up tu; have := le_INR _ _ (ltP pn); rewrite S_INR; lra.
have := top (inord j); rewrite /plane_pair_logits !plane_pair_logitE inordK // => le.
have asked : (x j).1 = plane_asked (x p).
  by move: target; rewrite /plane_target /plane_asked; case: ((x p).2) => [b|i] // ->.
rewrite asked plane_turn_self Rplus_0_r in le.
case: (eqVneq (x k).1 (plane_asked (x p))) => [match_k|/eqP other]; last first.
  have ne : (p - j)%N <> (p - k)%N.
    move=> e; apply: other; rewrite -asked; congr (x _).1.
    by rewrite -(subKn jp) e subKn.
  have sum := near _ _ (leq_subr j p) (leq_subr k p) ne.
  suff : cos (INR (p - k) * theta + plane_turn (plane_asked (x p)) (x k).1) < cos (INR (p - j) * theta) by lra.
  rewrite cosT; case: same => ->.
    by apply: plane_phase_wins sum => //; [lra | exact: pos_INR | exact: pos_INR].
  rewrite /Rminus plane_turn_neg.
  by apply: plane_phase_wins sum => //; [exact: not_eq_sym | lra | exact: pos_INR | exact: pos_INR].
move: target match_k asked; rewrite /plane_target /plane_asked; case e : ((x p).2) => [b|i].
  by move=> target match_k _; have [_ one] := proper p b pn e; apply: one.
move=> j_p match_k _; case: (eqVneq (k : nat) p) => [-> |/eqP ne]; first by rewrite j_p.
have ne_0 : 0%N <> (p - k)%N by move=> /esym/eqP; rewrite subn_eq0 => pk; apply: ne; apply/eqP; rewrite eqn_leq kp.
have := near _ _ (leq0n p) (leq_subr k p) ne_0; rewrite /= Rplus_0_l => u_small.
move: le; rewrite /plane_asked e match_k plane_turn_self Rplus_0_r j_p subnn /= Rmult_0_l cos_0 cosT => le.
have u1 : 1 <= INR (p - k) by apply: (le_INR 1); apply/leP; rewrite lt0n; apply/eqP=> /esym.
have A1 := plane_size (x p).1; have lt := plane_side A1 u_small.
suff : cos (INR (p - k) * r) < cos 0 by rewrite cos_0; lra.
by apply: plane_cos_lt; nra.
Qed.

(** dyn.thm3.1.retrieval. With [0 < theta < omega / (2 n0)] the construction writes at every token of every proper
    input of n0 tokens or less what Retrieval writes. *)
Theorem dyn_thm3_1_retrieval :
  forall (A n0 : nat) (theta : R), 0 < theta -> theta < 2 * PI / INR A / (2 * INR n0) ->
    forall (n : nat) (x : nat -> 'I_A * ('I_A + nat)), (n <= n0)%N -> plane_proper x n -> plane_pair_right theta x n.
Proof.
move=> A n0 theta angle range n x n_n0 proper p j pn.
have n1 : (1 <= n0)%N by apply: leq_trans n_n0; apply: leq_ltn_trans pn.
have n0_ge := le_INR _ _ (leP n1); have n_le := le_INR _ _ (leP n_n0); rewrite /= in n0_ge.
have := plane_below (_ : 0 < 2 * INR n0) range; move=> /(_ ltac:(lra)) small.
by move: p j pn; apply: (plane_pair_core (r := theta)) => //; [left | nra].
Qed.
(* mutant twice
   from: (2 * INR n0)
   to:   INR n0 *)
(* mutant angle 0 too
   from: 0 < theta
   to:   0 <= theta *)
(* mutant one letter's angle
   from: / (2 * INR n0)
   to:   / 1 *)

(** In a proper input of one pair for the letter c and pairs of another letter that ask for c, the first key has to
    lead. *)
Lemma plane_pair_leads A theta (c d : 'I_A) n t :
  (forall x : nat -> 'I_A * ('I_A + nat), plane_proper x n -> plane_pair_right theta x n) -> c <> d -> (t.+1 < n)%N ->
  cos (INR t * theta + plane_turn c d) < cos (INR t.+1 * theta).
Proof.
move=> right ne tn; pose x (p : nat) : 'I_A * ('I_A + nat) := if p is 0%N then (c, inr 0%N) else (d, inl c).
have proper : plane_proper x n.
  move=> [|p] b pn //= [<-]; split; first by exists 0%N.
  by move=> [|j] [|k] //= _ _ => [_ /esym|/esym].
case: (Rlt_le_dec (cos (INR t * theta + plane_turn c d)) (cos (INR t.+1 * theta))) => // le.
have first : plane_target x t.+1 0 by [].
have := right x proper t.+1 0%N tn (leq0n _) first (x 1%N) _.
have ne_x : x 1%N <> x 0%N by case=> e; case: ne.
move=> /(_ ne_x) lt; exfalso; move: lt; apply: Rle_not_lt.
rewrite /plane_pair_output; set l := plane_pair_logits theta x (p := t.+1).
pose one : 'I_t.+2 := lift ord0 ord0.
have only (j : 'I_t.+2) : (x j == x 0%N) && (j != ord0) -> plane_hard l j = 0.
  case: j => [[|j] lt_j] /andP[/eqP e]; first by case/eqP; apply: val_inj.
  by case: ne_x; rewrite -[RHS]e.
rewrite (bigD1 ord0) ?eqxx //= (big1 _ _ _ only) Rplus_0_r.
rewrite (bigD1 one) ?eqxx //=.
apply: (Rle_trans _ (plane_hard l one)).
  apply: plane_hard_le; rewrite /l /plane_pair_logits !plane_pair_logitE [_.1]/= plane_turn_self Rplus_0_r.
  by rewrite (_ : t.+1 - ord0 = t.+1)%N // (_ : t.+1 - one = t)%N // subSS subn0.
rewrite -[X in X <= _]Rplus_0_r; apply: Rplus_le_compat_l.
by apply: sum_ge0 => j _; apply: plane_hard_ge0.
Qed.

(** At angle 0 a letter-number pair ties with an earlier one of the same letter. *)
Lemma plane_pair_turns A theta (c : 'I_A) n :
  (forall x : nat -> 'I_A * ('I_A + nat), plane_proper x n -> plane_pair_right theta x n) -> (2 <= n)%N ->
  cos theta <> 1.
Proof.
move=> right n2 flat; pose x (p : nat) : 'I_A * ('I_A + nat) := (c, inr p).
have own : plane_target x 1 1 by [].
have proper : plane_proper x n by [].
have ne_x : x 0%N <> x 1%N by [].
have := right x proper 1%N 1%N n2 (leqnn _) own (x 0%N) ne_x; apply: Rle_not_lt.
pose l := plane_pair_logits theta x (p := 1).
have out z : plane_pair_output theta x 1 z =
    (if x 0%N == z then plane_hard l ord0 else 0) + (if x 1%N == z then plane_hard l ord_max else 0).
  rewrite /plane_pair_output big_mkcond !big_ord_recl big_ord0.
  have -> : lift ord0 ord0 = ord_max :> 'I_2 by apply: val_inj.
  have simpler v w : Rplus_monoid v (Rplus_monoid w 0) = v + w by rewrite /= Rplus_0_r.
  exact: simpler.
have e01 : (x 0%N == x 1%N) = false by apply/eqP.
rewrite !out !eqxx e01 eq_sym e01 Rplus_0_r Rplus_0_l.
apply: plane_hard_le; rewrite /l /plane_pair_logits !plane_pair_logitE !plane_turn_self !Rplus_0_r /= Rmult_1_l flat.
by rewrite Rmult_0_l cos_0; apply: Rle_refl.
Qed.

(** From the range's end on there is a place at which a neighbouring letter is turned to the match or past it. *)
Lemma plane_reached (w r : R) m :
  0 < w -> 0 <= r <= PI -> w <= (2 * INR m.+1 - 1) * r ->
  exists2 t, (t <= m)%N & w <= (2 * INR t.+1 - 1) * r <= w + 2 * PI.
Proof.
move=> w0 r_in; elim: m => [|m IH] reach.
  by exists 0%N => //; move: reach; rewrite /=; lra.
case: (Rle_lt_dec w ((2 * INR m.+1 - 1) * r)) => [/IH[t tm t_in]|short].
  by exists t => //; apply: leqW.
by exists m.+1 => //; move: reach; rewrite !S_INR in short *; lra.
Qed.

(** dyn.thm3.1.retrieval.range. For two letters and two tokens or more it is right on every proper input of n tokens
    if and only if theta, up to its sign and full turns, is above 0 and [(2n - 3) theta] is below omega. *)
Theorem dyn_thm3_1_retrieval_range :
  forall (A n : nat) (theta : R), (2 <= A)%N -> (2 <= n)%N ->
    ((forall x : nat -> 'I_A * ('I_A + nat), plane_proper x n -> plane_pair_right theta x n) <->
     plane_reduced theta (2 * PI / INR A / (2 * INR n - 3))).
Proof.
move=> A n theta A2 n2; have [q [s [q0 s1 ne]]] := plane_two A2.
have n_ge := le_INR _ _ (leP n2); rewrite /= in n_ge.
split=> [right|[k [angle range]] x]; last first.
  by apply: (plane_pair_core (plane_same theta k)) => //; apply: plane_below range; lra.
have [k r_in] := plane_reduce theta; exists k; have both := plane_same theta k.
have same t := plane_same_match theta k t.
set r := Rabs _ in r_in both same *.
have r0 : 0 < r.
  case: (Req_dec r 0) => [e|]; last by lra.
  have := plane_pair_turns q right n2; have := same 1%N; rewrite /= !Rmult_1_l => ->.
  by rewrite e cos_0.
split=> //; case: (Rlt_le_dec r (2 * PI / INR A / (2 * INR n - 3))) => // beyond.
have [w0 Aw] := plane_width (ltnW A2); set w := 2 * PI / INR A in w0 Aw beyond *.
have A_ge := le_INR _ _ (leP A2); rewrite /= in A_ge.
have [m n_e] : exists m, n = m.+2 by move: n2; case: (n) => [|[|m]] //; exists m.
have reach : w <= (2 * INR m.+1 - 1) * r.
  have -> : w = (2 * INR n - 3) * (w / (2 * INR n - 3)) by field; lra.
  have -> : 2 * INR m.+1 - 1 = 2 * INR n - 3 by rewrite n_e !S_INR; lra.
  by apply: Rmult_le_compat_l; lra.
have [t tm past] := plane_reached w0 r_in reach.
have back : cos (INR t.+1 * r) <= cos (INR t * r - w).
  have -> : INR t = INR t.+1 - 1 by rewrite S_INR; lra.
  by apply: plane_turned_back => //; nra.
have tn : (t.+1 < n)%N by rewrite n_e !ltnS.
have turn : plane_turn q s = w by rewrite /plane_turn q0 s1 /= -/w; lra.
case: both => e.
  have := plane_pair_leads right ne tn; rewrite -(plane_turn_neg q s) turn same e.
  by move: back; rewrite /Rminus; lra.
have := plane_pair_leads right (not_eq_sym ne) tn; rewrite turn same e.
by lra.
Qed.
(* mutant as printed
   from: 2 * INR n - 3
   to:   2 * INR n *)
(* mutant one place more
   from: 2 * INR n - 3
   to:   2 * INR n - 4 *)
(* mutant keys share places
   from: 2 * INR n - 3
   to:   2 * INR n - 2 *)
(* mutant one place
   from: (2 <= n)%N
   to:   (1 <= n)%N *)

(** dyn.thm3.1.purely-symbolic, refuted. In the printed range, permuting the earlier keys' positions does change
    logits of the Retrieval construction: cos 1 and cos 2 differ. *)
Theorem dyn_thm3_1_purely_symbolic_fails :
  ~ (forall (A n : nat) (theta : R) (x : nat -> 'I_A * ('I_A + nat)) (pi : {perm 'I_n.-1}) (j : 'I_n.-1),
       0 < theta -> 2 * INR n * theta < 2 * PI / INR A -> plane_proper x n ->
       plane_pair_logit theta (x n.-1) (x j) (n.-1 - pi j) = plane_pair_logit theta (x n.-1) (x j) (n.-1 - j)).
Proof.
move=> symbolic; pose x (p : nat) : 'I_1 * ('I_1 + nat) := (ord0, inr 1%N).
have := PI2_3_2 => pi3; have one : 0 < 1 by lra.
have small : 2 * INR 3 * 1 < 2 * PI / INR 1 by rewrite /=; lra.
have proper : plane_proper x 3 by [].
have := symbolic 1%N 3%N 1 x (tperm ord0 ord_max) ord0 one small proper.
rewrite !plane_pair_logitE tpermL /= plane_turn_self !Rplus_0_r !Rmult_1_r.
by have : cos (1 + 1) < cos 1; [apply: plane_cos_lt; lra | lra].
Qed.
(* mutant angle 0
   from: 0 < theta
   to:   theta = 0 *)
(* counterexample: {"letters": 1, "theta": "1", "tokens": [["a", 1], ["a", 1], ["a", 1]]} *)

Lemma plane_sin_size x : Rabs (sin x) <= Rabs x.
Proof.
suff pos y : 0 <= y -> Rabs (sin y) <= y.
  case: (Rle_lt_dec 0 x) => sgn; first by rewrite (Rabs_pos_eq x) //; apply: pos.
  by rewrite -[sin x]Ropp_involutive -sin_neg Rabs_Ropp (Rabs_left x) //; apply: pos; lra.
move=> y0; case: (Rle_lt_dec y 1) => [y1|y1]; last by have := SIN_bound y; move=> *; apply: Rabs_le; lra.
case: (Req_dec y 0) => [->|ne]; first by rewrite sin_0 Rabs_R0; lra.
have := PI2_3_2 => pi3; rewrite Rabs_pos_eq; first by apply/Rlt_le/sin_lt_x; lra.
by apply: sin_ge_0; lra.
Qed.

Lemma plane_cos_apart x y : Rabs (cos x - cos y) <= Rabs (x - y).
Proof.
rewrite plane_cos_diff !Rabs_mult (Rabs_pos_eq 2); last by lra.
have := plane_sin_size ((y - x) / 2).
have -> : Rabs (x - y) = 2 * Rabs ((y - x) / 2).
  have e : y - x = 2 * ((y - x) / 2) by field.
  by rewrite Rabs_minus_sym {1}e Rabs_mult (Rabs_pos_eq 2) //; lra.
have : Rabs (sin ((x + y) / 2)) <= 1 by have := SIN_bound ((x + y) / 2); move=> *; apply: Rabs_le; lra.
have := Rabs_pos (sin ((y - x) / 2)); have := Rabs_pos (sin ((x + y) / 2)).
by nra.
Qed.

(** dyn.thm3.1.purely-symbolic.repaired. Each logit changes by at most [(n - 2) |theta|]; omega is not stated. *)
Theorem dyn_thm3_1_purely_symbolic_repaired :
  forall (A n : nat) (theta : R) (x : nat -> 'I_A * ('I_A + nat)) (pi : {perm 'I_n.-1}) (j : 'I_n.-1),
    Rabs (plane_pair_logit theta (x n.-1) (x j) (n.-1 - pi j) - plane_pair_logit theta (x n.-1) (x j) (n.-1 - j))
    <= (INR n - 2) * Rabs theta.
Proof.
move=> A n theta x pi j; rewrite !plane_pair_logitE; apply: Rle_trans (plane_cos_apart _ _) _.
set v := plane_turn _ _.
have -> : INR (n.-1 - pi j) * theta + v - (INR (n.-1 - j) * theta + v) =
    (INR (n.-1 - pi j) - INR (n.-1 - j)) * theta by ring.
rewrite Rabs_mult; apply: Rmult_le_compat_r; first exact: Rabs_pos.
have steps (k : 'I_n.-1) : 1 <= INR (n.-1 - k) <= INR n - 1.
  have := ltn_ord k; case: n k {x pi j v} => [|m] k; first by case: k.
  rewrite [m.+1.-1]/= S_INR => km; split; first by apply: (le_INR 1); apply/leP; rewrite subn_gt0.
  by apply: (Rle_trans _ (INR m)); [exact: (le_INR _ _ (leP (leq_subr k m))) | lra].
by have := steps j; have := steps (pi j) => *; apply: Rabs_le; lra.
Qed.
(* mutant none
   from: (INR n - 2)
   to:   0 *)
(* mutant one less
   from: (INR n - 2)
   to:   (INR n - 3) *)
(* mutant half
   from: (INR n - 2)
   to:   ((INR n - 2) / 2) *)

(** ** Phases set ahead, and low frequencies on Index *)

(** One plane with its phases set ahead: [cos((t - 3/2) theta + e + p omega)], [4e = omega - (2T - 4) theta] (Python:
    `computes_induction_ahead`). *)
Definition plane_ahead S T (theta : R) (q s : 'I_S) (t : nat) : R :=
  cos ((INR t - 3 / 2) * theta + (2 * PI / INR S - (2 * INR T - 4) * theta) / 4 + plane_turn q s).
Arguments plane_ahead : clear implicits.

(** dec.thm6.one-plane.inner. With its phases set ahead the head of one plane is right on every partial induction
    input of T keys if [0 < theta], and [(2T - 4) theta] and [(T - 1) theta] are below omega. *)
Theorem dec_thm6_one_plane_inner :
  forall (S A T : nat) (theta : R),
    0 < theta -> (2 * INR T - 4) * theta < 2 * PI / INR S -> (INR T - 1) * theta < 2 * PI / INR S ->
    plane_induction A T plane_hard (plane_ahead S T theta) (-1).
Proof.
move=> S A T theta angle wide places.
apply: plane_induction_right => [q t u t1 tu uT|q s t u ne t_in u_in tu|q t t_in];
  rewrite /plane_ahead ?plane_turn_self ?Rplus_0_r; last exact: plane_cos_ge_m1.
  have [w0 Sw] := plane_width (leq_ltn_trans (leq0n q) (ltn_ord q)); have S1 := plane_size q.
  set w := 2 * PI / INR S in wide places w0 Sw *; have w_le : w <= 2 * PI by nra.
  move: t1 tu uT => /leP/le_INR /= t1 /leP/le_INR; rewrite S_INR => tu /leP/le_INR uT.
  by apply: plane_cos_lt; split; nra.
have [p [p_in ->]] := plane_turn_number ne.
have [w0 Sw] := plane_width (leq_ltn_trans (leq0n q) (ltn_ord q)).
set w := 2 * PI / INR S in wide places w0 Sw *.
have sum := plane_steps t_in u_in tu.
have low : 3 <= INR t + INR u.
  move: t_in u_in => /andP[/leP/le_INR /= t1 _] /andP[/leP/le_INR /= u1 _].
  by case: (ltngtP t u) tu => // /leP/le_INR; rewrite S_INR; lra.
move: t_in u_in => /andP[/leP/le_INR /= t1 /leP/le_INR tT] /andP[/leP/le_INR /= u1 /leP/le_INR uT].
have pw : w <= p * w <= 2 * PI - w by nra.
have up : (INR t + INR u - 3) * theta <= (2 * INR T - 4) * theta by apply: Rmult_le_compat_r; lra.
have down : 0 <= (INR t + INR u - 3) * theta by apply: Rmult_le_pos; lra.
have ahead : (INR u - INR t) * theta <= (INR T - 1) * theta by apply: Rmult_le_compat_r; lra.
have behind : (INR t - INR u) * theta <= (INR T - 1) * theta by apply: Rmult_le_compat_r; lra.
by apply: plane_cos_lt; split; lra.
Qed.
(* mutant wider
   from: 2 * INR T - 4
   to:   2 * INR T - 5 *)
(* mutant fewer places
   from: INR T - 1
   to:   INR T - 2 *)
(* mutant no angle
   from: 0 < theta
   to:   0 <= theta *)

Lemma plane_small_lead (theta : R) : 1 - cos theta <= theta ^ 2 / 2.
Proof.
have := plane_cos_diff 0 theta; rewrite cos_0 Rminus_0_r Rplus_0_l => ->.
have := plane_sin_size (theta / 2); have := Rabs_pos (sin (theta / 2)).
have sq x : Rabs x * Rabs x = x * x by rewrite -Rabs_mult Rabs_pos_eq //; nra.
by have := sq (sin (theta / 2)); have := sq (theta / 2); nra.
Qed.

(** dec.toy.index-needs-high.margin. Where no multiple of theta aliases, H_POS is right however low the frequency;
    with two keys its smallest lead of the target over another key is above 0 and at most [c theta^2 / 2]. *)
Theorem dec_toy_index_needs_high_margin :
  forall (A n : nat) (c theta : R), 0 < c ->
    (forall t, (1 <= t <= n - 2)%N -> ~ exists z : Z, INR t * theta = 2 * IZR z * PI) ->
    plane_index A n.-1 c theta /\
    (forall i k : 'I_n.-1, k <> i -> 0 < c - c * cos (theta * (INR i - INR k))) /\
    ((3 <= n)%N -> exists i k : 'I_n.-1, k <> i /\ c - c * cos (theta * (INR i - INR k)) <= c * theta ^ 2 / 2).
Proof.
move=> A n c theta c0 free; have e : (n.-1.-1 = n - 2)%N by rewrite -subn1 -subn1 -subnDA.
rewrite -e in free; split; first exact: plane_index_free.
split=> [i k ne|n3].
  have : cos (theta * (INR i - INR k)) < 1; last by nra.
  by apply: plane_free_below free _ _ => [same|]; [apply: ne; apply: val_inj | apply: plane_near].
have n2 : (1 < n.-1)%N by case: (n) n3 => [|[|[|m]]].
exists (Ordinal n2), (Ordinal (ltnW n2)); split; first by move/(congr1 val).
have -> : theta * (INR (Ordinal n2) - INR (Ordinal (ltnW n2))) = theta by rewrite /=; lra.
by have := plane_small_lead theta; nra.
Qed.
(* mutant half the bound
   from: c * theta ^ 2 / 2
   to:   c * theta ^ 2 / 4 *)
(* mutant a third
   from: c * theta ^ 2 / 2
   to:   c * theta ^ 2 / 3 *)
(* mutant one multiple fewer
   from: n - 2
   to:   n - 3 *)
(* mutant no weight
   from: 0 < c ->
   to:   0 <= c -> *)

(** dec.toy.index-needs-high, refuted. A low frequency alone does compute Index: at theta = 1/100 two keys never
    tie. *)
Theorem dec_toy_index_needs_high_fails :
  ~ (forall (A n : nat) (c theta : R), 0 < c -> (2 <= A)%N -> (3 <= n)%N -> 0 < Rabs theta <= 1 / 100 ->
       ~ plane_index A n.-1 c theta).
Proof.
move=> needs; apply: (needs 2%N 3%N 1 (1 / 100)) => //; [lra | by rewrite Rabs_pos_eq; lra |].
apply: plane_index_free => [|t /andP[t1 tn] [z]]; first by lra.
have -> : t = 1%N by case: t t1 tn => [|[|t]].
rewrite /= => e; have := PI2_3_2 => pi3.
case: (Z_le_gt_dec 1 z) => [/IZR_le|/Z.gt_lt less]; first by nra.
have /IZR_le : (z <= 0)%Z by lia.
by nra.
Qed.
(* mutant some multiple aliases
   from: (3 <= n)%N ->
   to:   (3 <= n)%N ->
         ~ (forall t, (1 <= t <= n - 2)%N -> ~ exists z : Z, INR t * theta = 2 * IZR z * PI) -> *)
(* counterexample: {"theta": "1/100", "symbols": 2, "length": 3, "c": "1"} *)
