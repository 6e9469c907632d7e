(** Disentanglement: how far position and content add up in a rotary head's logits, and why (GEN, theorem 2).

    Vectors of a rotary plane are pairs of reals; a head has planes f in ['I_p] that turn by theta_f a step. Tables are
    [M : 'I_m -> 'I_m -> R] as in exclusion.v, with [M a b] the logit of key content [a] at key position [b]. *)

From Coq Require Import Reals Lra Lia Psatz.
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq fintype finfun bigop fingroup perm.
From headproof Require Import common exclusion.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope R_scope.
(* own meanings: double, minus, sigma *)
(* end of header *)

(** ** A rotary head, plane by plane *)

(** A vector of a rotary plane. The inner product [dot], and [turn phi v] for [R(phi) v], are those of exclusion.v. *)
Definition vec : Type := (R * R)%type.

(** The determinant [v x w]. *)
Definition cross (v w : vec) : R := v.1 * w.2 - v.2 * w.1.

(** The difference [v - w]. *)
Definition minus (v w : vec) : vec := (v.1 - w.1, v.2 - w.2).

(** The multiple [c v]. *)
Definition times (c : R) (v : vec) : vec := (c * v.1, c * v.2).

(** The length [|v|]. *)
Definition norm (v : vec) : R := sqrt (dot v v).

(** [W(q, k, d) = sum_f q_f . R(theta_f d) k_f], the logit of a key at distance d from a query, over p planes. *)
Definition logit p (theta : 'I_p -> R) (q k : 'I_p -> vec) (d : R) : R :=
  sum_(f < p) dot (q f) (turn (theta f * d) (k f)).

(** [I = W(q, k, d) - W(q, k0, d) - W(q, k, d0) + W(q, k0, d0)], the interaction ([InteractionCase.interaction]). *)
Definition interaction p (theta : 'I_p -> R) (q k k0 : 'I_p -> vec) (d d0 : R) : R :=
  logit theta q k d - logit theta q k0 d - logit theta q k d0 + logit theta q k0 d0.

(** One plane's double difference of a product: [I_f] is that of [dot], and [J_f] that of [cross]
    ([InteractionCase.interactions] and [InteractionCase.across]). *)
Definition double (product : vec -> vec -> R) (theta : R) (q k k0 : vec) (d d0 : R) : R :=
  product q (turn (theta * d) k) - product q (turn (theta * d) k0)
  - product q (turn (theta * d0) k) + product q (turn (theta * d0) k0).

(** ** One plane *)

Lemma dot_ge0 v : 0 <= dot v v.
Proof. rewrite /dot; nra. Qed.

Lemma norm_ge0 v : 0 <= norm v.
Proof. exact: sqrt_pos. Qed.

Lemma norm_sqr v : norm v * norm v = dot v v.
Proof. exact: sqrt_sqrt (dot_ge0 v). Qed.

Lemma sin_sqr x : sin x * sin x = 1 - cos x * cos x.
Proof. have := sin2_cos2 x; rewrite /Rsqr; lra. Qed.

Lemma chord x y : (cos x - cos y) ^ 2 + (sin x - sin y) ^ 2 = 4 * sin ((x - y) / 2) ^ 2.
Proof.
have -> : (cos x - cos y) ^ 2 + (sin x - sin y) ^ 2
  = (sin x * sin x + cos x * cos x) + (sin y * sin y + cos y * cos y) - 2 * (cos x * cos y + sin x * sin y) by ring.
rewrite -cos_minus !sin_sqr.
have -> : cos (x - y) = cos (2 * ((x - y) / 2)) by congr cos; lra.
by rewrite cos_2a_sin; ring.
Qed.

Lemma interaction_planes p (theta : 'I_p -> R) q k k0 d d0 :
  interaction theta q k k0 d d0 = sum_(f < p) double dot (theta f) (q f) (k f) (k0 f) d d0.
Proof. by rewrite /interaction /logit /double !(sum_add, sum_sub). Qed.

Section Plane.
Variables (theta d d0 : R) (q k k0 : vec).
Let inter := double dot theta q k k0 d d0.
Let missed := double cross theta q k k0 d d0.
Let bound := 2 * norm q * norm (minus k k0) * Rabs (sin (theta * (d - d0) / 2)).

Lemma bound_ge0 : 0 <= bound.
Proof.
by rewrite /bound; repeat apply: Rmult_le_pos; [lra | exact: norm_ge0 | exact: norm_ge0 | exact: Rabs_pos].
Qed.

Lemma bound_sqr : bound ^ 2 = 4 * dot q q * dot (minus k k0) (minus k k0) * sin (theta * (d - d0) / 2) ^ 2.
Proof. by rewrite -!norm_sqr -(pow2_abs (sin _)) /bound; ring. Qed.

(** [I^2 + J^2 = (2 |q| |k - k0| sin)^2]: what the interaction misses of its bound. *)
Lemma lagrange : inter ^ 2 + missed ^ 2 = bound ^ 2.
Proof.
have -> : inter ^ 2 + missed ^ 2 = dot q q * dot (minus k k0) (minus k k0) *
    ((cos (theta * d) - cos (theta * d0)) ^ 2 + (sin (theta * d) - sin (theta * d0)) ^ 2).
  by rewrite /inter /missed /double /dot /cross /turn /minus /=; ring.
rewrite chord bound_sqr; have -> : (theta * d - theta * d0) / 2 = theta * (d - d0) / 2 by lra.
by ring.
Qed.

Lemma plane_bound : - bound <= inter <= bound.
Proof. by have := bound_ge0; have := lagrange; nra. Qed.

Lemma plane_equality : (inter = bound <-> missed = 0 /\ 0 <= inter) /\ (- inter = bound <-> missed = 0 /\ inter <= 0).
Proof.
have pos := bound_ge0; have eq := lagrange.
split; split=> [attained | [none sign]].
- split; last by lra.
  by move: eq; rewrite attained; nra.
- by move: eq; rewrite none; nra.
- split; last by lra.
  by move: eq; rewrite -attained; nra.
by move: eq; rewrite none; nra.
Qed.
End Plane.

(** ** Sums of planes *)

Section Totals.
Variables (p : nat) (f g : 'I_p -> R).

Lemma sum_within (P : pred 'I_p) : (forall i, - g i <= f i <= g i) ->
  - (sum_(i < p | P i) g i) <= sum_(i < p | P i) f i <= sum_(i < p | P i) g i.
Proof. by move=> within; rewrite -sum_opp; split; apply: sum_le => i _; have := within i; lra. Qed.

Lemma abs_sum : (forall i, - g i <= f i <= g i) -> Rabs (sum_(i < p) f i) <= sum_(i < p) g i.
Proof. by move=> within; apply: Rabs_le; exact: sum_within. Qed.

Lemma abs_sum_lt i : (forall j, - g j <= f j <= g j) -> - g i < f i < g i ->
  Rabs (sum_(j < p) f j) < sum_(j < p) g j.
Proof.
move=> within below; rewrite (bigD1 i) //= [X in _ < X](bigD1 i) //=.
have := sum_within (fun j => j != i) within.
set rest := \big[Rplus/0]_(j < p | _) f j; set others := \big[Rplus/0]_(j < p | _) g j => between.
by apply: Rabs_def1; lra.
Qed.

Lemma sum_attained : (forall i, - g i <= f i <= g i) ->
  sum_(i < p) f i = sum_(i < p) g i <-> forall i, f i = g i.
Proof.
move=> within; split=> [total i | each]; last by apply: eq_bigr => i _.
suff: g i - f i = 0 by lra.
apply: (@sum_eq0 _ xpredT (fun i => g i - f i)) => //; last by rewrite sum_sub total; exact: Rminus_diag_eq.
by move=> j _; have := within j; lra.
Qed.
End Totals.

(** gen.thm2. How far the logits of two keys at two distances are from adding up is at most the sum over planes of
    [2 |q_f| |k_f - k0_f| |sin(theta_f (d - d0) / 2)|]. *)
Theorem gen_thm2 :
  forall (p : nat) (theta : 'I_p -> R) (q k k0 : 'I_p -> vec) (d d0 : R),
  Rabs (interaction theta q k k0 d d0) <=
  sum_(f < p) (2 * norm (q f) * norm (minus (k f) (k0 f)) * Rabs (sin (theta f * (d - d0) / 2))).
Proof.
move=> p theta q k k0 d d0; rewrite interaction_planes.
by apply: abs_sum => f; apply: plane_bound.
Qed.
(* mutant halved
   from: 2 * norm (q f)
   to:   1 * norm (q f) *)
(* mutant whole angle
   from: theta f * (d - d0) / 2
   to:   theta f * (d - d0) *)
(* mutant one key
   from: norm (minus (k f) (k0 f))
   to:   norm (k f) *)

(** gen.thm2.equality. The interaction is its bound, or minus its bound, exactly where in every plane the double
    difference of the cross product vanishes and no plane's interaction has the other sign; and it is its bound for keys
    that differ by any multiples [>= 0] of [R(theta_f d)^T q_f - R(theta_f d0)^T q_f]. *)
Theorem gen_thm2_equality :
  forall (p : nat) (theta : 'I_p -> R) (q k k0 : 'I_p -> vec) (d d0 : R),
  let I := interaction theta q k k0 d d0 in
  let I_ f := double dot (theta f) (q f) (k f) (k0 f) d d0 in
  let J_ f := double cross (theta f) (q f) (k f) (k0 f) d d0 in
  let bound := sum_(f < p) (2 * norm (q f) * norm (minus (k f) (k0 f)) * Rabs (sin (theta f * (d - d0) / 2))) in
  (I = bound <-> forall f, J_ f = 0 /\ 0 <= I_ f) /\
  (I = - bound <-> forall f, J_ f = 0 /\ I_ f <= 0) /\
  ((forall f, exists factor, 0 <= factor /\ minus (k f) (k0 f) =
      times factor (minus (turn (- (theta f * d)) (q f)) (turn (- (theta f * d0)) (q f)))) -> I = bound).
Proof.
move=> p theta q k k0 d d0 I I_ J_ bound.
have within f := plane_bound (theta f) d d0 (q f) (k f) (k0 f).
have equal f := plane_equality (theta f) d d0 (q f) (k f) (k0 f).
have attained : I = bound <-> forall f, J_ f = 0 /\ 0 <= I_ f.
  rewrite /I interaction_planes /bound (sum_attained within).
  by split=> each f; apply/(proj1 (equal f)); apply: each.
split=> //; split.
  have within' f : - (2 * norm (q f) * norm (minus (k f) (k0 f)) * Rabs (sin (theta f * (d - d0) / 2))) <= - I_ f
      <= 2 * norm (q f) * norm (minus (k f) (k0 f)) * Rabs (sin (theta f * (d - d0) / 2)).
    by have := within f; rewrite -/(I_ f); lra.
  have -> : I = - bound <-> - I = bound by split=> ?; lra.
  rewrite /I interaction_planes -sum_opp /bound (sum_attained within').
  by split=> each f; apply/(proj2 (equal f)); apply: each.
move=> steepest; apply/attained => f; have [c [c0 differ]] := steepest f.
have [] : (k f).1 = (k0 f).1 + (minus (k f) (k0 f)).1 /\ (k f).2 = (k0 f).2 + (minus (k f) (k0 f)).2.
  by rewrite /minus /=; lra.
rewrite /I_ /J_ /double /dot /cross /turn differ /minus /times /turn /= !cos_neg !sin_neg => -> ->.
split; first by ring.
set c1 := cos _; set s1 := sin _; set c2 := cos _; set s2 := sin _.
match goal with |- 0 <= ?x =>
  have -> : x = c * ((c1 - c2) ^ 2 + (s1 - s2) ^ 2) * ((q f).1 ^ 2 + (q f).2 ^ 2) by ring
end.
have sq := pow2_ge_0; repeat apply: Rmult_le_pos => //; apply: Rplus_le_le_0_compat; exact: sq.
Qed.
(* mutant any signs
   from: J_ f = 0 /\ 0 <= I_ f
   to:   J_ f = 0 *)
(* mutant along the query
   from: double cross (theta f) (q f) (k f) (k0 f) d d0
   to:   Rabs (sin (theta f * (d - d0) / 2)) * cross (q f) (minus (k f) (k0 f)) *)
(* mutant turned once
   from: times factor (minus (turn (- (theta f * d)) (q f)) (turn (- (theta f * d0)) (q f)))
   to:   times factor (turn (- (theta f * d)) (q f)) *)

(** ** The angles themselves *)

Lemma abs_sin_lt x : 0 < x -> Rabs (sin x) < x.
Proof.
move=> pos; have [lo _] := SIN_bound x; apply: Rabs_def1; first exact: sin_lt_x.
have pi := PI2_1; case: (Rle_lt_dec x 1) => at_one; last by lra.
suff: 0 < sin x by lra.
by apply: sin_gt_0; lra.
Qed.

Lemma half_sine theta shift : 0 <= theta ->
  2 * Rabs (sin (theta * shift / 2)) <= Rmin 2 (theta * Rabs shift) /\
  (0 < theta * Rabs shift < 2 -> 2 * Rabs (sin (theta * shift / 2)) < Rmin 2 (theta * Rabs shift)).
Proof.
move=> pos; have at_most : Rabs (sin (theta * shift / 2)) <= 1 by apply: Rabs_le; have := SIN_bound (theta * shift / 2).
have -> : Rabs (sin (theta * shift / 2)) = Rabs (sin (theta * Rabs shift / 2)).
  case: (Rle_dec 0 shift) => sign; first by rewrite (Rabs_pos_eq shift).
  rewrite (Rabs_left shift); last by lra.
  have -> : theta * - shift / 2 = - (theta * shift / 2) by lra.
  by rewrite sin_neg Rabs_Ropp.
rewrite {at_most}; set arc := theta * Rabs shift.
have arc0 : 0 <= arc by apply: Rmult_le_pos => //; exact: Rabs_pos.
have at_most : Rabs (sin (arc / 2)) <= 1 by apply: Rabs_le; have := SIN_bound (arc / 2).
have below : 0 < arc -> Rabs (sin (arc / 2)) < arc / 2 by move=> ?; apply: abs_sin_lt; lra.
split=> [|[? ?]]; last by rewrite Rmin_right; [have := below | ]; lra.
apply: Rmin_glb; first lra.
case: (Rle_lt_or_eq_dec _ _ arc0) => [/below | <-]; first lra.
by rewrite /Rdiv Rmult_0_l sin_0 Rabs_R0; lra.
Qed.

(** gen.thm2.slow. A plane adds to the interaction at most |q_f| |k_f - k0_f| times the smaller of 2 and the angle by
    which it turns from the one distance to the other; the sum is not attained where a plane with an angle below 2 has a
    part of it that is not zero. *)
Theorem gen_thm2_slow :
  forall (p : nat) (theta : 'I_p -> R) (q k k0 : 'I_p -> vec) (d d0 : R),
  let I := interaction theta q k k0 d d0 in
  let part f := norm (q f) * norm (minus (k f) (k0 f)) * Rmin 2 (theta f * Rabs (d - d0)) in
  (forall f, 0 <= theta f) ->
  Rabs I <= sum_(f < p) part f /\
  ((exists f, theta f * Rabs (d - d0) < 2 /\ part f <> 0) -> Rabs I < sum_(f < p) part f).
Proof.
move=> p theta q k k0 d d0 I part angles; rewrite /I interaction_planes.
have size f : 0 <= norm (q f) * norm (minus (k f) (k0 f)) by apply: Rmult_le_pos; exact: norm_ge0.
have plane f := plane_bound (theta f) d d0 (q f) (k f) (k0 f).
have within f : - part f <= double dot (theta f) (q f) (k f) (k0 f) d d0 <= part f.
  have [most _] := half_sine (d - d0) (angles f).
  by have := plane f; have := size f; rewrite /part; nra.
split; first exact: abs_sum.
move=> [f [slow nonzero]]; apply: (abs_sum_lt (i := f)) => //.
have [_ less] := half_sine (d - d0) (angles f).
have arc0 : 0 <= theta f * Rabs (d - d0) by apply: Rmult_le_pos => //; exact: Rabs_pos.
have arc : theta f * Rabs (d - d0) <> 0.
  by move=> none; apply: nonzero; rewrite /part none Rmin_right; lra.
have pos : norm (q f) * norm (minus (k f) (k0 f)) <> 0 by move=> none; apply: nonzero; rewrite /part none; lra.
have {}less : 2 * Rabs (sin (theta f * (d - d0) / 2)) < Rmin 2 (theta f * Rabs (d - d0)) by apply: less; lra.
by have := plane f; have := size f; rewrite /part; nra.
Qed.
(* mutant one
   from: Rmin 2 (theta f * Rabs (d - d0))
   to:   Rmin 1 (theta f * Rabs (d - d0)) *)
(* mutant half the angle
   from: Rmin 2 (theta f * Rabs (d - d0))
   to:   Rmin 2 (theta f * Rabs (d - d0) / 2) *)
(* mutant the distance itself
   from: Rmin 2 (theta f * Rabs (d - d0))
   to:   Rmin 2 (theta f * d) *)
(* mutant never attained
   from: theta f * Rabs (d - d0) < 2 /\ part f <> 0
   to:   part f <> 0 *)

(** gen.thm2.pattern. If each plane is either quiet (the keys vary there by at most eps) or slow (it turns by at most
    eta from the one distance to the other), the interaction is at most 2 eps times the query's lengths in the quiet
    planes plus eta times |q_f| |k_f - k0_f| in the slow ones. *)
Theorem gen_thm2_pattern :
  forall (p : nat) (theta : 'I_p -> R) (q k k0 : 'I_p -> vec) (d d0 eps eta : R) (quiet : 'I_p -> bool),
  (forall f, 0 <= theta f) ->
  (forall f, quiet f -> norm (minus (k f) (k0 f)) <= eps) ->
  (forall f, ~~ quiet f -> theta f * Rabs (d - d0) <= eta) ->
  Rabs (interaction theta q k k0 d d0) <=
  2 * eps * sum_(f < p | quiet f) norm (q f) +
  eta * sum_(f < p | ~~ quiet f) (norm (q f) * norm (minus (k f) (k0 f))).
Proof.
move=> p theta q k k0 d d0 eps eta quiet angles varies turns.
apply: Rle_trans (gen_thm2 theta q k k0 d d0) _.
rewrite -!sum_scale (bigID quiet) /=; apply: Rplus_le_compat; apply: sum_le => f which.
- have : Rabs (sin (theta f * (d - d0) / 2)) <= 1 by apply: Rabs_le; have := SIN_bound (theta f * (d - d0) / 2).
  have := Rabs_pos (sin (theta f * (d - d0) / 2)); have := varies f which.
  have := norm_ge0 (minus (k f) (k0 f)); have := norm_ge0 (q f).
  set size := norm (minus _ _); set s := Rabs _ => *.
  apply: Rle_trans (_ : 2 * norm (q f) * size * 1 <= _); last by nra.
  by apply: Rmult_le_compat_l => //; nra.
have [most _] := half_sine (d - d0) (angles f).
have := Rmin_r 2 (theta f * Rabs (d - d0)); have := turns f which.
have : 0 <= norm (q f) * norm (minus (k f) (k0 f)) by apply: Rmult_le_pos; exact: norm_ge0.
by nra.
Qed.
(* mutant eps once
   from: 2 * eps * sum_
   to:   eps * sum_ *)
(* mutant half eta
   from: eta * sum_
   to:   eta / 2 * sum_ *)
(* mutant slow planes alone
   from: 2 * eps * sum_(f < p | quiet f) norm (q f) +
   to: *)
(* mutant quiet planes alone
   from: + eta * sum_(f < p | ~~ quiet f) (norm (q f) * norm (minus (k f) (k0 f)))
   to: *)

(** ** Tables *)

(** [I(a, a0, b, b0)], a table's double difference at the contents a, a0 and positions b, b0 ([double_differences]). *)
Definition double_difference m (M : 'I_m -> 'I_m -> R) (a a0 b b0 : 'I_m) : R :=
  M a b - M a0 b - M a b0 + M a0 b0.

(** The means of the rows, of the columns and of all entries of a table. *)
Definition row_mean m (M : 'I_m -> 'I_m -> R) (a : 'I_m) : R := mean (M a).
Definition column_mean m (M : 'I_m -> 'I_m -> R) (b : 'I_m) : R := mean (fun a => M a b).
Definition grand_mean m (M : 'I_m -> 'I_m -> R) : R := mean (row_mean M).

(** [r_ab], the interaction effects of the analysis of variance: an entry less its row's and its column's mean, plus the
    grand mean ([effects]). *)
Definition effect m (M : 'I_m -> 'I_m -> R) (a b : 'I_m) : R :=
  M a b - row_mean M a - column_mean M b + grand_mean M.

(** The largest of finitely many numbers that are not negative. *)
Definition largest m (x : 'I_m -> R) : R := \big[Rmax/0]_(j < m) x j.

(** Sums over the keys, once more: with no more in them than the sums' own form. *)
Section KeySums.
Variables (m : nat) (f g : 'I_m -> R).

Lemma key_add : sum_(i < m) (f i + g i) = sum_(i < m) f i + sum_(i < m) g i.
Proof. exact: sum_add. Qed.

Lemma key_sub : sum_(i < m) (f i - g i) = sum_(i < m) f i - sum_(i < m) g i.
Proof. exact: sum_sub. Qed.

Lemma key_scale c : sum_(i < m) (c * f i) = c * sum_(i < m) f i.
Proof. exact: sum_scale. Qed.

Lemma key_scale_r c : sum_(i < m) (f i * c) = (sum_(i < m) f i) * c.
Proof. by rewrite big_distrl. Qed.

Lemma key_eq : (forall i, f i = g i) -> sum_(i < m) f i = sum_(i < m) g i.
Proof. by move=> eq; apply: eq_bigr => i _; exact: eq. Qed.

Lemma key_le : (forall i, f i <= g i) -> sum_(i < m) f i <= sum_(i < m) g i.
Proof. by move=> le; apply: sum_le => i _; exact: le. Qed.

Lemma key_abs : Rabs (sum_(i < m) f i) <= sum_(i < m) Rabs (f i).
Proof. by apply: abs_sum => i; split; [have := Rle_abs (- f i); rewrite Rabs_Ropp; lra | exact: Rle_abs]. Qed.

Lemma le_largest i : f i <= largest f.
Proof.
rewrite /largest; have : i \in index_enum (ordinal_finType m) by rewrite mem_index_enum.
elim: (index_enum _) => // j rest IH; rewrite big_cons inE => /orP[/eqP <- | /IH at_most]; first exact: Rmax_l.
by apply: Rle_trans at_most _; exact: Rmax_r.
Qed.

Lemma largest_le c : 0 <= c -> (forall i, f i <= c) -> largest f <= c.
Proof. by move=> c0 le; apply: (big_ind (fun x => x <= c)) => // x y; exact: Rmax_lub. Qed.

Lemma largest_ge0 : 0 <= largest f.
Proof. by apply: (big_rec (fun x => 0 <= x)) => [|i x _ x0]; [lra | apply: Rle_trans x0 _; exact: Rmax_r]. Qed.
End KeySums.

Lemma key_exchange m n (F : 'I_m -> 'I_n -> R) :
  sum_(i < m) sum_(j < n) F i j = sum_(j < n) sum_(i < m) F i j.
Proof. exact: exchange_big. Qed.

(** gen.additive.interaction. Content and position add up in a table if and only if all its double differences
    vanish. *)
Theorem gen_additive_interaction :
  forall (m : nat) (M : 'I_m -> 'I_m -> R),
  (forall a a0 b b0, M a b - M a0 b - M a b0 + M a0 b0 = 0) <->
  (exists c d : 'I_m -> R, forall a b, M a b = c a + d b).
Proof.
move=> m M; split=> [none | [c [d sum]] a a0 b b0]; last by rewrite !sum; lra.
case: m M none => [|m] M none; first by exists (fun=> 0), (fun=> 0) => -[].
exists (fun a => M a ord0), (fun b => M ord0 b - M ord0 ord0) => a b.
by have := none a ord0 b ord0; lra.
Qed.
(* mutant content alone
   from: M a b = c a + d b
   to:   M a b = c a *)
(* mutant product
   from: M a b = c a + d b
   to:   M a b = c a * d b *)
(* mutant pairs of keys
   from: forall a a0 b b0, M a b - M a0 b - M a b0 + M a0 b0 = 0
   to:   forall a b, M a b + M b a - M a a - M b b = 0 *)

Section Effects.
Variables (m : nat) (M : 'I_m -> 'I_m -> R).

Lemma row_effects a : sum_(b < m) effect M a b = 0.
Proof.
have pos : INR m <> 0 by apply: not_0_INR => empty; move: (a) => [i]; rewrite empty.
rewrite (key_add (fun b => M a b - row_mean M a - column_mean M b)) !key_sub !sum_const_ord.
have -> : sum_(b < m) column_mean M b = INR m * grand_mean M.
  rewrite /column_mean /grand_mean /row_mean /mean !key_scale_r exchange_big /=.
  by field.
by rewrite /row_mean /mean; field.
Qed.

Lemma column_effects b : sum_(a < m) effect M a b = 0.
Proof.
have pos : INR m <> 0 by apply: not_0_INR => empty; move: (b) => [i]; rewrite empty.
rewrite (key_add (fun a => M a b - row_mean M a - column_mean M b)) !key_sub !sum_const_ord.
by rewrite /column_mean /grand_mean /mean; field.
Qed.

Lemma double_of_effects a a0 b b0 :
  double_difference M a a0 b b0 = effect M a b - effect M a0 b - effect M a b0 + effect M a0 b0.
Proof. by rewrite /double_difference /effect; lra. Qed.

(** An effect is the mean of the double differences over the other content and the other position. *)
Lemma effect_mean a b :
  effect M a b = 1 / INR m ^ 2 * sum_(a0 < m) sum_(b0 < m) double_difference M a a0 b b0.
Proof.
have pos : INR m <> 0 by apply: not_0_INR => empty; move: (a) => [i]; rewrite empty.
have -> : sum_(a0 < m) sum_(b0 < m) double_difference M a a0 b b0 =
    sum_(a0 < m) (INR m * (effect M a b - effect M a0 b)).
  apply: key_eq => a0; rewrite (key_eq (fun b0 => double_of_effects a a0 b b0)).
  rewrite (key_add (fun b0 => effect M a b - effect M a0 b - effect M a b0)) key_sub sum_const_ord !row_effects.
  by lra.
by rewrite key_scale key_sub sum_const_ord column_effects; field.
Qed.
End Effects.

(** Numbers with mean 0: the squares of their differences, and their own. *)
Lemma squares_of_differences m (x : 'I_m -> R) : sum_(j < m) x j = 0 ->
  sum_(j < m) sum_(k < m) (x j - x k) ^ 2 = 2 * INR m * sum_(j < m) x j ^ 2.
Proof.
move=> none.
have -> : sum_(j < m) sum_(k < m) (x j - x k) ^ 2 = sum_(j < m) (INR m * x j ^ 2 + sum_(k < m) x k ^ 2).
  apply: key_eq => j.
  rewrite (key_eq (g := fun k => x j ^ 2 + (x k ^ 2 - (2 * x j) * x k))); last by move=> k; ring.
  by rewrite key_add key_sub key_scale none sum_const_ord; lra.
by rewrite key_add key_scale sum_const_ord; lra.
Qed.

(** gen.additive.mean. The interaction effect of the analysis of variance is the mean of the double differences over the
    other content and the other position, and the mean of all squared double differences is 4 times the mean of its
    square. *)
Theorem gen_additive_mean :
  forall (m : nat) (M : 'I_m -> 'I_m -> R),
  let I := double_difference M in
  let r := effect M in
  (forall a b, r a b = 1 / INR m ^ 2 * sum_(a0 < m) sum_(b0 < m) I a a0 b b0) /\
  1 / INR m ^ 4 * sum_(a < m) sum_(a0 < m) sum_(b < m) sum_(b0 < m) I a a0 b b0 ^ 2 =
  4 / INR m ^ 2 * sum_(a < m) sum_(b < m) r a b ^ 2.
Proof.
move=> m M I r; split; first exact: effect_mean.
case: m M @I @r => [|m] M I r; first by rewrite !big_ord0; lra.
have pos : INR m.+1 <> 0 by exact: not_0_INR.
suff -> : sum_(a < m.+1) sum_(a0 < m.+1) sum_(b < m.+1) sum_(b0 < m.+1) I a a0 b b0 ^ 2 =
    4 * INR m.+1 ^ 2 * sum_(a < m.+1) sum_(b < m.+1) r a b ^ 2 by field.
have by_rows a a0 : sum_(b < m.+1) sum_(b0 < m.+1) I a a0 b b0 ^ 2 =
    2 * INR m.+1 * sum_(b < m.+1) (r a b - r a0 b) ^ 2.
  rewrite -squares_of_differences; last by rewrite key_sub !row_effects; lra.
  by apply: key_eq => b; apply: key_eq => b0; rewrite /I double_of_effects -/r; ring.
rewrite (key_eq (fun a => key_eq (by_rows a))).
have by_columns : sum_(a < m.+1) sum_(a0 < m.+1) sum_(b < m.+1) (r a b - r a0 b) ^ 2 =
    2 * INR m.+1 * sum_(a < m.+1) sum_(b < m.+1) r a b ^ 2.
  rewrite (key_exchange (fun a b => r a b ^ 2)) -key_scale.
  rewrite (key_eq (fun a => key_exchange (fun a0 b => (r a b - r a0 b) ^ 2))).
  rewrite (key_exchange (fun a b => sum_(a0 < m.+1) (r a b - r a0 b) ^ 2)).
  by apply: key_eq => b; rewrite squares_of_differences //; exact: column_effects.
transitivity (2 * INR m.+1 * sum_(a < m.+1) sum_(a0 < m.+1) sum_(b < m.+1) (r a b - r a0 b) ^ 2).
  by rewrite -key_scale; apply: key_eq => a; rewrite -key_scale; apply: key_eq => a0.
by rewrite by_columns; ring.
Qed.
(* mutant twice
   from: 4 / INR m ^ 2
   to:   2 / INR m ^ 2 *)
(* mutant once
   from: 4 / INR m ^ 2
   to:   1 / INR m ^ 2 *)
(* mutant around rows
   from: sum_(a < m) sum_(b < m) r a b ^ 2
   to:   sum_(a < m) sum_(b < m) (M a b - row_mean M a) ^ 2 *)

(** gen.additive.largest. Each interaction effect is the mean of the m^2 double differences of its place with all
    places, so it is at most (1 - 1/m)^2 times the largest of them; how many vanish is not stated. *)
Theorem gen_additive_largest :
  forall (m : nat) (M : 'I_m -> 'I_m -> R),
  let I := double_difference M in
  let r := effect M in
  (forall a b, r a b = 1 / INR m ^ 2 * sum_(a0 < m) sum_(b0 < m) I a a0 b b0) /\
  largest (fun a => largest (fun b => Rabs (r a b))) <=
  ((INR m - 1) / INR m) ^ 2 *
  largest (fun a => largest (fun a0 => largest (fun b => largest (fun b0 => Rabs (I a a0 b b0))))).
Proof.
move=> m M I r; split; first exact: effect_mean.
set most := largest (fun a => largest (fun a0 => largest _)).
have most0 : 0 <= most by exact: largest_ge0.
have within a a0 b b0 : Rabs (I a a0 b b0) <= most.
  apply: (Rle_trans _ _ _ _ (le_largest _ a)); apply: (Rle_trans _ _ _ _ (le_largest _ a0)).
  apply: (Rle_trans _ _ _ _ (le_largest _ b)); exact: (le_largest (fun b0 => Rabs (I a a0 b b0))).
have bound0 : 0 <= ((INR m - 1) / INR m) ^ 2 * most by apply: Rmult_le_pos => //; exact: pow2_ge_0.
apply: largest_le => // a; apply: largest_le => // b.
have pos : 0 < INR m by apply: lt_0_INR; apply/ltP; exact: leq_ltn_trans (ltn_ord a).
pose other (x y : 'I_m) := if y == x then 0 else 1.
have others x : sum_(y < m) other x y = INR m - 1.
  rewrite (key_eq (g := fun y => 1 - (if y == x then 1 else 0))); last by move=> y; rewrite /other; case: ifP; lra.
  by rewrite key_sub sum_const_ord -big_mkcond big_pred1_eq; lra.
have entry a0 b0 : Rabs (I a a0 b b0) <= most * other a a0 * other b b0.
  have := within a a0 b b0; have zero x : x = 0 -> Rabs x <= 0 by move=> ->; rewrite Rabs_R0; lra.
  rewrite /other /I /double_difference; case: (a0 =P a) => [-> _ | _].
    by rewrite Rmult_0_r Rmult_0_l; apply: zero; lra.
  case: (b0 =P b) => [-> _ | _]; last by rewrite !Rmult_1_r.
  by rewrite Rmult_0_r; apply: zero; lra.
have total : Rabs (sum_(a0 < m) sum_(b0 < m) I a a0 b b0) <= most * (INR m - 1) ^ 2.
  apply: Rle_trans (key_abs _) _.
  apply: (Rle_trans _ (sum_(a0 < m) (most * other a a0 * (INR m - 1)))).
    apply: key_le => a0; apply: Rle_trans (key_abs _) _.
    by rewrite -(others b) -key_scale; apply: key_le => b0; exact: entry.
  by rewrite key_scale_r key_scale others; lra.
have share : 0 < 1 / INR m ^ 2 by apply: Rdiv_lt_0_compat; [lra | exact: pow_lt].
rewrite /r effect_mean -/I Rabs_mult (Rabs_pos_eq (1 / _)); last lra.
have -> : ((INR m - 1) / INR m) ^ 2 * most = 1 / INR m ^ 2 * (most * (INR m - 1) ^ 2) by field; lra.
by apply: Rmult_le_compat_l => //; lra.
Qed.
(* mutant a quarter
   from: ((INR m - 1) / INR m) ^ 2
   to:   1 / 4 *)
(* mutant cubed
   from: ((INR m - 1) / INR m) ^ 2
   to:   ((INR m - 1) / INR m) ^ 3 *)
(* mutant elsewhere
   from: 1 / INR m ^ 2 * sum_
   to:   1 / (INR m - 1) ^ 2 * sum_ *)

(** ** Additivity and exclusion *)

(** Cov(x, y) = (1/m) sum_j (x_j - mean x) (y_j - mean y). *)
Definition covariance m (x y : 'I_m -> R) : R := sum_(j < m) ((x j - mean x) * (y j - mean y)) / INR m.

Lemma INR_gt0 m : (0 < m)%N -> 0 < INR m.
Proof. by move=> pos; apply: lt_0_INR; apply/ltP. Qed.

Lemma sum_around_mean m (x : 'I_m -> R) : (0 < m)%N -> sum_(j < m) (x j - mean x) = 0.
Proof. by move=> /INR_gt0 pos; rewrite key_sub sum_const_ord /mean; field; lra. Qed.

Lemma variance_eq m (x y : 'I_m -> R) : (forall j, x j = y j) -> variance x = variance y.
Proof.
move=> eq; have same : mean x = mean y by rewrite /mean; congr (_ / _); exact: key_eq.
by rewrite /variance; congr (_ / _); apply: key_eq => j; rewrite same eq.
Qed.

Lemma variance_ge0 m (x : 'I_m -> R) : (0 < m)%N -> 0 <= variance x.
Proof.
move=> /INR_gt0 pos; apply: Rmult_le_pos; last by apply: Rlt_le; exact: Rinv_0_lt_compat.
by apply: sum_ge0 => j _; exact: pow2_ge_0.
Qed.

(** The variance of a sum or a difference. *)
Lemma variance_line m (x y : 'I_m -> R) c : (0 < m)%N ->
  variance (fun j => x j + c * y j) = variance x + c ^ 2 * variance y + 2 * c * covariance x y.
Proof.
move=> /INR_gt0 pos.
have -> : variance x + c ^ 2 * variance y + 2 * c * covariance x y =
    ((sum_(j < m) (x j - mean x) ^ 2) + (c ^ 2 * (sum_(j < m) (y j - mean y) ^ 2)
     + 2 * c * sum_(j < m) ((x j - mean x) * (y j - mean y)))) / INR m.
  by rewrite /variance /covariance; field; lra.
rewrite -!key_scale -!key_add /variance; congr (_ / _); apply: key_eq => j.
have -> : mean (fun j => x j + c * y j) = mean x + c * mean y.
  by rewrite /mean key_add key_scale; field; lra.
by ring.
Qed.

(** The variance by pairs. *)
Lemma pairs_of_variance m (x : 'I_m -> R) : (0 < m)%N ->
  sum_(j < m) sum_(k < m) (x j - x k) ^ 2 = 2 * INR m ^ 2 * variance x.
Proof.
move=> m0; have pos := INR_gt0 m0.
have -> : 2 * INR m ^ 2 * variance x = 2 * INR m * sum_(j < m) (x j - mean x) ^ 2 by rewrite /variance; field; lra.
rewrite -squares_of_differences; last exact: sum_around_mean.
by apply: key_eq => j; apply: key_eq => k; ring.
Qed.

(** What an entry is off the mean of its two logits. *)
Definition off m (M : 'I_m -> 'I_m -> R) (j k : 'I_m) : R := M j k - (lambda M j + lambda M k) / 2.

(** The diagonal adds nothing to the slack. *)
Lemma slack_off m (M : 'I_m -> 'I_m -> R) : slack M = 2 / INR m ^ 2 * sum_(j < m) sum_(k < m) off M j k ^ 2.
Proof.
rewrite /slack; congr (_ * _); apply: key_eq => j; rewrite big_mkcond; apply: key_eq => k.
by case: eqP => //= ->; rewrite /off /lambda; field.
Qed.

Lemma off_vanishes m (M : 'I_m -> 'I_m -> R) : (0 < m)%N ->
  variance (lambda M) = bound M <-> forall j k, off M j k = 0.
Proof.
move=> m0; have pos := INR_gt0 m0; rewrite (dec_thm1_identity M m0) slack_off.
have share : 0 < 2 / INR m ^ 2 by apply: Rdiv_lt_0_compat; [lra | exact: pow_lt].
split=> [total j k | none].
  have zero : sum_(j < m) sum_(k < m) off M j k ^ 2 = 0 by nra.
  have row : sum_(k < m) off M j k ^ 2 = 0.
    by apply: (sum_eq0 _ zero) => // i _; apply: sum_ge0 => l _; exact: pow2_ge_0.
  have : off M j k ^ 2 = 0 by apply: (sum_eq0 _ row) => // l _; exact: pow2_ge_0.
  by nra.
rewrite big1 => [|j _]; first lra.
by rewrite big1 // => k _; rewrite none; ring.
Qed.

(** The parts of an additive table: its logits are c + d, and the slack is the variance of c - d. *)
Section Additive.
Variables (m : nat) (M : 'I_m -> 'I_m -> R) (c d : 'I_m -> R).

Lemma variance_of_parts : (0 < m)%N -> (forall a b, M a b = c a + d b) ->
  variance (lambda M) = variance c + variance d + 2 * covariance c d.
Proof.
move=> m0 sum; rewrite (@variance_eq _ _ (fun j => c j + 1 * d j)); last by move=> j; rewrite /lambda sum; ring.
by rewrite variance_line //; ring.
Qed.

Lemma bound_of_parts : (0 < m)%N -> (forall a b, M a b = c a + d b) -> bound M = 2 * (variance c + variance d).
Proof.
move=> m0 sum; have pos := INR_gt0 m0.
rewrite (dec_thm1_identity M m0) (variance_of_parts m0 sum) slack_off.
have -> : sum_(j < m) sum_(k < m) off M j k ^ 2 =
    / 4 * sum_(j < m) sum_(k < m) ((c j + -1 * d j) - (c k + -1 * d k)) ^ 2.
  rewrite -key_scale; apply: key_eq => j; rewrite -key_scale; apply: key_eq => k.
  by rewrite /off /lambda !sum; field.
by rewrite (pairs_of_variance (fun j => c j + -1 * d j) m0) variance_line //; field; lra.
Qed.
End Additive.

(** gen.exclusion.ratio. For an additive table the variance of the logits is half of the bound plus twice the covariance
    of the content and the position part; where the bound is not 0, variance over bound is one half plus the covariance
    over the sum of the parts' variances. *)
Theorem gen_exclusion_ratio :
  forall (m : nat) (M : 'I_m -> 'I_m -> R) (c d : 'I_m -> R), (0 < m)%N ->
  (forall a b, M a b = c a + d b) ->
  variance (lambda M) = bound M / 2 + 2 * covariance c d /\
  (bound M <> 0 -> variance (lambda M) / bound M = 1 / 2 + covariance c d / (variance c + variance d)).
Proof.
move=> m M c d m0 sum; have var := variance_of_parts m0 sum; have most := bound_of_parts m0 sum.
rewrite var most; split=> [|nonzero]; first lra.
by field; lra.
Qed.
(* mutant once
   from: + 2 * covariance c d
   to:   + covariance c d *)
(* mutant uncorrelated
   from: bound M / 2 + 2 * covariance c d
   to:   bound M / 2 *)
(* mutant sign
   from: + 2 * covariance c d
   to:   - 2 * covariance c d *)
(* mutant not additive
   from: (forall a b, M a b = c a + d b) ->
   to: *)

(** gen.exclusion.attained. Among additive tables, those and only those attain the bound whose content part and position
    part differ by a constant; that is, the symmetric ones. *)
Theorem gen_exclusion_attained :
  forall (m : nat) (M : 'I_m -> 'I_m -> R) (c d : 'I_m -> R), (0 < m)%N ->
  (forall a b, M a b = c a + d b) ->
  (variance (lambda M) = bound M <-> forall j k, c j - d j = c k - d k) /\
  (variance (lambda M) = bound M <-> forall j k, M j k = M k j).
Proof.
move=> m M c d m0 sum; rewrite off_vanishes //; split; split=> each j k; have := each j k;
  rewrite /off /lambda !sum; lra.
Qed.
(* mutant constant
   from: c j - d j = c k - d k
   to:   c j + d j = c k + d k *)
(* mutant symbolic
   from: c j - d j = c k - d k
   to:   d j = d k *)
(* mutant positional
   from: c j - d j = c k - d k
   to:   c j = c k *)
(* mutant not additive
   from: (forall a b, M a b = c a + d b) ->
   to: *)

(** gen.exclusion.additive. Only a head whose position and content add, and agree, can vary its logits as much as its
    deviations allow. *)
Theorem gen_exclusion_additive :
  forall (m : nat) (M : 'I_m -> 'I_m -> R), (0 < m)%N ->
  variance (lambda M) = bound M ->
  exists c d : 'I_m -> R, (forall a b, M a b = c a + d b) /\ (forall j k, c j - d j = c k - d k).
Proof.
move=> m M m0 /(off_vanishes M m0) none.
exists (fun a => lambda M a / 2), (fun b => lambda M b / 2); split=> [a b | j k]; last by lra.
by have := none a b; rewrite /off; lra.
Qed.
(* mutant positional
   from: M a b = c a + d b
   to:   M a b = d b *)
(* mutant symbolic
   from: M a b = c a + d b
   to:   M a b = c a *)
(* mutant constant
   from: exists c d : 'I_m -> R, (forall a b, M a b = c a + d b) /\ (forall j k, c j - d j = c k - d k)
   to:   forall j k, lambda M j = lambda M k *)

(** The analysis of variance: a table's squares are those of its effects, of its means and of its grand mean. *)
Lemma squares_of_table m (E : 'I_m -> 'I_m -> R) : (0 < m)%N ->
  sum_(a < m) sum_(b < m) E a b ^ 2 =
  sum_(a < m) sum_(b < m) effect E a b ^ 2
  + INR m ^ 2 * (variance (row_mean E) + variance (column_mean E) + grand_mean E ^ 2).
Proof.
move=> m0; have pos := INR_gt0 m0; set g := grand_mean E.
pose A a := row_mean E a - g; pose B b := column_mean E b - g.
have centre : mean (column_mean E) = g.
  by rewrite /g /grand_mean /column_mean /row_mean /mean !key_scale_r key_exchange.
have A0 : sum_(a < m) A a = 0 by exact: sum_around_mean.
have B0 : sum_(b < m) B b = 0 by rewrite /B -centre; exact: sum_around_mean.
have -> : variance (row_mean E) = sum_(a < m) A a ^ 2 / INR m by [].
have -> : variance (column_mean E) = sum_(b < m) B b ^ 2 / INR m by rewrite /variance centre.
have row a : sum_(b < m) E a b ^ 2 = sum_(b < m) effect E a b ^ 2
    + (INR m * A a ^ 2 + 2 * INR m * g * A a + (INR m * g ^ 2 + sum_(b < m) B b ^ 2))
    + 2 * sum_(b < m) (effect E a b * B b).
  rewrite (key_eq (g := fun b => effect E a b ^ 2 + (A a + g) ^ 2 + (B b ^ 2 + 2 * (effect E a b * B b))
      + (2 * (A a + g) * effect E a b + 2 * (A a + g) * B b))); last by move=> b; rewrite /effect /A /B -/g; ring.
  by rewrite !key_add !key_scale row_effects B0 sum_const_ord; ring.
rewrite (key_eq row) !key_add !key_scale A0 !sum_const_ord.
have -> : sum_(a < m) sum_(b < m) (effect E a b * B b) = 0.
  rewrite key_exchange (key_eq (g := fun b => 0 * B b)); last by move=> b; rewrite key_scale_r column_effects.
  by rewrite key_scale; ring.
by field; lra.
Qed.

(** The means of two logits are an additive table. *)
Lemma effect_off m (M : 'I_m -> 'I_m -> R) a b : effect (off M) a b = effect M a b.
Proof.
have m0 : (0 < m)%N by apply: leq_ltn_trans (ltn_ord a).
have pos := INR_gt0 m0.
rewrite !effect_mean; congr (_ * _); apply: key_eq => a0; apply: key_eq => b0.
by rewrite /double_difference /off; field.
Qed.

(** gen.exclusion.cost. What the variance of the logits falls short of the bound is at least twice the mean square of
    the interaction effects, so variance over bound is at most 1 less that over the bound; the rest is twice the scatter
    of the row and column means of the entries less the mean of their two logits, and the square of their grand mean. *)
Theorem gen_exclusion_cost :
  forall (m : nat) (M : 'I_m -> 'I_m -> R), (0 < m)%N ->
  let short := bound M - variance (lambda M) in
  let cost := 2 / INR m ^ 2 * sum_(a < m) sum_(b < m) effect M a b ^ 2 in
  let E j k := M j k - (lambda M j + lambda M k) / 2 in
  short = cost + 2 * (variance (row_mean E) + variance (column_mean E) + grand_mean E ^ 2) /\
  cost <= short /\
  (bound M <> 0 -> variance (lambda M) / bound M <= 1 - cost / bound M).
Proof.
move=> m M m0 short cost E; have pos := INR_gt0 m0.
have whole : short = cost + 2 * (variance (row_mean E) + variance (column_mean E) + grand_mean E ^ 2).
  rewrite /short (dec_thm1_identity M m0) slack_off squares_of_table //.
  rewrite (key_eq (fun a => key_eq (fun b => f_equal (fun x => x ^ 2) (effect_off M a b)))) /cost.
  by change E with (off M); field; lra.
have rows := variance_ge0 (row_mean E) m0; have columns := variance_ge0 (column_mean E) m0.
have grand := pow2_ge_0 (grand_mean E); have var := variance_ge0 (lambda M) m0.
have cost0 : 0 <= cost.
  apply: Rmult_le_pos; first by apply: Rlt_le; apply: Rdiv_lt_0_compat; [lra | exact: pow_lt].
  by apply: sum_ge0 => a _; apply: sum_ge0 => b _; exact: pow2_ge_0.
have at_most : cost <= short by lra.
split=> //; split=> // nonzero; have most : 0 < bound M by rewrite /short in at_most; lra.
apply: (Rmult_le_reg_r (bound M)) => //.
have -> : variance (lambda M) / bound M * bound M = variance (lambda M) by field; lra.
have -> : (1 - cost / bound M) * bound M = bound M - cost by field; lra.
by rewrite /short in at_most; lra.
Qed.
(* mutant four times
   from: 2 / INR m ^ 2 * sum_
   to:   4 / INR m ^ 2 * sum_ *)
(* mutant once
   from: 2 / INR m ^ 2 * sum_
   to:   1 / INR m ^ 2 * sum_ *)
(* mutant no rest
   from: cost + 2 * (variance (row_mean E) + variance (column_mean E) + grand_mean E ^ 2)
   to:   cost *)
(* mutant positional only
   from: bound M - variance (lambda M)
   to:   norm2 (delta_pos M) / (INR m`! * INR m) - variance (lambda M) *)

(** ** Vectors that turn *)

(** The mean of vectors. *)
Definition mean_vec m (v : 'I_m -> vec) : vec := (mean (fun a => (v a).1), mean (fun a => (v a).2)).

(** D_m(theta) = |sin(m theta / 2) / (m sin(theta / 2))|, and 1 at the multiples of 2 pi (mean_resultant). *)
Definition resultant (m : nat) (theta : R) : R :=
  if Req_EM_T (sin (theta / 2)) 0 then 1 else Rabs (sin (INR m * theta / 2) / (INR m * sin (theta / 2))).

Lemma whole_turns theta : sin (theta / 2) = 0 -> forall n, cos (INR n * theta) = 1 /\ sin (INR n * theta) = 0.
Proof.
move=> none; have [c s] : cos theta = 1 /\ sin theta = 0.
  have -> : theta = 2 * (theta / 2) by field.
  by rewrite cos_2a_sin sin_2a none; lra.
elim=> [|n [IHc IHs]]; first by rewrite Rmult_0_l cos_0 sin_0.
have -> : INR n.+1 * theta = INR n * theta + theta by rewrite S_INR; ring.
by rewrite cos_plus sin_plus IHc IHs c s; lra.
Qed.

Lemma turning_sums theta m :
  2 * sin (theta / 2) * sum_(b < m) cos (INR b.+1 * theta) = sin ((INR m + / 2) * theta) - sin (theta / 2) /\
  2 * sin (theta / 2) * sum_(b < m) sin (INR b.+1 * theta) = cos (theta / 2) - cos ((INR m + / 2) * theta).
Proof.
elim: m => [|m [IHc IHs]].
  rewrite !big_ord0 (_ : (INR 0 + / 2) * theta = theta / 2); last by rewrite /=; field.
  by lra.
rewrite !big_ord_recr /= -/(INR m.+1) !Rmult_plus_distr_l IHc IHs.
have -> : (INR m + / 2) * theta = INR m.+1 * theta - theta / 2 by rewrite S_INR; field.
have -> : (INR m.+1 + / 2) * theta = INR m.+1 * theta + theta / 2 by field.
by rewrite sin_plus sin_minus cos_plus cos_minus; split; ring.
Qed.

Lemma turning_square theta m :
  ((sum_(b < m) cos (INR b.+1 * theta)) ^ 2 + (sum_(b < m) sin (INR b.+1 * theta)) ^ 2) * sin (theta / 2) ^ 2 =
  sin (INR m * theta / 2) ^ 2.
Proof.
have [cosines sines] := turning_sums theta m.
have := chord ((INR m + / 2) * theta) (theta / 2).
have -> : ((INR m + / 2) * theta - theta / 2) / 2 = INR m * theta / 2 by field.
set C := sum_(b < m) cos _ in cosines *; set S := sum_(b < m) sin _ in sines *.
have -> : (cos ((INR m + / 2) * theta) - cos (theta / 2)) ^ 2 = (2 * sin (theta / 2) * S) ^ 2 by rewrite sines; ring.
have -> : (sin ((INR m + / 2) * theta) - sin (theta / 2)) ^ 2 = (2 * sin (theta / 2) * C) ^ 2 by rewrite cosines.
by move=> eq; apply: (Rmult_eq_reg_l 4); [rewrite -eq; ring | lra].
Qed.

Lemma resultant_still m theta : sin (theta / 2) = 0 -> resultant m theta = 1.
Proof. by rewrite /resultant; case: (Req_EM_T _ _). Qed.

Lemma resultant_turns m theta : sin (theta / 2) <> 0 ->
  resultant m theta = Rabs (sin (INR m * theta / 2) / (INR m * sin (theta / 2))).
Proof. by rewrite /resultant; case: (Req_EM_T _ _). Qed.

Lemma resultant_ge0 m theta : 0 <= resultant m theta.
Proof. by rewrite /resultant; case: (Req_EM_T _ _) => ? /=; [lra | exact: Rabs_pos]. Qed.

Lemma resultant_square m theta : (0 < m)%N ->
  (sum_(b < m) cos (INR b.+1 * theta)) ^ 2 + (sum_(b < m) sin (INR b.+1 * theta)) ^ 2 =
  (INR m * resultant m theta) ^ 2.
Proof.
move=> /INR_gt0 pos; case: (Req_EM_T (sin (theta / 2)) 0) => [none | turns].
  rewrite (resultant_still m none); have still n := whole_turns none n.
  rewrite (key_eq (g := fun=> 1)); last by move=> b; case: (still b.+1).
  rewrite (key_eq (f := fun b : 'I_m => sin _) (g := fun=> 0)); last by move=> b; case: (still b.+1).
  by rewrite !sum_const_ord; ring.
apply: (Rmult_eq_reg_r (sin (theta / 2) ^ 2)); last exact: pow_nonzero.
by rewrite turning_square (resultant_turns m turns) Rpow_mult_distr pow2_abs; field; lra.
Qed.

(** gen.thm2.turning. The mean of m unit vectors turned by theta, 2 theta, ..., m theta has length D_m(theta). *)
Theorem gen_thm2_turning :
  forall (m : nat) (theta : R),
  ((sum_(b < m) cos (INR b.+1 * theta)) ^ 2 + (sum_(b < m) sin (INR b.+1 * theta)) ^ 2) * sin (theta / 2) ^ 2
    = sin (INR m * theta / 2) ^ 2 /\
  ((0 < m)%N -> norm (mean_vec (fun b : 'I_m => (cos (INR b.+1 * theta), sin (INR b.+1 * theta)))) = resultant m theta).
Proof.
move=> m theta; split=> [|m0]; first exact: turning_square.
have pos := INR_gt0 m0; have := resultant_square theta m0; have := resultant_ge0 m theta.
rewrite /norm /mean_vec /mean /dot /=; set C := sum_(b < m) cos _; set S := sum_(b < m) sin _ => D0 eq.
have -> : C / INR m * (C / INR m) + S / INR m * (S / INR m) = (C ^ 2 + S ^ 2) / INR m ^ 2 by field; lra.
rewrite eq (_ : (INR m * resultant m theta) ^ 2 / INR m ^ 2 = resultant m theta ^ 2); last by field; lra.
exact: sqrt_pow2.
Qed.
(* mutant off by one
   from: = sin (INR m * theta / 2) ^ 2
   to:   = sin (INR m.+1 * theta / 2) ^ 2 *)
(* mutant whole angle
   from: * sin (theta / 2) ^ 2 = sin (INR m * theta / 2) ^ 2
   to:   * sin theta ^ 2 = sin (INR m * theta) ^ 2 *)
(* mutant one direction
   from: = sin (INR m * theta / 2) ^ 2
   to:   = INR m ^ 2 * sin (theta / 2) ^ 2 *)

(** The same sums, counted down from any angle. *)
Lemma turned_square m theta alpha : (0 < m)%N ->
  (sum_(b < m) cos (alpha - INR b.+1 * theta)) ^ 2 + (sum_(b < m) sin (alpha - INR b.+1 * theta)) ^ 2 =
  (INR m * resultant m theta) ^ 2.
Proof.
move=> m0; rewrite -(resultant_square theta m0).
rewrite (key_eq (fun b : 'I_m => cos_minus alpha (INR b.+1 * theta))).
rewrite (key_eq (fun b : 'I_m => sin_minus alpha (INR b.+1 * theta))) key_add key_sub !key_scale.
set C := sum_(b < m) cos _; set S := sum_(b < m) sin _.
have -> : (cos alpha * C + sin alpha * S) ^ 2 + (sin alpha * C - cos alpha * S) ^ 2 =
  (sin alpha * sin alpha + cos alpha * cos alpha) * (C ^ 2 + S ^ 2) by ring.
by rewrite sin_sqr; ring.
Qed.

(** ** The mean square of a rotary head's interaction effects *)

(** sigma^2, the mean squared distance of vectors from their mean ([scatters]), and its root. *)
Definition scatter m (v : 'I_m -> vec) : R := mean (fun a => norm (minus (v a) (mean_vec v)) ^ 2).
Definition sigma m (v : 'I_m -> vec) : R := sqrt (scatter v).

Lemma norm_pow v : norm v ^ 2 = dot v v.
Proof. by rewrite -norm_sqr; ring. Qed.

Lemma scatter_ge0 m (v : 'I_m -> vec) : (0 < m)%N -> 0 <= scatter v.
Proof.
move=> /INR_gt0 pos; apply: Rmult_le_pos; last by apply: Rlt_le; exact: Rinv_0_lt_compat.
by apply: sum_ge0 => a _; exact: pow2_ge_0.
Qed.

Lemma scatter_moments m (v : 'I_m -> vec) : (0 < m)%N ->
  scatter v = mean (fun a => dot (v a) (v a)) - dot (mean_vec v) (mean_vec v).
Proof.
move=> /INR_gt0 pos; rewrite /scatter /mean.
rewrite (key_eq (g := fun a => dot (v a) (v a) - (2 * (mean_vec v).1 * (v a).1 + 2 * (mean_vec v).2 * (v a).2)
    + dot (mean_vec v) (mean_vec v))); last by move=> a; rewrite norm_pow /dot /minus /=; ring.
by rewrite key_add key_sub key_add !key_scale sum_const_ord /mean_vec /mean /dot /=; field; lra.
Qed.

Lemma mean_dot m (v : 'I_m -> vec) w : (0 < m)%N -> mean (fun a => dot w (v a)) = dot w (mean_vec v).
Proof. by move=> /INR_gt0 pos; rewrite /mean /dot key_add !key_scale /mean_vec /mean /=; field; lra. Qed.

Lemma dotC v w : dot v w = dot w v.
Proof. by rewrite /dot; ring. Qed.

(** In one plane an effect is the product of the key's and the direction's deviations. *)
Lemma effect_dot m (k e : 'I_m -> vec) a b :
  effect (fun a b => dot (k a) (e b)) a b = dot (minus (k a) (mean_vec k)) (minus (e b) (mean_vec e)).
Proof.
have m0 : (0 < m)%N by apply: leq_ltn_trans (ltn_ord a).
have rows x : row_mean (fun a b => dot (k a) (e b)) x = dot (mean_vec e) (k x) by rewrite /row_mean mean_dot // dotC.
have columns : column_mean (fun a b => dot (k a) (e b)) b = dot (e b) (mean_vec k).
  by rewrite -mean_dot // /column_mean /mean; congr (_ / _); apply: key_eq => x; exact: dotC.
have grand : grand_mean (fun a b => dot (k a) (e b)) = dot (mean_vec e) (mean_vec k).
  by rewrite -mean_dot // /grand_mean /mean; congr (_ / _); exact: key_eq.
by rewrite /effect rows columns grand /dot /minus /=; ring.
Qed.

Lemma effect_sum p m (T : 'I_p -> 'I_m -> 'I_m -> R) a b :
  effect (fun a b => sum_(f < p) T f a b) a b = sum_(f < p) effect (T f) a b.
Proof.
have rows x : row_mean (fun a b => sum_(f < p) T f a b) x = sum_(f < p) row_mean (T f) x.
  by rewrite /row_mean /mean key_exchange /Rdiv -key_scale_r.
have columns : column_mean (fun a b => sum_(f < p) T f a b) b = sum_(f < p) column_mean (T f) b.
  by rewrite /column_mean /mean key_exchange /Rdiv -key_scale_r.
have grand : grand_mean (fun a b => sum_(f < p) T f a b) = sum_(f < p) grand_mean (T f).
  by rewrite /grand_mean /mean (key_eq rows) key_exchange /Rdiv -key_scale_r.
by rewrite /effect rows columns grand key_add !key_sub.
Qed.

Lemma dot_turns x y v w : dot (turn x v) (turn y w) = dot v (turn (y - x) w).
Proof. by rewrite /dot /turn cos_minus sin_minus /=; ring. Qed.

(** The direction in which a key at position b + 1 meets the query. *)
Definition direction m (theta : R) (q : vec) (b : 'I_m) : vec := turn (INR m.+1 * theta - INR b.+1 * theta) q.

Lemma rope_effect p m (theta : 'I_p -> R) (q : 'I_p -> vec) (k : 'I_m -> 'I_p -> vec) a b :
  effect (rope_table theta q k) a b =
  sum_(f < p) dot (minus (k a f) (mean_vec (fun a => k a f)))
    (minus (direction (theta f) (q f) b) (mean_vec (direction (m := m) (theta f) (q f)))).
Proof.
have -> : effect (rope_table theta q k) a b
    = effect (fun a b => sum_(f < p) dot (k a f) (direction (theta f) (q f) b)) a b.
  rewrite !effect_mean; congr (_ * _); apply: key_eq => a0; apply: key_eq => b0.
  have entry x y : rope_table theta q k x y = sum_(f < p) dot (k x f) (direction (theta f) (q f) y).
    by apply: key_eq => f; rewrite dot_turns /direction !(Rmult_comm (theta f)).
  by rewrite /double_difference !entry.
by rewrite effect_sum; apply: key_eq => f; rewrite (effect_dot (fun a => k a f)).
Qed.

Lemma dot_turned x v : dot (turn x v) (turn x v) = dot v v.
Proof. by rewrite dot_turns Rminus_diag_eq // /turn cos_0 sin_0 /dot /=; ring. Qed.

Lemma scatter_directions m theta q : (0 < m)%N ->
  scatter (direction (m := m) theta q) = norm q ^ 2 * (1 - resultant m theta ^ 2).
Proof.
move=> m0; have pos := INR_gt0 m0; rewrite scatter_moments // norm_pow.
rewrite /mean (key_eq (g := fun b : 'I_m => dot q q)); last by move=> b; exact: dot_turned.
have := turned_square theta (INR m.+1 * theta) m0.
rewrite sum_const_ord /mean_vec /mean /direction /dot /turn /= key_sub key_add !key_scale.
set C := sum_(b < m) cos _; set S := sum_(b < m) sin _ => eq.
match goal with |- ?x = _ =>
  have -> : x = (q.1 * q.1 + q.2 * q.2) * (1 - (C ^ 2 + S ^ 2) / INR m ^ 2) by field; lra
end.
by rewrite eq; field; lra.
Qed.

Lemma spread_ge0 m theta : (0 < m)%N -> 0 <= 1 - resultant m theta ^ 2.
Proof.
move=> m0; have := scatter_directions theta (1, 0) m0; have := scatter_ge0 (direction (m := m) theta (1, 0)) m0.
by rewrite norm_pow /dot /=; lra.
Qed.

Lemma key_recr n (f : 'I_n.+1 -> R) :
  sum_(i < n.+1) f i = sum_(i < n) f (widen_ord (leqnSn n) i) + f ord_max.
Proof. exact: big_ord_recr. Qed.

(** Cauchy, and Minkowski for several planes. *)
Section Minkowski.
Variable T : finType.
Implicit Types f g : T -> R.

Lemma squares_ge0 f : 0 <= sum_(t in T) f t ^ 2.
Proof. by apply: sum_ge0 => t _; exact: pow2_ge_0. Qed.

Lemma cauchy f g : sum_(t in T) (f t * g t) <= sqrt (sum_(t in T) f t ^ 2) * sqrt (sum_(t in T) g t ^ 2).
Proof.
have F2 := sqrt_sqrt _ (squares_ge0 f); have G2 := sqrt_sqrt _ (squares_ge0 g).
have F0 := sqrt_pos (sum_(t in T) f t ^ 2); have G0 := sqrt_pos (sum_(t in T) g t ^ 2).
move: F2 G2 F0 G0; set F := sqrt _; set G := sqrt _ => F2 G2 F0 G0.
have vanish h : sum_(t in T) h t ^ 2 = 0 -> forall t, h t = 0.
  by move=> none t; have := sum_eq0 (fun t _ => pow2_ge_0 (h t)) none (erefl true : xpredT t); nra.
case: (Rle_lt_or_eq_dec _ _ F0) => [F1 | F1]; last first.
  rewrite -F1 Rmult_0_l big1 => [|t _]; first lra.
  by rewrite (vanish f) ?Rmult_0_l //; rewrite -F2 -F1; ring.
case: (Rle_lt_or_eq_dec _ _ G0) => [G1 | G1]; last first.
  rewrite -G1 Rmult_0_r big1 => [|t _]; first lra.
  by rewrite (vanish g) ?Rmult_0_r //; rewrite -G2 -G1; ring.
have : 0 <= sum_(t in T) (G * f t - F * g t) ^ 2 by exact: squares_ge0.
rewrite (eq_bigr (fun t => G ^ 2 * f t ^ 2 + F ^ 2 * g t ^ 2 - 2 * (F * G) * (f t * g t))); last by move=> t _; ring.
rewrite sum_sub sum_add !sum_scale -F2 -G2 => total.
have FG : 0 < F * G by exact: Rmult_lt_0_compat.
by apply: (Rmult_le_reg_l (F * G)) => //; lra.
Qed.

Lemma minkowski p (x : 'I_p -> T -> R) :
  sqrt (sum_(t in T) (sum_(i < p) x i t) ^ 2) <= sum_(i < p) sqrt (sum_(t in T) x i t ^ 2).
Proof.
elim: p x => [|p IH] x.
  rewrite big_ord0 big1 => [|t _]; first by rewrite sqrt_0; lra.
  by rewrite big_ord0; ring.
rewrite key_recr; apply: (Rle_trans _ _ _ _ (Rplus_le_compat_r _ _ _ (IH (fun i => x (widen_ord (leqnSn p) i))))).
pose y t := sum_(i < p) x (widen_ord (leqnSn p) i) t.
rewrite (eq_bigr (fun t => y t ^ 2 + x ord_max t ^ 2 + 2 * (y t * x ord_max t))); last first.
  by move=> t _; rewrite key_recr -/(y t); ring.
rewrite !sum_add sum_scale.
rewrite -[X in _ <= X + _]/(sqrt (sum_(t in T) y t ^ 2)).
have c := cauchy y (x ord_max); have Y := sqrt_sqrt _ (squares_ge0 y); have X := sqrt_sqrt _ (squares_ge0 (x ord_max)).
have Y0 := sqrt_pos (sum_(t in T) y t ^ 2); have X0 := sqrt_pos (sum_(t in T) x ord_max t ^ 2).
rewrite -[X in _ <= X]sqrt_square; last by apply: Rplus_le_le_0_compat.
by apply: sqrt_le_1_alt; rewrite Rmult_plus_distr_r !Rmult_plus_distr_l Y X; lra.
Qed.
End Minkowski.

(** One plane's part, by Lagrange's identity at every entry. *)
Lemma plane_squares m (k e : 'I_m -> vec) :
  sum_(a < m) sum_(b < m) dot (k a) (e b) ^ 2 <= (sum_(a < m) norm (k a) ^ 2) * (sum_(b < m) norm (e b) ^ 2).
Proof.
rewrite -key_scale_r; apply: key_le => a; rewrite -key_scale; apply: key_le => b.
by rewrite !norm_pow /dot; have := pow2_ge_0 ((k a).1 * (e b).2 - (k a).2 * (e b).1); nra.
Qed.

Lemma sum_scatter m (v : 'I_m -> vec) : (0 < m)%N ->
  sum_(a < m) norm (minus (v a) (mean_vec v)) ^ 2 = INR m * scatter v.
Proof. by move=> /INR_gt0 pos; rewrite /scatter /mean; field; lra. Qed.

(** gen.thm2.anova. Over the table of one query and m keys at successive positions, the root mean square of the
    interaction effects is at most the sum over planes of |q_f| times the keys' root mean square deviation sigma_f times
    that of the turning directions, sqrt(1 - D_m(theta_f)^2). *)
Theorem gen_thm2_anova :
  forall (p m : nat) (theta : 'I_p -> R) (q : 'I_p -> vec) (k : 'I_m -> 'I_p -> vec), (0 < m)%N ->
  1 / INR m ^ 2 * sum_(a < m) sum_(b < m) effect (rope_table theta q k) a b ^ 2 <=
  (sum_(f < p) (norm (q f) * sigma (fun a => k a f) * sqrt (1 - resultant m (theta f) ^ 2))) ^ 2.
Proof.
move=> p m theta q k m0; have pos := INR_gt0 m0.
pose x f (t : 'I_m * 'I_m) := dot (minus (k t.1 f) (mean_vec (fun a => k a f)))
  (minus (direction (theta f) (q f) t.2) (mean_vec (direction (m := m) (theta f) (q f)))).
pose part f := norm (q f) * sigma (fun a => k a f) * sqrt (1 - resultant m (theta f) ^ 2).
have -> : sum_(a < m) sum_(b < m) effect (rope_table theta q k) a b ^ 2 =
    sum_(t in prod_finType (ordinal_finType m) (ordinal_finType m)) (sum_(f < p) x f t) ^ 2.
  by rewrite pair_big /=; apply: eq_bigr => t _; rewrite rope_effect.
have plane f : sqrt (sum_(t in prod_finType (ordinal_finType m) (ordinal_finType m)) x f t ^ 2) <= INR m * part f.
  rewrite -(pair_big xpredT xpredT (fun a b => x f (a, b) ^ 2)) /= /x /=.
  have := plane_squares (fun a => minus (k a f) (mean_vec (fun a => k a f)))
    (fun b => minus (direction (theta f) (q f) b) (mean_vec (direction (m := m) (theta f) (q f)))).
  rewrite (sum_scatter (fun a => k a f) m0) (sum_scatter (direction (m := m) (theta f) (q f)) m0).
  rewrite scatter_directions // => le; apply: Rle_trans (sqrt_le_1_alt _ _ le) _.
  have S2 := sqrt_sqrt _ (scatter_ge0 (fun a => k a f) m0); have D2 := sqrt_sqrt _ (spread_ge0 (theta f) m0).
  have sigma0 := sqrt_pos (scatter (fun a => k a f)); have D0 := sqrt_pos (1 - resultant m (theta f) ^ 2).
  have part0 : 0 <= INR m * part f.
    apply: Rmult_le_pos; first lra.
    by apply: Rmult_le_pos => //; apply: Rmult_le_pos; [exact: norm_ge0 | exact: sqrt_pos].
  rewrite -[X in _ <= X]sqrt_square //; apply: Req_le; congr sqrt.
  by rewrite -[in LHS]S2 -[in LHS]D2 /part /sigma; ring.
have total : 0 <= sum_(f < p) part f.
  by apply: sum_ge0 => f _; repeat apply: Rmult_le_pos; [exact: norm_ge0 | exact: sqrt_pos | exact: sqrt_pos].
have := Rle_trans _ _ _ (minkowski x) (key_le plane); rewrite key_scale.
set squares := sum_(t in _) _ => /(fun le => pow_incr _ _ 2 (conj (sqrt_pos squares) le)).
have -> : sqrt squares ^ 2 = squares by rewrite /= Rmult_1_r; apply: sqrt_sqrt; exact: squares_ge0.
move=> le; have share : 0 < 1 / INR m ^ 2 by apply: Rdiv_lt_0_compat; [lra | exact: pow_lt].
apply: Rle_trans (Rmult_le_compat_l _ _ _ (Rlt_le _ _ share) le) _.
by apply: Req_le; rewrite [RHS](_ : _ = (sum_(f < p) part f) ^ 2) //; field; lra.
Qed.
(* mutant planes apart
   from: (sum_(f < p) (norm (q f) * sigma (fun a => k a f) * sqrt (1 - resultant m (theta f) ^ 2))) ^ 2
   to:   sum_(f < p) (norm (q f) * sigma (fun a => k a f) * sqrt (1 - resultant m (theta f) ^ 2)) ^ 2 *)
(* mutant halved
   from: sqrt (1 - resultant m (theta f) ^ 2))) ^ 2
   to:   sqrt (1 - resultant m (theta f) ^ 2))) ^ 2 / 2 *)
(* mutant off by one
   from: resultant m (theta f)
   to:   resultant m.+1 (theta f) *)

(** ** One plane, along the middle direction and across it *)

(** C = sin(m theta) / (m sin theta), with its sign; at the multiples of pi, where the quotient says nothing, what it
    tends to: the mean of cos((2 b - m - 1) theta) over b = 1, ..., m is [cos((m - 1) theta)] there, +1 or -1. *)
Definition signed_mean (m : nat) (theta : R) : R :=
  if Req_EM_T (sin theta) 0 then cos ((INR m - 1) * theta) else sin (INR m * theta) / (INR m * sin theta).

Lemma signed_mean_still m theta : sin theta = 0 -> signed_mean m theta = cos ((INR m - 1) * theta).
Proof. by rewrite /signed_mean; case: (Req_EM_T _ _). Qed.

Lemma signed_mean_turns m theta : sin theta <> 0 -> signed_mean m theta = sin (INR m * theta) / (INR m * sin theta).
Proof. by rewrite /signed_mean; case: (Req_EM_T _ _). Qed.

Lemma telescope theta x n :
  2 * sin theta * sum_(b < n) cos ((x - 1 - 2 * INR b) * theta) =
  sin (x * theta) - sin ((x - 2 * INR n) * theta).
Proof.
elim: n => [|n IH]; first by rewrite big_ord0 /= (_ : x - 2 * 0 = x); [ring | ring].
rewrite key_recr Rmult_plus_distr_l IH (_ : nat_of_ord ord_max = n) //.
have -> : (x - 2 * INR n) * theta = (x - 1 - 2 * INR n) * theta + theta by ring.
have -> : (x - 2 * INR n.+1) * theta = (x - 1 - 2 * INR n) * theta - theta by rewrite S_INR; ring.
by rewrite sin_plus sin_minus; ring.
Qed.

Lemma signed_mean_sum m theta : (0 < m)%N ->
  sum_(b < m) cos ((INR m - 1 - 2 * INR b) * theta) = INR m * signed_mean m theta.
Proof.
move=> /INR_gt0 pos; case: (Req_EM_T (sin theta) 0) => [none | turns].
  rewrite signed_mean_still // -sum_const_ord; apply: key_eq => b.
  have -> : (INR m - 1 - 2 * INR b) * theta = (INR m - 1) * theta - INR b * (2 * theta) by ring.
  have [c s] : cos (INR b * (2 * theta)) = 1 /\ sin (INR b * (2 * theta)) = 0.
    by apply: whole_turns; rewrite (_ : 2 * theta / 2 = theta) //; field.
  by rewrite cos_minus c s; ring.
rewrite signed_mean_turns //; apply: (Rmult_eq_reg_l (2 * sin theta)); last lra.
rewrite (telescope theta (INR m)) (_ : (INR m - 2 * INR m) * theta = - (INR m * theta)); last by ring.
by rewrite sin_neg; field; lra.
Qed.

(** The angle from the middle direction to the one of position b + 1. *)
Definition from_middle (m : nat) (theta : R) (b : 'I_m) : R := (INR m - 1 - 2 * INR b) * theta / 2.

Lemma from_middle_rev m theta (b : 'I_m) : from_middle theta (rev_ord b) = - from_middle theta b.
Proof. by rewrite /from_middle /= minus_INR ?S_INR; [field | apply/leP]. Qed.

Lemma odd_sum m theta (h : R -> R) : (forall z, h (- z) = - h z) -> sum_(b < m) h (from_middle theta b) = 0.
Proof.
move=> odd; suff : sum_(b < m) h (from_middle theta b) = - sum_(b < m) h (from_middle theta b) by lra.
rewrite [LHS](reindex_inj rev_ord_inj) /= -sum_opp; apply: key_eq => b.
by rewrite from_middle_rev odd.
Qed.

Section Axes.
Variables (m : nat) (theta : R).
Let z (b : 'I_m) := from_middle theta b.
Let D := resultant m theta.
Let C := signed_mean m theta.
Let cosines := sum_(b < m) cos (z b).

Lemma cosines_square : (0 < m)%N -> cosines ^ 2 = (INR m * D) ^ 2.
Proof.
move=> m0; rewrite -(turned_square theta ((INR m + 1) * theta / 2) m0).
have same b : (INR m + 1) * theta / 2 - INR (nat_of_ord b).+1 * theta = z b by rewrite /z /from_middle S_INR; field.
rewrite (key_eq (fun b => f_equal cos (same b))) (key_eq (fun b => f_equal sin (same b))).
rewrite (@odd_sum m theta sin sin_neg).
by rewrite /cosines; ring.
Qed.

Lemma doubled b : 2 * z b = (INR m - 1 - 2 * INR b) * theta.
Proof. by rewrite /z /from_middle; field. Qed.

Lemma sum_along : (0 < m)%N -> sum_(b < m) (cos (z b) - cosines / INR m) ^ 2 = INR m * ((1 + C) / 2 - D ^ 2).
Proof.
move=> m0; have pos := INR_gt0 m0; have square := cosines_square m0; have angles := signed_mean_sum theta m0.
rewrite (key_eq (g := fun b => / 2 * (1 + cos (2 * z b)) - 2 * (cosines / INR m) * cos (z b)
    + (cosines / INR m) ^ 2)); last by move=> b; rewrite cos_2a_cos; field; lra.
rewrite key_add key_sub !key_scale key_add !sum_const_ord (key_eq (fun b => f_equal cos (doubled b))) angles.
rewrite -/cosines -/C (_ : INR m * ((1 + C) / 2 - D ^ 2) = INR m * (1 + C) / 2 - (INR m * D) ^ 2 / INR m); last first.
  by field; lra.
by rewrite -square; field; lra.
Qed.

Lemma sum_across : (0 < m)%N -> sum_(b < m) sin (z b) ^ 2 = INR m * ((1 - C) / 2).
Proof.
move=> m0; have angles := signed_mean_sum theta m0.
rewrite (key_eq (g := fun b => / 2 * (1 - cos (2 * z b)))); last by move=> b; rewrite cos_2a_sin; field.
by rewrite key_scale key_sub sum_const_ord (key_eq (fun b => f_equal cos (doubled b))) angles -/C; field.
Qed.

Lemma sum_product : sum_(b < m) ((cos (z b) - cosines / INR m) * sin (z b)) = 0.
Proof.
apply: (@odd_sum m theta (fun z => (cos z - cosines / INR m) * sin z)) => x.
by rewrite cos_neg sin_neg; ring.
Qed.
End Axes.

(** Keys along the middle direction and across it. *)
Section Sharp.
Variables (m : nat) (theta : R) (q : vec) (k : 'I_m -> vec).
Let D := resultant m theta.
Let C := signed_mean m theta.
Let middle := turn (theta * (INR m + 1) / 2) q.
Let apart a := minus (k a) (mean_vec k).
Let r := effect (rope_table (fun _ : 'I_1 => theta) (fun=> q) (fun a => fun=> k a)).
Let squares := sum_(a < m) sum_(b < m) r a b ^ 2.

Lemma direction_from_middle (b : 'I_m) : direction theta q b =
  (cos (from_middle theta b) * middle.1 - sin (from_middle theta b) * middle.2,
   cos (from_middle theta b) * middle.2 + sin (from_middle theta b) * middle.1) :> vec.
Proof.
have -> : direction theta q b = turn (from_middle theta b + theta * (INR m + 1) / 2) q.
  by rewrite /direction; congr turn; rewrite /from_middle !S_INR; field.
by rewrite /middle /turn cos_plus sin_plus /=; congr (_, _); ring.
Qed.

Lemma squares_by_axis : (0 < m)%N -> squares = INR m *
  ((sum_(a < m) dot middle (apart a) ^ 2) * ((1 + C) / 2 - D ^ 2)
   + (sum_(a < m) cross middle (apart a) ^ 2) * ((1 - C) / 2)).
Proof.
move=> m0; have pos := INR_gt0 m0; set c := sum_(b < m) cos (from_middle theta b) / INR m.
have entry a b : r a b =
    dot middle (apart a) * (cos (from_middle theta b) - c) + cross middle (apart a) * sin (from_middle theta b).
  rewrite /r rope_effect big_ord_recl big_ord0 /= Rplus_0_r -/(apart a).
  have -> : mean_vec (direction (m := m) theta q) = (c * middle.1, c * middle.2).
    rewrite /mean_vec /mean (key_eq (fun b => f_equal fst (direction_from_middle b))).
    rewrite (key_eq (fun b => f_equal snd (direction_from_middle b))) /= key_sub key_add !key_scale_r.
    by rewrite (@odd_sum m theta sin sin_neg) /c; congr (_, _); field; lra.
  by rewrite direction_from_middle /dot /cross /minus /=; ring.
have row a : sum_(b < m) r a b ^ 2 =
    dot middle (apart a) ^ 2 * (INR m * ((1 + C) / 2 - D ^ 2))
    + cross middle (apart a) ^ 2 * (INR m * ((1 - C) / 2)).
  rewrite -(sum_along theta m0) -(sum_across theta m0) -/c.
  rewrite (key_eq (g := fun b => dot middle (apart a) ^ 2 * (cos (from_middle theta b) - c) ^ 2
      + cross middle (apart a) ^ 2 * sin (from_middle theta b) ^ 2
      + 2 * dot middle (apart a) * cross middle (apart a)
        * ((cos (from_middle theta b) - c) * sin (from_middle theta b)))); last by move=> b; rewrite entry; ring.
  by rewrite !key_add !key_scale sum_product; ring.
by rewrite /squares (key_eq row) key_add !key_scale_r; ring.
Qed.

Lemma squares_of_keys : (0 < m)%N ->
  sum_(a < m) dot middle (apart a) ^ 2 + sum_(a < m) cross middle (apart a) ^ 2 = norm q ^ 2 * (INR m * scatter k).
Proof.
move=> m0; rewrite -(sum_scatter k m0) -key_scale -key_add; apply: key_eq => a.
by rewrite !norm_pow -(dot_turned (theta * (INR m + 1) / 2) q) -/middle -/(apart a) /dot /cross; ring.
Qed.

Lemma cross_apart v a : INR m * cross v (apart a) = sum_(a0 < m) cross v (minus (k a) (k a0)).
Proof.
have m0 : (0 < m)%N by apply: leq_ltn_trans (ltn_ord a).
have pos := INR_gt0 m0.
rewrite (key_eq (g := fun a0 => cross v (k a) - (v.1 * (k a0).2 - v.2 * (k a0).1))).
  by rewrite key_sub sum_const_ord key_sub !key_scale /apart /cross /minus /mean_vec /mean /=; field; lra.
by move=> a0; rewrite /cross /minus /=; ring.
Qed.

Lemma dot_apart v a : INR m * dot v (apart a) = sum_(a0 < m) dot v (minus (k a) (k a0)).
Proof.
have m0 : (0 < m)%N by apply: leq_ltn_trans (ltn_ord a).
have pos := INR_gt0 m0.
rewrite (key_eq (g := fun a0 => dot v (k a) - (v.1 * (k a0).1 + v.2 * (k a0).2))).
  by rewrite key_sub sum_const_ord key_add !key_scale /apart /dot /minus /mean_vec /mean /=; field; lra.
by move=> a0; rewrite /dot /minus /=; ring.
Qed.

(** Keys that differ along one axis alone deviate from their mean along it alone. *)
Lemma no_cross v : (0 < m)%N -> (forall a a0, cross v (minus (k a) (k a0)) = 0) ->
  sum_(a < m) cross v (apart a) ^ 2 = 0.
Proof.
move=> /INR_gt0 pos none; apply: big1 => a _.
have := cross_apart v a; rewrite big1 => [|a0 _]; last exact: none.
move=> eq; have -> : cross v (apart a) = 0 by nra.
by ring.
Qed.

Lemma no_dot v : (0 < m)%N -> (forall a a0, dot v (minus (k a) (k a0)) = 0) -> sum_(a < m) dot v (apart a) ^ 2 = 0.
Proof.
move=> /INR_gt0 pos none; apply: big1 => a _.
have := dot_apart v a; rewrite big1 => [|a0 _]; last exact: none.
move=> eq; have -> : dot v (apart a) = 0 by nra.
by ring.
Qed.
End Sharp.

(** gen.thm2.anova-sharp. In one plane the mean square of the interaction effects is at most |q|^2 sigma^2 times the
    larger mean square of the directions' deviations, along their middle direction or across it, and it is that for keys
    that vary along this axis alone. *)
Theorem gen_thm2_anova_sharp :
  forall (m : nat) (theta : R) (q : vec) (k : 'I_m -> vec), (0 < m)%N ->
  let C := signed_mean m theta in
  let D := resultant m theta in
  let along := (1 + C) / 2 - D ^ 2 in
  let across := (1 - C) / 2 in
  let most := norm q ^ 2 * sigma k ^ 2 * Rmax along across in
  let r := effect (rope_table (fun _ : 'I_1 => theta) (fun _ => q) (fun a _ => k a)) in
  let found := 1 / INR m ^ 2 * sum_(a < m) sum_(b < m) r a b ^ 2 in
  let middle := turn (theta * (INR m + 1) / 2) q in
  found <= most /\
  (across <= along -> (forall a a0, cross middle (minus (k a) (k a0)) = 0) -> found = most) /\
  (along <= across -> (forall a a0, dot middle (minus (k a) (k a0)) = 0) -> found = most).
Proof.
move=> m theta q k m0 C D along across most r found middle; have pos := INR_gt0 m0.
have whole := squares_of_keys theta q k m0; have := squares_by_axis theta q k m0; rewrite -/C -/D -/along -/across.
have none := no_cross (k := k) (v := middle) m0; have none' := no_dot (k := k) (v := middle) m0; move: none none' whole.
rewrite -/middle; set P := sum_(a < m) dot middle _ ^ 2; set Q := sum_(a < m) cross middle _ ^ 2.
move=> none none' whole squares.
have P0 : 0 <= P by apply: sum_ge0 => a _; exact: pow2_ge_0.
have Q0 : 0 <= Q by apply: sum_ge0 => a _; exact: pow2_ge_0.
have -> : most = (P + Q) / INR m * Rmax along across.
  have sigma2 : sigma k ^ 2 = scatter k by rewrite /sigma /= Rmult_1_r; apply: sqrt_sqrt; exact: scatter_ge0.
  by rewrite /most sigma2 whole; field; lra.
have -> : found = (P * along + Q * across) / INR m by rewrite /found /r squares; field; lra.
have share := Rinv_0_lt_compat _ pos; split; last split=> [le parallel | le parallel].
- have [] : along <= Rmax along across /\ across <= Rmax along across by split; [exact: Rmax_l | exact: Rmax_r].
  set most' := Rmax _ _ => la lc; rewrite /Rdiv Rmult_assoc (Rmult_comm (/ _)) -Rmult_assoc.
  by apply: Rmult_le_compat_r; [lra | nra].
- by rewrite Rmax_left // (none parallel); field; lra.
by rewrite Rmax_right // (none' parallel); field; lra.
Qed.
(* mutant along alone
   from: Rmax along across
   to:   along *)
(* mutant across alone
   from: Rmax along across
   to:   across *)
(* mutant both axes
   from: Rmax along across
   to:   (along + across) *)
(* mutant off by one
   from: signed_mean m theta
   to:   signed_mean m.+1 theta *)
(* mutant halved
   from: Rmax along across
   to:   Rmax along across / 2 *)
