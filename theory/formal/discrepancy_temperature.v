From Coq Require Import Reals Lra Lia Psatz.
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finfun bigop.
From headproof Require Import common.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope R_scope.
(* end of header *)

(** ** Lemma F.1: hard and soft attention over the same logits *)

(** What an attention gives an answer [s] in all: key [t], which weighs [w t], gives [g t s]. A constant added to the
    scores, such as the residual of the query, is part of every [g t s], since the weights sum to 1. *)
Definition temperature_score n (T : Type) (w : 'I_n -> R) (g : 'I_n -> T -> R) (s : T) : R :=
  sum_(t < n) (w t * g t s).

(** The answer [a] has a larger score than every other one: it is what is decoded. *)
Definition temperature_decodes (T : Type) (score : T -> R) (a : T) : Prop := forall s, s <> a -> score s < score a.

(** The softmax of logits [l] at an inverse temperature [beta]. *)
Definition temperature_soft n (beta : R) (l : 'I_n -> R) : 'I_n -> R := softmax (fun t => beta * l t).

(** Whether key [t] has the largest logit, alone or with others. *)
Definition temperature_top n (l : 'I_n -> R) (t : 'I_n) : bool :=
  [forall j, if Rle_dec (l j) (l t) then true else false].

(** How many keys have the largest logit ([k] in the claim). *)
Definition temperature_tops n (l : 'I_n -> R) : nat := #|[pred t | temperature_top l t]|.

(** Average hard attention: the keys with the largest logit share the weight equally, the others have none. *)
Definition temperature_hard n (l : 'I_n -> R) (t : 'I_n) : R :=
  if temperature_top l t then / INR (temperature_tops l) else 0.

(** ** The Index construction *)

(** A token of a number sequence: a letter, [inl a], of [L] letters, or an integer, [inr i]. A sequence of [n] tokens is
    read from its last token, the query, back: [x t] is the token [t] places before the query [x 0], [t < n]. *)
Definition temperature_number_token (L : nat) : Type := ('I_L + nat)%type.

(** Every integer is positive and points to a token of the input ([require_valid_index] in Python). *)
Definition temperature_valid L n (x : nat -> temperature_number_token L) : Prop :=
  forall t i, (t < n)%N -> x t = inr i -> (1 <= i)%N /\ (t + i < n)%N.

(** The logit of the key [t] places back: all keys are one vector, the query of an integer [i] is turned back by
    [i theta], that of a letter not at all ([index_logits] in Python). *)
Definition temperature_index_logit L (theta : R) (x : nat -> temperature_number_token L) (t : nat) : R :=
  cos ((INR t - match x 0%N with inl _ => 0 | inr i => INR i end) * theta).

(** The score of token [s] after the layer [F = x + a]: the residual has 1 for the query's own token, and the one-hot
    values of the keys, summed with their weights, count twice on letters and not at all on integers. *)
Definition temperature_index_score L (theta beta : R) n (x : nat -> temperature_number_token L)
    (s : temperature_number_token L) : R :=
  (if x 0%N == s then 1 else 0)
  + temperature_score (temperature_soft beta (fun t : 'I_n => temperature_index_logit theta x t))
      (fun t s => if x t == s then match s with inl _ => 2 | inr _ => 0 end else 0) s.

(** What Index writes at the query: the letter that its integer points to; a query that points to none stays. *)
Definition temperature_index_answer L (x : nat -> temperature_number_token L) : temperature_number_token L :=
  match x 0%N with inl a => inl a | inr i => match x i with inl a => inl a | inr _ => inr i end end.

(** Softmax at [beta] lets the construction decode every integer query of all valid inputs of up to [n0] tokens
    ([index_decodes] in Python). *)
Definition temperature_index_right (L n0 : nat) (theta beta : R) : Prop :=
  forall n (x : nat -> temperature_number_token L) i, (0 < n <= n0)%N -> temperature_valid n x -> x 0%N = inr i ->
  temperature_decodes (temperature_index_score theta beta n x) (temperature_index_answer x).

(** ** The Retrieval construction *)

(** A token of a letter sequence: a pair of a left letter and a right half, a letter [inl b] or a number [inr c]. As
    above, [x t] is the token [t] places before the query [x 0]. *)
Definition temperature_pair_token (L : nat) : Type := ('I_L * ('I_L + nat))%type.

(** Proper inputs of [n] tokens: for each pair of letters there is a token, at its own place or before, whose left
    letter is the pair's right one, and all such tokens are the same symbol ([require_proper] in Python). *)
Definition temperature_proper L n (x : nat -> temperature_pair_token L) : Prop :=
  forall t b, (t < n)%N -> (x t).2 = inl b ->
  (exists u, (t <= u < n)%N /\ (x u).1 = b) /\
  (forall u v, (t <= u < n)%N -> (t <= v < n)%N -> (x u).1 = b -> (x v).1 = b -> x u = x v).

(** The angle between neighbouring letters. *)
Definition temperature_omega (L : nat) : R := 2 * PI / INR L.

(** The letter that a query asks for: its right one, its left one if the right half is a number. *)
Definition temperature_wanted L (q : temperature_pair_token L) : 'I_L :=
  match q.2 with inl b => b | inr _ => q.1 end.

(** The logit of the key [t] places back ([retrieval_logits] in Python). *)
Definition temperature_retrieval_logit L (theta : R) (x : nat -> temperature_pair_token L) (t : nat) : R :=
  cos ((INR (x t).1 - INR (temperature_wanted (x 0%N))) * temperature_omega L + INR t * theta).

(** The score of token [s] after the layer [F = a]: the one-hot values of the keys, summed with their weights. *)
Definition temperature_retrieval_score L (theta beta : R) n (x : nat -> temperature_pair_token L)
    (s : temperature_pair_token L) : R :=
  temperature_score (temperature_soft beta (fun t : 'I_n => temperature_retrieval_logit theta x t))
    (fun t s => if x t == s then 1 else 0) s.

(** Softmax at [beta] lets the construction keep every letter-number query of all proper inputs of up to [n0] tokens
    ([numbers_decode] in Python). *)
Definition temperature_numbers_right (L n0 : nat) (theta beta : R) : Prop :=
  forall n (x : nat -> temperature_pair_token L) c, (0 < n <= n0)%N -> temperature_proper n x -> (x 0%N).2 = inr c ->
  temperature_decodes (temperature_retrieval_score theta beta n x) (x 0%N).

(** Softmax at [beta] lets it give every letter-letter query of such an input the token that its right letter names
    ([letters_decode] in Python). *)
Definition temperature_letters_right (L n0 : nat) (theta beta : R) : Prop :=
  forall n (x : nat -> temperature_pair_token L) b u, (0 < n <= n0)%N -> temperature_proper n x ->
  (x 0%N).2 = inl b -> (u < n)%N -> (x u).1 = b ->
  temperature_decodes (temperature_retrieval_score theta beta n x) (x u).

(** ** Lemma F.1, key by key *)

Lemma temperature_topP n (l : 'I_n -> R) t : reflect (forall j, l j <= l t) (temperature_top l t).
Proof. by apply: (iffP forallP) => top j; move: (top j); case: Rle_dec. Qed.

Lemma temperature_top_exists n (l : 'I_n -> R) (t : 'I_n) : exists m, temperature_top l m.
Proof.
suff [m le]: exists m, forall j, j \in enum 'I_n -> l j <= l m.
  by exists m; apply/temperature_topP => j; apply: le; rewrite mem_enum.
elim: (enum 'I_n) => [|a s [m le]]; first by exists t.
case: (Rle_dec (l a) (l m)) => [am|/Rnot_le_lt ma].
  by exists m => j; rewrite in_cons => /orP[/eqP->|/le].
exists a => j; rewrite in_cons => /orP[/eqP->|/le]; lra.
Qed.

Lemma temperature_sum_count n (P : pred 'I_n) (c : R) : \big[Rplus/0]_(t | P t) c = INR #|P| * c.
Proof.
rewrite big_const; elim: #|_| => [|m IH]; first by rewrite /=; lra.
by rewrite iterS IH S_INR; lra.
Qed.

(** The score of an attention is the softmax's sum without its denominator, up to a positive factor. *)
Lemma temperature_soft_lead n (l : 'I_n -> R) T (g : 'I_n -> T -> R) beta a b (m : 'I_n) :
  0 < sum_(t < n) (exp (beta * (l t - l m)) * (g t a - g t b)) ->
  temperature_score (temperature_soft beta l) g b < temperature_score (temperature_soft beta l) g a.
Proof.
move=> pos; have total := sum_exp_gt0 (fun t => beta * l t) m.
set Z := sum_(j < n) exp (beta * l j) in total.
suff ->: temperature_score (temperature_soft beta l) g a =
    temperature_score (temperature_soft beta l) g b
    + (exp (beta * l m) / Z) * sum_(t < n) (exp (beta * (l t - l m)) * (g t a - g t b)).
  have: 0 < exp (beta * l m) / Z by apply: Rdiv_lt_0_compat => //; apply: exp_pos.
  by nra.
rewrite -sum_scale /temperature_score -sum_add; apply: eq_bigr => t _.
rewrite /temperature_soft /softmax -/Z.
have ->: beta * l t = beta * (l t - l m) + beta * l m by lra.
rewrite exp_plus; field; lra.
Qed.

(** Key by key: those with the largest logit give [k delta], each other one takes at most [e^(-beta gamma) D]. *)
Lemma temperature_enough n T (l : 'I_n -> R) (g : 'I_n -> T -> R) a b beta gamma delta D :
  (0 < n)%N -> 0 <= beta -> 0 <= D ->
  (forall i j, temperature_top l i -> ~~ temperature_top l j -> gamma <= l i - l j) ->
  delta <= temperature_score (temperature_hard l) g a - temperature_score (temperature_hard l) g b ->
  (forall j, ~~ temperature_top l j -> g j b - g j a <= D) ->
  INR (temperature_tops l) * delta * exp (beta * gamma) > (INR n - INR (temperature_tops l)) * D ->
  temperature_score (temperature_soft beta l) g b < temperature_score (temperature_soft beta l) g a.
Proof.
move=> n0 beta0 D0 gap lead worst cold.
have [m top] := temperature_top_exists l (Ordinal n0).
have topE i : temperature_top l i -> l i = l m.
  move=> ti; have := (elimT (temperature_topP l i) ti) m.
  have := (elimT (temperature_topP l m) top) i; lra.
set k := temperature_tops l in lead cold *.
have kpos : 0 < INR k by apply: lt_0_INR; apply/ltP; apply/card_gt0P; exists m.
apply: (temperature_soft_lead (m := m)).
rewrite (bigID (fun t => temperature_top l t)) /=.
have ->: \big[Rplus/0]_(t | temperature_top l t) (exp (beta * (l t - l m)) * (g t a - g t b)) =
    INR k * (temperature_score (temperature_hard l) g a - temperature_score (temperature_hard l) g b).
  rewrite /temperature_score -sum_sub -sum_scale [RHS](bigID (fun t => temperature_top l t)) /=.
  rewrite [X in _ = _ + X]big1 ?Rplus_0_r; last first.
    by move=> t /negbTE nt; rewrite /temperature_hard nt; lra.
  apply: eq_bigr => t tt; rewrite (topE t tt) Rminus_diag_eq // Rmult_0_r exp_0 /temperature_hard tt -/k.
  by field; lra.
have others : INR n - INR k = INR #|[pred t | ~~ temperature_top l t]|.
  have := cardC [pred t | temperature_top l t]; rewrite card_ord => /(f_equal INR).
  rewrite plus_INR -/k; have ->: #|predC [pred t | temperature_top l t]| = #|[pred t | ~~ temperature_top l t]|.
    by apply: eq_card.
  by rewrite -/(temperature_tops l) -/k; lra.
have: - ((INR n - INR k) * (exp (- (beta * gamma)) * D)) <=
    \big[Rplus/0]_(t | ~~ temperature_top l t) (exp (beta * (l t - l m)) * (g t a - g t b)).
  rewrite others -temperature_sum_count -sum_opp; apply: sum_le => t nt.
  have := worst t nt; have := gap m t top nt => far diff.
  have: exp (beta * (l t - l m)) <= exp (- (beta * gamma)).
    suff: beta * (l t - l m) <= - (beta * gamma) by case=> [/exp_increasing|->]; lra.
    by nra.
  have := exp_pos (beta * (l t - l m)); nra.
have E := exp_pos (- (beta * gamma)).
have EE : exp (beta * gamma) * exp (- (beta * gamma)) = 1 by rewrite -exp_plus Rplus_opp_r exp_0.
move: cold E EE others; set e := exp (- _); set f := exp (beta * gamma); set N := INR n - INR k => cold E EE _.
set S := temperature_score _ _ a - temperature_score _ _ b in lead *.
have: INR k * delta <= INR k * S by nra.
have: 0 < (INR k * delta * f - N * D) * e by apply: Rmult_lt_0_compat => //; lra.
have ->: (INR k * delta * f - N * D) * e = INR k * delta * (f * e) - N * (e * D) by ring.
rewrite EE; move: (\big[_/_]_(t | ~~ _) _) => Q; lra.
Qed.

(** What holds from some number on for each of finitely many things holds for all of them from some number on. *)
Lemma temperature_uniform (F : finType) (P : F -> R -> Prop) :
  (forall f, exists b0, forall b, b0 <= b -> P f b) -> exists b0, forall b, b0 <= b -> forall f, P f b.
Proof.
move=> each.
suff [b0 le]: exists b0, forall b, b0 <= b -> forall f, f \in enum F -> P f b.
  by exists b0 => b lb f; apply: le => //; rewrite mem_enum.
elim: (enum F) => [|f s [b1 le]]; first by exists 0.
have [b2 lf] := each f; exists (Rmax b1 b2) => b lb g.
have := Rmax_l b1 b2; have := Rmax_r b1 b2 => r1 r2.
by rewrite in_cons => /orP[/eqP->|gs]; [apply: lf; lra | apply: le => //; lra].
Qed.

(** Finitely many numbers have a positive number below those of them that are positive. *)
Lemma temperature_below (F : finType) (f : F -> R) :
  exists c, 0 < c /\ forall i, 0 < f i -> c <= f i.
Proof.
suff [c [pos le]]: exists c, 0 < c /\ forall i, i \in enum F -> 0 < f i -> c <= f i.
  by exists c; split=> // i; apply: le; rewrite mem_enum.
elim: (enum F) => [|a s [c [pos le]]]; first by exists 1; split; [lra|].
case: (Rlt_dec 0 (f a)) => [fa|/Rnot_lt_le fa].
  have := Rmin_l c (f a); have := Rmin_r c (f a) => r1 r2.
  exists (Rmin c (f a)); split; first by apply: Rmin_pos.
  by move=> i; rewrite in_cons => /orP[/eqP->|/le lei fi]; [lra | have := lei fi; lra].
by exists c; split=> // i; rewrite in_cons => /orP[/eqP->|/le //]; lra.
Qed.

Lemma temperature_above (F : finType) (f : F -> R) : exists c, 0 <= c /\ forall i, f i <= c.
Proof.
suff [c [pos le]]: exists c, 0 <= c /\ forall i, i \in enum F -> f i <= c.
  by exists c; split=> // i; apply: le; rewrite mem_enum.
elim: (enum F) => [|a s [c [pos le]]]; first by exists 0; split; [lra|].
have := Rmax_l c (f a); have := Rmax_r c (f a) => r1 r2.
exists (Rmax c (f a)); split; first lra.
by move=> i; rewrite in_cons => /orP[/eqP->|/le lei]; lra.
Qed.

(** One input and two answers: from [(n - k) D / (gamma k delta)] on softmax decodes as hard attention does. *)
Lemma temperature_from_some_on n T (l : 'I_n -> R) (g : 'I_n -> T -> R) a b :
  temperature_score (temperature_hard l) g b < temperature_score (temperature_hard l) g a ->
  exists b0, forall beta, b0 <= beta ->
  temperature_score (temperature_soft beta l) g b < temperature_score (temperature_soft beta l) g a.
Proof.
case: n l g => [|n] l g lead; first by move: lead; rewrite /temperature_score !big_ord0; lra.
have [m top] := temperature_top_exists l ord0.
have [gamma [gamma0 gap]] := temperature_below (fun j => l m - l j).
have [D [D0 worst]] := temperature_above (fun j => g j b - g j a).
set delta := temperature_score (temperature_hard l) g a - temperature_score (temperature_hard l) g b.
have delta0 : 0 < delta by rewrite /delta; lra.
set k := temperature_tops l.
have k1 : 1 <= INR k.
  by apply: (le_INR 1); apply/leP; apply/card_gt0P; exists m.
have kn : INR k <= INR n.+1.
  apply: le_INR; apply/leP; rewrite /k /temperature_tops; apply: leq_trans (max_card _) _; by rewrite card_ord.
exists (INR n.+1 * D / (gamma * delta)) => beta.
have gd : 0 < gamma * delta by nra.
move=> /(Rmult_le_compat_r _ _ _ (Rlt_le _ _ gd)).
have ->: INR n.+1 * D / (gamma * delta) * (gamma * delta) = INR n.+1 * D by field; lra.
move=> big; have beta0 : 0 <= beta by have := pos_INR n.+1; nra.
apply: (@temperature_enough _ _ l g a b beta gamma delta D) => //.
- move=> i j ti /temperature_topP ntj.
  have eqi : l i = l m.
    by have := (elimT (temperature_topP l i) ti) m; have := (elimT (temperature_topP l m) top) i; lra.
  rewrite eqi; apply: gap; case: (Rlt_dec 0 (l m - l j)) => // /Rnot_lt_le le.
  by case: ntj => s; have := (elimT (temperature_topP l m) top) s; lra.
- by rewrite /delta; lra.
- have tangent : 1 + beta * gamma <= exp (beta * gamma).
    by case: (Req_dec (beta * gamma) 0) => [->|/exp_ineq1]; [rewrite exp_0; lra | lra].
  rewrite -/k; have: (INR n.+1 - INR k) * D <= INR n.+1 * D by have := pos_INR k; nra.
  have: delta * exp (beta * gamma) <= INR k * delta * exp (beta * gamma).
    have df := Rmult_lt_0_compat _ _ delta0 (exp_pos (beta * gamma)); rewrite Rmult_assoc.
    rewrite -[X in X <= _]Rmult_1_l; apply: Rmult_le_compat_r; lra.
  by nra.
Qed.

(** ** Analysis: the cosine near and within half a turn, and Dirichlet's approximation *)

Lemma temperature_cos_sin2 x : 1 - cos x = 2 * (sin (x / 2) * sin (x / 2)).
Proof. have := cos_2a_sin (x / 2); have ->: 2 * (x / 2) = x by field. lra. Qed.

Lemma temperature_cos_even x : cos (- x) = cos x.
Proof. exact: cos_neg. Qed.

Lemma temperature_sin_below x : 0 <= x -> sin x <= x.
Proof. by case=> [/sin_lt_x|<-]; rewrite ?sin_0; lra. Qed.

(** [1 - cos x <= x^2 / 2]. *)
Lemma temperature_parabola x : 1 - cos x <= x * x / 2.
Proof.
have half y : 0 <= y -> 1 - cos y <= y * y / 2.
  move=> y0; rewrite temperature_cos_sin2.
  have := temperature_sin_below (x := y / 2); set s := sin _ => below.
  have := SIN_bound (y / 2); rewrite -/s => -[low high].
  case: (Rle_dec 0 s) => [s0|/Rnot_le_lt s0]; first by have := below ltac:(lra); nra.
  case: (Rle_dec 2 y) => [y2|/Rnot_le_lt y2]; first by nra.
  have: 0 <= s by apply: sin_ge_0; have := PI2_3_2; lra.
  by lra.
case: (Rle_dec 0 x) => [/half//|/Rnot_le_lt x0].
by rewrite -temperature_cos_even; have := half (- x) ltac:(lra); nra.
Qed.

(** Jordan: up to a quarter of a turn the sine is above its chord. *)
Lemma temperature_jordan x : 0 <= x -> x <= PI / 2 -> 2 / PI * x <= sin x.
Proof.
move=> x0 x1; have pi := PI_RGT_0.
case: (Rle_dec (2 / PI * x) (sin x)) => // /Rnot_le_lt below.
have chord : 2 / PI * (PI / 2) = 1 by field; lra.
have x0' : 0 < x by case: x0 => // x0; move: below; rewrite -x0 sin_0; lra.
have x1' : x < PI / 2 by case: x1 => // x1; move: below; rewrite x1 sin_PI2; lra.
pose f y := sin y - 2 / PI * y; pose f' y := cos y - 2 / PI.
have der c : derivable_pt_lim f c (f' c).
  apply: (derivable_pt_lim_minus sin (fun y => 2 / PI * y)); first exact: derivable_pt_lim_sin.
  have := derivable_pt_lim_scal id (2 / PI) c 1 (derivable_pt_lim_id c).
  by rewrite Rmult_1_r.
have [c [fc [c0 c1]]] := MVT_cor2 f f' 0 x x0' (fun c _ => der c).
have [d [fd [d0 d1]]] := MVT_cor2 f f' x (PI / 2) x1' (fun c _ => der c).
move: fc fd; rewrite /f /f' sin_0 sin_PI2 chord => fc fd.
have := cos_decreasing_1 c d ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra).
have: cos c - 2 / PI < 0 by nra.
have: 0 < cos d - 2 / PI by nra.
lra.
Qed.

(** Within half a turn [1 - cos x >= 2 x^2 / pi^2]. *)
Lemma temperature_chord x : 0 <= x -> x <= PI -> 2 * (x * x) / (PI * PI) <= 1 - cos x.
Proof.
move=> x0 x1; have pi := PI_RGT_0; rewrite temperature_cos_sin2.
have := temperature_jordan (x := x / 2) ltac:(lra) ltac:(lra).
have ->: 2 / PI * (x / 2) = x / PI by field; lra.
have ->: 2 * (x * x) / (PI * PI) = 2 * (x / PI * (x / PI)) by field; lra.
have: 0 <= x / PI by apply: Rmult_le_pos => //; apply: Rlt_le; apply: Rinv_0_lt_compat.
by move=> low high; nra.
Qed.

Lemma temperature_exp_le x y : x <= y -> exp x <= exp y.
Proof. by case=> [/exp_increasing|->]; lra. Qed.

Lemma temperature_exp_tangent x : 1 + x <= exp x.
Proof. by case: (Req_dec x 0) => [->|/exp_ineq1]; [rewrite exp_0; lra | lra]. Qed.

(** Whole turns. *)
Lemma temperature_turns x (k : Z) : cos (x + 2 * PI * IZR k) = cos x.
Proof.
have nat y n : cos (y + 2 * PI * INR n) = cos y.
  by rewrite -(cos_period y n); congr cos; ring.
case: (Z_le_gt_dec 0 k) => [k0|k0].
  by have := nat x (Z.to_nat k); rewrite INR_IZR_INZ Z2Nat.id.
rewrite -(nat (x + 2 * PI * IZR k) (Z.to_nat (- k))) INR_IZR_INZ Z2Nat.id; last lia.
by rewrite opp_IZR; congr cos; ring.
Qed.

(** Dirichlet: of the first [N - 1] multiples of a number one is within [1 / N] of an integer. *)
Lemma temperature_dirichlet (alpha : R) (N : nat) : (2 <= N)%N ->
  exists (u : nat) (k : Z), (1 <= u < N)%N /\ Rabs (INR u * alpha - IZR k) * INR N <= 1.
Proof.
case: N => // N N2.
pose part j := Int_part (INR j * alpha).
pose rest j := INR j * alpha - IZR (part j).
have in01 j : 0 <= rest j < 1.
  by have := base_Int_part (INR j * alpha); rewrite /rest /part; lra.
have N0 : 0 < INR N.+1 by apply: lt_0_INR; apply/ltP.
pose box j := Z.to_nat (Int_part (rest j * INR N.+1)).
have boxed j : INR (box j) <= rest j * INR N.+1 < INR (box j) + 1.
  have [r0 r1] := in01 j; have [low high] := base_Int_part (rest j * INR N.+1).
  rewrite /box INR_IZR_INZ Z2Nat.id; first by lra.
  have: -1 < IZR (Int_part (rest j * INR N.+1)) by nra.
  by move=> /(lt_IZR (-1)); lia.
have box_lt j : (box j < N.+1)%N.
  by apply/ltP; apply: INR_lt; have := boxed j; have := in01 j; nra.
pose f (j : 'I_N.+1) : 'I_N.+1 := Ordinal (box_lt j).
have close j k : (j < k)%N -> (k < N.+1)%N -> box j = box k ->
    exists (u : nat) (k : Z), (1 <= u < N.+1)%N /\ Rabs (INR u * alpha - IZR k) * INR N.+1 <= 1.
  move=> jk kN same; exists (k - j)%N, (part k - part j)%Z; split.
    by rewrite subn_gt0 jk /= (leq_ltn_trans (leq_subr _ _) kN).
  have := boxed j; have := boxed k; rewrite same => bk bj.
  rewrite minus_INR; last by apply/leP; apply: ltnW.
  rewrite minus_IZR; have ->: (INR k - INR j) * alpha - (IZR (part k) - IZR (part j)) = rest k - rest j.
    by rewrite /rest; ring.
  by rewrite -(Rabs_pos_eq (INR N.+1)); [rewrite -Rabs_mult; apply: Rabs_le; lra | lra].
case: (boolP (injectiveb f)) => [/injectiveP inj|/injectivePn[j [k jk same]]].
  have /codomP[j last] := inj_card_onto inj (leqnn _) ord_max.
  have lastE : box j = N by have /(f_equal val) /= := last.
  exists j, (part j + 1)%Z; split.
    rewrite ltn_ord andbT lt0n; apply/eqP => j0.
    move: lastE; rewrite /box /rest /part j0 /= Rmult_0_l.
    have zero : Int_part 0 = 0%Z by have := Int_part_INR 0.
    by rewrite zero Rminus_0_r Rmult_0_l zero /= => N0'; rewrite -N0' in N2.
  have := boxed j; have := in01 j; rewrite lastE => r01 b.
  have NE : INR N.+1 = INR N + 1 by rewrite S_INR.
  rewrite plus_IZR; have ->: INR j * alpha - (IZR (part j) + 1) = rest j - 1 by rewrite /rest; ring.
  by rewrite Rabs_left1; [nra | lra].
have sameE : box j = box k by have /(f_equal val) := same.
by case: (ltngtP j k) => [lt|lt|/val_inj eq];
  [apply: (close j k) | apply: (close k j) | move: jk; rewrite eq eqxx].
Qed.

(** ** Softmax weights *)

Lemma temperature_ratio n beta (l : 'I_n -> R) (m t : 'I_n) :
  temperature_soft beta l t = exp (beta * (l t - l m)) * temperature_soft beta l m.
Proof.
rewrite /temperature_soft /softmax Rmult_minus_distr_l /Rminus exp_plus exp_Ropp.
have := sum_exp_gt0 (fun t => beta * l t) m; have := exp_pos (beta * l m) => e z; field; lra.
Qed.

Lemma temperature_soft_total n beta (l : 'I_n -> R) (m : 'I_n) :
  temperature_soft beta l m + \big[Rplus/0]_(t < n | t != m) temperature_soft beta l t = 1.
Proof.
by rewrite -(softmax_sum1 (fun t => beta * l t) (leq_ltn_trans (leq0n m) (ltn_ord m))) [RHS](bigD1 m).
Qed.

Lemma temperature_soft_rest n beta (l : 'I_n -> R) (m : 'I_n) :
  \big[Rplus/0]_(t < n | t != m) temperature_soft beta l t = 1 - temperature_soft beta l m.
Proof. by rewrite -(temperature_soft_total beta l m); ring. Qed.

Lemma temperature_soft_pos n beta (l : 'I_n -> R) (m : 'I_n) : 0 < temperature_soft beta l m.
Proof. exact: softmax_gt0. Qed.

(** The other keys' weights together, in terms of the weight of key [m]. *)
Lemma temperature_rest n beta (l : 'I_n -> R) (m : 'I_n) (P : pred 'I_n) :
  \big[Rplus/0]_(t < n | P t) temperature_soft beta l t
  = temperature_soft beta l m * \big[Rplus/0]_(t < n | P t) exp (beta * (l t - l m)).
Proof. by rewrite -sum_scale; apply: eq_bigr => t _; rewrite (temperature_ratio beta l m t); lra. Qed.

(** Key [m] has more than half of the weight where the others together have less than it. *)
Lemma temperature_half n beta (l : 'I_n -> R) (m : 'I_n) :
  \big[Rplus/0]_(t < n | t != m) exp (beta * (l t - l m)) < 1 <-> 1 / 2 < temperature_soft beta l m.
Proof.
have := temperature_soft_total beta l m; rewrite (temperature_rest beta l m); have := temperature_soft_pos beta l m.
move: (\big[_/_]_(t < n | _) _) => S; move: (temperature_soft _ _ _) => w pos total; split => few; nra.
Qed.

(** A token other than that of key [m] gets the weight of the other keys at most. *)
Lemma temperature_others n beta (l : 'I_n -> R) (m : 'I_n) (T : eqType) (x : nat -> T) (s : T) v : 0 <= v -> x m != s ->
  \big[Rplus/0]_(t < n) (temperature_soft beta l t * (if x t == s then v else 0))
  <= v * (1 - temperature_soft beta l m).
Proof.
move=> v0 other; rewrite -temperature_soft_rest (bigD1 m) //= (negbTE other) Rmult_0_r Rplus_0_l -sum_scale.
apply: sum_le => t _; have := temperature_soft_pos beta l t; case: ifP => _; nra.
Qed.

Lemma temperature_gets n beta (l : 'I_n -> R) (m : 'I_n) (T : eqType) (x : nat -> T) (s : T) v : 0 <= v -> x m = s ->
  v * temperature_soft beta l m <= \big[Rplus/0]_(t < n) (temperature_soft beta l t * (if x t == s then v else 0)).
Proof.
move=> v0 own; rewrite (bigD1 m) //= own eqxx.
rewrite Rmult_comm -[X in X <= _]Rplus_0_r; apply: Rplus_le_compat_l.
by apply: sum_ge0 => t _; apply: Rmult_le_pos; [apply/Rlt_le/temperature_soft_pos | case: ifP; lra].
Qed.

(** ** Index: the target needs more than half of the weight *)

Lemma temperature_index_logitE L theta (x : nat -> temperature_number_token L) i t :
  x 0%N = inr i -> temperature_index_logit theta x t = cos ((INR t - INR i) * theta).
Proof. by rewrite /temperature_index_logit => ->. Qed.

Lemma temperature_index_of_half L n0 theta beta :
  (forall n (i : 'I_n), (n <= n0)%N -> (0 < i)%N ->
    \big[Rplus/0]_(t < n | t != i) exp (beta * (cos ((INR t - INR i) * theta) - 1)) < 1) ->
  temperature_index_right L n0 theta beta.
Proof.
move=> few n x i /andP[n_pos n_le] valid query.
have [i_pos i_lt] := valid 0%N i n_pos query.
pose l (t : 'I_n) := temperature_index_logit theta x t.
have top : l (Ordinal i_lt) = 1 by rewrite /l (temperature_index_logitE _ _ query) Rminus_diag_eq // Rmult_0_l cos_0.
have half : 1 / 2 < temperature_soft beta l (Ordinal i_lt).
  apply/temperature_half; rewrite top; have := few n (Ordinal i_lt) n_le i_pos.
  by under eq_bigr => t _ do rewrite -(temperature_index_logitE theta t query).
have letter b : x i != inl b -> temperature_index_score theta beta n x (inl b) < 1.
  move=> other; rewrite /temperature_index_score query /= Rplus_0_l /temperature_score.
  apply: Rle_lt_trans; first exact: (temperature_others beta l (m := Ordinal i_lt) (v := 2) ltac:(lra) other).
  by lra.
have integer j : temperature_index_score theta beta n x (inr j) = if i == j then 1 else 0.
  rewrite /temperature_index_score query /temperature_score big1 ?Rplus_0_r //.
  by move=> t _; case: ifP => _; rewrite Rmult_0_r.
have no j : inr j <> inr i :> temperature_number_token L -> (i == j) = false.
  by move=> ne; apply/eqP => eq; case: ne; rewrite eq.
move=> s; rewrite /temperature_index_answer query; case target: (x i) => [a|c] other; last first.
  rewrite (integer i) eqxx; case: s other => [b|j] other; first by apply: letter; rewrite target.
  by rewrite integer no //; lra.
suff: 1 < temperature_index_score theta beta n x (inl a).
  case: s other => [b|j] other; last by rewrite integer; case: ifP => _; lra.
  have: temperature_index_score theta beta n x (inl b) < 1; last lra.
  by apply: letter; rewrite target; apply/eqP => eq; case: other; rewrite eq.
rewrite /temperature_index_score query /= Rplus_0_l /temperature_score.
apply: Rlt_le_trans; last exact: (temperature_gets beta l (m := Ordinal i_lt) (v := 2) ltac:(lra) target).
by lra.
Qed.

(** With two letters, all keys but the target may hold the wrong one. *)
Lemma temperature_index_needs_half L n0 theta beta (i : 'I_n0) :
  (2 <= L)%N -> (0 < i)%N -> temperature_index_right L n0 theta beta ->
  \big[Rplus/0]_(t < n0 | t != i) exp (beta * (cos ((INR t - INR i) * theta) - 1)) < 1.
Proof.
case: L => [|[|L]] // _ i_pos right.
pose x t : temperature_number_token L.+2 :=
  if t == 0%N then inr (nat_of_ord i) else if t == i then inl ord0 else inl ord_max.
have query : x 0%N = inr (nat_of_ord i) by [].
have target : x i = inl ord0 by rewrite /x eqxx gtn_eqF.
have valid : temperature_valid n0 x.
  move=> t j _; rewrite /x; case: eqP => [->|_]; last by case: ifP.
  by case=> <-; rewrite add0n; split.
have n_pos : (0 < n0)%N by apply: leq_ltn_trans (leq0n i) (ltn_ord i).
have := right n0 x i _ valid query; rewrite n_pos leqnn => /(_ isT); rewrite /temperature_index_answer query target.
move=> /(_ (inr (nat_of_ord i)) ltac:(done)).
rewrite {1}/temperature_index_score query eqxx /temperature_score big1; last first.
  by move=> t _; case: ifP => _; rewrite Rmult_0_r.
pose l (t : 'I_n0) := temperature_index_logit theta x t.
have top : l i = 1 by rewrite /l (temperature_index_logitE _ _ query) Rminus_diag_eq // Rmult_0_l cos_0.
rewrite /temperature_index_score query /= -/l /temperature_score (bigD1 i) //= target eqxx big1; last first.
  move=> t ti; have ->: (x t == inl ord0) = false; last by rewrite Rmult_0_r.
  have off : (nat_of_ord t == i) = false by apply: negbTE.
  by rewrite /x off; case: ifP.
move=> wins; have := proj2 (temperature_half beta l i) ltac:(lra); rewrite top => few.
by rewrite (eq_bigr (fun t => exp (beta * (l t - 1)))).
Qed.

(** Two terms of a sum of positive ones. *)
Lemma temperature_two_terms n (P : pred 'I_n) (f : 'I_n -> R) (i j : 'I_n) :
  (forall t, 0 <= f t) -> P i -> P j -> i != j -> f i + f j <= \big[Rplus/0]_(t < n | P t) f t.
Proof.
move=> pos Pi Pj ij; rewrite (bigD1 i) //= (bigD1 j) /=; last by rewrite Pj eq_sym.
rewrite -Rplus_assoc -[X in X <= _]Rplus_0_r; apply: Rplus_le_compat_l.
by apply: sum_ge0 => t _; apply: pos.
Qed.

(** ** Sums of powers *)

Lemma temperature_geometric c a : (1 - c) * sum_(u < a) c ^ u = 1 - c ^ a.
Proof. by elim: a => [|a IH]; [rewrite big_ord0 /=; lra | rewrite big_ord_recr /= Rmult_plus_distr_l IH; lra]. Qed.

Lemma temperature_geometric_back c N a : (a <= N)%N ->
  (1 - c) * sum_(u < a) c ^ (N - u.+1) = c ^ (N - a) - c ^ N.
Proof.
elim: a => [|a IH] aN; first by rewrite big_ord0 subn0; lra.
rewrite big_ord_recr /= Rmult_plus_distr_l IH ?(ltnW aN) //.
have ->: (N - a = (N - a.+1).+1)%N by rewrite -subSn.
by rewrite /=; lra.
Qed.

Lemma temperature_exp_power x m : exp (INR m * x) = exp x ^ m.
Proof.
elim: m => [|m IH]; first by rewrite Rmult_0_l exp_0.
by rewrite S_INR Rmult_plus_distr_r Rmult_1_l exp_plus IH /=; lra.
Qed.

(** The keys on both sides of place [i]. *)
Lemma temperature_sides n (i : 'I_n) (f : R -> R) : (forall y, f (- y) = f y) ->
  \big[Rplus/0]_(t < n | t != i) f (INR t - INR i)
  = sum_(u < i) f (INR u.+1) + sum_(u < n - i.+1) f (INR u.+1).
Proof.
move=> even; rewrite -(big_mkord (fun t => t != i) (fun t => f (INR t - INR i))).
rewrite (big_cat_nat _ _ _ (leq0n i) (ltnW (ltn_ord i))) [X in _ + X = _]big_ltn_cond //.
rewrite (_ : (i != i :> nat) = false) ?eqxx //; congr (_ + _).
  rewrite big_nat_cond (eq_bigl (fun t => (0 <= t < i)%N)); last first.
    by move=> t /=; case: ltngtP.
  rewrite -big_nat big_nat_rev big_mkord; apply: eq_bigr => u _; rewrite add0n -even; congr f.
  by rewrite minus_INR; [ring | apply/leP].
rewrite big_nat_cond (eq_bigl (fun t => (i < t < n)%N)); last first.
  by move=> t /=; case: ltngtP => //=; rewrite ?andbF ?andbT.
rewrite -big_nat -{1}[i.+1]add0n big_addn big_mkord; apply: eq_bigr => u _; congr f.
by rewrite !S_INR addnS S_INR plus_INR; ring.
Qed.

Lemma temperature_even beta theta y :
  exp (beta * (cos (- y * theta) - 1)) = exp (beta * (cos (y * theta) - 1)).
Proof. by rewrite Ropp_mult_distr_l_reverse cos_neg. Qed.

(** Another key of [n] is at a distance of 1 to [n - 1] places. *)
Lemma temperature_lag n (i t : 'I_n) theta : t != i ->
  exists u, (1 <= u < n)%N /\ cos ((INR t - INR i) * theta) = cos (INR u * theta).
Proof.
move=> ti; case: (ltngtP t i) => [lt|lt|/val_inj eq]; last by rewrite eq eqxx in ti.
  exists (i - t)%N; split; first by rewrite subn_gt0 lt (leq_ltn_trans (leq_subr _ _) (ltn_ord i)).
  rewrite minus_INR; last by apply/leP/ltnW.
  by rewrite -cos_neg; congr cos; ring.
exists (t - i)%N; split; first by rewrite subn_gt0 lt (leq_ltn_trans (leq_subr _ _) (ltn_ord t)).
by rewrite minus_INR //; apply/leP/ltnW.
Qed.

(** Where no other key weighs more than [e], all others together weigh at most [(n - 1) e]. *)
Lemma temperature_at_most n (i : 'I_n) (f : 'I_n -> R) e :
  (forall t, t != i -> f t <= e) -> \big[Rplus/0]_(t < n | t != i) f t <= (INR n - 1) * e.
Proof.
move=> most; apply: Rle_trans; first exact: (sum_le most).
rewrite temperature_sum_count cardC1 card_ord.
have [m ->] : exists m, n = m.+1 by case: n i {f most} => [[]//|m _]; exists m.
by rewrite [m.+1.-1]/= S_INR; lra.
Qed.

Lemma temperature_power_term K w : 0 <= K -> exp (- (K * INR w.+1 ^ 2)) <= exp (- K) * (exp (- K) ^ 3) ^ w.
Proof.
move=> K0; have ->: exp (- K) ^ 3 = exp (INR 3 * - K) by rewrite temperature_exp_power.
rewrite -temperature_exp_power -exp_plus; apply: temperature_exp_le; rewrite S_INR.
have: INR w <= INR w ^ 2.
  case: w => [|w]; first by rewrite /=; lra.
  by have := pos_INR w; rewrite S_INR; nra.
by move=> sq; rewrite (_ : INR 3 = 3); [nra | rewrite /=; ring].
Qed.

(** At [theta = 2 pi / n0] a key [u] places from the target is as far as one [n0 - u] places from it, and weighs at
    most [e^(-K v^2)], [v] the smaller of the two. *)
Lemma temperature_index_term n0 theta beta K w : (w.+1 < n0)%N -> theta = 2 * PI / INR n0 -> 0 <= K ->
  K * INR n0 ^ 2 <= 8 * beta ->
  exp (beta * (cos (INR w.+1 * theta) - 1))
  <= exp (- K) * (exp (- K) ^ 3) ^ w + exp (- K) * (exp (- K) ^ 3) ^ (n0.-1 - w.+1).
Proof.
move=> wn angle K0 cold; have pi := PI_RGT_0.
have n_pos : 0 < INR n0 by apply: lt_0_INR; apply/ltP; apply: leq_ltn_trans wn.
have beta0 : 0 <= beta by nra.
have near v : (2 * v.+1 <= n0)%N ->
    exp (beta * (cos (INR v.+1 * theta) - 1)) <= exp (- K) * (exp (- K) ^ 3) ^ v.
  move=> vn; apply: Rle_trans (temperature_power_term v K0); apply: temperature_exp_le.
  have {}vn : 2 * INR v.+1 <= INR n0 by have := le_INR _ _ (elimT leP vn); rewrite mult_INR (_ : INR 2 = 2).
  have v0 := pos_INR v.+1; set V := INR v.+1 in vn v0 *.
  have vt : V * theta = PI * (2 * V / INR n0) by rewrite angle; field; lra.
  have part : 0 <= 2 * V / INR n0 <= 1.
    split; first by apply: Rmult_le_pos; [lra | apply/Rlt_le/Rinv_0_lt_compat].
    by apply: (Rmult_le_reg_r (INR n0)) => //; field_simplify; lra.
  have := temperature_chord (x := V * theta) ltac:(nra) ltac:(nra).
  have ->: 2 * (V * theta * (V * theta)) / (PI * PI) = 8 * V ^ 2 / INR n0 ^ 2 by rewrite vt; field; lra.
  move=> lag; have: K * V ^ 2 <= beta * (8 * V ^ 2 / INR n0 ^ 2).
    apply: (Rmult_le_reg_r (INR n0 ^ 2)); first by nra.
    have ->: beta * (8 * V ^ 2 / INR n0 ^ 2) * INR n0 ^ 2 = 8 * beta * V ^ 2 by field; lra.
    by nra.
  by nra.
have pos m : 0 <= exp (- K) * (exp (- K) ^ 3) ^ m.
  by apply: Rmult_le_pos; [apply/Rlt_le/exp_pos | apply/pow_le/pow_le/Rlt_le/exp_pos].
case: (leqP (2 * w.+1) n0) => [le|gt]; first by have := near w le; have := pos (n0.-1 - w.+1)%N; lra.
have back : (n0 - w.+1 = (n0.-1 - w.+1).+1)%N.
  by rewrite -subSn ?prednK //; [apply: leq_ltn_trans wn | rewrite -ltnS prednK //; apply: leq_ltn_trans wn].
have ->: cos (INR w.+1 * theta) = cos (INR (n0 - w.+1) * theta).
  rewrite minus_INR; last by apply/leP/ltnW.
  rewrite -[RHS]cos_neg -(temperature_turns (- _) 1); congr cos; rewrite angle; field; lra.
rewrite back; have := near (n0.-1 - w.+1)%N; rewrite -back => /(_ _).
have le : (2 * (n0 - w.+1) <= n0)%N.
  by rewrite mulnBr leq_subLR mul2n -addnn leq_add2r ltnW // -mul2n.
by move=> /(_ le); have := pos w; lra.
Qed.

(** Two keys that lag by [lag <= 2 pi^2 / N^2] and together weigh less than the target ask for [beta]. *)
Lemma temperature_near y N : 0 < N -> Rabs y * N <= 1 -> 1 - cos (2 * PI * y) <= 2 * PI ^ 2 / N ^ 2.
Proof.
move=> N0 near; apply: Rle_trans (temperature_parabola _) _; have pi := PI_RGT_0.
apply: (Rmult_le_reg_r (N ^ 2)); first by nra.
have ->: 2 * PI * y * (2 * PI * y) / 2 * N ^ 2 = 2 * PI ^ 2 * (y * N) ^ 2 by field.
have ->: 2 * PI ^ 2 / N ^ 2 * N ^ 2 = 2 * PI ^ 2 * 1 by field; lra.
apply: Rmult_le_compat_l; first by nra.
have sq : (y * N) ^ 2 = (Rabs y * N) ^ 2 by rewrite !Rpow_mult_distr pow2_abs.
have low : 0 <= Rabs y * N by apply: Rmult_le_pos; [exact: Rabs_pos | lra].
by rewrite sq; nra.
Qed.

Lemma temperature_cold beta lag N : 0 < N -> 0 <= beta -> lag <= 2 * PI ^ 2 / N ^ 2 -> 2 * exp (beta * - lag) < 1 ->
  beta > ln 2 / (2 * PI ^ 2) * N ^ 2.
Proof.
move=> N0 beta0 near few; have pi := PI_RGT_0.
have e := exp_pos (beta * lag).
have inv : exp (beta * lag) * exp (beta * - lag) = 1 by rewrite -exp_plus -exp_0; congr exp; ring.
have low : ln 2 < beta * lag by apply: exp_lt_inv; rewrite exp_ln; [nra | lra].
have high : beta * lag <= beta * (2 * PI ^ 2 / N ^ 2) by nra.
apply: (Rmult_lt_reg_r (2 * PI ^ 2 / N ^ 2)).
  by apply: Rdiv_lt_0_compat; nra.
have ->: ln 2 / (2 * PI ^ 2) * N ^ 2 * (2 * PI ^ 2 / N ^ 2) = ln 2 by field; split; nra.
by lra.
Qed.

Lemma temperature_power_le c a b : 0 <= c <= 1 -> (a <= b)%N -> c ^ b <= c ^ a.
Proof.
move=> [c0 c1] ab; rewrite -(subnKC ab) pow_add; have := pow_le c a c0.
have: c ^ (b - a) <= 1 by rewrite -(pow1 (b - a)); apply: pow_incr.
by have := pow_le c (b - a) c0; nra.
Qed.

(** One side of the window. *)
Lemma temperature_index_side N a (f : R -> R) :
  (forall w, (w < N)%N -> f (INR w.+1) <= 3 / 8 * ((3 / 8) ^ 3) ^ w + 3 / 8 * ((3 / 8) ^ 3) ^ (N - w.+1)) ->
  (a <= N)%N ->
  sum_(u < a) f (INR u.+1) <= 3 / 8 / (1 - (3 / 8) ^ 3)
    * (1 - ((3 / 8) ^ 3) ^ a + (((3 / 8) ^ 3) ^ (N - a) - ((3 / 8) ^ 3) ^ N)).
Proof.
move=> term an; set c := (3 / 8) ^ 3 in term *.
rewrite -(temperature_geometric c a) -(temperature_geometric_back c an).
have ->: 3 / 8 / (1 - c) * ((1 - c) * sum_(u < a) c ^ u + (1 - c) * sum_(u < a) c ^ (N - u.+1))
    = sum_(u < a) (3 / 8 * c ^ u + 3 / 8 * c ^ (N - u.+1)).
  rewrite sum_add !sum_scale -!Rmult_plus_distr_l -Rmult_assoc; congr (_ * _); field.
  by rewrite /c; nra.
by apply: sum_le => u _; apply: term; apply: leq_trans an.
Qed.

(** ** Retrieval: wrong letters and copies *)

Lemma temperature_cos_between y x : 0 <= y -> y <= x <= 2 * PI - y -> cos x <= cos y.
Proof.
move=> y0 [yx xy]; have pi := PI_RGT_0.
case: (Rle_dec x PI) => [xp|/Rnot_le_lt xp]; first by apply: cos_decr_1; lra.
have ->: cos x = cos (2 * PI - x) by rewrite -cos_neg -(temperature_turns (- x) 1); congr cos; ring.
by apply: cos_decr_1; lra.
Qed.

Lemma temperature_omega_turn L : (0 < L)%N -> INR L * temperature_omega L = 2 * PI /\ 0 < temperature_omega L.
Proof.
move=> L0; have pi := PI_RGT_0; have pos : 0 < INR L by apply: lt_0_INR; apply/ltP.
by split; rewrite /temperature_omega; [field; lra | apply: Rdiv_lt_0_compat; lra].
Qed.

(** A wrong letter is one step of [omega] away at least, on both sides. *)
Lemma temperature_wrong L (p r : 'I_L) y : p <> r -> exists z,
  cos ((INR p - INR r) * temperature_omega L + y) = cos z
  /\ temperature_omega L + y <= z <= 2 * PI - temperature_omega L + y.
Proof.
move=> pr; have [turn pos] := temperature_omega_turn (leq_ltn_trans (leq0n p) (ltn_ord p)).
have le (q : 'I_L) : INR q + 1 <= INR L by rewrite -S_INR; apply: le_INR; apply/leP.
have := le p; have := le r; have := pos_INR p; have := pos_INR r => r0 p0 rl pl.
set w := temperature_omega L in turn pos *.
case: (ltngtP p r) => [lt|lt|/val_inj //].
  exists ((INR p - INR r) * w + y + 2 * PI * 1); split; first by rewrite (temperature_turns _ 1).
  have: INR p + 1 <= INR r by rewrite -S_INR; apply: le_INR; apply/leP.
  by nra.
exists ((INR p - INR r) * w + y); split=> //.
have: INR r + 1 <= INR p by rewrite -S_INR; apply: le_INR; apply/leP.
by nra.
Qed.

(** No wrong letter up to place [a] does better than the next letter at place [a]. *)
Lemma temperature_no_nearer L (p r : 'I_L) theta t a : p <> r -> 0 <= theta -> (t <= a)%N ->
  INR a * theta <= temperature_omega L / 2 ->
  cos ((INR p - INR r) * temperature_omega L + INR t * theta) <= cos (temperature_omega L - INR a * theta).
Proof.
move=> pr theta0 /leP/le_INR ta room.
have [z [-> [low high]]] := temperature_wrong (INR t * theta) pr.
have [_ pos] := temperature_omega_turn (leq_ltn_trans (leq0n p) (ltn_ord p)).
have t0 := pos_INR t; have tp : 0 <= INR t * theta by nra.
have le : INR t * theta <= INR a * theta by nra.
by apply: temperature_cos_between; lra.
Qed.

(** A wrong letter has no more than a match at its place. *)
Lemma temperature_beats L (p r : 'I_L) theta t : 0 <= theta -> INR t * theta <= temperature_omega L / 2 ->
  cos ((INR p - INR r) * temperature_omega L + INR t * theta) <= cos (INR t * theta).
Proof.
move=> theta0 room; case: (eqVneq p r) => [->|/eqP pr]; first by right; congr cos; ring.
have [z [-> [low high]]] := temperature_wrong (INR t * theta) pr.
have [_ pos] := temperature_omega_turn (leq_ltn_trans (leq0n p) (ltn_ord p)).
have t0 := pos_INR t; have tp : 0 <= INR t * theta by nra.
by apply: temperature_cos_between; lra.
Qed.

(** Where every key of a wrong letter lags behind the match by [V], [n0 - 1] of them do not outweigh it if
    [e^(beta V) > n0 - 1]. *)
Lemma temperature_letters_of_lead L n0 theta beta V : 0 <= beta -> exp (beta * V) > INR n0 - 1 ->
  (forall (p r : 'I_L) m t, p <> r -> (m < n0)%N -> (t < n0)%N -> m <> t ->
    V <= cos (INR m * theta) - cos ((INR p - INR r) * temperature_omega L + INR t * theta)) ->
  temperature_letters_right L n0 theta beta.
Proof.
move=> beta0 cold lead n x b m /andP[n_pos n_le] proper query m_lt match_m s other.
have wanted : temperature_wanted (x 0%N) = b by rewrite /temperature_wanted query.
pose l (t : 'I_n) := temperature_retrieval_logit theta x t; pose M := Ordinal m_lt.
have top : l M = cos (INR m * theta).
  by rewrite /l /temperature_retrieval_logit wanted match_m; congr cos; rewrite /=; ring.
have wM := temperature_soft_pos beta l M.
have gets := temperature_gets beta l (m := M) (x := x) (v := 1) ltac:(lra) erefl.
apply: Rlt_le_trans; last exact: gets.
have off : x M == s = false by apply/eqP => eq; case: other.
rewrite /temperature_retrieval_score /temperature_score (bigD1 M) //= off Rmult_0_r Rplus_0_l.
apply: Rle_lt_trans (temperature_at_most (e := exp (- (beta * V)) * temperature_soft beta l M) _) _ => [t tM|].
  have e := exp_pos (- (beta * V)); case: eqP => [xt|_]; last first.
    by rewrite Rmult_0_r; apply: Rmult_le_pos; lra.
  rewrite Rmult_1_r (temperature_ratio beta l M t); apply: Rmult_le_compat_r; first lra.
  apply: temperature_exp_le; rewrite top.
  have wrong : (x t).1 <> b.
    move=> left; case: other; rewrite -xt; have [_ same] := proper 0%N b n_pos query.
    exact: same (ltn_ord t) m_lt left match_m.
  have := lead (x t).1 b m t wrong (leq_trans m_lt n_le) (leq_trans (ltn_ord t) n_le).
  rewrite /l /temperature_retrieval_logit wanted => far.
  have ne : m <> t by move=> eq; move: tM; rewrite -val_eqE /= eq eqxx.
  by have := far ne; nra.
have e := exp_pos (- (beta * V)).
have inv : exp (beta * V) * exp (- (beta * V)) = 1 by rewrite -exp_plus Rplus_opp_r exp_0.
have le : INR n <= INR n0 by apply: le_INR; apply/leP.
have few : (INR n - 1) * exp (- (beta * V)) < 1 by nra.
by nra.
Qed.

(** The lead that every match has, at every angle that the print allows. *)
Lemma temperature_lead L n0 theta (p r : 'I_L) m t : p <> r -> 0 <= theta ->
  theta <= temperature_omega L / (2 * INR n0) -> (2 <= n0)%N -> (m < n0)%N -> (t < n0)%N -> m <> t ->
  cos ((INR n0 - 2) * theta) - cos (temperature_omega L - (INR n0 - 1) * theta)
  <= cos (INR m * theta) - cos ((INR p - INR r) * temperature_omega L + INR t * theta).
Proof.
case: n0 => [|[|N]] // pr theta0 allowed _ m_lt t_lt mt; have pi := PI_RGT_0.
have L0 : (0 < L)%N by apply: leq_ltn_trans (leq0n p) (ltn_ord p).
have L2 : 2 <= INR L.
  apply: (le_INR 2); apply/leP; case: L p r pr {L0 allowed} => [|[|]] // p r pr; first by case: p {pr}.
  by case: pr; rewrite (ord1 p) (ord1 r).
have [turn pos] := temperature_omega_turn L0; set w := temperature_omega L in allowed turn pos *.
have wp : w <= PI by nra.
have N0 := pos_INR N.
have room : (INR N + 1) * theta <= w / 2.
  have: theta * (2 * INR N.+2) <= w.
    apply: (Rmult_le_reg_r (/ (2 * INR N.+2))); first by apply: Rinv_0_lt_compat; rewrite !S_INR; lra.
    by rewrite Rmult_assoc Rinv_r; [rewrite Rmult_1_r | rewrite !S_INR; lra].
  by rewrite !S_INR; nra.
have ->: (INR N.+2 - 2) * theta = INR N * theta by rewrite !S_INR; ring.
have ->: (INR N.+2 - 1) * theta = INR N.+1 * theta by rewrite !S_INR; ring.
have room1 : INR N.+1 * theta <= w / 2 by rewrite S_INR.
have room0 : INR N * theta <= w / 2 by nra.
have nt : 0 <= INR N * theta by nra.
case: (leqP m N) => [mN|Nm].
  have := temperature_no_nearer pr theta0 (t_lt : (t <= N.+1)%N) room1; rewrite -/w => wrong.
  have le : INR m * theta <= INR N * theta by have := le_INR _ _ (elimT leP mN); nra.
  have m0 : 0 <= INR m * theta by have := pos_INR m; nra.
  by have := cos_decr_1 (INR m * theta) (INR N * theta) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) le; lra.
have mE : m = N.+1 by apply/eqP; rewrite eqn_leq -ltnS m_lt Nm.
have tN : (t <= N)%N by rewrite -ltnS ltn_neqAle -mE eq_sym; apply/andP; split; [apply/eqP | rewrite mE].
have := temperature_no_nearer pr theta0 tN room0; rewrite -/w mE => wrong.
have two : cos (INR N * theta) + cos (w - INR N * theta) <= cos (INR N.+1 * theta) + cos (w - INR N.+1 * theta).
  have sum y : cos y + cos (w - y) = 2 * cos (w / 2) * cos (w / 2 - y).
    rewrite (_ : cos y = cos (w / 2 - (w / 2 - y))); last by congr cos; field.
    rewrite (_ : cos (w - y) = cos (w / 2 + (w / 2 - y))); last by congr cos; field.
    by rewrite cos_minus cos_plus; ring.
  rewrite !sum; apply: Rmult_le_compat_l.
    have: 0 <= cos (w / 2) by apply: cos_ge_0; lra.
    by lra.
  apply: cos_decr_1; rewrite ?S_INR; lra.
by lra.
Qed.

(** A query of a letter and a number is a match at its own place; it must outweigh everything else together. *)
Lemma temperature_numbers_need L n0 theta beta : (0 < L)%N -> temperature_numbers_right L n0.+1 theta beta ->
  \big[Rplus/0]_(t < n0.+1 | t != ord0) exp (beta * (cos (INR t * theta) - 1)) < 1.
Proof.
case: L => [|L] // _ right.
pose x t : temperature_pair_token L.+1 := (ord0, inr (if t == 0%N then 5%N else 6%N)).
have proper : temperature_proper n0.+1 x by [].
have := right n0.+1 x 5%N (leqnn _) proper erefl (ord0, inr 6%N) ltac:(by []).
pose l (t : 'I_n0.+1) := temperature_retrieval_logit theta x t.
have logit t : l t = cos (INR t * theta).
  by rewrite /l /temperature_retrieval_logit; congr cos; rewrite /x /=; ring.
rewrite /temperature_retrieval_score -/l /temperature_score => wins.
have half : 1 / 2 < temperature_soft beta l ord0.
  move: wins; rewrite (bigD1 ord0) //= Rmult_0_r Rplus_0_l.
  rewrite (eq_bigr (fun t => temperature_soft beta l t)); last first.
    by move=> t t0; rewrite /x (negbTE (_ : nat_of_ord t != 0%N)) // eqxx Rmult_1_r.
  rewrite [X in _ < X](bigD1 ord0) //= Rmult_1_r [X in _ < _ + X]big1; last first.
    move=> t t0; rewrite /x (negbTE (_ : nat_of_ord t != 0%N)) //=.
    by rewrite Rmult_0_r.
  by rewrite temperature_soft_rest; lra.
have := proj2 (temperature_half beta l ord0) half.
rewrite [l ord0]logit [INR ord0]/= Rmult_0_l cos_0 => few.
rewrite (eq_bigr (fun t : 'I_n0.+1 => exp (beta * (l t - 1)))); first exact: few.
by move=> t _; rewrite logit.
Qed.

(** It does, if copies of another pair of its left letter do not outweigh it. *)
Lemma temperature_numbers_of_sum L n0 theta beta : 0 <= theta -> theta <= temperature_omega L / (2 * INR n0) ->
  0 <= beta ->
  (forall n, (n < n0)%N ->
    \big[Rplus/0]_(t < n.+1 | t != ord0) exp (beta * (cos ((INR t - INR (@ord0 n)) * theta) - 1)) < 1) ->
  temperature_numbers_right L n0 theta beta.
Proof.
move=> theta0 allowed beta0 few [|n] x c // n_le proper query s other.
have wanted : temperature_wanted (x 0%N) = (x 0%N).1 by rewrite /temperature_wanted query.
pose l (t : 'I_n.+1) := temperature_retrieval_logit theta x t.
have top : l ord0 = 1 by rewrite /l /temperature_retrieval_logit wanted -cos_0; congr cos; rewrite /=; ring.
have n0_pos : 0 < INR n0 by apply: lt_0_INR; apply/ltP; apply: leq_ltn_trans n_le.
have all_room : theta * (2 * INR n0) <= temperature_omega L.
  apply: (Rmult_le_reg_r (/ (2 * INR n0))); first by apply: Rinv_0_lt_compat; lra.
  by rewrite Rmult_assoc Rinv_r; [rewrite Rmult_1_r | lra].
have half : 1 / 2 < temperature_soft beta l ord0.
  apply/temperature_half; rewrite top; apply: Rle_lt_trans (few n n_le).
  apply: sum_le => t _; apply: temperature_exp_le; apply: Rmult_le_compat_l => //.
  rewrite [INR ord0]/= Rminus_0_r.
  suff: l t <= cos (INR t * theta) by lra.
  rewrite /l /temperature_retrieval_logit; apply: temperature_beats => //.
  have: INR t <= INR n0 by apply: le_INR; apply/leP; apply: leq_trans (ltnW (ltn_ord t)) n_le.
  by nra.
apply: Rle_lt_trans.
  apply: (temperature_others beta l (m := ord0) (x := x) (v := 1)); first lra.
  by apply/eqP => eq; case: other.
apply: Rlt_le_trans; last exact: (temperature_gets beta l (m := ord0) (x := x) (v := 1) ltac:(lra) erefl).
by lra.
Qed.

(** From what softmax needs to a bound on the inverse temperature. *)
Lemma temperature_ask beta lag bound : 0 <= beta -> lag <= bound -> 2 * exp (beta * - lag) < 1 -> ln 2 < beta * bound.
Proof.
move=> beta0 near few; have e := exp_pos (beta * lag).
have inv : exp (beta * lag) * exp (beta * - lag) = 1 by rewrite -exp_plus -exp_0; congr exp; ring.
have: ln 2 < beta * lag by apply: exp_lt_inv; rewrite exp_ln; [nra | lra].
by nra.
Qed.

Lemma temperature_ln2 : 1 / 2 < ln 2.
Proof.
apply: exp_lt_inv; rewrite exp_ln; last lra.
have: exp (1 / 2) * exp (1 / 2) = exp 1 by rewrite -exp_plus; congr exp; field.
by have := exp_le_3; have := exp_pos (1 / 2); nra.
Qed.

Lemma temperature_allowed L n0 theta : (0 < n0)%N -> theta <= temperature_omega L / (2 * INR n0) ->
  2 * INR n0 * theta <= temperature_omega L.
Proof.
move=> n_pos; have n0_pos : 0 < INR n0 by apply: lt_0_INR; apply/ltP.
move=> allowed; apply: (Rmult_le_reg_r (/ (2 * INR n0))); first by apply: Rinv_0_lt_compat; lra.
by rewrite -/(temperature_omega L / (2 * INR n0)); field_simplify (2 * INR n0 * theta * / (2 * INR n0)); lra.
Qed.

(** At [2 beta theta^2 >= ln 2 pi^2] a copy [w + 1] places back weighs at most [2^(-(w + 1)^2)]. *)
Lemma temperature_copy_term beta theta w : 0 < theta -> beta >= PI ^ 2 * ln 2 / (2 * theta ^ 2) ->
  INR w.+1 * theta <= PI -> exp (beta * (cos (INR w.+1 * theta) - 1)) <= 1 / 2 * ((1 / 2) ^ 3) ^ w.
Proof.
move=> theta0 cold room; have pi := PI_RGT_0; have ln2 := temperature_ln2.
have half : exp (- ln 2) = 1 / 2 by rewrite exp_Ropp exp_ln; [field | lra].
rewrite -half; apply: Rle_trans (temperature_power_term w _); last lra.
apply: temperature_exp_le; set V := INR w.+1 in room *; have V0 : 0 <= V by apply: pos_INR.
have := temperature_chord (x := V * theta) ltac:(nra) room => lag.
have t2 : 0 < theta ^ 2 by nra.
have {}cold : PI ^ 2 * ln 2 <= beta * (2 * theta ^ 2).
  have: PI ^ 2 * ln 2 / (2 * theta ^ 2) * (2 * theta ^ 2) <= beta * (2 * theta ^ 2).
    by apply: Rmult_le_compat_r; lra.
  by rewrite (_ : PI ^ 2 * ln 2 / (2 * theta ^ 2) * (2 * theta ^ 2) = PI ^ 2 * ln 2) //; field; lra.
have beta0 : 0 <= beta by nra.
suff: ln 2 * V ^ 2 <= beta * (2 * (V * theta * (V * theta)) / (PI * PI)) by nra.
apply: (Rmult_le_reg_r (PI ^ 2)); first by nra.
have ->: beta * (2 * (V * theta * (V * theta)) / (PI * PI)) * PI ^ 2 = beta * (2 * theta ^ 2) * V ^ 2 by field; lra.
by nra.
Qed.

(** The lead times [beta], at the temperature of the letter-number queries. *)
Lemma temperature_so_cold L n0 theta beta : (2 <= L)%N -> (2 <= n0)%N -> 0 < theta ->
  theta <= temperature_omega L / (2 * INR n0) -> beta >= PI ^ 2 * ln 2 / (2 * theta ^ 2) ->
  exp (beta * (cos ((INR n0 - 2) * theta) - cos (temperature_omega L - (INR n0 - 1) * theta))) > INR n0 - 1.
Proof.
move=> L2 n2 theta0 allowed cold; have pi := PI_RGT_0; have ln2 := temperature_ln2.
have [turn pos] := temperature_omega_turn (ltnW L2).
have L2R : 2 <= INR L by apply: (le_INR 2); apply/leP.
have n2R : 2 <= INR n0 by apply: (le_INR 2); apply/leP.
have room := temperature_allowed (ltnW n2) allowed.
set w := temperature_omega L in turn pos room *; set n := INR n0 in n2R room *.
have wp : w <= PI by nra.
have ->: cos ((n - 2) * theta) - cos (w - (n - 1) * theta) =
    2 * (sin ((w - theta) / 2) * sin ((w - (2 * n - 3) * theta) / 2)).
  rewrite (_ : cos ((n - 2) * theta) = cos ((w - theta) / 2 - (w - (2 * n - 3) * theta) / 2)); last by congr cos; field.
  rewrite (_ : cos (w - (n - 1) * theta) = cos ((w - theta) / 2 + (w - (2 * n - 3) * theta) / 2)); last first.
    by congr cos; field.
  by rewrite cos_minus cos_plus; ring.
have one := temperature_jordan (x := (w - theta) / 2) ltac:(nra) ltac:(nra).
have other := temperature_jordan (x := (w - (2 * n - 3) * theta) / 2) ltac:(nra) ltac:(nra).
have i0 : 0 < / PI by apply: Rinv_0_lt_compat.
have one' : (2 * n - 1) * theta / PI <= sin ((w - theta) / 2).
  apply: Rle_trans one; rewrite (_ : 2 / PI * ((w - theta) / 2) = (w - theta) / PI); last by field; lra.
  by apply: Rmult_le_compat_r; lra.
have other' : 3 * theta / PI <= sin ((w - (2 * n - 3) * theta) / 2).
  apply: Rle_trans other; rewrite (_ : 2 / PI * ((w - (2 * n - 3) * theta) / 2) = (w - (2 * n - 3) * theta) / PI).
    by apply: Rmult_le_compat_r; lra.
  by field; lra.
set s1 := sin ((w - theta) / 2) in one' *; set s2 := sin _ in other' *.
have t1 : 0 <= (2 * n - 1) * theta / PI by apply: Rmult_le_pos; nra.
have t2 : 0 <= 3 * theta / PI by apply: Rmult_le_pos; nra.
have prod : (2 * n - 1) * theta / PI * (3 * theta / PI) <= s1 * s2 by apply: Rmult_le_compat.
have c0 : 0 <= PI ^ 2 * ln 2 / (2 * theta ^ 2).
  by apply: Rmult_le_pos; [nra | apply/Rlt_le/Rinv_0_lt_compat; nra].
have big : 3 * ln 2 * (2 * n - 1) <= beta * (2 * (s1 * s2)).
  have ->: 3 * ln 2 * (2 * n - 1)
      = PI ^ 2 * ln 2 / (2 * theta ^ 2) * (2 * ((2 * n - 1) * theta / PI * (3 * theta / PI))) by field; lra.
  apply: Rmult_le_compat; [exact: c0 | | lra | lra].
  by have := Rmult_le_pos _ _ t1 t2; lra.
have := temperature_exp_tangent (beta * (2 * (s1 * s2))).
by nra.
Qed.

(** ** The theorems *)

(** dyn.lemmaF.1.explicit. Let k of n keys share the largest logit, let every other key lie gamma below them at least,
    let average hard attention give the right answer delta more than any other, and let no other key take more than
    D >= 0 from it. If k delta e^(beta gamma) > (n - k) D, softmax at beta >= 0 decodes the right answer. *)
Theorem dyn_lemmaF_1_explicit :
  forall (n : nat) (T : Type) (l : 'I_n -> R) (g : 'I_n -> T -> R) (a : T) (beta gamma delta D : R),
  (0 < n)%N -> 0 <= beta -> 0 <= D ->
  (forall i j, temperature_top l i -> ~~ temperature_top l j -> gamma <= l i - l j) ->
  (forall s, s <> a ->
    delta <= temperature_score (temperature_hard l) g a - temperature_score (temperature_hard l) g s) ->
  (forall j s, ~~ temperature_top l j -> s <> a -> g j s - g j a <= D) ->
  INR (temperature_tops l) * delta * exp (beta * gamma) > (INR n - INR (temperature_tops l)) * D ->
  temperature_decodes (temperature_score (temperature_soft beta l) g) a.
Proof.
move=> n T l g a beta gamma delta D n0 beta0 D0 gap lead worst cold s other.
apply: (temperature_enough n0 beta0 D0 gap (lead s other) _ cold).
by move=> j below; apply: worst.
Qed.
(* mutant not strict
   from: exp (beta * gamma) > (INR n
   to:   exp (beta * gamma) >= (INR n *)
(* mutant twice the gap
   from: exp (beta * gamma)
   to:   exp (2 * beta * gamma) *)
(* mutant one key less
   from: (INR n - INR (temperature_tops l)) * D
   to:   (INR n - INR (temperature_tops l) - 1) * D *)

(** dyn.lemmaF.1. If on each of finitely many inputs average hard attention gives the right answer a larger score than
    every other one, a single inverse temperature exists from which on softmax decodes the right answer on all of
    them. *)
Theorem dyn_lemmaF_1 :
  forall (X T : finType) (n : X -> nat) (l : forall x, 'I_(n x) -> R) (g : forall x, 'I_(n x) -> T -> R)
    (answer : X -> T),
  (forall x s, s <> answer x ->
    temperature_score (temperature_hard (@l x)) (@g x) s
    < temperature_score (temperature_hard (@l x)) (@g x) (answer x)) ->
  exists beta0, forall beta, beta0 <= beta ->
  forall x, temperature_decodes (temperature_score (temperature_soft beta (@l x)) (@g x)) (answer x).
Proof.
move=> X T n l g answer lead.
apply: (temperature_uniform (P := fun x b => temperature_decodes _ _)) => x.
apply: (temperature_uniform (P := fun s b => s <> answer x -> _ < _)) => s.
case: (eqVneq s (answer x)) => [->|/eqP other]; first by exists 0.
have [b0 on] := temperature_from_some_on (lead x s other).
by exists b0 => b lb _; apply: on.
Qed.
(* mutant no gap
   from: s < temperature_score (temperature_hard (@l x)) (@g x) (answer x)
   to:   s <= temperature_score (temperature_hard (@l x)) (@g x) (answer x) *)
(* mutant one of the best
   from: temperature_score (temperature_hard (@l x)) (@g x) s
         < temperature_score (temperature_hard (@l x)) (@g x) (answer x)
   to:   exists t, temperature_top (@l x) t /\ @g x t s < @g x t (answer x) *)
(* mutant every temperature
   from: exists beta0, forall beta, beta0 <= beta
   to:   forall beta, 0 <= beta *)

(** dyn.lemmaF.1.index.any-angle. If no distance of 1 to n0 - 1 places lets a key lag by less than gamma, so
    1 - cos(u theta) >= gamma, then e^(beta gamma) > n0 - 1 lets the Index construction decode every integer query of
    all valid inputs of up to n0 tokens. *)
Theorem dyn_lemmaF_1_index_any_angle :
  forall (L n0 : nat) (theta beta gamma : R),
  0 <= beta ->
  (forall u, (1 <= u < n0)%N -> gamma <= 1 - cos (INR u * theta)) ->
  exp (beta * gamma) > INR n0 - 1 ->
  temperature_index_right L n0 theta beta.
Proof.
move=> L n0 theta beta gamma beta0 least cold.
apply: temperature_index_of_half => n i n_le _.
apply: (@Rle_lt_trans _ ((INR n - 1) * exp (- (beta * gamma)))).
  apply: temperature_at_most => t ti; have [u [/andP[u0 un] ->]] := temperature_lag theta ti.
  apply: temperature_exp_le.
  have lag : gamma <= 1 - cos (INR u * theta) by apply: least; rewrite u0 (leq_trans un n_le).
  by nra.
have e := exp_pos (- (beta * gamma)).
have inv : exp (beta * gamma) * exp (- (beta * gamma)) = 1 by rewrite -exp_plus Rplus_opp_r exp_0.
have le : INR n <= INR n0 by apply: le_INR; apply/leP.
by nra.
Qed.
(* mutant not strict
   from: exp (beta * gamma) > INR n0 - 1
   to:   exp (beta * gamma) >= INR n0 - 1 *)
(* mutant twice the gap
   from: exp (beta * gamma)
   to:   exp (2 * beta * gamma) *)
(* mutant one key less
   from: INR n0 - 1
   to:   INR n0 - 2 *)
(* mutant nearer
   from: (1 <= u < n0)%N
   to:   (1 <= u < n0.-1)%N *)

(** dyn.lemmaF.1.index.necessary. If softmax at beta lets the Index construction over two letters or more decode every
    integer query of all valid inputs of up to n0 >= 3 tokens, then beta > ln 2 / (2 pi^2) floor((n0 + 1) / 2)^2,
    whatever the angle. *)
Theorem dyn_lemmaF_1_index_necessary :
  forall (L n0 : nat) (theta beta : R),
  (2 <= L)%N -> (3 <= n0)%N -> 0 <= beta ->
  temperature_index_right L n0 theta beta ->
  beta > ln 2 / (2 * PI ^ 2) * INR (n0.+1)./2 ^ 2.
Proof.
move=> L [|m] theta beta // L2 m2 beta0 right; have pi := PI_RGT_0.
have ->: (m.+2)./2 = (m./2).+1 by []; set h := m./2.
have hh : (h + h <= m)%N by rewrite addnn -[X in (_ <= X)%N](odd_double_half m) leq_addl.
have h1 : (1 < h.+1)%N by rewrite ltnS; apply: (half_leq (m := 2)).
have [u [k [/andP[u0 uh] near]]] := temperature_dirichlet (theta / (2 * PI)) h1.
have here : (h < m.+1)%N by rewrite ltnS; apply: leq_trans hh; rewrite leq_addr.
have left : (h - u < m.+1)%N by apply: leq_ltn_trans (leq_subr _ _) here.
have after : (h + u < m.+1)%N by rewrite ltnS; apply: leq_trans hh; rewrite leq_add2l.
pose f (t : 'I_m.+1) := exp (beta * (cos ((INR t - INR (Ordinal here)) * theta) - 1)).
have few := temperature_index_needs_half (i := Ordinal here) L2 h1 right.
have two : f (Ordinal left) + f (Ordinal after) < 1.
  apply: Rle_lt_trans few; apply: temperature_two_terms => [t| | |]; first exact/Rlt_le/exp_pos.
  - by rewrite -val_eqE /= ltn_eqF // ltn_subrL u0 (leq_trans u0 uh).
  - by rewrite -val_eqE /= gtn_eqF // -addn1 leq_add2l.
  - by rewrite -val_eqE /= ltn_eqF // (leq_ltn_trans (leq_subr _ _)) // -addn1 leq_add2l.
have leftE : f (Ordinal left) = exp (beta * (cos (INR u * theta) - 1)).
  rewrite /f /= minus_INR; last by apply/leP.
  by rewrite -temperature_even; congr (exp (_ * (cos (_ * _) - _))); ring.
have afterE : f (Ordinal after) = exp (beta * (cos (INR u * theta) - 1)).
  by rewrite /f /= plus_INR; congr (exp (_ * (cos (_ * _) - _))); ring.
have N0 : 0 < INR h.+1 by apply: lt_0_INR; apply/ltP.
have lag : 1 - cos (INR u * theta) <= 2 * PI ^ 2 / INR h.+1 ^ 2.
  apply: Rle_trans (temperature_near N0 near); right; congr (_ - _).
  by rewrite -[RHS](temperature_turns _ k); congr cos; field; lra.
apply: (temperature_cold N0 beta0 lag).
by rewrite leftE afterE in two; rewrite Ropp_minus_distr'; lra.
Qed.
(* mutant as for a letter
   from: INR (n0.+1)./2 ^ 2
   to:   (2 * INR (n0.+1)./2) ^ 2 *)
(* mutant sixteen rivals
   from: ln 2
   to:   ln 16 *)
(* mutant no pi
   from: ln 2 / (2 * PI ^ 2)
   to:   ln 2 / 2 *)

(** dyn.lemmaF.1.index.sufficient. At theta = 2 pi / n0 every inverse temperature from ln(8/3) / 8 n0^2 on lets the
    Index construction decode every integer query of all valid inputs of up to n0 >= 2 tokens. *)
Theorem dyn_lemmaF_1_index_sufficient :
  forall (L n0 : nat) (theta beta : R),
  (2 <= n0)%N ->
  theta = 2 * PI / INR n0 ->
  beta >= ln (8 / 3) / 8 * INR n0 ^ 2 ->
  temperature_index_right L n0 theta beta.
Proof.
move=> L [|N] theta beta // n2 angle cold.
set K := ln (8 / 3) in cold.
have K0 : 0 <= K by rewrite -ln_1; apply/Rlt_le/ln_increasing; lra.
have q : exp (- K) = 3 / 8 by rewrite exp_Ropp exp_ln; [field | lra].
have term w : (w < N)%N -> exp (beta * (cos (INR w.+1 * theta) - 1)) <=
    3 / 8 * ((3 / 8) ^ 3) ^ w + 3 / 8 * ((3 / 8) ^ 3) ^ (N - w.+1).
  by move=> wn; rewrite -q; apply: (@temperature_index_term N.+1) => //; lra.
apply: temperature_index_of_half => n i n_le i_pos.
pose f y := exp (beta * (cos (y * theta) - 1)); rewrite (temperature_sides i (f := f)); last first.
  by move=> y; apply: temperature_even.
have i_le : (i <= N)%N by rewrite -ltnS (leq_trans (ltn_ord i)).
have rest_le : (n - i.+1 <= N - i)%N by rewrite -[X in (_ <= X)%N]subSS leq_sub2r.
have one := temperature_index_side (f := f) term i_le.
have two := temperature_index_side (f := f) term (leq_trans rest_le (leq_subr _ _)).
apply: Rle_lt_trans; first exact: Rplus_le_compat one two.
have c0 : 0 <= (3 / 8) ^ 3 <= 1 by split; nra.
have left : ((3 / 8) ^ 3) ^ (N - i) <= ((3 / 8) ^ 3) ^ (n - i.+1) by apply: temperature_power_le.
have right : ((3 / 8) ^ 3) ^ (N - (n - i.+1)) <= ((3 / 8) ^ 3) ^ i.
  apply: temperature_power_le => //; rewrite leq_subRL ?(leq_trans rest_le (leq_subr _ _)) //.
  by rewrite -ltnS -addnS subnK.
have tail := pow_le ((3 / 8) ^ 3) N (proj1 c0).
by lra.
Qed.
(* mutant a quarter
   from: INR n0 ^ 2
   to:   (INR n0 ^ 2 / 4) *)
(* mutant linear
   from: INR n0 ^ 2
   to:   INR n0 *)
(* mutant alias
   from: 2 * PI / INR n0
   to:   2 * PI / (INR n0 - 1) *)

(** dyn.lemmaF.1.retrieval.necessary. If softmax at beta lets the Retrieval construction over two letters or more keep
    every letter-number query of all proper inputs of up to n0 >= 3 tokens, at an angle that the print allows, then
    beta > 2 ln 2 n0^2 / omega^2. *)
Theorem dyn_lemmaF_1_retrieval_necessary :
  forall (L n0 : nat) (theta beta : R),
  (2 <= L)%N -> (3 <= n0)%N -> 0 <= beta ->
  0 <= theta -> theta <= temperature_omega L / (2 * INR n0) ->
  temperature_numbers_right L n0 theta beta ->
  beta > 2 * ln 2 * INR n0 ^ 2 / temperature_omega L ^ 2.
Proof.
move=> L [|[|[|m]]] theta beta L2 // _ beta0 theta0 allowed right.
have L0 : (0 < L)%N by apply: leq_trans L2.
have [_ pos] := temperature_omega_turn L0.
have room := temperature_allowed (n0 := m.+3) isT allowed.
have n_pos : 0 < INR m.+3 by apply: lt_0_INR; apply/ltP.
pose one : 'I_m.+3 := @Ordinal m.+3 1 isT; pose two : 'I_m.+3 := @Ordinal m.+3 2 isT.
have := temperature_numbers_need L0 right.
move=> /(Rle_lt_trans _ _ _
  (temperature_two_terms (i := one) (j := two) (fun t => Rlt_le _ _ (exp_pos _)) isT isT isT)).
rewrite [INR one]/= [INR two]/= Rmult_1_l => few.
set w := temperature_omega L in pos room *.
have near (k : R) : 0 <= k <= 2 -> 1 - cos (k * theta) <= w ^ 2 / (2 * INR m.+3 ^ 2).
  move=> k2; apply: Rle_trans (temperature_parabola _) _.
  apply: (Rmult_le_reg_r (2 * INR m.+3 ^ 2)); first by nra.
  have ->: w ^ 2 / (2 * INR m.+3 ^ 2) * (2 * INR m.+3 ^ 2) = w ^ 2 by field; lra.
  have ->: k * theta * (k * theta) / 2 * (2 * INR m.+3 ^ 2) = (k * theta * INR m.+3) ^ 2 by field.
  have: 0 <= k * theta * INR m.+3 <= w.
    have nt : 0 <= INR m.+3 * theta by nra.
    rewrite (_ : k * theta * INR m.+3 = k * (INR m.+3 * theta)); last by ring.
    by split; nra.
  by nra.
have first := near 1 ltac:(lra); have second := near 2 ltac:(lra); rewrite Rmult_1_l in first.
have e1 : exp (beta * - (w ^ 2 / (2 * INR m.+3 ^ 2))) <= exp (beta * (cos theta - 1)).
  by apply: temperature_exp_le; nra.
have e2 : exp (beta * - (w ^ 2 / (2 * INR m.+3 ^ 2))) <= exp (beta * (cos ((1 + 1) * theta) - 1)).
  by apply: temperature_exp_le; rewrite (_ : 1 + 1 = 2) //; nra.
have := temperature_ask beta0 (Rle_refl _) (bound := w ^ 2 / (2 * INR m.+3 ^ 2)) ltac:(lra) => low.
apply: (Rmult_lt_reg_r (w ^ 2 / (2 * INR m.+3 ^ 2))); first by apply: Rdiv_lt_0_compat; nra.
have ->: 2 * ln 2 * INR m.+3 ^ 2 / w ^ 2 * (w ^ 2 / (2 * INR m.+3 ^ 2)) = ln 2 by field; split; lra.
exact: low.
Qed.
(* mutant a quarter of the angle
   from: 2 * ln 2 * INR n0 ^ 2 / temperature_omega L ^ 2
   to:   8 * ln 2 * INR n0 ^ 2 / temperature_omega L ^ 2 *)
(* mutant sixteen rivals
   from: ln 2
   to:   ln 16 *)
(* mutant any angle
   from: 0 <= theta -> theta <= temperature_omega L / (2 * INR n0) ->
   to:   0 <= theta -> *)

(** dyn.lemmaF.1.retrieval.sufficient. At an angle that the print allows every inverse temperature from
    pi^2 ln 2 / (2 theta^2) on lets the Retrieval construction keep every letter-number query of all proper inputs of up
    to n0 tokens. *)
Theorem dyn_lemmaF_1_retrieval_sufficient :
  forall (L n0 : nat) (theta beta : R),
  (2 <= L)%N -> 0 < theta -> theta <= temperature_omega L / (2 * INR n0) ->
  beta >= PI ^ 2 * ln 2 / (2 * theta ^ 2) ->
  temperature_numbers_right L n0 theta beta.
Proof.
move=> L n0 theta beta L2 theta0 allowed cold; have pi := PI_RGT_0; have ln2 := temperature_ln2.
have beta0 : 0 <= beta.
  suff: 0 <= PI ^ 2 * ln 2 / (2 * theta ^ 2) by lra.
  by apply: Rmult_le_pos; [nra | apply/Rlt_le/Rinv_0_lt_compat; nra].
apply: temperature_numbers_of_sum => //; first lra.
move=> n n_lt.
have [turn pos] := temperature_omega_turn (ltnW L2).
have L2R : 2 <= INR L by apply: (le_INR 2); apply/leP.
have room := temperature_allowed (leq_ltn_trans (leq0n n) n_lt) allowed.
pose f y := exp (beta * (cos (y * theta) - 1)); rewrite (temperature_sides (@ord0 n) (f := f)); last first.
  by move=> y; apply: temperature_even.
rewrite big_ord0 Rplus_0_l.
have terms : sum_(u < n.+1 - 1) f (INR u.+1) <= sum_(u < n.+1 - 1) (1 / 2 * ((1 / 2) ^ 3) ^ u).
  apply: sum_le => u _; apply: temperature_copy_term => //.
  have: INR u.+1 <= INR n0.
    by apply: le_INR; apply/leP; apply: leq_trans (ltnW n_lt); rewrite (leq_trans (ltn_ord u)) // subn1.
  have u0 := pos_INR u.+1.
  by nra.
apply: Rle_lt_trans; first exact: terms.
rewrite sum_scale; have := temperature_geometric ((1 / 2) ^ 3) (n.+1 - 1).
have := pow_le ((1 / 2) ^ 3) (n.+1 - 1) ltac:(lra).
by move: (((1 / 2) ^ 3) ^ _) (\big[_/_]_(u < _) _) => p S; lra.
Qed.
(* mutant a seventh
   from: 2 * theta ^ 2
   to:   14 * theta ^ 2 *)
(* mutant a ninth
   from: 2 * theta ^ 2
   to:   18 * theta ^ 2 *)
(* mutant any angle
   from: 0 < theta -> theta <= temperature_omega L / (2 * INR n0) ->
   to:   0 < theta -> *)

(** dyn.lemmaF.1.retrieval.letter-queries.sufficient. With V = cos((n0 - 2) theta) - cos(omega - (n0 - 1) theta), the
    smallest lead, e^(beta V) > n0 - 1 lets the Retrieval construction decode every letter-letter query of all proper
    inputs of up to n0 tokens, at every angle that the print allows. *)
Theorem dyn_lemmaF_1_retrieval_letter_queries_sufficient :
  forall (L n0 : nat) (theta beta : R),
  (2 <= L)%N -> (2 <= n0)%N -> 0 <= beta ->
  0 <= theta -> theta <= temperature_omega L / (2 * INR n0) ->
  exp (beta * (cos ((INR n0 - 2) * theta) - cos (temperature_omega L - (INR n0 - 1) * theta))) > INR n0 - 1 ->
  temperature_letters_right L n0 theta beta.
Proof.
move=> L n0 theta beta L2 n2 beta0 theta0 allowed cold.
apply: (temperature_letters_of_lead beta0 cold) => p r m t pr m_lt t_lt mt.
exact: temperature_lead.
Qed.
(* mutant half
   from: exp (beta *
   to:   exp (2 * beta * *)
(* mutant one key less
   from: > INR n0 - 1
   to:   > INR n0 - 2 *)
(* mutant any angle
   from: 0 <= theta -> theta <= temperature_omega L / (2 * INR n0) ->
   to:   0 <= theta -> *)

(** dyn.lemmaF.1.retrieval.letter-queries. At theta = 0 softmax lets the Retrieval construction over two letters or more
    decode every letter-letter query of all proper inputs of up to n0 >= 2 tokens if and only if
    e^(beta (1 - cos omega)) > n0 - 1. *)
Theorem dyn_lemmaF_1_retrieval_letter_queries :
  forall (L n0 : nat) (beta : R),
  (2 <= L)%N -> (2 <= n0)%N -> 0 <= beta ->
  temperature_letters_right L n0 0 beta <-> exp (beta * (1 - cos (temperature_omega L))) > INR n0 - 1.
Proof.
move=> [|[|L]] [|n] beta // _ n1 beta0; have [_ pos] := temperature_omega_turn (L := L.+2) isT.
split=> [right|cold]; last first.
  have n_pos : 0 < INR n.+1 by apply: lt_0_INR; apply/ltP.
  apply: (dyn_lemmaF_1_retrieval_letter_queries_sufficient _ _ beta0 (Rle_refl 0)) => //.
    by apply: Rlt_le; apply: Rdiv_lt_0_compat; lra.
  by rewrite !Rmult_0_r Rminus_0_r cos_0.
pose x t : temperature_pair_token L.+2 := if t == n then (ord0, inr 0%N) else (Ordinal (isT : (1 < L.+2)%N), inl ord0).
have x0 : x 0%N = (Ordinal (isT : (1 < L.+2)%N), inl ord0) by rewrite /x ltn_eqF.
have xn : x n = (ord0, inr 0%N) by rewrite /x eqxx.
have proper : temperature_proper n.+1 x.
  move=> t b t_lt; rewrite {1}/x; case: eqP => // _ [<-]; split.
    by exists n; rewrite xn ltnSn andbT -ltnS.
  have only u : (x u).1 = ord0 -> u = n by rewrite /x; case: eqP.
  by move=> u v _ _ /only -> /only ->.
have := right n.+1 x ord0 n (leqnn _) proper (f_equal snd x0) (ltnSn n) (f_equal fst xn) (x 0%N).
pose l (t : 'I_n.+1) := temperature_retrieval_logit 0 x t.
have ne : x 0%N <> x n by rewrite x0 xn.
move=> /(_ ne); rewrite /temperature_retrieval_score -/l /temperature_score => wins.
have far (t : 'I_n.+1) : t != ord_max -> x t = x 0%N.
  by rewrite -val_eqE /= => tn; rewrite x0 /x (negbTE tn).
have half : 1 / 2 < temperature_soft beta l ord_max.
  move: wins; rewrite (bigD1 ord_max) //= (_ : (x n == x 0%N) = false); last by apply/eqP => eq; case: ne.
  rewrite Rmult_0_r Rplus_0_l (eq_bigr (fun t => temperature_soft beta l t)); last first.
    by move=> t tn; rewrite (far t tn) eqxx Rmult_1_r.
  rewrite [X in _ < X](bigD1 ord_max) //= eqxx Rmult_1_r [X in _ < _ + X]big1; last first.
    by move=> t tn; rewrite (far t tn) (_ : (x 0%N == x n) = false) ?Rmult_0_r //; apply/eqP.
  by rewrite temperature_soft_rest; lra.
have := proj2 (temperature_half beta l ord_max) half.
rewrite (eq_bigr (fun _ : 'I_n.+1 => exp (- (beta * (1 - cos (temperature_omega L.+2)))))).
  rewrite temperature_sum_count cardC1 card_ord [n.+1.-1]/= S_INR => few.
  have e := exp_pos (beta * (1 - cos (temperature_omega L.+2))).
  have inv : exp (beta * (1 - cos (temperature_omega L.+2))) * exp (- (beta * (1 - cos (temperature_omega L.+2)))) = 1.
    by rewrite -exp_plus Rplus_opp_r exp_0.
  by nra.
move=> t tn; congr exp; rewrite /l /temperature_retrieval_logit (far t tn) x0 [nat_of_ord ord_max]/= xn.
rewrite /temperature_wanted /= !Rmult_0_r !Rplus_0_r Rminus_0_r Rmult_1_l Rminus_0_r Rmult_0_l cos_0; ring.
Qed.
(* mutant one key more
   from: INR n0 - 1
   to:   INR n0 *)
(* mutant one key less
   from: INR n0 - 1
   to:   INR n0 - 2 *)
(* mutant two letters off
   from: cos (temperature_omega L)
   to:   cos (2 * temperature_omega L) *)

(** dyn.lemmaF.1.retrieval.all-queries.sufficient. At an angle that the print allows every inverse temperature from
    pi^2 ln 2 / (2 theta^2) on lets the Retrieval construction decode every query, letter-number and letter-letter, of
    all proper inputs of up to n0 tokens. *)
Theorem dyn_lemmaF_1_retrieval_all_queries_sufficient :
  forall (L n0 : nat) (theta beta : R),
  (2 <= L)%N -> (2 <= n0)%N -> 0 < theta -> theta <= temperature_omega L / (2 * INR n0) ->
  beta >= PI ^ 2 * ln 2 / (2 * theta ^ 2) ->
  temperature_numbers_right L n0 theta beta /\ temperature_letters_right L n0 theta beta.
Proof.
move=> L n0 theta beta L2 n2 theta0 allowed cold; split.
  exact: dyn_lemmaF_1_retrieval_sufficient.
have ln2 := temperature_ln2; have pi := PI_RGT_0.
apply: dyn_lemmaF_1_retrieval_letter_queries_sufficient => //; last exact: temperature_so_cold; last lra.
suff: 0 <= PI ^ 2 * ln 2 / (2 * theta ^ 2) by lra.
by apply: Rmult_le_pos; [nra | apply/Rlt_le/Rinv_0_lt_compat; nra].
Qed.
(* mutant a seventh
   from: 2 * theta ^ 2
   to:   14 * theta ^ 2 *)
(* mutant a ninth
   from: 2 * theta ^ 2
   to:   18 * theta ^ 2 *)
(* mutant any angle
   from: 0 < theta -> theta <= temperature_omega L / (2 * INR n0) ->
   to:   0 < theta -> *)
