(** Discrepancy: how far the largest logit leads (DYN, definition 3.1, theorem 3.2 and remark 3.2).

    The keys of an input are told by how many places back they stand, [t = 0] for the query itself; a logit is a cosine,
    as the constructions of DYN's theorem 3.1 have it (headproof.theory.discrepancy). A claim about the largest or the
    smallest gap says of a number that some input has it and that no input has a larger, or a smaller, one. *)

From Coq Require Import Reals Lra Lia Psatz.
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq fintype finfun bigop fingroup perm.
From headproof Require Import common.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope R_scope.
(* own meanings: proper *)
(* end of header *)

(** ** Definitions *)

(** Not a quotient of integers (angles.is_irrational). *)
Definition irrational (x : R) : Prop := forall (p q : Z), q <> 0%Z -> x <> IZR p / IZR q.

(** [v] is the largest of the numbers with [P]: it is one of them, and none is larger (cosine_sums.largest). *)
Definition largest (P : R -> Prop) (v : R) : Prop := P v /\ forall w, P w -> w <= v.

(** [v] is the smallest of the numbers with [P] (cosine_sums.smallest). *)
Definition smallest (P : R -> Prop) (v : R) : Prop := P v /\ forall w, P w -> v <= w.

(** The key [t] has the largest of the [n] logits [l 0, ..., l (n - 1)]. *)
Definition tops (n : nat) (l : nat -> R) (t : nat) : Prop := (t < n)%N /\ forall r, (r < n)%N -> l r <= l t.

(** The gap: the largest logit less the second-largest, with multiplicity, that is less the largest one of the keys
    other than the one that tops; two keys that tie for the largest logit leave the gap 0 (discrepancy.gap). *)
Definition gap (n : nat) (l : nat -> R) (g : R) : Prop :=
  exists t s, tops n l t /\ ((s < n)%N /\ s <> t /\ forall r, (r < n)%N -> r <> t -> l r <= l s) /\ g = l t - l s.

(** The largest logit less the largest one that is smaller, where there is one (discrepancy.positive_gap). *)
Definition positive_gap (n : nat) (l : nat -> R) (g : R) : Prop :=
  exists t s, tops n l t /\ ((s < n)%N /\ l s < l t /\ forall r, (r < n)%N -> l r < l t -> l r <= l s) /\ g = l t - l s.

(** *** Index *)

(** A token of the number task: a letter or an integer. *)
Inductive number_token : Type := Letter of nat | Number of nat.

(** Each integer [i] points at least one place back, and not before the first token (sequences.require_valid_index);
    places count from 0 here, so at the place [j] it may be at most [j]. *)
Definition valid (x : seq number_token) : bool :=
  all (fun j => if nth (Letter 0) x j is Number i then (0 < i <= j)%N else true) (iota 0 (size x)).

(** How far back a token points: [i] for an integer, 0 for a letter. *)
Definition points_back (a : number_token) : nat := if a is Number i then i else 0%N.

(** The last token, the query. *)
Definition query (x : seq number_token) : number_token := last (Letter 0) x.

(** The logit of the key [t] places back, cos((t - i) theta), [t = n - j] (discrepancy.index_logits). *)
Definition index_logit (theta : R) (x : seq number_token) (t : nat) : R :=
  cos ((INR t - INR (points_back (query x))) * theta).

(** The gaps of the valid inputs of length [n] (discrepancy.index_gaps). *)
Definition index_gaps (theta : R) (n : nat) (g : R) : Prop :=
  exists x, valid x /\ size x = n /\ gap n (index_logit theta x) g.

(** Those of the inputs that end in a letter (index_claims.letter_gap). *)
Definition letter_gaps (theta : R) (n : nat) (g : R) : Prop :=
  exists x, valid x /\ size x = n /\ (exists a, query x = Letter a) /\ gap n (index_logit theta x) g.

(** The positive gaps of the valid inputs of length [n] (discrepancy.index_positive_gaps). *)
Definition index_positive_gaps (theta : R) (n : nat) (g : R) : Prop :=
  exists x, valid x /\ size x = n /\ positive_gap n (index_logit theta x) g.

(** The best cosine at the distances from 1 to [r], max cos(u theta); -1 where there is no distance. *)
Fixpoint best_cosine (theta : R) (r : nat) : R :=
  if r is r'.+1 then Rmax (best_cosine theta r') (cos (INR r * theta)) else -1.

(** *** Retrieval *)

(** A token of the letter task, a pair: a letter on the left, on the right a letter [inl b] or a number [inr i]. Letters
    are numbered from 0. *)
Definition pair_token : eqType := prod_eqType nat_eqType (sum_eqType nat_eqType nat_eqType).

Definition no_token : pair_token := (0%N, inr 0%N).

(** Proper (sequences.require_proper): for each pair of letters there is a pair, at its own place or before, whose left
    letter is its right letter, and all such pairs are the same symbol. *)
Definition proper (x : seq pair_token) : bool :=
  all (fun j =>
    if nth no_token x j is (_, inl b) then
      let named := [seq p <- take j.+1 x | p.1 == b] in (0 < size named)%N && constant named
    else true) (iota 0 (size x)).

(** The letters used are the first [L] ones. *)
Definition letters_below (L : nat) (x : seq pair_token) : bool :=
  all (fun p => (p.1 < L)%N && (if p.2 is inl b then (b < L)%N else true)) x.

(** The proper inputs of length [n] over [L] letters (discrepancy.RetrievalInput). *)
Definition retrieval_input (L n : nat) (x : seq pair_token) : Prop :=
  proper x /\ letters_below L x /\ size x = n.

(** The letter that the query asks for: its right letter, or its left one if the right half is a number. *)
Definition wanted (x : seq pair_token) : nat :=
  let query := last no_token x in if query.2 is inl b then b else query.1.

(** The left letter of the key [t] places back. *)
Definition left_back (x : seq pair_token) (t : nat) : nat := (nth no_token x ((size x).-1 - t)).1.

(** The key [t] places back is a match: its left letter is the wanted one. *)
Definition is_match (x : seq pair_token) (t : nat) : bool := left_back x t == wanted x.

(** The angle between neighbouring letters, omega = 2 pi / |letters|. *)
Definition omega (L : nat) : R := 2 * PI / INR L.

(** The logit of the key [t] places back, cos((phi(left) - phi(wanted)) omega + t theta), as in
    discrepancy.retrieval_logits. *)
Definition retrieval_logit (L : nat) (theta : R) (x : seq pair_token) (t : nat) : R :=
  cos ((INR (left_back x t) - INR (wanted x)) * omega L + INR t * theta).

(** The gaps of the proper inputs of length [n] (discrepancy.largest_gap is the largest of them). *)
Definition retrieval_gaps (L : nat) (theta : R) (n : nat) (g : R) : Prop :=
  exists x, retrieval_input L n x /\ gap n (retrieval_logit L theta x) g.

(** Their positive gaps (discrepancy.smallest_positive_gap is the smallest of them). *)
Definition retrieval_positive_gaps (L : nat) (theta : R) (n : nat) (g : R) : Prop :=
  exists x, retrieval_input L n x /\ positive_gap n (retrieval_logit L theta x) g.

(** The leads of the best match over the best key of a wrong letter, over the proper inputs of length [n] that have a
    wrong key (discrepancy.smallest_wrong_gap is the smallest of them). *)
Definition retrieval_leads (L : nat) (theta : R) (n : nat) (g : R) : Prop :=
  exists x t s, retrieval_input L n x /\
    ((t < n)%N /\ is_match x t /\
      forall r, (r < n)%N -> is_match x r -> retrieval_logit L theta x r <= retrieval_logit L theta x t) /\
    ((s < n)%N /\ ~~ is_match x s /\
      forall r, (r < n)%N -> ~~ is_match x r -> retrieval_logit L theta x r <= retrieval_logit L theta x s) /\
    g = retrieval_logit L theta x t - retrieval_logit L theta x s.

(** The logits that a wrong letter can have at one of [n] places, present or not: cos(d omega + t theta), d <> 0. *)
Definition wrong_logits (L : nat) (theta : R) (n : nat) (c : R) : Prop :=
  exists d t, (0 < d < L)%N /\ (t < n)%N /\ c = cos (INR d * omega L + INR t * theta).

(** One minus the largest of them (discrepancy.best_wrong_letter). *)
Definition best_wrong_letter (L : nat) (theta : R) (n : nat) (v : R) : Prop :=
  exists c, largest (wrong_logits L theta n) c /\ v = 1 - c.

(** ** Natural numbers as reals *)

