(** U and inverted U (DEC, theorem 7): how the attention weight on the target depends on where the target stands.

    [w j] is the weight, a softmax, that falls on the target [j] of [N] key positions. For H_POS the key at position
    [k] has the logit [c cos (theta (j - k))]; for the simplified H_SYM the matched key at position [j] has the logit
    [c cos (theta (j - j0))], [j0 = (N + 1) / 2] the centre, and the others share one logit. *)

From Coq Require Import Reals Lra Lia Psatz.
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq fintype finfun bigop.
From headproof Require Import common.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope R_scope.
(* own meanings: drop *)
(* end of header *)

(** ** What the claims speak of *)

(** The positions are 1, ..., N; MathComp counts from 0. *)
Definition place N (j : 'I_N) : R := INR j.+1.

(** H_POS: the logit of the key at [k] where the target stands at [j], [c cos (theta (j - k))]. *)
Definition positional_logit N (c theta : R) (j k : 'I_N) : R := c * cos (theta * (place j - place k)).

(** H_POS: the attention weight [w(j)] on its target [j]; in Python, [positional_step] compares [w(j)] and [w(j+1)]. *)
Definition positional_weight N (c theta : R) (j : 'I_N) : R := softmax (positional_logit c theta j) j.

(** The centre [j0 = (N + 1) / 2]: a place where [N] is odd, between two places where it is even. *)
Definition centre (N : nat) : R := (INR N + 1) / 2.

(** Simplified H_SYM: the logit of the key at [k] where the matched key stands at [j]; all other keys share one. *)
Definition symbolic_logit N (c theta other : R) (j k : 'I_N) : R :=
  if k == j then c * cos (theta * (place j - centre N)) else other.

(** Simplified H_SYM: the attention weight on its matched key; in Python, [symbolic_step] compares neighbours. *)
Definition symbolic_weight N (c theta other : R) (j : 'I_N) : R := softmax (symbolic_logit c theta other j) j.

(** A strict U: from each place [i] to the next one [j] the weight falls in the first half and rises in the second.
    With an even [N] the step between the two middle places is in neither ([falls_then_rises] in Python). *)
Definition falls_then_rises N (w : 'I_N -> R) : Prop :=
  forall i j : 'I_N, nat_of_ord j = i.+1 ->
    ((2 * i.+1 < N)%N -> w j < w i) /\ ((N < 2 * i.+1)%N -> w i < w j).

(** A strict inverted U. *)
Definition rises_then_falls N (w : 'I_N -> R) : Prop :=
  forall i j : 'I_N, nat_of_ord j = i.+1 ->
    ((2 * i.+1 < N)%N -> w i < w j) /\ ((N < 2 * i.+1)%N -> w j < w i).

(** A U in which steps may be level ([at_most=0] in Python). *)
Definition falls_then_rises_or_stays N (w : 'I_N -> R) : Prop :=
  forall i j : 'I_N, nat_of_ord j = i.+1 ->
    ((2 * i.+1 < N)%N -> w j <= w i) /\ ((N < 2 * i.+1)%N -> w i <= w j).

(** An inverted U in which steps may be level. *)
Definition rises_then_falls_or_stays N (w : 'I_N -> R) : Prop :=
  forall i j : 'I_N, nat_of_ord j = i.+1 ->
    ((2 * i.+1 < N)%N -> w i <= w j) /\ ((N < 2 * i.+1)%N -> w j <= w i).

(** [x] is the angle [theta], up to its sign and full periods, brought to [[0, period / 2]]; Python's [reduced]. *)
Definition reduced (period theta x : R) : Prop :=
  0 <= x <= period / 2 /\
  exists turns : Z, theta = IZR turns * period + x \/ theta = IZR turns * period - x.

(** ** Angles *)

Lemma reduced_exists period theta : 0 < period -> exists x, reduced period theta x.
Proof.
move=> pos; set t := theta / period.
have te : theta = t * period by rewrite /t; field; lra.
have [above below] := archimed t; set n := up t in above below.
have [low | high] : t - (IZR n - 1) <= 1 / 2 \/ 1 / 2 < t - (IZR n - 1) by lra.
- exists ((t - (IZR n - 1)) * period); split; first by split; nra.
  by exists (n - 1)%Z; left; rewrite minus_IZR te; ring.
- exists ((IZR n - t) * period); split; first by split; nra.
  by exists n; right; rewrite te; ring.
Qed.

Lemma cos_turns (z : Z) (x : R) : cos (IZR z * (2 * PI) + x) = cos x.
Proof.
have none : sin (IZR z * PI) = 0 by apply: sin_eq_0_1; exists z.
have -> : IZR z * (2 * PI) = 2 * (IZR z * PI) by ring.
by rewrite cos_plus cos_2a_sin sin_2a none; ring.
Qed.

(** What the reduced angle keeps: the cosines of those multiples of the angle that take periods to full turns. *)
Lemma cos_reduced period theta x r (z : Z) :
  reduced period theta x -> period * r = IZR z * (2 * PI) -> cos (theta * r) = cos (x * r).
Proof.
case=> _ [turns [-> | ->]] full.
- have -> : (IZR turns * period + x) * r = IZR (turns * z) * (2 * PI) + x * r
    by rewrite mult_IZR Rmult_assoc -full; ring.
  exact: cos_turns.
- have -> : (IZR turns * period - x) * r = IZR (turns * z) * (2 * PI) + - (x * r)
    by rewrite mult_IZR Rmult_assoc -full; ring.
  by rewrite cos_turns cos_neg.
Qed.

Lemma cos_below (x y : R) : cos x - cos y = 2 * (sin ((y + x) / 2) * sin ((y - x) / 2)).
Proof.
rewrite form2 [x + y]Rplus_comm; have -> : (x - y) / 2 = - ((y - x) / 2) by lra.
by rewrite sin_neg; ring.
Qed.

Lemma exp_lt_iff (x y : R) : exp x < exp y <-> x < y.
Proof. by split; [exact: exp_lt_inv | exact: exp_increasing]. Qed.

Lemma scaled_lt (c x y : R) : 0 < c -> c * x < c * y <-> x < y.
Proof. by move=> pos; split=> less; nra. Qed.

(** Fractions of one numerator, and [e / (e + r)]. *)
Lemma inverse_lt (e d f : R) : 0 < e -> 0 < d -> 0 < f -> e / d < e / f <-> f < d.
Proof.
move=> e0 d0 f0; have -> : e / d = e / (d * f) * f by field; lra.
have -> : e / f = e / (d * f) * d by field; lra.
by apply: scaled_lt; apply: Rdiv_lt_0_compat => //; apply: Rmult_lt_0_compat.
Qed.

Lemma share_lt (e d r : R) : 0 < e -> 0 < d -> 0 < r -> e / (e + r) < d / (d + r) <-> e < d.
Proof.
move=> e0 d0 r0; have -> : e / (e + r) = / ((e + r) * (d + r)) * (e * d + r * e) by field; lra.
have -> : d / (d + r) = / ((e + r) * (d + r)) * (e * d + r * d) by field; lra.
have pos : 0 < / ((e + r) * (d + r)) by apply: Rinv_0_lt_compat; apply: Rmult_lt_0_compat; lra.
by rewrite (scaled_lt _ _ pos); have := scaled_lt e d r0; lra.
Qed.

(** ** One step of the target in H_POS *)

(** From one target to the next the sum of all keys gains the term at one end of the window and loses the other. *)
Lemma window N (e : R -> R) (p : R) :
  sum_(k < N) e (p + 1 - INR k.+1) - sum_(k < N) e (p - INR k.+1) = e p - e (p - INR N).
Proof.
elim: N => [|N IH]; first by rewrite !big_ord0 /= !Rminus_0_r; ring.
rewrite !big_ord_recr; cbn -[INR].
have -> : p + 1 - INR N.+1 = p - INR N by rewrite S_INR; ring.
by move: IH; set one := \big[_/_]_(_ < _) _; set other := \big[_/_]_(_ < _) _; lra.
Qed.

Definition all_keys N (c theta : R) (p : R) : R := sum_(k < N) exp (c * cos (theta * (p - INR k.+1))).

Lemma positional_weightE N c theta (j : 'I_N) :
  positional_weight c theta j = exp c / all_keys N c theta (place j).
Proof. by rewrite /positional_weight /softmax /positional_logit Rminus_diag_eq // Rmult_0_r cos_0 Rmult_1_r. Qed.

Lemma all_keys_gt0 N c theta p (i : 'I_N) : 0 < all_keys N c theta p.
Proof. by apply: (sum_gt0 i) => k; apply: exp_pos. Qed.

(** The cosine of the term gained minus that of the term lost; [p] is the target's place before the step. *)
Definition gap N (theta p : R) : R := cos (theta * p) - cos (theta * (INR N - p)).

Lemma positional_step N c theta (i j : 'I_N) : 0 < c -> nat_of_ord j = i.+1 ->
  (positional_weight c theta j < positional_weight c theta i <-> 0 < gap N theta (place i)) /\
  (positional_weight c theta i < positional_weight c theta j <-> gap N theta (place i) < 0).
Proof.
move=> pos next; rewrite !positional_weightE /gap.
have ej : place j = place i + 1 by rewrite /place next -S_INR.
have jump : all_keys N c theta (place j) - all_keys N c theta (place i) =
            exp (c * cos (theta * place i)) - exp (c * cos (theta * (INR N - place i))).
  have -> : theta * (INR N - place i) = - (theta * (place i - INR N)) by ring.
  by rewrite cos_neg ej; exact: (window N (fun d => exp (c * cos (theta * d))) (place i)).
have e0 := exp_pos c.
have di := all_keys_gt0 c theta (place i) i; have dj := all_keys_gt0 c theta (place j) i.
have logit x y := iff_trans (exp_lt_iff (c * x) (c * y)) (scaled_lt x y pos).
have falls := logit (cos (theta * (INR N - place i))) (cos (theta * place i)).
have rises := logit (cos (theta * place i)) (cos (theta * (INR N - place i))).
by rewrite (inverse_lt e0 dj di) (inverse_lt e0 di dj); lra.
Qed.

Lemma gap_reduced N theta x (i : 'I_N) : reduced (2 * PI) theta x ->
  gap N theta (place i) = 2 * (sin (x / 2 * INR N) * sin (x / 2 * (INR N - 2 * place i))).
Proof.
move=> red; rewrite /gap /place.
rewrite (cos_reduced (z := Z.of_nat i.+1) red); last by rewrite -INR_IZR_INZ; ring.
rewrite (cos_reduced (z := (Z.of_nat N - Z.of_nat i.+1)%Z) red); last by rewrite minus_IZR -!INR_IZR_INZ; ring.
by rewrite cos_below; congr (2 * (sin _ * sin _)); field.
Qed.

(** ** One step of the matched key in the simplified H_SYM *)

Lemma symbolic_weightE N c theta other (j : 'I_N) :
  symbolic_weight c theta other j =
  exp (c * cos (theta * (place j - centre N))) /
  (exp (c * cos (theta * (place j - centre N))) + (INR N - 1) * exp other).
Proof.
rewrite /symbolic_weight /softmax /symbolic_logit eqxx; congr (_ / _).
rewrite (bigD1 j) //= eqxx; congr (_ + _).
rewrite (eq_bigr (fun=> exp other)); last by move=> k /negbTE ->.
have := sum_const_ord N (exp other); rewrite (bigD1 j) //=.
by move=> eq; lra.
Qed.

(** The cosine of the matched key's logit at the place [p] minus that at the next. *)
Definition drop N (theta p : R) : R := cos (theta * (p - centre N)) - cos (theta * (p + 1 - centre N)).

Lemma symbolic_step N c theta other (i j : 'I_N) : 0 < c -> nat_of_ord j = i.+1 ->
  (symbolic_weight c theta other j < symbolic_weight c theta other i <-> 0 < drop N theta (place i)) /\
  (symbolic_weight c theta other i < symbolic_weight c theta other j <-> drop N theta (place i) < 0).
Proof.
move=> pos next; rewrite !symbolic_weightE /drop.
have ej : place j = place i + 1 by rewrite /place next -S_INR.
have rest : 0 < (INR N - 1) * exp other.
  apply: Rmult_lt_0_compat; last exact: exp_pos.
  have : INR 2 <= INR N by apply: le_INR; apply/leP; apply: leq_ltn_trans (ltn_ord j); rewrite next.
  by rewrite [INR 2]/=; lra.
rewrite -ej; set li := cos (theta * (place i - centre N)); set lj := cos (theta * (place j - centre N)).
have ei := exp_pos (c * li); have ejp := exp_pos (c * lj).
have logit x y := iff_trans (exp_lt_iff (c * x) (c * y)) (scaled_lt x y pos).
have one := iff_trans (share_lt ejp ei rest) (logit lj li).
have two := iff_trans (share_lt ei ejp rest) (logit li lj).
split; [apply: iff_trans one _ | apply: iff_trans two _]; lra.
Qed.

(** The period: a full turn where the centre is a place, two where it lies between two of them. *)
Definition period (N : nat) : R := (if odd N then 2 else 4) * PI.

Lemma cos_from_centre N theta x (p : nat) : reduced (period N) theta x ->
  cos (theta * (INR p - centre N)) = cos (x * (INR p - centre N)).
Proof.
move=> red; have half := odd_double_half N.
have eN : INR N = INR (odd N) + 2 * INR N./2.
  by rewrite -{1}half -muln2 plus_INR mult_INR; cbn -[INR]; rewrite [INR 2]/=; ring.
move: red; rewrite /period /centre eN; case: (odd N) => red; cbn in red |- *.
- by apply: (cos_reduced (z := (Z.of_nat p - Z.of_nat N./2 - 1)%Z) red); rewrite !minus_IZR -!INR_IZR_INZ; field.
- by apply: (cos_reduced (z := (2 * Z.of_nat p - 2 * Z.of_nat N./2 - 1)%Z) red);
    rewrite !minus_IZR !mult_IZR -!INR_IZR_INZ; field.
Qed.

Lemma drop_reduced N theta x (i : 'I_N) : reduced (period N) theta x ->
  drop N theta (place i) = 2 * (sin (x / 2) * sin (x / 2 * (2 * place i - INR N))).
Proof.
move=> red; rewrite /drop /place -S_INR !(cos_from_centre _ red) cos_below Rmult_comm -Rmult_assoc Rmult_comm.
rewrite /centre !S_INR.
have -> : (x * (INR i + 1 + 1 - (INR N + 1) / 2) + x * (INR i + 1 - (INR N + 1) / 2)) / 2 =
          x / 2 * (2 * (INR i + 1) - INR N) by field.
have -> : (x * (INR i + 1 + 1 - (INR N + 1) / 2) - x * (INR i + 1 - (INR N + 1) / 2)) / 2 = x / 2 by field.
ring.
Qed.

(** ** Sines that stay positive *)

(** Where the sine is positive at a + b, a + 3 b, ... in steps of at most pi, none of these steps leads past pi. *)
Lemma climb (a : R) (b K : nat) :
  0 < a -> 2 * a <= PI -> (b <= 1)%N ->
  (forall k, (k <= K)%N -> (0 < b + 2 * k)%N -> 0 < sin (a * INR (b + 2 * k))) -> a * INR (b + 2 * K) < PI.
Proof.
move=> pos small b1; elim: K => [|K IH] all_pos.
  by case: b b1 {all_pos} => [|[|//]] _; cbn; have := PI_RGT_0; lra.
have before : a * INR (b + 2 * K) < PI by apply: IH => k le; apply: all_pos (leqW le).
have here : 0 < sin (a * INR (b + 2 * K.+1)) by apply: all_pos; rewrite // addn_gt0 muln_gt0 /= orbT.
have next : a * INR (b + 2 * K.+1) = a * INR (b + 2 * K) + 2 * a.
  have -> : (b + 2 * K.+1 = (b + 2 * K) + 2)%N by rewrite mulnS [(2 + _)%N]addnC addnA.
  by rewrite plus_INR [INR 2]/=; ring.
case: (Rlt_le_dec (a * INR (b + 2 * K.+1)) PI) => // above.
by have := sin_le_0 _ above; lra.
Qed.

Lemma sin_lt_0_near (y : R) : 0 < - y -> - y < PI -> sin y < 0.
Proof. by move=> y0 y1; have := sin_gt_0 _ y0 y1; rewrite sin_neg; lra. Qed.

Lemma product_pos (x y : R) : 0 < x * y -> 0 < x -> 0 < y.
Proof. by move=> xy x0; nra. Qed.

Lemma double_INR (n : nat) : INR (2 * n) = 2 * INR n.
Proof. by rewrite -multE mult_INR [INR 2]/=; ring. Qed.

(** Places on either side of the middle. *)
Lemma first_half N (i : 'I_N) : (2 * i.+1 < N)%N -> 1 <= place i /\ 2 * place i + 1 <= INR N.
Proof.
move=> /leP/le_INR; rewrite /place S_INR double_INR S_INR; have := pos_INR i; lra.
Qed.

Lemma second_half N (i j : 'I_N) : nat_of_ord j = i.+1 -> (N < 2 * i.+1)%N ->
  place i + 1 <= INR N /\ INR N + 1 <= 2 * place i.
Proof.
move=> next /leP/le_INR; rewrite /place S_INR double_INR.
have /leP/le_INR : (i.+2 <= N)%N by rewrite -next.
by rewrite !S_INR; lra.
Qed.

(** ** The U of H_POS *)

Lemma three_R N : (3 <= N)%N -> 3 <= INR N.
Proof. by move=> /leP/le_INR; rewrite [INR 3]/=; lra. Qed.

(** [bound / n] and [n * x], for a positive [n]. *)
Lemma below_quotient (x y n : R) : 0 < n -> x < y / n <-> n * x < y.
Proof.
move=> n0; have e : y = n * (y / n) by field; lra.
by rewrite [in X in _ <-> X]e; split=> less; nra.
Qed.

Lemma above_quotient (x y n : R) : 0 < n -> y / n < x <-> y < n * x.
Proof.
move=> n0; have e : y = n * (y / n) by field; lra.
by rewrite [in X in _ <-> X]e; split=> less; nra.
Qed.

Lemma u_within N c theta x :
  0 < c -> reduced (2 * PI) theta x -> 0 < x -> INR N * x < 2 * PI ->
  falls_then_rises (N := N) (positional_weight c theta).
Proof.
move=> pos red x0 x1 i j next; have [falls rises] := positional_step theta pos next.
rewrite falls rises !(gap_reduced i red).
have N0 : 0 < INR N by apply: lt_0_INR; apply/ltP; apply: leq_ltn_trans (ltn_ord i).
have whole : 0 < sin (x / 2 * INR N) by apply: sin_gt_0; nra.
split=> half.
- have [low high] := first_half half.
  have : 0 < sin (x / 2 * (INR N - 2 * place i)) by apply: sin_gt_0; nra.
  nra.
- have [low high] := second_half next half.
  have : sin (x / 2 * (INR N - 2 * place i)) < 0 by apply: sin_lt_0_near; nra.
  nra.
Qed.

Lemma halves N : exists b K : nat, (b <= 1)%N /\ N = (b + 2 * K)%N.
Proof. by exists (odd N : nat), N./2; rewrite leq_b1 mul2n odd_double_half. Qed.

(** Steps of the first half, by their distance [b + 2 k] from the middle. *)
Lemma left_step (b k q : nat) : (0 < b + 2 * k)%N ->
  exists i j : 'I_(b + 2 * (k + q.+1)), [/\ nat_of_ord j = i.+1, (2 * i.+1 < b + 2 * (k + q.+1))%N &
    INR (b + 2 * (k + q.+1)) - 2 * place i = INR (b + 2 * k)].
Proof.
move=> some; have half : (2 * q.+1 < b + 2 * (k + q.+1))%N.
  by rewrite mulnDr addnA -[X in (X < _)%N]add0n ltn_add2r.
have jn : (q.+1 < b + 2 * (k + q.+1))%N by apply: leq_ltn_trans half; rewrite leq_pmull.
exists (Ordinal (ltnW jn)), (Ordinal jn); split=> //.
by rewrite -[place _]/(INR q.+1) mulnDr addnA plus_INR double_INR; ring.
Qed.

Lemma u_only N c theta x :
  (3 <= N)%N -> 0 < c -> reduced (2 * PI) theta x -> falls_then_rises (N := N) (positional_weight c theta) ->
  0 < x /\ INR N * x < 2 * PI.
Proof.
have [b [K [b1 ->]]] := halves N; move=> three pos red shape; have [[x0 x1] _] := red.
have all k q : (k + q.+1)%N = K -> (0 < b + 2 * k)%N ->
    0 < sin (x / 2 * INR (b + 2 * K)) * sin (x / 2 * INR (b + 2 * k)).
  move=> eK some; move: shape; rewrite -eK => shape.
  have [i [j [next half <-]]] := left_step q some.
  have [/(_ half) falls _] := shape i j next.
  by move: falls; rewrite (positional_step theta pos next).1 (gap_reduced i red); lra.
have [q eK] : exists q, ((1 - b) + q.+1)%N = K.
  exists (K - (1 - b).+1)%N; rewrite addnS -addSn subnKC //.
  by move: three; case: b b1 {all shape} => [|[|//]] _; case: K => [|[|K]].
have near := all _ _ eK; have near0 : (0 < b + 2 * (1 - b))%N by case: b b1 {all shape three near eK} => [|[|]].
have product := near near0.
have small : INR (b + 2 * (1 - b)) <= 2.
  by case: b b1 {all shape three near eK near0 product} => [|[|//]] _; rewrite /=; lra.
have some : 0 <= INR (b + 2 * (1 - b)) by apply: pos_INR.
have low : 0 <= sin (x / 2 * INR (b + 2 * (1 - b))) by apply: sin_ge_0; nra.
have whole : 0 < sin (x / 2 * INR (b + 2 * K)) by nra.
have x_pos : 0 < x.
  case: (Rle_lt_or_eq_dec _ _ x0) => // e; move: whole.
  by rewrite -e; (have -> : 0 / 2 * INR (b + 2 * K) = 0 by field); rewrite sin_0; lra.
split=> //; have : x / 2 * INR (b + 2 * K) < PI; last lra.
apply: climb => //; [lra | lra |] => k le some_k.
have [-> // | lt] : k = K \/ (k < K)%N by move: le; rewrite leq_eqVlt => /orP[/eqP|]; auto.
apply: product_pos whole; apply: (all k (K - k.+1)%N) => //.
by rewrite addnS -addSn subnKC.
Qed.

Lemma u_beyond N c theta x :
  (3 <= N)%N -> 0 < c -> reduced (2 * PI) theta x -> 2 * PI < INR N * x -> (INR N - 2) * x < 2 * PI ->
  rises_then_falls (N := N) (positional_weight c theta).
Proof.
move=> /three_R three pos red x0 x1 i j next; have [falls rises] := positional_step theta pos next.
rewrite falls rises !(gap_reduced i red); have [[x2 x3] _] := red; have pi := PI_RGT_0.
have whole : sin (x / 2 * INR N) < 0 by apply: sin_lt_0; nra.
split=> half.
- have [low high] := first_half half.
  have : 0 < sin (x / 2 * (INR N - 2 * place i)) by apply: sin_gt_0; nra.
  nra.
- have [low high] := second_half next half.
  have : sin (x / 2 * (INR N - 2 * place i)) < 0 by apply: sin_lt_0_near; nra.
  nra.
Qed.

(** ** The inverted U of the simplified H_SYM *)

Lemma inverted_within N c theta other x :
  (3 <= N)%N -> 0 < c -> reduced (period N) theta x -> 0 < x -> (INR N - 2) * x < 2 * PI ->
  rises_then_falls (N := N) (symbolic_weight c theta other).
Proof.
move=> three pos red x0 x1 i j next; have [falls rises] := symbolic_step theta other pos next.
rewrite falls rises !(drop_reduced i red); have pi := PI_RGT_0.
have turn : x < 2 * PI.
  have [[_ x2] _] := red; move: x2; rewrite /period; case: (boolP (odd N)) => odd_N; first lra.
  have : INR 4 <= INR N.
    by apply: le_INR; apply/leP; move: three; rewrite leq_eqVlt => /orP[/eqP e|//]; move: odd_N; rewrite -e.
  by rewrite [INR 4]/=; nra.
have one : 0 < sin (x / 2) by apply: sin_gt_0; lra.
split=> half.
- have [low high] := first_half half.
  have : sin (x / 2 * (2 * place i - INR N)) < 0 by apply: sin_lt_0_near; nra.
  nra.
- have [low high] := second_half next half.
  have : 0 < sin (x / 2 * (2 * place i - INR N)) by apply: sin_gt_0; nra.
  nra.
Qed.

Lemma inverted_only N c theta other x :
  (3 <= N)%N -> 0 < c -> reduced (period N) theta x ->
  rises_then_falls (N := N) (symbolic_weight c theta other) -> 0 < x /\ (INR N - 2) * x < 2 * PI.
Proof.
have [b [K [b1 ->]]] := halves N; move=> three pos red shape; have pi := PI_RGT_0.
have all k q : (k + q.+1)%N = K -> (0 < b + 2 * k)%N -> 0 < sin (x / 2) * sin (x / 2 * INR (b + 2 * k)).
  move=> eK some; move: red shape; rewrite -eK => red shape.
  have [i [j [next half <-]]] := left_step q some.
  have [/(_ half) rises _] := shape i j next; move: rises.
  rewrite (symbolic_step theta other pos next).2 (drop_reduced i red).
  by rewrite -[2 * place i - _]Ropp_minus_distr -Ropp_mult_distr_r sin_neg; lra.
have [L eK] : exists L, K = L.+1 by move: three; case: b b1 {all shape red} => [|[|//]] _; case: K => [//|K]; exists K.
have [x0 x1] : 0 < x /\ x <= PI.
  have [[x0 x1] _] := red; move: x1; rewrite /period oddD oddM /= addbF.
  have : 0 < sin (x / 2) * sin (x / 2 * INR (b + 2 * (1 - b))).
    apply: (all _ (L - (1 - b))%N); last by case: b b1 {all shape three red} => [|[|]].
    rewrite eK addnS subnKC //.
    by move: three; rewrite eK; case: b b1 {all shape red} => [|[|//]] _; case: L {eK}.
  case: b b1 {all shape three red eK} => [|[|//]] _ near x1; rewrite /= in near x1.
  - have one : 0 <= sin (x / 2) by apply: sin_ge_0; lra.
    have two : 0 < sin (x / 2 * (1 + 1)) by nra.
    have below : x <= PI.
      apply: Rnot_lt_le => above; have := @sin_le_0 (x / 2 * (1 + 1)); lra.
    split=> //; case: (Rle_lt_or_eq_dec _ _ x0) => // e; move: two.
    by rewrite -e; (have -> : 0 / 2 * (1 + 1) = 0 by field); rewrite sin_0; lra.
  - split; last lra.
    case: (Rle_lt_or_eq_dec _ _ x0) => // e; move: near.
    by rewrite -e; (have -> : 0 / 2 = 0 by field); rewrite sin_0; lra.
have one : 0 < sin (x / 2) by apply: sin_gt_0; lra.
split=> //; have : x / 2 * INR (b + 2 * L) < PI.
  apply: climb => //; [lra | lra |] => k le some_k.
  by apply: product_pos one; apply: (all k (L - k)%N) => //; rewrite addnS subnKC.
have -> : INR (b + 2 * K) = INR 2 + INR (b + 2 * L) by rewrite eK mulnS addnCA plus_INR.
by rewrite [INR 2]/=; lra.
Qed.

(** ** The claims *)

(** dec.thm7.u-shape.range. For at least three keys and c > 0 the weight of H_POS on its target strictly falls to the
    middle and rises after it if and only if theta, up to its sign and full turns, lies between 0 and 2 pi / N. *)
Theorem dec_thm7_u_shape_range :
  forall (N : nat) (theta c : R), (3 <= N)%N -> 0 < c ->
    falls_then_rises (fun j : 'I_N => positional_weight c theta j) <->
    exists x, reduced (2 * PI) theta x /\ 0 < x < 2 * PI / INR N.
Proof.
move=> N theta c three pos; have N0 : 0 < INR N by have := three_R three; lra.
split=> [shape | [x [red [x0 /(below_quotient _ _ N0) x1]]]]; last exact: (u_within pos red x0 x1).
have [|x red] := reduced_exists theta (period := 2 * PI); first by have := PI_RGT_0; lra.
have [x0 x1] := u_only three pos red shape.
by exists x; rewrite (below_quotient _ _ N0).
Qed.
(* mutant narrower
   from: 2 * PI / INR N
   to:   2 * PI / (INR N + 1) *)
(* mutant wider
   from: 2 * PI / INR N
   to:   2 * PI / (INR N - 1) *)
(* mutant two keys
   from: (3 <= N)%N
   to:   (2 <= N)%N *)
(* mutant inverted
   from: falls_then_rises
   to:   rises_then_falls *)
(* mutant full turns count
   from: reduced (2 * PI) theta x
   to:   theta = x *)

(** dec.thm7.u-shape.beyond. Where theta, reduced by its sign and full turns to [[0, pi]], lies strictly between
    2 pi / N and 2 pi / (N - 2), the weight of H_POS strictly rises to the middle and falls after it. *)
Theorem dec_thm7_u_shape_beyond :
  forall (N : nat) (theta c x : R), (3 <= N)%N -> 0 < c ->
    reduced (2 * PI) theta x -> 2 * PI / INR N < x -> x < 2 * PI / (INR N - 2) ->
    rises_then_falls (fun j : 'I_N => positional_weight c theta j).
Proof.
move=> N theta c x three pos red; have three_N := three_R three.
rewrite above_quotient ?below_quotient; try lra.
exact: u_beyond three pos red.
Qed.
(* mutant further
   from: x < 2 * PI / (INR N - 2)
   to:   x < 2 * PI / (INR N - 3) *)
(* mutant sooner
   from: 2 * PI / INR N < x
   to:   2 * PI / (INR N + 1) < x *)
(* mutant upright
   from: rises_then_falls
   to:   falls_then_rises *)

(** dec.thm7.u-shape. The printed claim, for every angle and with level steps allowed, fails: with three keys and
    theta = pi the ends see the logits c, -c, c and the middle -c, c, -c, so that the middle has the largest weight. *)
Theorem dec_thm7_u_shape_fails :
  ~ (forall (N : nat) (theta c : R), 0 < c ->
       falls_then_rises_or_stays (fun j : 'I_N => positional_weight c theta j)).
Proof.
move=> printed; have pi := PI_RGT_0.
have shape := printed 3%N PI 1 Rlt_0_1.
have [/(_ isT) falls _] := shape ord0 (Ordinal (isT : (1 < 3)%N)) erefl.
have turned : rises_then_falls (N := 3) (positional_weight 1 PI).
  apply: (u_beyond (x := PI)) => //=; try lra.
  by split; [lra | exists 0%Z; left; ring].
by have [/(_ isT) rises _] := turned ord0 (Ordinal (isT : (1 < 3)%N)) erefl; lra.
Qed.
(* counterexample: {"theta": "pi", "keys": 3, "c": "1"} *)
(* mutant below a full turn
   from: 0 < c ->
   to:   0 < c -> 0 <= theta -> INR N * theta < 2 * PI -> *)

(** dec.thm7.inverted-u.range. For at least three keys and c > 0, whatever logit the other keys share, the weight of
    the simplified H_SYM on its matched key strictly rises to the centre and falls after it if and only if theta, up to
    its sign and full turns (two full turns where N is even), lies between 0 and 2 pi / (N - 2). *)
Theorem dec_thm7_inverted_u_range :
  forall (N : nat) (theta c other : R), (3 <= N)%N -> 0 < c ->
    rises_then_falls (fun j : 'I_N => symbolic_weight c theta other j) <->
    exists x, reduced ((if odd N then 2 else 4) * PI) theta x /\ 0 < x < 2 * PI / (INR N - 2).
Proof.
move=> N theta c other three pos; have N0 : 0 < INR N - 2 by have := three_R three; lra.
split=> [shape | [x [red [x0 /(below_quotient _ _ N0) x1]]]]; last exact: (inverted_within other three pos red x0 x1).
have [|x red] := reduced_exists theta (period := period N).
  by rewrite /period; case: (odd N); have := PI_RGT_0; lra.
have [x0 x1] := inverted_only three pos red shape.
by exists x; rewrite (below_quotient _ _ N0).
Qed.
(* mutant narrower
   from: (INR N - 2)
   to:   (INR N - 1) *)
(* mutant wider
   from: (INR N - 2)
   to:   (INR N - 3) *)
(* mutant as the U
   from: (INR N - 2)
   to:   INR N *)
(* mutant two keys
   from: (3 <= N)%N
   to:   (2 <= N)%N *)
(* mutant one turn
   from: (if odd N then 2 else 4)
   to:   2 *)

(** dec.thm7.inverted-u. The printed claim, for every angle and with level steps allowed, fails: with five keys and
    theta = pi the matched key has the logit c at the centre, -c one place from it, and c again two places from it. *)
Theorem dec_thm7_inverted_u_fails :
  ~ (forall (N : nat) (theta c other : R), 0 < c ->
       rises_then_falls_or_stays (fun j : 'I_N => symbolic_weight c theta other j)).
Proof.
move=> printed; have shape := printed 5%N PI 1 0 Rlt_0_1.
pose one : 'I_5 := ord0; pose two := Ordinal (isT : (1 < 5)%N).
have [/(_ isT) rises _] := shape one two erefl.
have [falls _] := symbolic_step PI 0 Rlt_0_1 (erefl : nat_of_ord two = one.+1).
suff : symbolic_weight 1 PI 0 two < symbolic_weight 1 PI 0 one by lra.
apply/falls; rewrite /drop /place /centre /=.
have -> : PI * (1 - (1 + 1 + 1 + 1 + 1 + 1) / 2) = - (2 * PI) by field.
have -> : PI * (1 + 1 - (1 + 1 + 1 + 1 + 1 + 1) / 2) = - PI by field.
by rewrite !cos_neg cos_2PI cos_PI; lra.
Qed.
(* counterexample: {"theta": "pi", "keys": 5, "c": "1"} *)
(* mutant within the range
   from: 0 < c ->
   to:   0 < c -> 0 <= theta -> (INR N - 2) * theta < 2 * PI -> *)