(* Linear arithmetic on natural numbers, from MathComp's comparisons to those of the standard library. *)
Ltac arith :=
  repeat match goal with
  | H : is_true (_ && _) |- _ => case/andP: H => ? ?
  | H : is_true (leq _ _) |- _ => move/leP: H => H
  end; try apply/leP; change addn with Nat.add in *; change subn with Nat.sub in *;
  change muln with Nat.mul in *; try lia.

Lemma leq_INR m n : (m <= n)%N -> INR m <= INR n.
Proof. by move/leP; apply: le_INR. Qed.

Lemma ltn_INR m n : (m < n)%N -> INR m + 1 <= INR n.
Proof. by rewrite -S_INR; apply: leq_INR. Qed.

(** ** Cosines *)

Lemma cos_far a y : 0 <= a -> a <= y <= 2 * PI - a -> cos y <= cos a.
Proof.
move=> pos [low high]; have := form2 y a.
have s1 : 0 <= sin ((y - a) / 2) by apply: sin_ge_0; lra.
have s2 : 0 <= sin ((y + a) / 2) by apply: sin_ge_0; lra.
by nra.
Qed.

Lemma cos_farther a y : 0 < a -> a < y < 2 * PI - a -> cos y < cos a.
Proof.
move=> pos [low high]; have := form2 y a.
have s1 : 0 < sin ((y - a) / 2) by apply: sin_gt_0; lra.
have s2 : 0 < sin ((y + a) / 2) by apply: sin_gt_0; lra.
by nra.
Qed.

Lemma cos_near a y : a <= PI -> - a <= y <= a -> cos a <= cos y.
Proof.
move=> small [low high]; have := form2 a y.
have s1 : 0 <= sin ((a - y) / 2) by apply: sin_ge_0; lra.
have s2 : 0 <= sin ((a + y) / 2) by apply: sin_ge_0; lra.
by nra.
Qed.

Lemma cos_turns x (k : Z) : cos (x + 2 * PI * IZR k) = cos x.
Proof.
case: (Z_le_gt_dec 0 k) => sign.
  rewrite -(cos_period x (Z.to_nat k)); congr cos.
  by rewrite INR_IZR_INZ Z2Nat.id //; lra.
rewrite -(cos_period (x + 2 * PI * IZR k) (Z.to_nat (- k))); congr cos.
rewrite INR_IZR_INZ Z2Nat.id; last by lia.
by rewrite opp_IZR; lra.
Qed.

Lemma cos_half x : cos x = 1 - 2 * sin (x / 2) ^ 2.
Proof. by have -> : cos x = cos (2 * (x / 2)); [congr cos; lra | rewrite cos_2a_sin; ring]. Qed.

Lemma one_minus_cos x : 1 - cos x <= x ^ 2 / 2.
Proof.
have pos y : 0 <= y -> 1 - cos y <= y ^ 2 / 2.
  move=> ge; rewrite cos_half.
  have [z|z] : y = 0 \/ 0 < y by lra.
    by have := sin_0; rewrite z (_ : 0 / 2 = 0); [move=> ->; lra | lra].
  have up : sin (y / 2) < y / 2 by apply: sin_lt_x; lra.
  have [small|big] : y / 2 <= PI \/ PI < y / 2 by lra.
    have : 0 <= sin (y / 2) by apply: sin_ge_0; lra.
    by nra.
  by have := SIN_bound (y / 2); have := PI2_3_2; nra.
case: (Rle_dec 0 x) => s; first exact: pos.
have := pos (- x); rewrite cos_neg; have -> : (- x) ^ 2 = x ^ 2 by ring.
by move=> H; apply: H; lra.
Qed.

Lemma cos_one x : cos x = 1 -> exists k : Z, x = 2 * PI * IZR k.
Proof.
rewrite cos_half => top; have : sin (x / 2) = 0 by nra.
by move/sin_eq_0_0 => [k half]; exists k; lra.
Qed.

(** ** Finite maxima *)
(** Of the numbers below n with P one has the largest f. *)
Lemma max_upto (P : pred nat) (f : nat -> R) n r :
  (r < n)%N -> P r -> exists s, (s < n)%N /\ P s /\ forall q, (q < n)%N -> P q -> f q <= f s.
Proof.
elim: n r => // n IH r; rewrite ltnS leq_eqVlt => /orP[/eqP -> {r}|lt] Pr.
  case E: (has P (iota 0 n)).
    move/hasP: E => [q]; rewrite mem_iota add0n => /= qn Pq.
    have [s [sn [Ps best]]] := IH q qn Pq.
    case: (Rle_dec (f n) (f s)) => c.
      exists s; split; first exact: ltnW; split=> // q'; rewrite ltnS leq_eqVlt => /orP[/eqP -> //|]; exact: best.
    exists n; split=> //; split=> // q'; rewrite ltnS leq_eqVlt => /orP[/eqP -> |lt] Pq'; first lra.
    by have := best q' lt Pq'; lra.
  exists n; split=> //; split=> // q'; rewrite ltnS leq_eqVlt => /orP[/eqP -> |lt] Pq'; first lra.
  by move/hasP: E; case; exists q' => //; rewrite mem_iota.
have [s [sn [Ps best]]] := IH r lt Pr.
case En: (P n); last first.
  exists s; split; first exact: ltnW; split=> // q'; rewrite ltnS leq_eqVlt => /orP[/eqP -> |]; first by rewrite En.
  exact: best.
case: (Rle_dec (f n) (f s)) => c.
  exists s; split; first exact: ltnW; split=> // q'; rewrite ltnS leq_eqVlt => /orP[/eqP -> //|]; exact: best.
exists n; split=> //; split=> // q'; rewrite ltnS leq_eqVlt => /orP[/eqP -> |lt'] Pq'; first lra.
by have := best q' lt' Pq'; lra.
Qed.

(** ** Dirichlet *)

(** In which of N boxes of equal size the fractional part of j x lies. *)
Definition box (N : nat) (x : R) (j : 'I_N) : Z := Int_part (INR N * frac_part (INR j * x)).

Lemma box_range N x (j : 'I_N) : (0 <= box x j < Z.of_nat N)%Z.
Proof.
have [low high] := base_fp (INR j * x); have [b1 b2] := base_Int_part (INR N * frac_part (INR j * x)).
have pos : 0 < INR N by apply: lt_0_INR; apply/ltP; apply: leq_ltn_trans (ltn_ord j).
rewrite -/(box x j) in b1 b2; split.
  suff : (-1 < box x j)%Z by lia.
  by apply: lt_IZR; nra.
by apply: lt_IZR; rewrite -INR_IZR_INZ; nra.
Qed.

(** Dirichlet: some multiple of x below the N-th is within 1 / N of an integer. *)
Lemma dirichlet (x : R) (N : nat) :
  (2 <= N)%N -> exists (u : nat) (k : Z), (0 < u < N)%N /\ - 1 <= INR N * (INR u * x - IZR k) <= 1.
Proof.
move=> N2.
have lt (j : 'I_N) : (Z.to_nat (box x j) < N)%N by apply/ltP; have := box_range x j; lia.
pose b (j : 'I_N) : 'I_N := Ordinal (lt j).
have inside (j : 'I_N) : IZR (box x j) <= INR N * frac_part (INR j * x) < IZR (box x j) + 1.
  have [b1 b2] := base_Int_part (INR N * frac_part (INR j * x)); rewrite -/(box x j) in b1 b2.
  by split; lra.
have frac (j : 'I_N) : frac_part (INR j * x) = INR j * x - IZR (Int_part (INR j * x)) by [].
have two (i j : 'I_N) : (i < j)%N -> b i = b j ->
    exists (u : nat) (k : Z), (0 < u < N)%N /\ - 1 <= INR N * (INR u * x - IZR k) <= 1.
  move=> ij same; exists (j - i)%N, (Int_part (INR j * x) - Int_part (INR i * x))%Z; split.
    by rewrite subn_gt0 ij; apply: leq_ltn_trans (ltn_ord j); apply: leq_subr.
  have [i1 i2] := inside i; have [j1 j2] := inside j; rewrite !frac in i1 i2 j1 j2.
  have eq : box x i = box x j.
    have /(congr1 Z.of_nat) /= := congr1 val same.
    by have [? _] := box_range x i; have [? _] := box_range x j; rewrite !Z2Nat.id.
  rewrite eq in i1 i2; rewrite minus_INR; last by apply/leP; apply: ltnW.
  rewrite minus_IZR; lra.
case: (boolP (injectiveb b)) => [/injectiveP inj|/injectivePn [i [j ne same]]]; last first.
  case: (ltngtP i j) => c; [exact: two c same | exact: two c (esym same) |].
  by rewrite (val_inj c) eqxx in ne.
have last_lt : (N.-1 < N)%N by rewrite prednK // (leq_trans _ N2).
have [j bj] : exists j, b j = Ordinal last_lt.
  by have /codomP[j ->] := inj_card_onto inj (leqnn _) (Ordinal last_lt); exists j.
have E : box x j = (Z.of_nat N - 1)%Z.
  have /= E := congr1 val bj; have [? ?] := box_range x j.
  by have /leP n2 := N2; lia.
have [j1 j2] := inside j; have [f0 f1] := base_fp (INR j * x).
have N1 : 2 <= INR N by apply: (leq_INR N2).
exists j, (Int_part (INR j * x) + 1)%Z; split.
  rewrite ltn_ord andbT lt0n; apply/eqP => j0.
  move: j1; rewrite E j0 Rmult_0_l fp_R0 minus_IZR -INR_IZR_INZ; lra.
rewrite E minus_IZR -INR_IZR_INZ in j1 j2; rewrite frac in j1 j2 f0 f1.
by rewrite plus_IZR; nra.
Qed.

(** Some distance below N brings the angle as near to a full turn as 2 pi / N. *)
Lemma close_angle theta N :
  (2 <= N)%N -> exists u, (0 < u < N)%N /\ cos (2 * PI / INR N) <= cos (INR u * theta).
Proof.
move=> N2; have [u [k [un near]]] := dirichlet (theta / (2 * PI)) N2.
exists u; split=> //; have pi := PI_RGT_0; have N1 : 2 <= INR N by apply: (leq_INR N2).
rewrite -(cos_turns (INR u * theta) (- k)) opp_IZR.
set y := _ + _; have scale : INR u * (theta / (2 * PI)) - IZR k = y / (2 * PI) by rewrite /y; field; lra.
rewrite scale in near.
set a := 2 * PI / INR N; set q := y / (2 * PI) in near.
have az : 0 < a by apply: Rdiv_lt_0_compat; lra.
have half : 2 * a <= INR N * a by nra.
have full : INR N * a = 2 * PI by rewrite /a; field; lra.
have qa : y = INR N * q * a by rewrite /q /a; field; lra.
by apply: cos_near; [lra | rewrite qa; split; nra].
Qed.

Lemma turn_share N : (0 < N)%N -> 1 - cos (2 * PI / INR N) <= 2 * PI ^ 2 / INR N ^ 2.
Proof.
move=> pos; have N0 : 0 < INR N by apply: lt_0_INR; apply/ltP.
have := one_minus_cos (2 * PI / INR N).
by have -> : (2 * PI / INR N) ^ 2 / 2 = 2 * PI ^ 2 / INR N ^ 2 by field; lra.
Qed.

(** ** pi is irrational *)

(* Hermite's functions: [hermite 0 = sin], and each is the integral of [t] times the one before. *)
Fixpoint hermite (n : nat) (x : R) : R :=
  match n with
  | 0 => sin x
  | m.+1 => match m with
    | 0 => sin x - x * cos x
    | k.+1 => (2 * INR m + 1) * hermite m x - x ^ 2 * hermite k x
    end
  end.

Lemma hermite_step n x : hermite n.+2 x = (2 * INR n.+1 + 1) * hermite n.+1 x - x ^ 2 * hermite n x.
Proof. by []. Qed.

Lemma hermite_derivative n x :
  derivable_pt_lim (hermite n.+1) x (x * hermite n x) /\ derivable_pt_lim (hermite n.+2) x (x * hermite n.+1 x).
Proof.
have first : derivable_pt_lim (hermite 1) x (x * hermite 0 x).
  have -> : x * hermite 0 x = cos x - (1 * cos x + x * - sin x) by rewrite /=; ring.
  apply: derivable_pt_lim_minus; first exact: derivable_pt_lim_sin.
  by apply: derivable_pt_lim_mult; [exact: derivable_pt_lim_id | exact: derivable_pt_lim_cos].
have next k d0 d1 : derivable_pt_lim (hermite k) x d0 -> derivable_pt_lim (hermite k.+1) x d1 ->
    derivable_pt_lim (hermite k.+2) x ((2 * INR k.+1 + 1) * d1 - (2 * x * hermite k x + x ^ 2 * d0)).
  move=> h0 h1; apply: derivable_pt_lim_minus; first exact: derivable_pt_lim_scal.
  apply: derivable_pt_lim_mult => //.
  by have := derivable_pt_lim_pow x 2; rewrite /= Rmult_1_r.
elim: n => [|n [h1 h2]].
  split=> //; have := next 0%N _ _ (derivable_pt_lim_sin x) first.
  by congr derivable_pt_lim; rewrite /=; ring.
split=> //; have := next n.+1 _ _ h1 h2.
by congr derivable_pt_lim; rewrite hermite_step !S_INR; ring.
Qed.

Lemma hermite_at0 n : hermite n 0 = 0 /\ hermite n.+1 0 = 0.
Proof.
elim: n => [|n [h0 h1]]; first by rewrite /= sin_0; split; ring.
by split=> //; rewrite hermite_step h0 h1; ring.
Qed.

(** By the mean value theorem a function with a positive derivative grows from its value at 0. *)
Lemma grows (f f' : R -> R) x :
  f 0 = 0 -> (forall c, derivable_pt_lim f c (f' c)) -> (forall c, 0 < c < x -> 0 < f' c) -> 0 < x -> 0 < f x.
Proof.
move=> zero der pos x0; have [c [E [c0 cx]]] := MVT_cor2 f f' 0 x x0 (fun c _ => der c).
by have := pos c (conj c0 cx); rewrite zero in E; nra.
Qed.

Lemma hermite_pos n x : 0 < x < PI -> 0 < hermite n x.
Proof.
elim: n x => [|n IH] x [x0 xpi]; first exact: sin_gt_0.
apply: (@grows _ (fun c => c * hermite n c)) => //; first by case: (hermite_at0 n).
  by move=> c; case: (hermite_derivative n c).
by move=> c [c0 cx]; apply: Rmult_lt_0_compat => //; apply: IH; lra.
Qed.

Lemma hermite_pi_pos n : 0 < hermite n.+1 PI.
Proof.
have pi := PI_RGT_0.
apply: (@grows _ (fun c => c * hermite n c)) => //; first by case: (hermite_at0 n).
  by move=> c; case: (hermite_derivative n c).
by move=> c [c0 cx]; apply: Rmult_lt_0_compat => //; apply: hermite_pos; lra.
Qed.

(** (2 n)!! = 2^n n!, so that hermite n x is at most x^(2 n) / (2 n)!!. *)
Definition double_factorial (n : nat) : R := 2 ^ n * INR (fact n).

Lemma double_factorial_pos n : 0 < double_factorial n.
Proof. by apply: Rmult_lt_0_compat; [apply: pow_lt; lra | apply: INR_fact_lt_0]. Qed.

Lemma double_factorial_step n : double_factorial n.+1 = (2 * INR n.+1) * double_factorial n.
Proof. by rewrite /double_factorial -[fact n.+1]/(n.+1 * fact n)%coq_nat mult_INR -[2 ^ n.+1]/(2 * 2 ^ n); ring. Qed.

Lemma hermite_small n x : 0 < x -> hermite n x <= x ^ (2 * n) / double_factorial n.
Proof.
elim: n x => [|n IH] x x0; first by have := SIN_bound x; rewrite /double_factorial /=; lra.
have d0 := double_factorial_pos n; have d1 := double_factorial_pos n.+1.
have der c : derivable_pt_lim (fun c => c ^ (2 * n.+1) / double_factorial n.+1 - hermite n.+1 c) c
    (c * (c ^ (2 * n) / double_factorial n - hermite n c)).
  have -> : c * (c ^ (2 * n) / double_factorial n - hermite n c) =
      / double_factorial n.+1 * (INR (2 * n.+1) * c ^ (2 * n.+1).-1) - c * hermite n c.
    have -> : (2 * n.+1).-1 = (2 * n).+1 by rewrite mulnS.
    have -> : INR (2 * n.+1) = 2 * INR n.+1 by rewrite mult_INR.
    have := lt_0_INR n.+1 (Nat.lt_0_succ n); rewrite double_factorial_step -[c ^ (2 * n).+1]/(c * c ^ (2 * n)).
    by set N := INR n.+1 => N0; field; split; lra.
  apply: derivable_pt_lim_minus; last by case: (hermite_derivative n c).
  have := derivable_pt_lim_scal _ (/ double_factorial n.+1) c _ (derivable_pt_lim_pow c (2 * n.+1)).
  by apply: derivable_pt_lim_ext => y; rewrite /mult_real_fct; field; lra.
have [c [E [c0 cx]]] := MVT_cor2 _ _ 0 x x0 (fun c _ => der c).
have [_ zero] := hermite_at0 n; rewrite zero pow_ne_zero // in E.
have side : 0 <= c * (c ^ (2 * n) / double_factorial n - hermite n c) * (x - 0).
  by apply: Rmult_le_pos; [apply: Rmult_le_pos; [lra | have := IH c c0; lra] | lra].
by rewrite -E /Rdiv Rmult_0_l in side; lra.
Qed.

(* pi = p / q would make hermite n.+1 pi / pi times q^(2 n) an integer. *)
Lemma hermite_integer (p q : Z) n :
  PI = IZR p / IZR q -> q <> 0%Z ->
  (exists k : Z, hermite n PI * IZR q ^ (2 * n) = PI * IZR k) /\
  exists k : Z, hermite n.+1 PI * IZR q ^ (2 * n.+1) = PI * IZR k.
Proof.
move=> ratio q0; have qR : IZR q <> 0 by move=> /eq_IZR.
have whole : PI * IZR q = IZR p by rewrite ratio; field.
elim: n => [|n [[k0 h0] [k1 h1]]].
  split; first by exists 0%Z; rewrite /= sin_PI; ring.
  by exists (q * q)%Z; rewrite /= sin_PI cos_PI mult_IZR; ring.
split; first by exists k1.
exists ((2 * Z.of_nat n.+1 + 1) * (q * q) * k1 - p * p * (q * q) * k0)%Z.
have -> : (2 * n.+2)%N = (2 * n.+1).+2 by rewrite mulnS.
rewrite hermite_step minus_IZR !mult_IZR plus_IZR mult_IZR -INR_IZR_INZ -whole.
have -> : forall a b, (a - b) * IZR q ^ (2 * n.+1).+2 = a * IZR q ^ (2 * n.+1).+2 - b * IZR q ^ (2 * n.+1).+2.
  by move=> a b; ring.
have e1 : IZR q ^ (2 * n.+1).+2 = IZR q * IZR q * IZR q ^ (2 * n.+1) by rewrite /=; ring.
have e2 : IZR q ^ (2 * n.+1).+2 = IZR q * IZR q * (IZR q * IZR q) * IZR q ^ (2 * n).
  by rewrite e1 (_ : (2 * n.+1)%N = (2 * n).+2); [rewrite /=; ring | rewrite mulnS].
have -> : (2 * INR n.+1 + 1) * hermite n.+1 PI * IZR q ^ (2 * n.+1).+2 =
    (2 * INR n.+1 + 1) * (IZR q * IZR q) * (hermite n.+1 PI * IZR q ^ (2 * n.+1)) by rewrite e1; ring.
have -> : PI ^ 2 * hermite n PI * IZR q ^ (2 * n.+1).+2 =
    PI ^ 2 * (IZR q * IZR q * (IZR q * IZR q)) * (hermite n PI * IZR q ^ (2 * n)) by rewrite e2; ring.
by rewrite h0 h1; ring.
Qed.

Lemma pi_irrational : irrational PI.
Proof.
move=> p q q0 ratio; have pi := PI_RGT_0; have qR : IZR q <> 0 by move=> /eq_IZR.
have whole : PI * IZR q = IZR p by rewrite ratio; field.
set P := IZR p ^ 2 / 2.
have small n : PI <= P ^ n.+1 / INR (fact n.+1).
  have [_ [k E]] := hermite_integer n ratio q0.
  have := hermite_small n.+1 pi; have := hermite_pi_pos n; set h := hermite n.+1 PI in E *.
  move=> h0 hle; have sq : 0 < IZR q ^ (2 * n.+1).
    by rewrite pow_mult; apply: pow_lt; have := Rsqr_pos_lt _ qR; rewrite /Rsqr /=; lra.
  have k1 : 1 <= IZR k.
    have k0 : 0 < IZR k by nra.
    by apply: IZR_le; have := lt_IZR _ _ k0; lia.
  have up : PI <= h * IZR q ^ (2 * n.+1) by rewrite E; nra.
  apply: Rle_trans up _; apply: (Rle_trans _ (PI ^ (2 * n.+1) / double_factorial n.+1 * IZR q ^ (2 * n.+1))).
    by apply: Rmult_le_compat_r; lra.
  have scale : PI ^ (2 * n.+1) * IZR q ^ (2 * n.+1) = P ^ n.+1 * 2 ^ n.+1.
    by rewrite -!Rpow_mult_distr whole pow_mult; congr (_ ^ _); rewrite /P; field.
  have f0 := INR_fact_lt_0 n.+1; have two : 0 < 2 ^ n.+1 by apply: pow_lt; lra.
  move: scale f0 two; rewrite /double_factorial.
  move: (PI ^ _) (IZR q ^ _) (P ^ _) (2 ^ _) (INR _) => a b c d e scale e0 d0.
  by apply: Req_le; have -> : a / (d * e) * b = a * b / (d * e); [field; lra | rewrite scale; field; lra].
have [N away] := cv_speed_pow_fact P (PI) pi.
have := away N.+1; rewrite /R_dist Rminus_0_r => H.
have /H : (N.+1 >= N)%coq_nat by lia.
by have := small N; have := Rle_abs (P ^ N.+1 / INR (fact N.+1)); lra.
Qed.

(** ** The gaps of Index *)

Lemma best_cosine_le theta r u : (0 < u <= r)%N -> cos (INR u * theta) <= best_cosine theta r.
Proof.
elim: r => [|r IH]; first by case/andP; case: u.
case/andP=> u0; rewrite leq_eqVlt => /orP[/eqP -> | ur]; first exact: Rmax_r.
by apply: Rle_trans (Rmax_l _ _); apply: IH; rewrite u0.
Qed.

Lemma best_cosine_at theta r :
  (0 < r)%N -> exists u, (0 < u <= r)%N /\ best_cosine theta r = cos (INR u * theta).
Proof.
elim: r => // r IH _; rewrite [best_cosine _ _]/= -/(INR r.+1).
case: r IH => [|r] IH.
  by exists 1%N; split=> //; rewrite Rmax_right //; apply: proj1 (COS_bound _).
have [u [/andP[u0 ur] ->]] := IH isT.
case: (Rle_dec (cos (INR r.+2 * theta)) (cos (INR u * theta))) => c.
  by exists u; split; [rewrite u0 ltnW | rewrite Rmax_left].
by exists r.+2; split; [rewrite leqnn | rewrite Rmax_right //; lra].
Qed.

(** A gap does not depend on which of the keys with the largest logit is taken to top. *)
Lemma gap_of n l t g :
  tops n l t -> gap n l g <->
  exists s, ((s < n)%N /\ s <> t /\ forall r, (r < n)%N -> r <> t -> l r <= l s) /\ g = l t - l s.
Proof.
move=> top; split; last by move=> [s [best ->]]; exists t, s.
move=> [t' [s [[t'n top'] [[sn [st best]] ->]]]].
have same : l t = l t' by case: top => tn /(_ t' t'n); have := top' t tn; lra.
case: (eqVneq t t') => [->|/eqP ne]; first by exists s.
have ls : l s = l t' by have := best t (proj1 top) ne; have := top' s sn; lra.
exists t'; split; last by lra.
split=> //; split; first by apply: nesym.
by move=> r rn _; apply: top'.
Qed.

Lemma valid_query x : valid x -> (0 < size x)%N -> (points_back (query x) < size x)%N.
Proof.
move=> /allP ok n0; rewrite /query -nth_last.
have /ok : (size x).-1 \in iota 0 (size x) by rewrite mem_iota add0n prednK ?leqnn.
by case: (nth _ _ _) => //= i /andP[_ low]; rewrite -(prednK n0) ltnS.
Qed.

Lemma cos_abs_nat theta a b : cos ((INR a - INR b) * theta) = cos (INR (maxn a b - minn a b) * theta).
Proof.
rewrite /maxn /minn; case: (ltnP a b) => [/ltnW|] le; rewrite minus_INR; try exact/leP; last by [].
by rewrite -cos_neg; congr cos; ring.
Qed.

Lemma index_top theta x n :
  valid x -> size x = n -> (0 < n)%N -> tops n (index_logit theta x) (points_back (query x)) /\
  index_logit theta x (points_back (query x)) = 1.
Proof.
move=> ok <- n0; have one : index_logit theta x (points_back (query x)) = 1.
  by rewrite /index_logit Rminus_eq_0 Rmult_0_l cos_0.
split=> //; split; first exact: valid_query.
by move=> r _; rewrite one; apply: proj2 (COS_bound _).
Qed.

(** The gap of an input is that of its query to the best of the other keys. *)
Lemma index_gapE theta x n g :
  valid x -> size x = n -> (0 < n)%N ->
  gap n (index_logit theta x) g <->
  exists s, ((s < n)%N /\ s <> points_back (query x) /\
    forall r, (r < n)%N -> r <> points_back (query x) -> index_logit theta x r <= index_logit theta x s) /\
  g = 1 - index_logit theta x s.
Proof. by move=> ok sz n0; have [top one] := index_top theta ok sz n0; rewrite (gap_of g top) one. Qed.

Lemma index_gap_le theta n g :
  (0 < n)%N -> index_gaps theta n g -> g <= 1 - best_cosine theta n./2.
Proof.
move=> n0 [x [ok [sz /(index_gapE _ _ ok sz n0) [s [[sn [si best]] ->]]]]].
have i_lt := valid_query ok; rewrite sz in i_lt; have {}i_lt := i_lt n0.
case h0 : (n./2) => [|h]; first by have := COS_bound ((INR s - INR (points_back (query x))) * theta);
  rewrite /= /index_logit; lra.
have [u [/andP[u0 uh] ->]] := best_cosine_at theta (ltn0Sn h).
rewrite /index_logit in best *; set i := points_back _ in i_lt si best *; clearbody i.
suff [r [rn [ri E]]] : exists r, (r < n)%N /\ r <> i /\ cos ((INR r - INR i) * theta) = cos (INR u * theta).
  by have := best r rn ri; lra.
have hn : (h.+1 + h.+1 <= n)%N by rewrite -h0 addnn -[X in (_ <= X)%N](odd_double_half n) leq_addl.
case: (leqP u i) => c.
  exists (i - u)%N; split; first by arith. split; first by arith.
  by rewrite minus_INR; [rewrite -cos_neg; congr cos; ring | exact/leP].
exists (i + u)%N; split; first by arith. split; first by arith.
by rewrite plus_INR; congr cos; ring.
Qed.

Lemma half_bounds n : (n./2 + n./2 <= n)%N /\ (n <= (n./2 + n./2).+1)%N.
Proof. by have := odd_double_half n; rewrite -addnn; case: (odd n) => /= E; split; arith. Qed.

Lemma half_pos n : (1 < n)%N -> (0 < n./2)%N.
Proof. by case: n => [|[|n]]. Qed.

(** An input of [n] tokens: letters, and the query last. *)
Definition ending_in (a : number_token) (n : nat) : seq number_token := rcons (nseq n.-1 (Letter 0)) a.

Lemma ending_in_ok a n :
  (points_back a < n)%N -> (if a is Number i then (0 < i)%N else true) ->
  valid (ending_in a n) /\ size (ending_in a n) = n /\ query (ending_in a n) = a.
Proof.
case: n => // n lt pos; rewrite /query /valid /ending_in last_rcons size_rcons size_nseq; split; last by [].
apply/allP => j; rewrite mem_iota add0n nth_rcons size_nseq [n.+1.-1]/= ltnS nth_nseq => /andP[_].
rewrite leq_eqVlt => /orP[/eqP -> {j}|ltj]; last by rewrite ltj.
by rewrite ltnn eqxx; case: a lt pos => //= i; rewrite ltnS => -> ->.
Qed.

Lemma distance_cos theta n s i :
  (s < n)%N -> (i < n)%N -> s <> i -> cos ((INR s - INR i) * theta) <= best_cosine theta n.-1.
Proof.
move=> sn iin si; rewrite cos_abs_nat; apply: best_cosine_le; rewrite /maxn /minn.
by case: n sn iin => // n; case: (ltngtP s i) => // c sn iin; rewrite subn_gt0 c /= leq_subLR;
  apply: leq_trans (leq_addl _ _).
Qed.

Lemma index_gap_ge theta n g : (1 < n)%N -> index_gaps theta n g -> 1 - best_cosine theta n.-1 <= g.
Proof.
move=> n1 [x [ok [sz /(index_gapE _ _ ok sz (ltnW n1)) [s [[sn [si best]] ->]]]]].
have i_lt := valid_query ok; rewrite sz in i_lt; have {}i_lt := i_lt (ltnW n1).
by have := distance_cos theta sn i_lt si; rewrite /index_logit; lra.
Qed.

Lemma middle_gap theta n : (1 < n)%N -> index_gaps theta n (1 - best_cosine theta n./2).
Proof.
move=> n1; have [h2 h3] := half_bounds n; have h0 := half_pos n1.
have lt : (n./2 < n)%N by arith.
have [ok [sz q]] := ending_in_ok (a := Number n./2) lt h0.
exists (ending_in (Number n./2) n); split=> //; split=> //; apply/(index_gapE _ _ ok sz (ltnW n1)).
have [u [/andP[u0 uh] E]] := best_cosine_at theta h0.
have at_u : cos ((INR (n./2 - u) - INR n./2) * theta) = best_cosine theta n./2.
  by rewrite minus_INR ?E; [rewrite -cos_neg; congr cos; ring | exact/leP].
exists (n./2 - u)%N; rewrite /index_logit q [points_back _]/= at_u; split=> //.
split; first by arith. split; first by arith.
move=> r rn ri; rewrite cos_abs_nat; apply: best_cosine_le; rewrite /maxn /minn.
by case: (ltngtP r n./2) => [c|c|/ri //]; apply/andP; split; arith.
Qed.

Lemma letter_gapE theta n g : (1 < n)%N -> letter_gaps theta n g -> g = 1 - best_cosine theta n.-1.
Proof.
move=> n1 [x [ok [sz [[a q] /(index_gapE _ _ ok sz (ltnW n1)) [s [[sn [si best]] ->]]]]]].
move: si best; rewrite /index_logit q /= => s0 best; congr (_ - _); apply: Rle_antisym.
  by rewrite -[0]/(INR 0%N); apply: distance_cos => //; apply: ltnW.
have n0 : (0 < n.-1)%N by arith.
have [u [/andP[u0 un] E]] := best_cosine_at theta n0.
have [un' ne] : (u < n)%N /\ u <> 0%N by split; arith.
by rewrite E; have := best u un' ne; rewrite Rminus_0_r.
Qed.

Lemma letter_gap_at theta n : (1 < n)%N -> letter_gaps theta n (1 - best_cosine theta n.-1).
Proof.
move=> n1; have [ok [sz q]] := ending_in_ok (a := Letter 0) (ltnW n1) isT.
exists (ending_in (Letter 0) n); split=> //; split=> //; split; first by exists 0%N.
apply/(index_gapE _ _ ok sz (ltnW n1)).
have n0 : (0 < n.-1)%N by arith.
have [u [/andP[u0 un] E]] := best_cosine_at theta n0.
exists u; rewrite /index_logit q [points_back _]/= Rminus_0_r E; split=> //.
split; first by arith. split; first by arith.
by move=> r rn r0; have := distance_cos theta rn (ltnW n1) r0; rewrite E.
Qed.

Lemma letter_is_input theta n g : letter_gaps theta n g -> index_gaps theta n g.
Proof. by move=> [x [ok [sz [_ E]]]]; exists x. Qed.

(** What Dirichlet's theorem gives: of the distances up to [r] one is close to a full turn. *)
Lemma best_cosine_bounds theta r :
  (0 < r)%N -> 1 - best_cosine theta r <= 1 - cos theta /\
  1 - best_cosine theta r <= 1 - cos (2 * PI / INR r.+1) /\
  1 - best_cosine theta r <= 2 * PI ^ 2 / INR r.+1 ^ 2.
Proof.
move=> r0; have [u [/andP[u0 ur] close]] := close_angle theta (N := r.+1) r0.
have := @best_cosine_le theta r u; rewrite u0 -ltnS ur => /(_ isT) le.
have := @best_cosine_le theta r 1; rewrite r0 Rmult_1_l => /(_ isT) first.
by have := turn_share (ltn0Sn r); split; [lra | split; lra].
Qed.

(** At the angle 2 pi / (r + 1) the distances 1 and r are the nearest to a full turn. *)
Lemma full_turn_best theta r : (0 < r)%N -> theta = 2 * PI / INR r.+1 -> best_cosine theta r = cos theta.
Proof.
move=> r0 E; have pi := PI_RGT_0; have N0 : 0 < INR r.+1 by apply: lt_0_INR; apply/ltP.
have full : INR r.+1 * theta = 2 * PI by rewrite E; field; lra.
have r1 := ltn_INR r0; rewrite S_INR in full; simpl in r1.
have := @best_cosine_le theta r 1; rewrite r0 Rmult_1_l => /(_ isT) ge; apply: Rle_antisym => //.
have [u [/andP[u0 ur] ->]] := best_cosine_at theta r0.
have u1 := ltn_INR u0; have u2 := leq_INR ur; simpl in u1.
have t0 : 0 < theta by nra.
by apply: cos_far; nra.
Qed.

Lemma pi_upper : PI < 3.4.
Proof. by have [_] := PI_ineq 2; rewrite /tg_alt /PI_tg /=; lra. Qed.

Lemma irrational_scaled (a b : Z) : a <> 0%Z -> b <> 0%Z -> irrational (IZR a / IZR b * PI).
Proof.
move=> a0 b0 p q q0 E; have aR : IZR a <> 0 by move=> /eq_IZR.
have bR : IZR b <> 0 by move=> /eq_IZR. have qR : IZR q <> 0 by move=> /eq_IZR.
have qa : (q * a)%Z <> 0%Z by lia.
apply: (pi_irrational (p := (p * b)%Z) qa).
rewrite !mult_IZR (_ : PI = IZR a / IZR b * PI * (IZR b / IZR a)); last by field; split.
by rewrite E; field; split.
Qed.

Lemma cos_third : cos (2 / 3 * PI) = - / 2.
Proof. by rewrite (_ : 2 / 3 * PI = 2 * (PI / 3)); [rewrite cos_2PI3; lra | lra]. Qed.

(** Where some logit is below the largest one, there is a positive gap, and it is no larger than that lag. *)
Lemma positive_gap_at n l t r :
  tops n l t -> (r < n)%N -> l r < l t -> exists g, positive_gap n l g /\ g <= l t - l r.
Proof.
move=> top rn below; pose P s := if Rlt_dec (l s) (l t) then true else false.
have PP s : P s <-> l s < l t by rewrite /P; case: Rlt_dec.
have [s [sn [/PP st best]]] := max_upto l rn (proj2 (PP r) below).
exists (l t - l s); split; last by have := best r rn (proj2 (PP r) below); lra.
by exists t, s; split=> //; split=> //; split=> //; split=> // q qn /PP; apply: best.
Qed.

Lemma index_positive_ge theta n g :
  (1 < n)%N -> index_positive_gaps theta n g -> 1 - best_cosine theta n.-1 <= g.
Proof.
move=> n1 [x [ok [sz [t [s [[tn top] [[sn [st _]] ->]]]]]]].
have [[i_lt _] one] := index_top theta ok sz (ltnW n1).
have lt : index_logit theta x t = 1.
  by have := top _ i_lt; rewrite one; have := COS_bound ((INR t - INR (points_back (query x))) * theta);
    rewrite /index_logit; lra.
have si : s <> points_back (query x) by move=> E; rewrite E one lt in st; lra.
by have := distance_cos theta sn i_lt si; rewrite lt /index_logit; lra.
Qed.

Lemma index_positive_smallest theta n :
  (1 < n)%N -> (forall (u : nat) (k : Z), (0 < u < n)%N -> INR u * theta <> 2 * PI * IZR k) ->
  smallest (index_positive_gaps theta n) (1 - best_cosine theta n.-1).
Proof.
move=> n1 apart; split; last by move=> g; apply: index_positive_ge.
have n0 : (0 < n.-1)%N by arith.
have [u [/andP[u0 un] E]] := best_cosine_at theta n0.
have u_lt : (u < n)%N by arith.
have below : cos (INR u * theta) < 1.
  have [//|/cos_one [k Ek]] : cos (INR u * theta) < 1 \/ cos (INR u * theta) = 1.
    by have := COS_bound (INR u * theta); lra.
  by case: (apart u k); rewrite ?u0.
have [ok [sz q]] := ending_in_ok (a := Letter 0) (ltnW n1) isT.
have [top one] := index_top theta ok sz (ltnW n1).
have lag : index_logit theta (ending_in (Letter 0) n) u = best_cosine theta n.-1.
  by rewrite /index_logit q [points_back _]/= Rminus_0_r E.
have := @positive_gap_at n _ _ u top u_lt; rewrite one lag E => /(_ below) [g [here le]].
have gaps : index_positive_gaps theta n g by exists (ending_in (Letter 0) n).
by have := index_positive_ge n1 gaps; rewrite E => ge; have <- : g = 1 - cos (INR u * theta) by lra.
Qed.

Lemma cos_half_turns k : cos (INR k * PI) = 1 \/ cos (INR k * PI) = -1.
Proof.
elim: k => [|k IH]; first by left; rewrite Rmult_0_l cos_0.
by rewrite S_INR Rmult_plus_distr_r Rmult_1_l neg_cos; lra.
Qed.

Lemma logit_at_pi x r : index_logit PI x r = 1 \/ index_logit PI x r = -1.
Proof. by rewrite /index_logit cos_abs_nat; apply: cos_half_turns. Qed.

(** At the angle pi all logits are 1 or -1. *)
Lemma index_positive_at_pi n : (1 < n)%N -> smallest (index_positive_gaps PI n) 2.
Proof.
move=> n1; split.
  have [ok [sz q]] := ending_in_ok (a := Letter 0) (ltnW n1) isT.
  have [top one] := index_top PI ok sz (ltnW n1).
  have l1 : index_logit PI (ending_in (Letter 0) n) 1 = -1.
    by rewrite /index_logit q [points_back _]/= Rminus_0_r Rmult_1_l cos_PI.
  exists (ending_in (Letter 0) n); split=> //; split=> //.
  exists (points_back (query (ending_in (Letter 0) n))), 1%N; rewrite one l1; split=> //; split; last by lra.
  split=> //; split; first lra.
  by move=> r _; case: (logit_at_pi (ending_in (Letter 0) n) r) => ->; lra.
move=> g [x [_ [_ [t [s [_ [[_ [below _]] ->]]]]]]]; move: below.
by case: (logit_at_pi x t) => ->; case: (logit_at_pi x s) => ->; lra.
Qed.

(** ** Definition 3.1 and theorem 3.2: Index *)

(** dyn.def3.1.index.largest. The largest gap over the inputs of length n, between the largest and the second-largest
    logit, is 1 less the best cosine at the distances up to n / 2; which query has it is not stated. *)
Theorem dyn_def3_1_index_largest :
  forall (theta : R) (n : nat), (2 <= n)%N -> largest (index_gaps theta n) (1 - best_cosine theta n./2).
Proof.
move=> theta n n2; split; first exact: middle_gap.
by move=> g; apply: index_gap_le; apply: ltnW.
Qed.
(* mutant further
   from: best_cosine theta n./2
   to:   best_cosine theta n./2.+1 *)
(* mutant nearer
   from: best_cosine theta n./2
   to:   best_cosine theta n./2.-1 *)
(* mutant as for a letter
   from: best_cosine theta n./2
   to:   best_cosine theta n.-1 *)

(** dyn.def3.1.index.smallest. The smallest gap over the inputs of length n is 1 less the best cosine at the distances
    up to n - 1; an input that ends in a letter has it. *)
Theorem dyn_def3_1_index_smallest :
  forall (theta : R) (n : nat), (2 <= n)%N ->
    smallest (index_gaps theta n) (1 - best_cosine theta n.-1) /\ letter_gaps theta n (1 - best_cosine theta n.-1).
Proof.
move=> theta n n2; have letter := letter_gap_at theta n2; split=> //; split; first exact: letter_is_input.
by move=> g; apply: index_gap_ge.
Qed.
(* mutant further
   from: (1 - best_cosine theta n.-1) /\
   to:   (1 - best_cosine theta n) /\ *)
(* mutant nearer
   from: (1 - best_cosine theta n.-1) /\
   to:   (1 - best_cosine theta n.-2) /\ *)
(* mutant as for the middle
   from: (1 - best_cosine theta n.-1) /\
   to:   (1 - best_cosine theta n./2) /\ *)

(** dyn.thm3.2.index. Printed: for an irrational angle the largest gap over the inputs of length n is at most
    1 - cos theta and at most 2 pi^2 / n^2. It fails at theta = 2 pi / 3 and n = 4, for the query that points 2 back,
    whose gap is 3/2. That 2 pi / 3 is irrational is pi_irrational. *)
Theorem dyn_thm3_2_index_fails :
  ~ (forall (theta : R) (n : nat) (g : R),
       irrational theta -> (2 <= n)%N -> largest (index_gaps theta n) g ->
       g <= 1 - cos theta /\ g <= 2 * PI ^ 2 / INR n ^ 2).
Proof.
move=> printed; have gaps := dyn_def3_1_index_largest (2 / 3 * PI) (n := 4) isT.
have [_] := printed (2 / 3 * PI) 4%N _ (irrational_scaled (a := 2) (b := 3) ltac:(lia) ltac:(lia)) isT gaps.
have third : cos (2 * (2 / 3 * PI)) = - / 2.
  by rewrite -cos_third -(cos_turns (2 / 3 * PI) (-1)) -cos_neg; congr cos; lra.
have -> : best_cosine (2 / 3 * PI) 4./2 = - / 2.
  by rewrite /= Rmult_1_l cos_third third; rewrite !Rmax_right; lra.
by have := pi_upper; have := PI_RGT_0; rewrite /= => pos up; nra.
Qed.
(* counterexample: {"theta": "2/3 pi", "n": 4} *)
(* mutant inputs that end in a letter
   from: largest (index_gaps theta n) g
   to:   largest (letter_gaps theta n) g *)
(* mutant four times the constant
   from: 2 * PI ^ 2
   to:   8 * PI ^ 2 *)

(** dyn.thm3.2.index.sharp. At every angle the largest gap over the inputs of length n is at most 1 - cos theta and at
    most 1 - cos(2 pi / (floor(n / 2) + 1)); the angle 2 pi / (floor(n / 2) + 1) attains the latter. *)
Theorem dyn_thm3_2_index_sharp :
  forall (theta : R) (n : nat) (g : R), (2 <= n)%N -> largest (index_gaps theta n) g ->
    g <= 1 - cos theta /\ g <= 1 - cos (2 * PI / INR n./2.+1) /\
    (theta = 2 * PI / INR n./2.+1 -> g = 1 - cos theta).
Proof.
move=> theta n g n2 [here most].
have [near [turn _]] := best_cosine_bounds theta (half_pos n2); have le := index_gap_le (ltnW n2) here.
have ge := most _ (middle_gap theta n2); split; first lra; split; first lra.
by move=> E; rewrite -E in turn; have := full_turn_best (half_pos n2) E; lra.
Qed.
(* mutant next
   from: g <= 1 - cos (2 * PI / INR n./2.+1)
   to:   g <= 1 - cos (2 * PI / INR n./2.+2) *)
(* mutant as for a letter
   from: g <= 1 - cos (2 * PI / INR n./2.+1)
   to:   g <= 1 - cos (2 * PI / INR n) *)
(* mutant halved
   from: g <= 1 - cos (2 * PI / INR n./2.+1)
   to:   g <= (1 - cos (2 * PI / INR n./2.+1)) / 2 *)
(* mutant strict
   from: g <= 1 - cos (2 * PI / INR n./2.+1)
   to:   g < 1 - cos (2 * PI / INR n./2.+1) *)

(** dyn.thm3.2.index.best-other. The gap of an input of length n that ends in a letter, the smallest over all inputs, is
    at most 1 - cos theta and at most 2 pi^2 / n^2, at every angle. *)
Theorem dyn_thm3_2_index_best_other :
  forall (theta : R) (n : nat) (g : R), (2 <= n)%N -> letter_gaps theta n g ->
    smallest (index_gaps theta n) g /\ g <= 1 - cos theta /\ g <= 2 * PI ^ 2 / INR n ^ 2.
Proof.
move=> theta n g n2 /(letter_gapE n2) ->; have [least _] := dyn_def3_1_index_smallest theta n2.
have n0 : (0 < n.-1)%N by arith.
have := best_cosine_bounds theta n0; rewrite prednK; last exact: ltnW.
by move=> [near [_ square]].
Qed.
(* mutant halved
   from: 2 * PI ^ 2
   to:   PI ^ 2 *)
(* mutant next
   from: / INR n ^ 2
   to:   / INR n.+1 ^ 2 *)
(* mutant any query
   from: letter_gaps theta n g
   to:   index_gaps theta n g *)

(** dyn.thm3.2.index.best-other.sharp. The gap of an input of length n that ends in a letter is at most 1 - cos theta
    and at most 1 - cos(2 pi / n); the angle 2 pi / n attains the latter. *)
Theorem dyn_thm3_2_index_best_other_sharp :
  forall (theta : R) (n : nat) (g : R), (2 <= n)%N -> letter_gaps theta n g ->
    g <= 1 - cos theta /\ g <= 1 - cos (2 * PI / INR n) /\ (theta = 2 * PI / INR n -> g = 1 - cos theta).
Proof.
move=> theta n g n2 /(letter_gapE n2) ->.
have n0 : (0 < n.-1)%N by arith.
have := best_cosine_bounds theta n0; have := @full_turn_best theta _ n0; rewrite prednK; last exact: ltnW.
by move=> turn [near [share _]]; split=> //; split=> // /turn ->.
Qed.
(* mutant next
   from: g <= 1 - cos (2 * PI / INR n)
   to:   g <= 1 - cos (2 * PI / INR n.+1) *)
(* mutant halved
   from: g <= 1 - cos (2 * PI / INR n)
   to:   g <= (1 - cos (2 * PI / INR n)) / 2 *)
(* mutant strict
   from: g <= 1 - cos (2 * PI / INR n)
   to:   g < 1 - cos (2 * PI / INR n) *)

(** dyn.thm3.2.index.smallest-positive. Printed, in lemma F.1's reading: for an irrational angle the smallest positive
    difference between the largest logit and another one, over the inputs of length n, is at most 1 - cos theta and at
    most 2 pi^2 / n^2. It fails at theta = pi, an irrational number, and n = 4: all logits are 1 or -1. *)
Theorem dyn_thm3_2_index_smallest_positive_fails :
  ~ (forall (theta : R) (n : nat) (g : R),
       irrational theta -> (2 <= n)%N -> smallest (index_positive_gaps theta n) g ->
       g <= 1 - cos theta /\ g <= 2 * PI ^ 2 / INR n ^ 2).
Proof.
move=> printed; have [_] := printed PI 4%N 2 pi_irrational isT (index_positive_at_pi (n := 4) isT).
by have := pi_upper; have := PI_RGT_0; rewrite /= => pos up; nra.
Qed.
(* counterexample: {"theta": "pi", "n": 4} *)
(* mutant no alias
   from: irrational theta
   to:   (forall (u : nat) (k : Z), (0 < u < n)%N -> INR u * theta <> 2 * PI * IZR k) *)
(* mutant theta over pi
   from: irrational theta
   to:   irrational (theta / PI) *)

(** dyn.thm3.2.index.smallest-positive.no-alias. If no multiple of theta up to the (n - 1)-th is a number of full turns,
    the smallest positive difference between the largest logit and another one, over the inputs of length n, is at most
    1 - cos theta and at most 2 pi^2 / n^2. *)
Theorem dyn_thm3_2_index_smallest_positive_no_alias :
  forall (theta : R) (n : nat), (2 <= n)%N ->
    (forall (u : nat) (k : Z), (1 <= u <= n - 1)%N -> INR u * theta <> 2 * PI * IZR k) ->
    exists g, smallest (index_positive_gaps theta n) g /\ g <= 1 - cos theta /\ g <= 2 * PI ^ 2 / INR n ^ 2.
Proof.
move=> theta n n2 apart; exists (1 - best_cosine theta n.-1); split.
  by apply: index_positive_smallest => // u k /andP[u0 un]; apply: apart; rewrite u0 subn1; arith.
have n0 : (0 < n.-1)%N by arith.
have := best_cosine_bounds theta n0; rewrite prednK; last exact: ltnW.
by move=> [near [_ square]].
Qed.
(* mutant halved
   from: 2 * PI ^ 2
   to:   PI ^ 2 *)
(* mutant next
   from: / INR n ^ 2
   to:   / INR n.+1 ^ 2 *)
(* mutant one alias
   from: (1 <= u <= n - 1)%N
   to:   (1 <= u <= n - 2)%N *)

(** dyn.thm3.2.positional-decay. Remark 3.2: the largest gap over the inputs of length n, and with it the gap of an
    input that ends in a letter, is at most 8 pi^2 / (n + 1)^2 at every angle. *)
Theorem dyn_thm3_2_positional_decay :
  forall (theta : R) (n : nat) (g : R), (2 <= n)%N -> index_gaps theta n g ->
    g <= 1 - cos theta /\ g <= 8 * PI ^ 2 / INR n.+1 ^ 2.
Proof.
move=> theta n g n2 /(index_gap_le (ltnW n2)) le.
have [near [_ square]] := best_cosine_bounds theta (half_pos n2); split; first lra.
have [_ half] := half_bounds n; have half' : (n.+1 <= n./2.+1 + n./2.+1)%N by arith.
have := leq_INR half'; rewrite plus_INR => wide; have pos : 0 < INR n.+1 by apply: lt_0_INR; apply/ltP.
have pp : 0 < PI ^ 2 by apply: pow_lt; apply: PI_RGT_0.
apply: Rle_trans le (Rle_trans _ _ _ square _).
move: (INR n.+1) (INR n./2.+1) pos wide (PI ^ 2) pp => a b a0 ab p p0.
apply: (Rmult_le_reg_r (a ^ 2 * b ^ 2)); first by apply: Rmult_lt_0_compat; apply: pow_lt; lra.
have -> : 2 * p / b ^ 2 * (a ^ 2 * b ^ 2) = 2 * p * a ^ 2 by field; lra.
have -> : 8 * p / a ^ 2 * (a ^ 2 * b ^ 2) = 2 * p * (4 * b ^ 2) by field; lra.
by apply: Rmult_le_compat_l; nra.
Qed.
(* mutant halved
   from: 8 * PI ^ 2
   to:   4 * PI ^ 2 *)
(* mutant next
   from: INR n.+1 ^ 2
   to:   INR n.+2 ^ 2 *)
(* mutant as for a letter
   from: 8 * PI ^ 2
   to:   2 * PI ^ 2 *)

(** ** The gaps of Retrieval *)

Lemma omega_facts L : (1 < L)%N -> 0 < omega L /\ omega L <= PI /\ INR L * omega L = 2 * PI.
Proof.
move=> L2; have pi := PI_RGT_0; have big : 2 <= INR L by apply: (leq_INR L2).
have full : INR L * omega L = 2 * PI by rewrite /omega; field; lra.
have pos : 0 < omega L by apply: Rdiv_lt_0_compat; lra.
by split=> //; split=> //; nra.
Qed.

(** The difference of two letters is an integer below [L] in size. *)
Lemma difference L a b :
  (a < L)%N -> (b < L)%N ->
  exists z : Z, INR a - INR b = IZR z /\ (- Z.of_nat L < z < Z.of_nat L)%Z /\ (a <> b -> z <> 0%Z).
Proof.
move=> aL bL; exists (Z.of_nat a - Z.of_nat b)%Z; rewrite minus_IZR -!INR_IZR_INZ; split=> //.
by move/ltP: aL => aL; move/ltP: bL => bL; split; lia.
Qed.

Lemma off_letters L z :
  (1 < L)%N -> (- Z.of_nat L < z < Z.of_nat L)%Z -> z <> 0%Z ->
  (omega L <= IZR z * omega L <= 2 * PI - omega L) \/ (omega L <= - IZR z * omega L <= 2 * PI - omega L).
Proof.
move=> L2 [low high] z0; have [w0 [_ full]] := omega_facts L2.
have top : IZR z <= INR L - 1 by rewrite INR_IZR_INZ -minus_IZR; apply: IZR_le; lia.
have bot : - IZR z <= INR L - 1 by rewrite INR_IZR_INZ -minus_IZR -opp_IZR; apply: IZR_le; lia.
have [pos|neg] : (1 <= z)%Z \/ (1 <= - z)%Z by lia.
  by left; have := IZR_le _ _ pos; split; nra.
by right; have := IZR_le _ _ neg; rewrite opp_IZR; split; nra.
Qed.

(** A wrong letter within the phase [top] of its places is no nearer than omega - top. *)
Lemma wrong_le L z y top :
  (1 < L)%N -> (- Z.of_nat L < z < Z.of_nat L)%Z -> z <> 0%Z -> 0 <= y <= top -> top <= omega L ->
  cos (IZR z * omega L + y) <= cos (omega L - top).
Proof.
move=> L2 range z0 [y0 y1] top1.
case: (off_letters L2 range z0) => [[low high]|[low high]]; first by apply: cos_far; lra.
by rewrite -cos_neg; apply: cos_far; lra.
Qed.

(** No letter brings a phase of at most omega / 2 nearer to a full turn. *)
Lemma own_letter_best L z y :
  (1 < L)%N -> (- Z.of_nat L < z < Z.of_nat L)%Z -> - (omega L / 2) <= y <= omega L / 2 ->
  cos (IZR z * omega L + y) <= cos y.
Proof.
move=> L2 range [low high]; have [z0|z0] : z = 0%Z \/ z <> 0%Z by lia.
  by rewrite z0 Rmult_0_l Rplus_0_l; lra.
have pos_y : cos y = cos (Rabs y) by rewrite /Rabs; case: Rcase_abs => _; rewrite ?cos_neg.
have a0 := Rabs_pos y; have [a1 a2] : - Rabs y <= y <= Rabs y by rewrite /Rabs; case: Rcase_abs; lra.
have a3 : Rabs y <= omega L / 2 by rewrite /Rabs; case: Rcase_abs; lra.
rewrite pos_y; case: (off_letters L2 range z0) => [[l h]|[l h]]; first by apply: cos_far; lra.
by rewrite -cos_neg; apply: cos_far; lra.
Qed.

(** The lowest logit that a letter can have at a place with the phase [y]. *)
Lemma lowest_even L m z y :
  L = (m + m)%N -> (0 < m)%N -> (- Z.of_nat L < z < Z.of_nat L)%Z -> 0 <= y <= omega L / 2 ->
  - cos y <= cos (IZR z * omega L + y).
Proof.
move=> Lm m0 range yr; have L2 : (1 < L)%N by rewrite Lm; arith.
have [w0 [_ full]] := omega_facts L2.
have turn : IZR (Z.of_nat m) * omega L = PI by rewrite -INR_IZR_INZ; move: full; rewrite {1}Lm plus_INR; lra.
have m1 : (1 <= Z.of_nat m)%Z by move/ltP: m0; lia.
have zm : (Z.of_nat L = Z.of_nat m + Z.of_nat m)%Z by rewrite Lm; arith.
have [z0|z0] : (0 <= z)%Z \/ (z <= -1)%Z by lia.
  have := @own_letter_best L (z - Z.of_nat m) y L2 ltac:(lia) ltac:(lra).
  rewrite minus_IZR Rmult_minus_distr_r turn.
  have -> : IZR z * omega L - PI + y = - (PI - (IZR z * omega L + y)) by ring.
  by rewrite cos_neg Rtrigo_facts.cos_pi_minus; lra.
have := @own_letter_best L (z + Z.of_nat m) y L2 ltac:(lia) ltac:(lra).
rewrite plus_IZR Rmult_plus_distr_r turn.
have -> : IZR z * omega L + PI + y = IZR z * omega L + y + PI by ring.
by rewrite neg_cos; lra.
Qed.

Lemma lowest_odd L m z y :
  L = (m + m).+1 -> (0 < m)%N -> (- Z.of_nat L < z < Z.of_nat L)%Z -> 0 <= y <= omega L / 2 ->
  - cos (omega L / 2 - y) <= cos (IZR z * omega L + y).
Proof.
move=> Lm m0 range yr; have L2 : (1 < L)%N by rewrite Lm; arith.
have [w0 [_ full]] := omega_facts L2.
have turn : IZR (Z.of_nat m) * omega L = PI - omega L / 2.
  by rewrite -INR_IZR_INZ; move: full; rewrite {1}Lm S_INR plus_INR; lra.
have m1 : (1 <= Z.of_nat m)%Z by move/ltP: m0; lia.
have zm : (Z.of_nat L = Z.of_nat m + Z.of_nat m + 1)%Z by rewrite Lm; arith.
have even : cos (y - omega L / 2) = cos (omega L / 2 - y) by rewrite -cos_neg; congr cos; ring.
have [z0|z0] : (0 <= z)%Z \/ (z <= -1)%Z by lia.
  have := @own_letter_best L (z - Z.of_nat m) (y - omega L / 2) L2 ltac:(lia) ltac:(lra).
  rewrite minus_IZR Rmult_minus_distr_r turn even.
  have -> : IZR z * omega L - (PI - omega L / 2) + (y - omega L / 2) = - (PI - (IZR z * omega L + y)) by ring.
  by rewrite cos_neg Rtrigo_facts.cos_pi_minus; lra.
have := @own_letter_best L (z + Z.of_nat m + 1) (y - omega L / 2) L2 ltac:(lia) ltac:(lra).
rewrite !plus_IZR !Rmult_plus_distr_r turn even Rmult_1_l.
have -> : IZR z * omega L + (PI - omega L / 2) + omega L + (y - omega L / 2) = IZR z * omega L + y + PI by field.
by rewrite neg_cos; lra.
Qed.

(** *** Inputs *)

(** The input whose key [t] places back has the left letter [f t], and whose query asks for [w]. *)
Definition input_of (f : nat -> nat) (w n : nat) : seq pair_token :=
  mkseq (fun j => (f (n.-1 - j)%N, if (j == n.-1) && (f 0%N != w) then inl w else inr 1%N) : pair_token) n.

Lemma input_ofP L f w n t :
  (t < n)%N -> f t = w -> (forall r, (r < n)%N -> (f r < L)%N) ->
  retrieval_input L n (input_of f w n) /\ wanted (input_of f w n) = w /\
  forall r, (r < n)%N -> left_back (input_of f w n) r = f r.
Proof.
move=> tn ft low; have n0 : (0 < n)%N by apply: leq_ltn_trans tn.
have last_lt : (n.-1 < n)%N by rewrite prednK.
have lastE : last no_token (input_of f w n) = (f 0%N, if f 0%N != w then inl w else inr 1%N).
  by rewrite -nth_last size_mkseq nth_mkseq // subnn eqxx.
split; last split.
- split; last split; last exact: size_mkseq.
    apply/allP => j; rewrite mem_iota size_mkseq add0n => /andP[_ jn]; rewrite nth_mkseq //.
    case: (eqVneq j n.-1) => //= ->; case: (eqVneq (f 0%N) w) => //= ne.
    rewrite prednK // take_oversize ?size_mkseq //.
    have here : ((w, inr 1%N) : pair_token) \in [seq p <- input_of f w n | p.1 == w].
      rewrite mem_filter /= eqxx /=; apply/mapP; exists (n.-1 - t)%N; first by rewrite mem_iota add0n; arith.
      rewrite subKn; last by arith.
      rewrite ft; case: (eqVneq (n.-1 - t)%N n.-1) => //= E; case/eqP: ne; rewrite -ft; congr f.
      by rewrite -(subKn (m := t) (n := n.-1)) ?E ?subnn //; arith.
    apply/andP; split; first by move: here; case: [seq p <- _ | _].
    apply: (@all_pred1_constant _ (w, inr 1%N)); apply/allP => p; rewrite mem_filter => /andP[/eqP pw /mapP[k _ E]].
    move: pw; rewrite E /= => fk; rewrite fk; case: (eqVneq k n.-1) => //= last_k.
    by case/eqP: ne; rewrite -fk last_k subnn.
  apply/allP => p /mapP[j]; rewrite mem_iota add0n => /andP[_ jn] -> /=; rewrite low; last by arith.
  by case: ifP => //= _; rewrite -ft low.
- by rewrite /wanted lastE /=; case: (eqVneq (f 0%N) w).
move=> r rn; rewrite /left_back size_mkseq nth_mkseq; last by arith.
by rewrite [LHS]/=; congr f; arith.
Qed.

Lemma key_in L n x t :
  retrieval_input L n x -> (t < n)%N -> (left_back x t < L)%N.
Proof.
move=> [_ [/allP low sz]] tn; have : nth no_token x ((size x).-1 - t) \in x by apply: mem_nth; rewrite sz; arith.
by move/low => /andP[].
Qed.

Lemma wanted_in L n x : retrieval_input L n x -> (0 < n)%N -> (wanted x < L)%N.
Proof.
move=> [_ [/allP low sz]] n0; have : last no_token x \in x by rewrite -nth_last; apply: mem_nth; rewrite sz prednK.
by move/low => /andP[]; rewrite /wanted; case: (last _ _).2.
Qed.

Lemma some_match L n x : retrieval_input L n x -> (0 < n)%N -> exists t, (t < n)%N /\ is_match x t.
Proof.
move=> [/allP prop [_ sz]] n0; have last_in : (size x).-1 \in iota 0 (size x).
  by rewrite mem_iota add0n sz prednK ?leqnn.
move: (prop _ last_in); rewrite nth_last /is_match /wanted.
case E : (last no_token x) => [a [b|i]] /=; last first.
  move=> _; exists 0%N; split=> //; rewrite /left_back subn0 nth_last E eqxx //.
rewrite prednK sz // -sz take_size => /andP[some _].
have [p] : exists p, p \in [seq p <- x | p.1 == b].
  by case: [seq p <- x | _] some => // p s _; exists p; rewrite mem_head.
rewrite mem_filter => /andP[pb px]; have ix : (index p x < size x)%N by rewrite index_mem.
exists ((size x).-1 - index p x)%N; split; first by arith.
rewrite /left_back subKn; first by rewrite nth_index.
by arith.
Qed.

Lemma logitP L theta n x t :
  retrieval_input L n x -> (t < n)%N -> exists z : Z,
    retrieval_logit L theta x t = cos (IZR z * omega L + INR t * theta) /\ (- Z.of_nat L < z < Z.of_nat L)%Z /\
    (~~ is_match x t -> z <> 0%Z).
Proof.
move=> ok tn; have n0 : (0 < n)%N by apply: leq_ltn_trans tn.
have [z [E [range ne]]] := difference (key_in ok tn) (wanted_in ok n0).
by exists z; rewrite /retrieval_logit E; split=> //; split=> // /eqP.
Qed.

Lemma match_logit L theta x t : is_match x t -> retrieval_logit L theta x t = cos (INR t * theta).
Proof. by move/eqP; rewrite /retrieval_logit => ->; congr cos; ring. Qed.

Lemma gap_le n l g t :
  gap n l g -> (t < n)%N -> exists r, (r < n)%N /\ (r <> t -> g <= l r - l t) /\
    (r = t -> forall q, (q < n)%N -> q <> t -> g <= l t - l q).
Proof.
move=> [r [s [[rn top] [[sn [sr best]] ->]]]] tn; exists r; split=> //; split=> [ne|E q qn qt].
  by have := best t tn (nesym ne); lra.
by rewrite E in sr best *; have := best q qn qt; lra.
Qed.

Lemma retrieval_gap_even L m theta n g :
  L = (m + m)%N -> (1 < L)%N -> (1 < n)%N -> 0 <= theta -> 2 * INR n.-1 * theta <= omega L ->
  retrieval_gaps L theta n g -> g <= 1 + cos (INR n.-1 * theta).
Proof.
move=> Lm L2 n2 t0 room [x [ok here]]; have m0 : (0 < m)%N by rewrite Lm in L2; arith.
have last_lt : (n.-1 < n)%N by arith.
have n0 : (0 < n)%N by arith.
have y0 : 0 <= INR n.-1 * theta by apply: Rmult_le_pos; [apply: pos_INR|].
have [r [rn [other same]]] := gap_le here last_lt.
have [z [E [range _]]] := logitP theta ok last_lt.
case: (eqVneq r n.-1) => [r_last|/eqP /other le].
  have ne : 0%N <> n.-1 by arith.
  have := same r_last 0%N n0 ne; have := @own_letter_best L z (INR n.-1 * theta) L2 range ltac:(lra).
  by rewrite E; have [z' [-> _]] := logitP theta ok n0; have := COS_bound (IZR z' * omega L + INR 0 * theta); lra.
have := lowest_even Lm m0 range (y := INR n.-1 * theta) ltac:(lra); rewrite E in le.
by have [z' [E' _]] := logitP theta ok rn; rewrite E' in le; have := COS_bound (IZR z' * omega L + INR r * theta); lra.
Qed.

Lemma retrieval_gap_odd L m theta n g :
  L = (m + m).+1 -> (1 < L)%N -> (1 < n)%N -> 0 <= theta -> 2 * INR n.-1 * theta <= omega L ->
  retrieval_gaps L theta n g -> g <= 1 + cos (omega L / 2 - theta).
Proof.
move=> Lm L2 n2 t0 room [x [ok here]]; have m0 : (0 < m)%N by rewrite Lm in L2; arith.
have [w0 [w_pi _]] := omega_facts L2.
have n0 : (0 < n)%N by arith.
have n1 : 1 <= INR n.-1 by apply: (leq_INR (m := 1)); arith.
have th : theta <= omega L / 2 by nra.
have [r [rn [other same]]] := gap_le here n2.
have [z [E [range _]]] := logitP theta ok n2; rewrite Rmult_1_l in E.
case: (eqVneq r 1%N) => [r1|/eqP /other le].
  have ne : 0%N <> 1%N by [].
  have := same r1 0%N n0 ne; have := COS_bound (IZR z * omega L + theta).
  rewrite E; have [z' [-> [range' _]]] := logitP theta ok n0.
  have := lowest_odd Lm m0 range' (y := INR 0 * theta) ltac:(rewrite /=; lra); rewrite Rmult_0_l Rminus_0_r.
  by have := @cos_near (omega L / 2) (omega L / 2 - theta) ltac:(lra) ltac:(lra); lra.
have := lowest_odd Lm m0 range (y := theta) ltac:(lra); rewrite E in le.
by have [z' [E' _]] := logitP theta ok rn; rewrite E' in le; have := COS_bound (IZR z' * omega L + INR r * theta); lra.
Qed.

Lemma logit_of L theta f w n t r :
  (t < n)%N -> f t = w -> (forall r, (r < n)%N -> (f r < L)%N) -> (r < n)%N ->
  retrieval_logit L theta (input_of f w n) r = cos ((INR (f r) - INR w) * omega L + INR r * theta) /\
  is_match (input_of f w n) r = (f r == w).
Proof.
move=> tn ft low rn; have [_ [E back]] := input_ofP tn ft low.
by rewrite /retrieval_logit /is_match E back.
Qed.

(** A query that attends to itself, all other keys [m] letters off. *)
Lemma worst_gap L m theta n s :
  (m < L)%N -> (0 < m)%N -> (1 < n)%N -> (0 < s < n)%N ->
  (forall r, (0 < r < n)%N -> cos (INR m * omega L + INR r * theta) <= cos (INR m * omega L + INR s * theta)) ->
  retrieval_gaps L theta n (1 - cos (INR m * omega L + INR s * theta)).
Proof.
move=> mL m0 n2 /andP[s0 sn] best; have n0 : (0 < n)%N by arith.
pose f (t : nat) := if t is 0%N then 0%N else m.
have low r : (r < n)%N -> (f r < L)%N by case: r => //= _; apply: leq_ltn_trans mL.
have [ok _] := input_ofP (f := f) (w := 0%N) n0 (erefl _) low.
have logit r : (r < n)%N -> retrieval_logit L theta (input_of f 0 n) r =
    cos ((INR (f r) - 0) * omega L + INR r * theta) by move=> rn; case: (logit_of theta n0 (erefl (f 0%N)) low rn).
have one : retrieval_logit L theta (input_of f 0 n) 0 = 1.
  by rewrite logit // -cos_0; congr cos; rewrite /=; ring.
have other r : (r < n)%N -> r <> 0%N -> retrieval_logit L theta (input_of f 0 n) r =
    cos (INR m * omega L + INR r * theta).
  by move=> rn r0; rewrite logit //; case: r r0 rn => // r _ _; rewrite Rminus_0_r.
have s_ne : s <> 0%N by arith.
exists (input_of f 0 n); split=> //; exists 0%N, s; rewrite one other //; split; last first.
  by split=> //; split=> //; split=> // r rn r0; rewrite !other //; apply: best; rewrite rn andbT lt0n; apply/eqP.
split=> // r rn; rewrite one; case: (eqVneq r 0%N) => [->|/eqP r0]; first by rewrite one; lra.
by rewrite other //; apply: proj2 (COS_bound _).
Qed.

Lemma INR_pred n : (0 < n)%N -> INR n.-1 = INR n - 1.
Proof. by case: n => // n _; rewrite S_INR /=; lra. Qed.

(** The phase of a place is at most that of the last one. *)
Lemma phase_range theta n t : 0 <= theta -> (t < n)%N -> 0 <= INR t * theta <= INR n.-1 * theta.
Proof.
move=> t0 tn; split; first by apply: Rmult_le_pos => //; apply: pos_INR.
by apply: Rmult_le_compat_r => //; apply: leq_INR; arith.
Qed.

Lemma retrieval_largest L theta n :
  (1 < L)%N -> (1 < n)%N -> 0 <= theta -> 2 * INR n.-1 * theta <= omega L ->
  largest (retrieval_gaps L theta n)
    (if odd L then 1 + cos (omega L / 2 - theta) else 1 + cos (INR n.-1 * theta)).
Proof.
move=> L2 n2 t0 room; have [w0 [w_pi full]] := omega_facts L2.
have n1 : 1 <= INR n.-1 by apply: (leq_INR (m := 1)); arith.
have := odd_double_half L; rewrite -addnn; case: (odd L) => /= Lm.
  have {}Lm : L = (L./2 + L./2).+1 by rewrite -add1n Lm.
  have turn : INR L./2 * omega L = PI - omega L / 2 by move: full; rewrite {1}Lm S_INR plus_INR; lra.
  split; last by move=> g; apply: (retrieval_gap_odd Lm).
  have shift y : cos (INR L./2 * omega L + y) = - cos (omega L / 2 - y).
    by rewrite turn -Rtrigo_facts.cos_pi_minus; congr cos; ring.
  have := @worst_gap L L./2 theta n 1; rewrite shift Rmult_1_l.
  have -> : 1 - - cos (omega L / 2 - theta) = 1 + cos (omega L / 2 - theta) by ring.
  apply=> //; [by arith | by arith |].
  move=> r /andP[r0 rn]; rewrite !shift; have [p0 p1] := phase_range t0 rn.
  have rt : theta <= INR r * theta by have := leq_INR r0; rewrite [INR 1]/= => r1; nra.
  by have := @cos_near (omega L / 2 - theta) (omega L / 2 - INR r * theta) ltac:(lra) ltac:(lra); lra.
have {}Lm : L = (L./2 + L./2)%N by rewrite -[RHS]add0n Lm.
have turn : INR L./2 * omega L = PI by move: full; rewrite {1}Lm plus_INR; lra.
split; last by move=> g; apply: (retrieval_gap_even Lm).
have shift y : cos (INR L./2 * omega L + y) = - cos y by rewrite turn Rplus_comm neg_cos.
have := @worst_gap L L./2 theta n n.-1; rewrite shift.
have -> : 1 - - cos (INR n.-1 * theta) = 1 + cos (INR n.-1 * theta) by ring.
apply=> //; [by arith | by arith | by apply/andP; split; arith |].
move=> r /andP[r0 rn]; rewrite !shift; have [p0 p1] := phase_range t0 rn.
by have := @cos_near (INR n.-1 * theta) (INR r * theta) ltac:(lra) ltac:(lra); lra.
Qed.

(** The smallest lead: the match one place before the last, the next letter at the last. *)
Lemma retrieval_smallest_lead L theta n :
  (1 < L)%N -> (1 < n)%N -> 0 <= theta -> (2 * INR n - 3) * theta <= omega L ->
  smallest (retrieval_leads L theta n) (cos (INR n.-2 * theta) - cos (omega L - INR n.-1 * theta)).
Proof.
move=> L2 n2 t0 room; have [w0 [w_pi full]] := omega_facts L2.
have n0 : (0 < n)%N by arith. have p_lt : (n.-2 < n)%N by arith. have l_lt : (n.-1 < n)%N by arith.
have last1 : INR n.-1 = INR n - 1 by apply: INR_pred.
have last2 : INR n.-2 = INR n - 2 by rewrite !INR_pred //; [lra | arith].
have nn : 2 <= INR n by apply: (leq_INR n2).
have b0 : 0 <= INR n.-2 * theta by apply: Rmult_le_pos; [apply: pos_INR|].
have step : INR n.-1 * theta = INR n.-2 * theta + theta by rewrite last1 last2; ring.
have room' : INR n.-1 * theta + INR n.-2 * theta <= omega L by rewrite last1 last2; lra.
split.
  pose f t := if t == n.-2 then 1%N else 0%N.
  have low r : (r < n)%N -> (f r < L)%N by move=> _; rewrite /f; case: eqP => _; [|apply: ltnW].
  have f1 : f n.-2 = 1%N by rewrite /f eqxx.
  have f0 r : r <> n.-2 -> f r = 0%N by rewrite /f; case: eqP.
  have [ok _] := input_ofP p_lt f1 low; have fact r := logit_of theta p_lt f1 low (r := r).
  have ne : n.-1 <> n.-2 by arith.
  exists (input_of f 1 n), n.-2, n.-1; split=> //.
  have [match_l match_m] := fact _ p_lt; have [last_l last_m] := fact _ l_lt.
  have far r : (r < n)%N -> r <> n.-2 -> retrieval_logit L theta (input_of f 1 n) r = cos (omega L - INR r * theta).
    move=> rn /f0 fr; case: (fact r rn) => -> _; rewrite fr -cos_neg; congr cos; rewrite /=; ring.
  split; last split; last by rewrite (far _ l_lt ne) match_logit // match_m f1.
    split=> //; split; first by rewrite match_m f1.
    move=> r rn; case: (fact r rn) => _ ->; case: (eqVneq r n.-2) => [->|/eqP/f0 -> //]; lra.
  split=> //; split; first by rewrite last_m f0.
  move=> r rn; case: (fact r rn) => _ ->; case: (eqVneq r n.-2) => [->|/eqP rp _]; first by rewrite f1.
  rewrite !far //; have [p0 p1] := phase_range t0 rn.
  by apply: cos_far; lra.
move=> g [x [t [s [ok [[tn [tm _]] [[sn [sm _]] ->]]]]]].
rewrite (match_logit _ _ tm); have [z [-> [range /(_ sm) z0]]] := logitP theta ok sn.
have [ts0 ts1] := phase_range t0 tn; have [ss0 ss1] := phase_range t0 sn.
have b_pi : INR n.-2 * theta <= PI by lra.
case: (eqVneq t n.-1) => [t_last|/eqP t_other].
  have st : (s < n.-1)%N.
    have : s <> t by move=> E; rewrite E tm in sm. by move=> ne; rewrite t_last in ne; arith.
  have s1 : INR s * theta <= INR n.-2 * theta by apply: Rmult_le_compat_r => //; apply: leq_INR; arith.
  have := wrong_le L2 range z0 (y := INR s * theta) (conj ss0 s1) ltac:(lra).
  have c0 : 0 <= cos (omega L / 2) by apply: cos_ge_0; lra.
  have near := @cos_near (omega L / 2 - INR n.-2 * theta) (omega L / 2 - INR n.-1 * theta) ltac:(lra) ltac:(lra).
  have sum B : cos B + cos (omega L - B) = 2 * (cos (omega L / 2) * cos (omega L / 2 - B)).
    have := form1 B (omega L - B).
    have -> : (B - (omega L - B)) / 2 = - (omega L / 2 - B) by field.
    have -> : (B + (omega L - B)) / 2 = omega L / 2 by field.
    by rewrite cos_neg => ->; ring.
  have s_a := sum (INR n.-1 * theta); have s_b := sum (INR n.-2 * theta).
  have := Rmult_le_compat_l _ _ _ c0 near; rewrite t_last; lra.
have t2 : INR t * theta <= INR n.-2 * theta by apply: Rmult_le_compat_r => //; apply: leq_INR; arith.
have := wrong_le L2 range z0 (y := INR s * theta) (conj ss0 ss1) ltac:(lra).
by have := @cos_near (INR n.-2 * theta) (INR t * theta) ltac:(lra) ltac:(lra); lra.
Qed.

Lemma retrieval_best_wrong L theta n :
  (1 < L)%N -> (1 < n)%N -> 0 <= theta -> INR n.-1 * theta <= omega L ->
  best_wrong_letter L theta n (1 - cos (omega L - INR n.-1 * theta)).
Proof.
move=> L2 n2 t0 room; have [w0 [w_pi full]] := omega_facts L2; have l_lt : (n.-1 < n)%N by arith.
exists (cos (omega L - INR n.-1 * theta)); split=> //; split.
  exists L.-1, n.-1; split; first by apply/andP; split; arith.
  split=> //; rewrite (@INR_pred L); last by arith.
  rewrite -cos_neg -[RHS](cos_turns _ (-1)); congr cos.
  by rewrite Rmult_minus_distr_r full; ring.
move=> c [d [t [/andP[d0 dL] [tn ->]]]]; have := phase_range t0 tn => pr.
have := @wrong_le L (Z.of_nat d) (INR t * theta) (INR n.-1 * theta) L2; rewrite -INR_IZR_INZ; apply=> //.
  by move/ltP: dL; move/ltP: d0; lia.
by move/ltP: d0; lia.
Qed.

(** Copies of one token, of which the query is one: their logits are cos(t theta). *)
Lemma copies_gap L theta n :
  (1 < L)%N -> (1 < n)%N -> cos theta < 1 -> exists g, retrieval_positive_gaps L theta n g /\ g <= 1 - cos theta.
Proof.
move=> L2 n2 below; have n0 : (0 < n)%N by arith.
have low r : (r < n)%N -> ((fun _ => 0%N) r < L)%N by move=> _; arith.
have [ok _] := input_ofP (f := fun _ => 0%N) (w := 0%N) n0 (erefl _) low.
have logit r : (r < n)%N -> retrieval_logit L theta (input_of (fun _ => 0%N) 0 n) r = cos (INR r * theta).
  by move=> rn; case: (logit_of theta n0 (erefl 0%N) low rn) => -> _; congr cos; rewrite /=; ring.
have one : retrieval_logit L theta (input_of (fun _ => 0%N) 0 n) 0 = 1 by rewrite logit // Rmult_0_l cos_0.
have top : tops n (retrieval_logit L theta (input_of (fun _ => 0%N) 0 n)) 0.
  by split=> // r rn; rewrite one; apply: proj2 (COS_bound _).
have next : retrieval_logit L theta (input_of (fun _ => 0%N) 0 n) 1 = cos theta by rewrite logit // Rmult_1_l.
have := @positive_gap_at n _ _ 1 top n2; rewrite one next => /(_ below) [g [here le]].
by exists g; split=> //; exists (input_of (fun _ => 0%N) 0 n).
Qed.

Lemma cos_lt_1 theta : 0 < theta < 2 * PI -> cos theta < 1.
Proof. by move=> [t0 t1]; rewrite cos_half; have : 0 < sin (theta / 2) by [apply: sin_gt_0; lra]; nra. Qed.

(** The angles that the print allows: theta < omega / (2 n0). *)
Lemma allowed_room L theta n0 n :
  (2 <= n0)%N -> (2 <= n <= n0)%N -> 0 <= theta -> theta < omega L / (2 * INR n0) ->
  2 * INR n0 * theta < omega L /\ INR n.-1 * theta <= INR n0.-1 * theta /\ INR n0.-1 * theta = INR n0 * theta - theta.
Proof.
move=> n02 /andP[n2 nn] t0 allowed; have N0 : 2 <= INR n0 by apply: (leq_INR n02).
split; first by apply: (Rmult_lt_reg_r (/ (2 * INR n0))); [apply: Rinv_0_lt_compat; lra | field_simplify; lra].
split; first by apply: Rmult_le_compat_r => //; apply: leq_INR; arith.
by rewrite INR_pred; [ring | arith].
Qed.

(** *** The logits take finitely many values, so where there is a positive gap there is a smallest one *)

Lemma finite_min (T : finType) (P : pred T) (F : T -> R) (t0 : T) :
  P t0 -> exists t, P t /\ forall s, P s -> F t <= F s.
Proof.
move=> Pt; pose item k := nth t0 (enum T) k.
have place s : item (index s (enum T)) = s by rewrite /item nth_index // mem_enum.
have inside s : (index s (enum T) < size (enum T))%N by rewrite index_mem mem_enum.
have [k [kn [Pk best]]] := @max_upto (fun k => P (item k)) (fun k => - F (item k)) _ _ (inside t0)
  ltac:(by rewrite /= place).
exists (item k); split=> // s Ps.
by have := best _ (inside s) ltac:(by rewrite /= place); rewrite place; lra.
Qed.

(** [a <= b], as a truth value. *)
Definition at_most (a b : R) : bool := if Rle_dec a b then true else false.

Lemma at_mostP a b : reflect (a <= b) (at_most a b).
Proof. by rewrite /at_most; case: Rle_dec => c; constructor. Qed.

Lemma positive_smallest L theta n :
  (0 < n)%N -> (exists g, retrieval_positive_gaps L theta n g) ->
  exists g, smallest (retrieval_positive_gaps L theta n) g.
Proof.
case: n => // n _ [g0 some].
pose T := prod_finType (prod_finType (finfun_finType (ordinal_finType n.+1) (ordinal_finType L)) (ordinal_finType L))
  (prod_finType (ordinal_finType n.+1) (ordinal_finType n.+1)).
pose l (c : T) (r : 'I_n.+1) := cos ((INR (c.1.1 r) - INR c.1.2) * omega L + INR r * theta).
pose P (c : T) := [&& [exists k, c.1.1 k == c.1.2], [forall r, at_most (l c r) (l c c.2.1)],
  ~~ at_most (l c c.2.1) (l c c.2.2) &
  [forall r, ~~ at_most (l c c.2.1) (l c r) ==> at_most (l c r) (l c c.2.2)]].
pose F (c : T) := l c c.2.1 - l c c.2.2.
have to_case g : retrieval_positive_gaps L theta n.+1 g -> exists c, P c /\ F c = g.
  move=> [x [ok [t [s [[tn top] [[sn [below best]] ->]]]]]].
  have lo (r : 'I_n.+1) : (left_back x r < L)%N by apply: key_in ok (ltn_ord r).
  have w_lo : (wanted x < L)%N by apply: wanted_in ok _.
  pose c : T := ([ffun r => Ordinal (lo r)], Ordinal w_lo, (Ordinal tn, Ordinal sn)).
  have lE r : l c r = retrieval_logit L theta x r by rewrite /l /c /= ffunE.
  exists c; split; last by rewrite /F !lE.
  apply/and4P; rewrite !lE /=; split.
  - have [k [kn /eqP km]] := some_match ok (ltn0Sn n); apply/existsP; exists (Ordinal kn).
    by apply/eqP; rewrite ffunE; apply: val_inj.
  - by apply/forallP => r; rewrite lE; apply/at_mostP; apply: top.
  - by apply/at_mostP; lra.
  - by apply/forallP => r; rewrite lE; apply/implyP => /at_mostP lt; apply/at_mostP; apply: best => //; lra.
have of_case c : P c -> retrieval_positive_gaps L theta n.+1 (F c).
  case/and4P => /existsP[k /eqP km] /forallP top /at_mostP below /forallP best.
  pose f r : nat := c.1.1 (inord r).
  have fk : f k = c.1.2 by rewrite /f inord_val km.
  have low r : (r < n.+1)%N -> (f r < L)%N by move=> _; apply: ltn_ord.
  have [ok _] := input_ofP (ltn_ord k) fk low.
  have lE r : (r < n.+1)%N -> retrieval_logit L theta (input_of f c.1.2 n.+1) r = l c (inord r).
    by move=> rn; case: (logit_of theta (ltn_ord k) fk low rn) => -> _; rewrite /l inordK.
  exists (input_of f c.1.2 n.+1); split=> //; exists c.2.1, c.2.2; rewrite !lE // !inord_val.
  split; first by split=> // r rn; rewrite !lE // inord_val; apply/at_mostP/top.
  split=> //; split=> //; split; first by lra.
  move=> r rn; rewrite ?lE // ?inord_val => lt; apply/at_mostP; apply: (implyP (best _)).
  by apply/at_mostP; lra.
have [c0 [P0 _]] := to_case _ some; have [c [Pc least]] := finite_min F P0.
exists (F c); split; first exact: of_case.
by move=> g /to_case[c' [Pc' <-]]; apply: least.
Qed.

Lemma copies_smallest L theta n :
  (1 < L)%N -> (1 < n)%N -> cos theta < 1 ->
  exists g, smallest (retrieval_positive_gaps L theta n) g /\ g <= 1 - cos theta.
Proof.
move=> L2 n2 below; have [g [here le]] := copies_gap L2 n2 below.
have [|v [at_v least]] := @positive_smallest L theta n (ltnW n2); first by exists g.
by exists v; split=> //; have := least _ here; lra.
Qed.

Lemma positive_gap_gt0 L theta n g : retrieval_positive_gaps L theta n g -> 0 < g.
Proof. by move=> [x [_ [t [s [_ [[_ [below _]] ->]]]]]]; lra. Qed.

Lemma omega_2 : omega 2 = PI.
Proof. by rewrite /omega /=; lra. Qed.

(** The case of most counterexamples: 2 letters, n0 = 2 and theta = 1/2. *)
Lemma half_allowed : / 2 < omega 2 / (2 * INR 2).
Proof. by rewrite omega_2 /=; have := PI2_3_2; lra. Qed.

Lemma cos_1_half : cos 1 < cos (/ 2).
Proof. by apply: cos_decreasing_1; have := PI2_3_2; lra. Qed.

Lemma printed_bound_at_half : 1 - cos (omega 2 - INR 2 * / 2) < 1 + cos (/ 2).
Proof.
rewrite omega_2 (_ : INR 2 * / 2 = 1); last by rewrite /=; lra.
by rewrite Rtrigo_facts.cos_pi_minus; have := cos_1_half; lra.
Qed.

(** Over the allowed angles, with [e] the edge omega / (2 n0). *)
Lemma lead_above_edge L theta n0 n :
  (2 <= L)%N -> (2 <= n0)%N -> (2 <= n <= n0)%N -> 0 <= theta -> theta < omega L / (2 * INR n0) ->
  2 * sin (omega L / 2 - omega L / (4 * INR n0)) * sin (3 * omega L / (4 * INR n0)) <
  cos (INR n.-2 * theta) - cos (omega L - INR n.-1 * theta).
Proof.
move=> L2 n02 nn t0 allowed; have [w0 [w_pi _]] := omega_facts L2; have N0 : 2 <= INR n0 by apply: (leq_INR n02).
have [room [le E]] := allowed_room n02 nn t0 allowed; case/andP: nn => n2 nn.
set e := omega L / (2 * INR n0) in allowed; have full : 2 * INR n0 * e = omega L by rewrite /e; field; lra.
have -> : 2 * sin (omega L / 2 - omega L / (4 * INR n0)) * sin (3 * omega L / (4 * INR n0)) =
    cos ((INR n0 - 2) * e) - cos (omega L - (INR n0 - 1) * e).
  have -> : omega L / 2 - omega L / (4 * INR n0) = omega L / 2 - e / 2 by rewrite /e; field; lra.
  have -> : 3 * omega L / (4 * INR n0) = 3 * e / 2 by rewrite /e; field; lra.
  rewrite form2; have -> : ((INR n0 - 2) * e + (omega L - (INR n0 - 1) * e)) / 2 = omega L / 2 - e / 2 by field.
  have -> : ((INR n0 - 2) * e - (omega L - (INR n0 - 1) * e)) / 2 = - (3 * e / 2) by rewrite -full; field.
  by rewrite sin_neg; ring.
have e0 : 0 < e by lra.
have n1 : INR n.-1 = INR n - 1 by apply: INR_pred; arith.
have n2' : INR n.-2 = INR n - 2 by rewrite !INR_pred; [lra | arith | arith].
have nR := leq_INR n2; have nN := leq_INR nn; rewrite [INR 2]/= in nR.
rewrite n1 n2'; have first : cos ((INR n0 - 2) * e) <= cos ((INR n - 2) * theta).
  by apply: cos_near; [nra | split; nra].
have second : cos (omega L - (INR n - 1) * theta) < cos (omega L - (INR n0 - 1) * e).
  by apply: cos_farther; [nra | split; nra].
lra.
Qed.

Lemma lead_below_edge L theta n :
  (2 <= L)%N -> (2 <= n)%N -> omega L / (2 * INR n + 1) <= theta -> theta < omega L / (2 * INR n) ->
  (cos (INR n.-2 * theta) - cos (omega L - INR n.-1 * theta)) * INR n < 2 * omega L.
Proof.
move=> L2 n2 near allowed; have [w0 [w_pi _]] := omega_facts L2; have N0 : 2 <= INR n by apply: (leq_INR n2).
have up : 2 * INR n * theta < omega L.
  by apply: (Rmult_lt_reg_r (/ (2 * INR n))); [apply: Rinv_0_lt_compat; lra | field_simplify; lra].
have low : omega L <= (2 * INR n + 1) * theta.
  by apply: (Rmult_le_reg_r (/ (2 * INR n + 1))); [apply: Rinv_0_lt_compat; lra | field_simplify; lra].
have t0 : 0 < theta by nra.
have n1 : INR n.-1 = INR n - 1 by apply: INR_pred; arith.
have n2' : INR n.-2 = INR n - 2 by rewrite !INR_pred; [lra | arith | arith].
rewrite n1 n2' form2.
have -> : ((INR n - 2) * theta + (omega L - (INR n - 1) * theta)) / 2 = (omega L - theta) / 2 by field.
have -> : ((INR n - 2) * theta - (omega L - (INR n - 1) * theta)) / 2 = - ((omega L - (2 * INR n - 3) * theta) / 2).
  by field.
rewrite sin_neg; set y := (omega L - (2 * INR n - 3) * theta) / 2.
have y0 : 0 < y by rewrite /y; nra.
have y_pi : y <= PI by rewrite /y; nra.
have s0 := sin_lt_x y y0; have s1 : 0 <= sin y by apply: sin_ge_0; lra.
have top := proj2 (SIN_bound ((omega L - theta) / 2)).
have y_small : 2 * y <= 4 * theta by rewrite /y; lra.
have small : -2 * - sin y * sin ((omega L - theta) / 2) <= 4 * theta by nra.
by nra.
Qed.

(** Beyond any number there is a natural one of at least 2. *)
Lemma archimedes x : exists n, (2 <= n)%N /\ x <= INR n.
Proof.
exists (Z.to_nat (up x)).+2; split=> //; rewrite !S_INR INR_IZR_INZ; have [gt _] := archimed x.
have [pos|neg] := Z_le_gt_dec 0 (up x); first by rewrite Z2Nat.id //; lra.
by have : IZR (up x) <= 0 by [apply: IZR_le; lia]; have := IZR_le 0 (Z.of_nat (Z.to_nat (up x))) ltac:(lia); lra.
Qed.

(** ** Definition 3.1, theorem 3.2 and remark 3.2: Retrieval *)

(** dyn.def3.1.retrieval.largest. With 0 <= theta and 2 (n - 1) theta <= omega the largest gap over the proper inputs of
    length n (which has it is not stated) is 1 + cos((n - 1) theta) for even L, 1 + cos(omega / 2 - theta) for odd L. *)
Theorem dyn_def3_1_retrieval_largest :
  forall (L n : nat) (theta : R), (2 <= L)%N -> (2 <= n)%N -> 0 <= theta -> 2 * INR (n - 1) * theta <= omega L ->
    largest (retrieval_gaps L theta n)
      (if odd L then 1 + cos (omega L / 2 - theta) else 1 + cos (INR n.-1 * theta)).
Proof.
by move=> L n theta L2 n2 t0; rewrite subn1; apply: retrieval_largest.
Qed.
(* mutant further
   from: cos (omega L / 2 - theta) else 1 + cos (INR n.-1 * theta)
   to:   cos (omega L / 2 - 2 * theta) else 1 + cos (INR n * theta) *)
(* mutant no parity
   from: if odd L then 1 + cos (omega L / 2 - theta) else 1 + cos (INR n.-1 * theta)
   to:   1 + cos (INR n.-1 * theta) *)
(* mutant no phase
   from: cos (omega L / 2 - theta) else 1 + cos (INR n.-1 * theta)
   to:   cos (omega L / 2) else 2 *)
(* mutant wider range
   from: INR (n - 1)
   to:   INR (n - 2) *)

(** dyn.thm3.2.retrieval. Printed: with 0 < theta < omega / (2 n0) and n <= n0 the gap between the largest and the
    second-largest logit of every proper input of length n is at most 1 - cos(omega - n theta). It fails for two letters
    and (b,1) (a,b): the match leads the query's own key by 1 + cos(1/2). *)
Theorem dyn_thm3_2_retrieval_fails :
  ~ (forall (L n0 n : nat) (theta : R) (x : seq pair_token) (g : R),
       (2 <= L)%N -> (2 <= n0)%N -> (2 <= n <= n0)%N -> 0 < theta -> theta < omega L / (2 * INR n0) ->
       retrieval_input L n x -> gap n (retrieval_logit L theta x) g -> g <= 1 - cos (omega L - INR n * theta)).
Proof.
move=> printed; pose x : seq pair_token := [:: (1%N, inr 1%N); (0%N, inl 1%N)].
have near : retrieval_logit 2 (/ 2) x 1 = cos (/ 2) by rewrite /retrieval_logit; congr cos; rewrite /=; ring.
have far : retrieval_logit 2 (/ 2) x 0 = -1.
  by rewrite /retrieval_logit omega_2 /= -cos_PI -cos_neg; congr cos; ring.
have here : gap 2 (retrieval_logit 2 (/ 2) x) (1 + cos (/ 2)).
  have low := proj1 (COS_bound (/ 2)); exists 1%N, 0%N; rewrite near far; split; last first.
    by split; last lra; split=> //; split=> // -[|[|//]] // _ _; rewrite far; lra.
  by split=> // -[|[|//]] _; rewrite ?near ?far; lra.
have := printed 2%N 2%N 2%N (/ 2) x (1 + cos (/ 2)) isT isT isT ltac:(lra) half_allowed ltac:(by []) here.
by have := printed_bound_at_half; lra.
Qed.
(* counterexample: {"letters": 2, "theta": "1/2", "n0": 2, "tokens": [["b", 1], ["a", "b"]]} *)
(* mutant the exact value
   from: g <= 1 - cos (omega L - INR n * theta)
   to:   g <= if odd L then 1 + cos (omega L / 2 - theta) else 1 + cos (INR n.-1 * theta) *)

(** dyn.def3.1.retrieval.best-wrong-letter. With 0 <= theta and (n - 1) theta <= omega the largest logit that a wrong
    letter can have at one of n places, present or not, lies 1 - cos(omega - (n - 1) theta) below 1. *)
Theorem dyn_def3_1_retrieval_best_wrong_letter :
  forall (L n : nat) (theta : R), (2 <= L)%N -> (2 <= n)%N -> 0 <= theta -> INR (n - 1) * theta <= omega L ->
    best_wrong_letter L theta n (1 - cos (omega L - INR n.-1 * theta)).
Proof.
by move=> L n theta L2 n2 t0; rewrite subn1; apply: retrieval_best_wrong.
Qed.
(* mutant as printed
   from: INR n.-1 * theta
   to:   INR n * theta *)
(* mutant one less
   from: INR n.-1 * theta
   to:   INR n.-2 * theta *)
(* mutant wider range
   from: INR (n - 1)
   to:   INR (n - 2) *)

(** dyn.thm3.2.retrieval.best-wrong-letter. Printed: with 0 < theta < omega / (2 n0) and n <= n0 one minus the largest
    logit that a wrong letter can have at one of n places is at most 1 - cos(omega - n theta). The last of n places is
    n - 1 back, so it fails: for two letters, n = n0 = 2 and theta = 1/2 the value is 1 + cos(1/2). *)
Theorem dyn_thm3_2_retrieval_best_wrong_letter_fails :
  ~ (forall (L n0 n : nat) (theta v : R),
       (2 <= L)%N -> (2 <= n0)%N -> (2 <= n <= n0)%N -> 0 < theta -> theta < omega L / (2 * INR n0) ->
       best_wrong_letter L theta n v -> v <= 1 - cos (omega L - INR n * theta)).
Proof.
move=> printed; have room : INR (2 - 1) * / 2 <= omega 2 by rewrite omega_2 /=; have := PI2_3_2; lra.
have value := @dyn_def3_1_retrieval_best_wrong_letter 2 2 (/ 2) isT isT ltac:(lra) room.
have := printed 2%N 2%N 2%N (/ 2) _ isT isT isT ltac:(lra) half_allowed value.
have := printed_bound_at_half; rewrite {2}omega_2 /= Rmult_1_l Rtrigo_facts.cos_pi_minus; lra.
Qed.
(* counterexample: {"letters": 2, "theta": "1/2", "n0": 2, "n": 2} *)
(* mutant the last place
   from: INR n * theta
   to:   INR n.-1 * theta *)

(** dyn.def3.1.retrieval.smallest-lead. With theta >= 0 and (2 n - 3) theta <= omega the smallest difference, over the
    proper inputs of length n, between the match's logit and that of a key of a wrong letter is
    cos((n - 2) theta) - cos(omega - (n - 1) theta); where the match stands is not stated. *)
Theorem dyn_def3_1_retrieval_smallest_lead :
  forall (L n : nat) (theta : R), (2 <= L)%N -> (2 <= n)%N -> 0 <= theta -> (2 * INR n - 3) * theta <= omega L ->
    smallest (retrieval_leads L theta n) (cos (INR n.-2 * theta) - cos (omega L - INR n.-1 * theta)).
Proof.
by move=> L n theta; apply: retrieval_smallest_lead.
Qed.
(* mutant exchanged
   from: cos (INR n.-2 * theta) - cos (omega L - INR n.-1 * theta)
   to:   cos (INR n.-1 * theta) - cos (omega L - INR n.-2 * theta) *)
(* mutant one place
   from: cos (INR n.-2 * theta)
   to:   cos (INR n.-1 * theta) *)
(* mutant as printed
   from: omega L - INR n.-1 * theta
   to:   omega L - INR n * theta *)
(* mutant wider range
   from: 2 * INR n - 3
   to:   2 * INR n - 4 *)

(** dyn.thm3.2.retrieval.smallest-lead. Printed: with 0 < theta < omega / (2 n0) and n <= n0 the smallest difference,
    over the proper inputs of length n, between the match's logit and that of a key of a wrong letter is at most
    1 - cos(omega - n theta). It fails for two letters, n = n0 = 2 and theta = 1/2. *)
Theorem dyn_thm3_2_retrieval_smallest_lead_fails :
  ~ (forall (L n0 n : nat) (theta g : R),
       (2 <= L)%N -> (2 <= n0)%N -> (2 <= n <= n0)%N -> 0 < theta -> theta < omega L / (2 * INR n0) ->
       smallest (retrieval_leads L theta n) g -> g <= 1 - cos (omega L - INR n * theta)).
Proof.
move=> printed; have room : (2 * INR 2 - 3) * / 2 <= omega 2 by rewrite omega_2 /=; have := PI2_3_2; lra.
have value := @dyn_def3_1_retrieval_smallest_lead 2 2 (/ 2) isT isT ltac:(lra) room.
have := printed 2%N 2%N 2%N (/ 2) _ isT isT isT ltac:(lra) half_allowed value.
have := printed_bound_at_half; rewrite {2}omega_2 /= Rmult_0_l cos_0 Rmult_1_l Rtrigo_facts.cos_pi_minus; lra.
Qed.
(* counterexample: {"letters": 2, "theta": "1/2", "n0": 2, "n": 2} *)
(* mutant the last place
   from: INR n * theta
   to:   INR n.-1 * theta *)

(** dyn.thm3.2.retrieval.smallest-positive. Printed for every n > 1: with 0 < theta < omega / (2 n0) the smallest
    positive difference between the largest logit and another one, over the proper inputs of length n, is at most
    1 - cos(omega - n theta). Beyond n0 that may be 0: two letters, n0 = 2, n = 5 and theta = pi / 5. *)
Theorem dyn_thm3_2_retrieval_smallest_positive_fails :
  ~ (forall (L n0 n : nat) (theta g : R),
       (2 <= L)%N -> (2 <= n0)%N -> (2 <= n)%N -> 0 < theta -> theta < omega L / (2 * INR n0) ->
       smallest (retrieval_positive_gaps L theta n) g -> g <= 1 - cos (omega L - INR n * theta)).
Proof.
move=> printed; have pi := PI_RGT_0; have below := @cos_lt_1 (PI / 5) ltac:(lra).
have [g [least _]] := @copies_smallest 2 (PI / 5) 5 isT isT below.
have := printed 2%N 2%N 5%N (PI / 5) g isT isT isT ltac:(lra) ltac:(rewrite omega_2 /=; lra) least.
rewrite omega_2 (_ : PI - INR 5 * (PI / 5) = 0); last by rewrite /=; field.
by have := positive_gap_gt0 (proj1 least); rewrite cos_0; lra.
Qed.
(* counterexample: {"letters": 2, "theta": "1/5 pi", "n0": 2, "n": 5} *)
(* mutant within n0
   from: (2 <= n)%N
   to:   (2 <= n <= n0)%N *)

(** dyn.thm3.2.retrieval.smallest-positive.within. With theta > 0 and (n + 1) theta <= omega the smallest positive
    difference between the largest logit and another one, over the proper inputs of length n, is at most
    1 - cos(omega - n theta): copies of one token already differ by 1 - cos theta. *)
Theorem dyn_thm3_2_retrieval_smallest_positive_within :
  forall (L n : nat) (theta : R), (2 <= L)%N -> (2 <= n)%N -> 0 < theta -> (INR n + 1) * theta <= omega L ->
    exists g, smallest (retrieval_positive_gaps L theta n) g /\ g <= 1 - cos theta /\
      g <= 1 - cos (omega L - INR n * theta).
Proof.
move=> L n theta L2 n2 t0 room; have [w0 [w_pi _]] := omega_facts L2; have N0 : 2 <= INR n by apply: (leq_INR n2).
have pi := PI_RGT_0; have below := @cos_lt_1 theta ltac:(nra).
have [g [least le]] := copies_smallest L2 n2 below; exists g; split=> //; split=> //.
by have := @cos_near (omega L - INR n * theta) theta ltac:(nra) ltac:(nra); lra.
Qed.
(* mutant further
   from: INR n * theta)
   to:   (INR n + 1) * theta) *)
(* mutant halved
   from: g <= 1 - cos (omega L - INR n * theta)
   to:   g <= (1 - cos (omega L - INR n * theta)) / 2 *)
(* mutant wider range
   from: (INR n + 1) * theta <= omega L
   to:   INR n * theta <= omega L *)
(* mutant strict
   from: g <= 1 - cos (omega L - INR n * theta)
   to:   g < 1 - cos (omega L - INR n * theta) *)

(** dyn.thm3.2.symbolic-stays. Remark 3.2: for theta = 0 the smallest lead of a match over a key of a wrong letter, and
    one minus the best wrong letter at any place, are 1 - cos omega at every length. *)
Theorem dyn_thm3_2_symbolic_stays :
  forall (L n : nat) (theta : R), (2 <= L)%N -> (2 <= n)%N -> theta = 0 ->
    smallest (retrieval_leads L theta n) (1 - cos (omega L)) /\ best_wrong_letter L theta n (1 - cos (omega L)).
Proof.
move=> L n theta L2 n2 ->; have [w0 _] := omega_facts L2.
have := @dyn_def3_1_retrieval_smallest_lead L n 0 L2 n2 ltac:(lra) ltac:(lra).
have := @retrieval_best_wrong L 0 n L2 n2 ltac:(lra) ltac:(lra).
by rewrite !Rmult_0_r cos_0 Rminus_0_r.
Qed.
(* mutant two letters off
   from: smallest (retrieval_leads L theta n) (1 - cos (omega L)) /\ best_wrong_letter L theta n (1 - cos (omega L))
   to:   smallest (retrieval_leads L theta n) (1 - cos (2 * omega L)) /\
           best_wrong_letter L theta n (1 - cos (2 * omega L)) *)
(* mutant half a letter off
   from: smallest (retrieval_leads L theta n) (1 - cos (omega L))
   to:   smallest (retrieval_leads L theta n) (1 - cos (omega L / 2)) *)
(* mutant three halves
   from: best_wrong_letter L theta n (1 - cos (omega L))
   to:   best_wrong_letter L theta n (1 - cos (3 * omega L / 2)) *)

(** dyn.thm3.2.symbolic-stays.every-input. A reading that the remark does not name: for theta = 0 the largest logit of
    every proper input lies above the second-largest one. It fails for (a,1) (a,1), whose logits are both 1. *)
Theorem dyn_thm3_2_symbolic_stays_every_input_fails :
  ~ (forall (L n : nat) (theta g : R), (2 <= L)%N -> (2 <= n)%N -> theta = 0 -> retrieval_gaps L theta n g -> 0 < g).
Proof.
move=> every; suff : retrieval_gaps 2 0 2 0 by move/(every 2%N 2%N 0 0 isT isT (erefl 0)); lra.
pose x : seq pair_token := [:: (0%N, inr 1%N); (0%N, inr 1%N)].
have logit r : (r < 2)%N -> retrieval_logit 2 0 x r = 1.
  by case: r => [|[|//]] _; rewrite /retrieval_logit -cos_0; congr cos; rewrite /=; ring.
exists x; split; first by [].
exists 0%N, 1%N; rewrite !logit //; split; first by split=> // r rn; rewrite !logit //; lra.
by split; last lra; split=> //; split=> // r rn _; rewrite !logit //; lra.
Qed.
(* counterexample: {"letters": 2, "theta": "0", "n0": 2, "n": 2} *)
(* mutant over wrong letters
   from: retrieval_gaps L theta n g
   to:   retrieval_leads L theta n g *)

(** dyn.thm3.2.symbolic-stays.allowed-angles.infimum. For 0 <= theta < omega / (2 n0) and n <= n0 the smallest lead of a
    match over a key of a wrong letter is above 2 sin(omega/2 - omega/(4 n0)) sin(3 omega/(4 n0)); not its limit. *)
Theorem dyn_thm3_2_symbolic_stays_allowed_angles_infimum :
  forall (L n0 n : nat) (theta : R), (2 <= L)%N -> (2 <= n0)%N -> (2 <= n <= n0)%N ->
    0 <= theta -> theta < omega L / (2 * INR n0) ->
    exists g, smallest (retrieval_leads L theta n) g /\
      2 * sin (omega L / 2 - omega L / (4 * INR n0)) * sin (3 * omega L / (4 * INR n0)) < g.
Proof.
move=> L n0 n theta L2 n02 nn t0 allowed; have above := lead_above_edge L2 n02 nn t0 allowed.
have [room [le E]] := allowed_room n02 nn t0 allowed; case/andP: nn => n2 nn.
eexists; split; last exact: above.
apply: retrieval_smallest_lead => //; have := leq_INR nn; nra.
Qed.
(* mutant one place less
   from: sin (3 * omega L / (4 * INR n0))
   to:   sin (5 * omega L / (4 * INR n0)) *)
(* mutant half of what theta = 0 gives
   from: 2 * sin (omega L / 2 - omega L / (4 * INR n0)) * sin (3 * omega L / (4 * INR n0))
   to:   (1 - cos (omega L)) / 2 *)

(** dyn.thm3.2.symbolic-stays.allowed-angles.definition. Remark 3.2 under the printed definition: for every n0,
    0 <= theta < omega / (2 n0) and n <= n0 the largest gap over the proper inputs of length n is above 1. *)
Theorem dyn_thm3_2_symbolic_stays_allowed_angles_definition :
  forall (L n0 n : nat) (theta : R), (2 <= L)%N -> (2 <= n0)%N -> (2 <= n)%N -> (n <= n0)%N ->
    0 <= theta -> theta < omega L / (2 * INR n0) ->
    exists g, largest (retrieval_gaps L theta n) g /\ g > 1.
Proof.
move=> L n0 n theta L2 n02 n2 nn t0 allowed; have nb : (2 <= n <= n0)%N by rewrite n2.
have [room [le E]] := allowed_room n02 nb t0 allowed; have [w0 [w_pi full]] := omega_facts L2.
have N0 : 2 <= INR n0 by apply: (leq_INR n02).
have range : 2 * INR n.-1 * theta <= omega L by lra.
eexists; split; first exact: (retrieval_largest L2 n2 t0 range).
have [z0 z1] := phase_range t0 (leqnn n.-1.+1 : (n.-1 < n.-1.+1)%N).
case: ifP => [L_odd|_].
  have L3 : (2 < L)%N by rewrite ltn_neqAle L2 andbT; apply/eqP => two; rewrite -two in L_odd.
  have three := leq_INR L3; rewrite [INR 3]/= in three; have slim : 3 * omega L <= 2 * PI by rewrite -full; nra.
  by have : 0 < cos (omega L / 2 - theta) by [apply: cos_gt_0; nra]; lra.
by have : 0 < cos (INR n.-1 * theta) by [apply: cos_gt_0; lra]; lra.
Qed.
(* mutant more
   from: g > 1
   to:   g > 3 / 2 *)
(* mutant further
   from: (n <= n0)%N
   to:   (n <= n0 + n0 + 1)%N *)
(* mutant twice the angle
   from: omega L / (2 * INR n0)
   to:   omega L / INR n0 *)

(** dyn.thm3.2.symbolic-stays.allowed-angles.best-wrong-letter. Remark 3.2 for one minus the best wrong letter: for
    every n0, 0 <= theta < omega / (2 n0) and n <= n0 it is above 1 - cos(omega / 2). *)
Theorem dyn_thm3_2_symbolic_stays_allowed_angles_best_wrong_letter :
  forall (L n0 n : nat) (theta : R), (2 <= L)%N -> (2 <= n0)%N -> (2 <= n)%N -> (n <= n0)%N ->
    0 <= theta -> theta < omega L / (2 * INR n0) ->
    exists v, best_wrong_letter L theta n v /\ v > 1 - cos (omega L / 2).
Proof.
move=> L n0 n theta L2 n02 n2 nn t0 allowed; have nb : (2 <= n <= n0)%N by rewrite n2.
have [room [le E]] := allowed_room n02 nb t0 allowed; have [w0 [w_pi full]] := omega_facts L2.
have range : INR n.-1 * theta <= omega L by lra.
eexists; split; first exact: (retrieval_best_wrong L2 n2 t0 range).
have p0 : 0 <= INR n.-1 * theta by apply: Rmult_le_pos => //; apply: pos_INR.
by have := @cos_farther (omega L / 2) (omega L - INR n.-1 * theta) ltac:(lra) ltac:(lra); lra.
Qed.
(* mutant a letter
   from: cos (omega L / 2)
   to:   cos (omega L) *)
(* mutant further
   from: (n <= n0)%N
   to:   (n <= n0 + n0 + 1)%N *)
(* mutant twice the angle
   from: omega L / (2 * INR n0)
   to:   omega L / INR n0 *)

(** dyn.thm3.2.symbolic-stays.allowed-angles.no-constant. For n = n0 and omega / (2 n0 + 1) <= theta < omega / (2 n0)
    the smallest lead of a match over a key of a wrong letter is below every number from 2 omega / n0 on. *)
Theorem dyn_thm3_2_symbolic_stays_allowed_angles_no_constant :
  forall (L n0 n : nat) (theta bound : R), (2 <= L)%N -> (2 <= n0)%N -> (2 <= n)%N -> n = n0 ->
    omega L / (2 * INR n0 + 1) <= theta -> theta < omega L / (2 * INR n0) -> 2 * omega L / INR n0 <= bound ->
    exists g, smallest (retrieval_leads L theta n) g /\ g < bound.
Proof.
move=> L n0 n theta bound L2 _ n2 <- near allowed large; have N0 : 2 <= INR n by apply: (leq_INR n2).
have [w0 _] := omega_facts L2.
have t0 : 0 <= theta by apply: Rle_trans near; apply: Rlt_le; apply: Rdiv_lt_0_compat; lra.
have nb : (2 <= n <= n)%N by rewrite n2 leqnn.
have [room _] := allowed_room n2 nb t0 allowed; have below := lead_below_edge L2 n2 near allowed.
eexists; split; first by apply: retrieval_smallest_lead => //; lra.
apply: Rlt_le_trans large; apply: (Rmult_lt_reg_r (INR n)); first lra.
by have -> : 2 * omega L / INR n * INR n = 2 * omega L by field; lra.
Qed.
(* mutant halved
   from: 2 * omega L / INR n0 <= bound
   to:   omega L / INR n0 <= bound *)
(* mutant any angle
   from: omega L / (2 * INR n0 + 1) <= theta
   to:   0 <= theta *)
(* mutant one place less
   from: n = n0
   to:   n = n0.-1 *)

(** dyn.thm3.2.symbolic-stays.allowed-angles. Remark 3.2 read as the lead of the match: there is a positive number, the
    same for all n0, that the smallest lead of a match over a key of a wrong letter never falls below, at any
    0 < theta < omega / (2 n0) and n <= n0. It fails: whatever number is named, n = n0 large enough and
    theta = omega / (2 n0 + 1) bring the lead below it. *)
Theorem dyn_thm3_2_symbolic_stays_allowed_angles_fails :
  ~ (forall (L : nat), (2 <= L)%N -> exists c, 0 < c /\
       forall (n0 n : nat) (theta g : R), (2 <= n0)%N -> (2 <= n <= n0)%N ->
         0 < theta -> theta < omega L / (2 * INR n0) -> smallest (retrieval_leads L theta n) g -> c <= g).
Proof.
move=> stays; have [c [c0 never]] := stays 4%N isT; have [w0 _] := omega_facts (isT : (1 < 4)%N).
have [n [n2 big]] := archimedes (2 * omega 4 / c); have N0 : 2 <= INR n by apply: (leq_INR n2).
pose theta := omega 4 / (2 * INR n + 1).
have full : theta * (2 * INR n + 1) = omega 4 by rewrite /theta; field; lra.
have t0 : 0 < theta by apply: Rdiv_lt_0_compat; lra.
have allowed : theta < omega 4 / (2 * INR n).
  apply: (Rmult_lt_reg_r (2 * INR n)); first lra.
  by have -> : omega 4 / (2 * INR n) * (2 * INR n) = omega 4; [field; lra | lra].
have large : 2 * omega 4 / INR n <= c.
  apply: (Rmult_le_reg_r (INR n)); first lra.
  have -> : 2 * omega 4 / INR n * INR n = 2 * omega 4 / c * c by field; lra.
  by nra.
have [g [least below]] :=
  dyn_thm3_2_symbolic_stays_allowed_angles_no_constant (isT : (2 <= 4)%N) n2 n2 erefl (Rle_refl theta) allowed large.
by have := never n n theta g n2 ltac:(by rewrite n2 leqnn) t0 allowed least; lra.
Qed.
(* counterexample: {"letters": 4, "theta": "1/16 pi", "n0": 3, "n": 3, "bound": "2/3"} *)
(* mutant at theta = 0
   from: 0 < theta
   to:   theta = 0 *)

(** dyn.thm3.2.symbolic-stays.allowed-angles.smallest-positive.decay. For 0 < theta < omega / (2 n0) the smallest
    positive difference between the largest logit and another one, over the proper inputs of any length n >= 2, is at
    most 1 - cos theta and below every number from omega^2 / (8 n0^2) on. *)
Theorem dyn_thm3_2_symbolic_stays_allowed_angles_smallest_positive_decay :
  forall (L n0 n : nat) (theta bound : R), (2 <= L)%N -> (2 <= n0)%N -> (2 <= n)%N ->
    0 < theta -> theta < omega L / (2 * INR n0) -> omega L ^ 2 / (8 * INR n0 ^ 2) <= bound ->
    exists g, smallest (retrieval_positive_gaps L theta n) g /\ g <= 1 - cos theta /\ g < bound.
Proof.
move=> L n0 n theta bound L2 n02 n2 t0 allowed large; have [w0 [w_pi _]] := omega_facts L2.
have N0 : 2 <= INR n0 by apply: (leq_INR n02); have pi := PI_RGT_0.
have edge : omega L / (2 * INR n0) * (2 * INR n0) = omega L by field; lra.
have small : theta < PI by nra.
have [g [least le]] := copies_smallest L2 n2 (@cos_lt_1 theta ltac:(lra)); exists g; split=> //; split=> //.
apply: Rle_lt_trans le (Rlt_le_trans _ _ _ _ large); apply: Rle_lt_trans (one_minus_cos theta) _.
have -> : omega L ^ 2 / (8 * INR n0 ^ 2) = (omega L / (2 * INR n0)) ^ 2 / 2 by field; lra.
by nra.
Qed.
(* mutant halved
   from: (8 * INR n0 ^ 2)
   to:   (16 * INR n0 ^ 2) *)
(* mutant next
   from: (8 * INR n0 ^ 2)
   to:   (8 * INR n0.+1 ^ 2) *)
(* mutant no angle
   from: 0 < theta
   to:   0 <= theta *)
(* mutant twice the angle
   from: omega L / (2 * INR n0)
   to:   omega L / INR n0 *)

(** dyn.thm3.2.symbolic-stays.allowed-angles.smallest-positive. Remark 3.2 read as the smallest positive gap: there is a
    positive number, the same for all n0, that the smallest positive difference between the largest logit and another
    one, over the proper inputs of length n, never falls below, at any 0 < theta < omega / (2 n0) and n <= n0. *)
Theorem dyn_thm3_2_symbolic_stays_allowed_angles_smallest_positive_fails :
  ~ (forall (L : nat), (2 <= L)%N -> exists c, 0 < c /\
       forall (n0 n : nat) (theta g : R), (2 <= n0)%N -> (2 <= n <= n0)%N ->
         0 < theta -> theta < omega L / (2 * INR n0) -> smallest (retrieval_positive_gaps L theta n) g -> c <= g).
Proof.
move=> stays; have [c [c0 never]] := stays 2%N isT; have pi := PI_RGT_0.
have [n [n2 big]] := archimedes (PI ^ 2 / c); have N0 : 2 <= INR n by apply: (leq_INR n2).
pose theta := PI / (4 * INR n); have full : theta * (4 * INR n) = PI by rewrite /theta; field; lra.
have t0 : 0 < theta by apply: Rdiv_lt_0_compat; lra.
have allowed : theta < omega 2 / (2 * INR n).
  rewrite omega_2; apply: (Rmult_lt_reg_r (2 * INR n)); first lra.
  by have -> : PI / (2 * INR n) * (2 * INR n) = PI by [field; lra]; nra.
have large : omega 2 ^ 2 / (8 * INR n ^ 2) <= c.
  have scale : PI ^ 2 / c * c = PI ^ 2 by field; lra.
  rewrite omega_2; apply: (Rmult_le_reg_r (8 * INR n ^ 2)); first by nra.
  have -> : PI ^ 2 / (8 * INR n ^ 2) * (8 * INR n ^ 2) = PI ^ 2 by field; lra.
  have one : PI ^ 2 <= INR n * c by rewrite -scale; apply: Rmult_le_compat_r; lra.
  by have : INR n * c <= INR n * c * INR n by [nra]; have : 0 < c * INR n * INR n by [nra]; lra.
have [g [least [_ below]]] :=
  dyn_thm3_2_symbolic_stays_allowed_angles_smallest_positive_decay (isT : (2 <= 2)%N) n2 n2 t0 allowed large.
by have := never n n theta g n2 ltac:(by rewrite n2 leqnn) t0 allowed least; lra.
Qed.
(* counterexample: {"letters": 2, "theta": "1/2", "n0": 2, "n": 2, "bound": "1"} *)
(* mutant over wrong letters at theta = 0
   from: 0 < theta -> theta < omega L / (2 * INR n0) -> smallest (retrieval_positive_gaps L theta n) g
   to:   theta = 0 -> theta < omega L / (2 * INR n0) -> smallest (retrieval_leads L theta n) g *)
