(** Exclusion: a head cannot vary its logits and be both positional and symbolic (DEC, definitions and theorem 1).

    A query at position n sees [m = n - 1] earlier keys. Its logit table is [M : 'I_m -> 'I_m -> R], where [M a b] is
    the logit of key content [a] at key position [b], as in headproof.theory.table. Nothing else about heads is used,
    except in the last section, where the table is that of a rotary head. *)

From Coq Require Import Reals Lra Lia Psatz.
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq fintype finfun bigop fingroup perm.
From headproof Require Import common.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope R_scope.
(* own meanings: bound *)
(* end of header *)

(** ** Definitions *)

(** The logits in use, lambda_j = M_jj (LogitTable.diagonal). *)
Definition lambda m (M : 'I_m -> 'I_m -> R) (j : 'I_m) : R := M j j.

(** delta_pos(pi, j) = L(x_n, n, x_pi(j), j) - L(x_n, n, x_j, j): another content at position j. *)
Definition delta_pos m (M : 'I_m -> 'I_m -> R) (s : {perm 'I_m}) (j : 'I_m) : R := M (s j) j - lambda M j.

(** delta_sym(pi, j) = L(x_n, n, x_j, pi(j)) - L(x_n, n, x_j, j): content j at another position. *)
Definition delta_sym m (M : 'I_m -> 'I_m -> R) (s : {perm 'I_m}) (j : 'I_m) : R := M j (s j) - lambda M j.

(** ||delta||^2, added up over all m! permutations and all m keys (literal_exclusion_terms). *)
Definition norm2 m (delta : {perm 'I_m} -> 'I_m -> R) : R := sum_(s in {perm 'I_m}) sum_(j < m) delta s j ^ 2.

(** The mean over the keys, mu. *)
Definition mean m (x : 'I_m -> R) : R := sum_(j < m) x j / INR m.

(** Var(x) = (1/(n-1)) sum_j (x_j - mu)^2 (logit_variance). *)
Definition variance m (x : 'I_m -> R) : R := sum_(j < m) (x j - mean x) ^ 2 / INR m.

(** The right side of DEC's theorem 1, (||delta_pos||^2 + ||delta_sym||^2) / ((n-1)! (n-1)). *)
Definition bound m (M : 'I_m -> 'I_m -> R) : R := (norm2 (delta_pos M) + norm2 (delta_sym M)) / (INR m`! * INR m).

(** What the bound exceeds the variance by, (2/m^2) sum_(j != k) (M_jk - (lambda_j + lambda_k)/2)^2. *)
Definition slack m (M : 'I_m -> 'I_m -> R) : R :=
  2 / INR m ^ 2 * sum_(j < m) sum_(k < m | k != j) (M j k - (lambda M j + lambda M k) / 2) ^ 2.

(** DEC: positional on an input, L(x_n, n, x_pi(j), j) = L(x_n, n, x_j, j) for every permutation pi and every key j. *)
Definition positional m (M : 'I_m -> 'I_m -> R) : Prop := forall (s : {perm 'I_m}) (j : 'I_m), M (s j) j = M j j.

(** DEC: symbolic on an input, L(x_n, n, x_j, pi(j)) = L(x_n, n, x_j, j) for every permutation pi and every key j. *)
Definition symbolic m (M : 'I_m -> 'I_m -> R) : Prop := forall (s : {perm 'I_m}) (j : 'I_m), M j (s j) = M j j.

(** The logits of all n = m + 1 keys that the query sees: those in use, and last the one of the query's own key. *)
Definition visible m (M : 'I_m -> 'I_m -> R) (own : R) (i : 'I_m.+1) : R :=
  if unlift ord_max i is Some j then lambda M j else own.

(** Earlier key j among the visible ones. *)
Definition earlier m (j : 'I_m) : 'I_m.+1 := lift ord_max j.

(** ** Small facts *)

Lemma INR_neq0 n : (0 < n)%N -> INR n <> 0.
Proof. by move=> pos; apply: not_0_INR => n0; rewrite n0 in pos. Qed.

Lemma INR_fact_pred n : (0 < n)%N -> INR n`! = INR n * INR n.-1`!.
Proof. by case: n => // n _; rewrite factS mult_INR. Qed.

(** A double sum of squares is 0 only where all of them are. *)
Lemma squares_eq0 (I J : finType) (F : I -> J -> R) :
  \big[Rplus/0]_i \big[Rplus/0]_j F i j ^ 2 = 0 -> forall i j, F i j = 0.
Proof.
move=> total i j.
have row : \big[Rplus/0]_j F i j ^ 2 = 0.
  by apply: (sum_eq0 _ total) => // i' _; apply: sum_ge0 => j' _; apply: pow2_ge_0.
have : F i j ^ 2 = 0 by apply: (sum_eq0 _ row) => // j' _; apply: pow2_ge_0.
by move=> square; nra.
Qed.

(** ** Counting: each pair of keys occurs in (m-1)! permutations *)

Section Counting.
Variable m : nat.
Implicit Types (f : 'I_m -> R) (F : 'I_m -> 'I_m -> R).

(** How often key j is sent where does not depend on j: compose with the transposition of i and j. *)
Lemma sum_perm_any f i j : sum_(s in {perm 'I_m}) f (s i) = sum_(s in {perm 'I_m}) f (s j).
Proof.
rewrite (reindex_inj (mulgI (tperm i j))) /=.
by apply: eq_bigr => s _; rewrite permM tpermL.
Qed.

Lemma sum_perm f j : INR m * sum_(s in {perm 'I_m}) f (s j) = INR m`! * sum_(k < m) f k.
Proof.
rewrite -sum_const_ord (eq_bigr (fun i => sum_(s in {perm 'I_m}) f (s i))); last by move=> i _; apply: sum_perm_any.
rewrite exchange_big (eq_bigr (fun _ => sum_(k < m) f k)) => [|s _]; last by rewrite [RHS](reindex_inj (@perm_inj _ s)).
by rewrite sum_const card_Sn.
Qed.

Lemma sum_perm_pairs F :
  sum_(s in {perm 'I_m}) sum_(j < m) F j (s j) = INR m.-1`! * sum_(j < m) sum_(k < m) F j k.
Proof.
rewrite exchange_big -sum_scale; apply: eq_bigr => j _.
have pos : (0 < m)%N by apply: leq_ltn_trans (ltn_ord j).
by apply: (Rmult_eq_reg_l (INR m)); [rewrite sum_perm INR_fact_pred //; ring | apply: INR_neq0].
Qed.

Lemma norm2_delta_pos F :
  norm2 (delta_pos F) = INR m.-1`! * sum_(j < m) sum_(k < m) (F k j - lambda F j) ^ 2.
Proof. exact: (sum_perm_pairs (fun j k => (F k j - lambda F j) ^ 2)). Qed.

Lemma norm2_delta_sym F :
  norm2 (delta_sym F) = INR m.-1`! * sum_(j < m) sum_(k < m) (F j k - lambda F j) ^ 2.
Proof. exact: (sum_perm_pairs (fun j k => (F j k - lambda F j) ^ 2)). Qed.

End Counting.

(** ** Sums over pairs *)

Section Pairs.
Variable m : nat.
Variable pos : (0 < m)%N.
Implicit Types (c : R) (f g x : 'I_m -> R) (M : 'I_m -> 'I_m -> R).

Lemma size_gt0 : 0 < INR m.
Proof. by apply: lt_0_INR; apply/ltP. Qed.

(* The same as sum_add and sum_scale, with indices spelled so that ring and field see equal sums as equal. *)
Lemma ord_add f g : sum_(j < m) (f j + g j) = sum_(j < m) f j + sum_(j < m) g j.
Proof. exact: sum_add. Qed.

Lemma ord_scale c f : sum_(j < m) (c * f j) = c * sum_(j < m) f j.
Proof. exact: sum_scale. Qed.

Lemma sum_pair_add (F G : 'I_m -> 'I_m -> R) :
  sum_(j < m) sum_(k < m) (F j k + G j k) = sum_(j < m) sum_(k < m) F j k + sum_(j < m) sum_(k < m) G j k.
Proof. by rewrite -ord_add; apply: eq_bigr => j _; rewrite ord_add. Qed.

Lemma sum_pair_scale (c : R) (F : 'I_m -> 'I_m -> R) :
  sum_(j < m) sum_(k < m) (c * F j k) = c * sum_(j < m) sum_(k < m) F j k.
Proof. by rewrite -ord_scale; apply: eq_bigr => j _; rewrite ord_scale. Qed.

Lemma sum_pair_eq (F G : 'I_m -> 'I_m -> R) :
  (forall j k, F j k = G j k) -> sum_(j < m) sum_(k < m) F j k = sum_(j < m) sum_(k < m) G j k.
Proof. by move=> E; apply: eq_bigr => j _; apply: eq_bigr => k _. Qed.

(** The variance by the first two moments. *)
Lemma variance_moments x :
  INR m ^ 2 * variance x = INR m * sum_(j < m) x j ^ 2 - (sum_(j < m) x j) ^ 2.
Proof.
have m0 := size_gt0; rewrite /variance; set mu := mean x.
rewrite (eq_bigr (fun j => x j ^ 2 + (-2 * mu * x j + mu ^ 2))); last by move=> j _; ring.
rewrite !ord_add ord_scale sum_const_ord /mu /mean; field; lra.
Qed.

(** The variance by pairs. *)
Lemma variance_pairs x : 2 * INR m ^ 2 * variance x = sum_(j < m) sum_(k < m) (x j - x k) ^ 2.
Proof.
rewrite Rmult_assoc variance_moments.
have row j : sum_(k < m) (x j - x k) ^ 2 = INR m * x j ^ 2 + (-2 * sum_(k < m) x k * x j + sum_(k < m) x k ^ 2).
  rewrite (eq_bigr (fun k => x j ^ 2 + (-2 * x j * x k + x k ^ 2))) => [|k _]; last by ring.
  by rewrite !ord_add sum_const_ord ord_scale; ring.
rewrite (eq_bigr _ (fun j _ => row j)) !ord_add !ord_scale sum_const_ord; ring.
Qed.

(** The bound times m^2 is a sum over the entries of the table. *)
Lemma bound_pairs M :
  INR m ^ 2 * bound M = sum_(j < m) sum_(k < m) ((M k j - lambda M j) ^ 2 + (M j k - lambda M j) ^ 2).
Proof.
have m0 := size_gt0; rewrite /bound norm2_delta_pos norm2_delta_sym sum_pair_add.
have f0 : INR m.-1`! <> 0 by apply: INR_neq0; apply: fact_gt0.
by rewrite (INR_fact_pred pos); field; lra.
Qed.

(** The slack times m^2; the diagonal contributes nothing. *)
Lemma slack_pairs M :
  INR m ^ 2 * slack M = sum_(j < m) sum_(k < m) (2 * (M j k - (lambda M j + lambda M k) / 2) ^ 2).
Proof.
have m0 := size_gt0; rewrite sum_pair_scale /slack -Rmult_assoc; congr (_ * _); first by field; lra.
apply: eq_bigr => j _; rewrite [RHS](bigD1 j) //=.
by have -> : M j j - (lambda M j + lambda M j) / 2 = 0; [rewrite /lambda; field | rewrite Rmult_0_l Rplus_0_l].
Qed.

(** The parallelogram law, summed over all entries. *)
Lemma exclusion_identity M : bound M = variance (lambda M) + slack M.
Proof.
have m0 := size_gt0; apply: (Rmult_eq_reg_l (INR m ^ 2)); last by have := pow_lt _ 2 m0; lra.
rewrite Rmult_plus_distr_l slack_pairs bound_pairs sum_pair_add exchange_big /= -sum_pair_add.
have -> : INR m ^ 2 * variance (lambda M) = / 2 * (2 * INR m ^ 2 * variance (lambda M)) by field.
rewrite variance_pairs -sum_pair_scale -sum_pair_add.
by apply: sum_pair_eq => j k; field.
Qed.

Lemma slack_ge0 M : 0 <= slack M.
Proof.
have := size_gt0 => m0; have m2 := pow_lt _ 2 m0.
apply: (Rmult_le_reg_l (INR m ^ 2)) => //; rewrite slack_pairs sum_pair_scale Rmult_0_r.
apply: Rmult_le_pos; first lra.
by apply: sum_ge0 => j _; apply: sum_ge0 => k _; apply: pow2_ge_0.
Qed.

(** The slack is a sum of squares, so it vanishes term by term. *)
Lemma slack_eq0 M : slack M = 0 <-> forall j k, j <> k -> M j k = (lambda M j + lambda M k) / 2.
Proof.
have m0 := size_gt0; have m2 := pow_lt _ 2 m0; split=> [E j k _ | E]; last first.
  rewrite /slack big1 => [|j _]; first ring.
  by rewrite big1 // => k /eqP kj; rewrite E; [ring | apply: nesym].
have total := slack_pairs M; rewrite sum_pair_scale E Rmult_0_r in total.
have zero : sum_(j < m) sum_(k < m) (M j k - (lambda M j + lambda M k) / 2) ^ 2 = 0 by lra.
by have := squares_eq0 zero j k; lra.
Qed.

End Pairs.

(** ** Theorem 1 *)

(** dec.thm1.closed-form. The sum over all permutations collapses to one pass over the table: each pair of keys occurs
    in (m-1)! of them. *)
Theorem dec_thm1_closed_form :
  forall (m : nat) (M : 'I_m -> 'I_m -> R),
    norm2 (delta_pos M) + norm2 (delta_sym M) =
    INR (m.-1)`! * sum_(j < m) sum_(k < m) ((M k j - lambda M j) ^ 2 + (M j k - lambda M j) ^ 2).
Proof.
by move=> m M; rewrite norm2_delta_pos norm2_delta_sym sum_pair_add Rmult_plus_distr_l.
Qed.
(* mutant m factorial
   from: INR (m.-1)`!
   to:   INR m`! *)
(* mutant halved
   from: INR (m.-1)`! *
   to:   INR (m.-1)`! / 2 * *)
(* mutant one deviation twice
   from: (M j k - lambda M j) ^ 2
   to:   (M k j - lambda M j) ^ 2 *)

(** dec.thm1.identity. The bound of theorem 1 is the variance of the logits plus an explicit slack. *)
Theorem dec_thm1_identity :
  forall (m : nat) (M : 'I_m -> 'I_m -> R), (0 < m)%N -> bound M = variance (lambda M) + slack M.
Proof.
by move=> m M pos; apply: exclusion_identity.
Qed.
(* mutant slack halved
   from: + slack M
   to:   + slack M / 2 *)
(* mutant off by one
   from: + slack M
   to:   + slack M * INR m / INR m.+1 *)
(* mutant sign
   from: + slack M
   to:   - slack M *)

(** dec.thm1. Exclusion: the variance of the logits is at most the sum of the two deviations. *)
Theorem dec_thm1 :
  forall (m : nat) (M : 'I_m -> 'I_m -> R), (0 < m)%N -> variance (lambda M) <= bound M.
Proof.
move=> m M pos; rewrite exclusion_identity //.
by have := slack_ge0 pos M; lra.
Qed.
(* mutant halved
   from: <= bound M
   to:   <= bound M / 2 *)
(* mutant reversed
   from: variance (lambda M) <= bound M
   to:   bound M <= variance (lambda M) *)
(* mutant positional only
   from: <= bound M
   to:   <= norm2 (delta_pos M) / (INR m`! * INR m) *)
(* mutant off by one
   from: <= bound M
   to:   <= (norm2 (delta_pos M) + norm2 (delta_sym M)) / (INR m`! * INR m.+1) *)

(** dec.thm1.equality. The bound is attained exactly by tables that add a content part and an equal position part: each
    entry is the mean of its two logits. *)
Theorem dec_thm1_equality :
  forall (m : nat) (M : 'I_m -> 'I_m -> R),
    (0 < m)%N ->
    variance (lambda M) <= bound M /\
    (variance (lambda M) = bound M <-> forall j k, j <> k -> M j k = (lambda M j + lambda M k) / 2).
Proof.
move=> m M pos; rewrite -(slack_eq0 pos) exclusion_identity //; have := slack_ge0 pos M.
by split; [lra | split; lra].
Qed.
(* mutant constant
   from: M j k = (lambda M j + lambda M k) / 2
   to:   lambda M j = lambda M k *)
(* mutant symbolic
   from: M j k = (lambda M j + lambda M k) / 2
   to:   M j k = lambda M j *)
(* mutant symmetric
   from: M j k = (lambda M j + lambda M k) / 2
   to:   M j k = M k j *)
(* mutant balanced
   from: M j k = (lambda M j + lambda M k) / 2
   to:   M j k + M k j = lambda M j + lambda M k *)

(** ** What the bound is for special tables *)

Section Families.
Variable m : nat.
Variable pos : (0 < m)%N.
Implicit Types (c d : 'I_m -> R) (M : 'I_m -> 'I_m -> R).

Lemma double_pairs c d :
  sum_(j < m) sum_(k < m) ((c k - c j) ^ 2 + (d k - d j) ^ 2) = 2 * INR m ^ 2 * (variance c + variance d).
Proof.
rewrite Rmult_plus_distr_l !variance_pairs // -sum_pair_add.
by apply: sum_pair_eq => j k; ring.
Qed.

Lemma bound_additive M c d : (forall a b, M a b = c a + d b) -> bound M = 2 * variance c + 2 * variance d.
Proof.
move=> E; have m0 := size_gt0 pos; apply: (Rmult_eq_reg_l (INR m ^ 2)); last by have := pow_lt _ 2 m0; lra.
rewrite bound_pairs // (sum_pair_eq (G := fun j k => (c k - c j) ^ 2 + (d k - d j) ^ 2)).
  by rewrite double_pairs; ring.
by move=> j k; rewrite /lambda !E; ring.
Qed.

Lemma slack_additive M c d : (forall a b, M a b = c a + d b) -> slack M = variance (fun j => c j - d j).
Proof.
move=> E; have m0 := size_gt0 pos; apply: (Rmult_eq_reg_l (2 * INR m ^ 2)); last by have := pow_lt _ 2 m0; lra.
rewrite variance_pairs // Rmult_assoc slack_pairs // -sum_pair_scale.
by apply: sum_pair_eq => j k; rewrite /lambda !E; field.
Qed.

Lemma norm2_eq0 (delta : {perm 'I_m} -> 'I_m -> R) : norm2 delta = 0 <-> forall s j, delta s j = 0.
Proof.
split=> [|zero]; first exact: squares_eq0.
by rewrite /norm2 big1 // => s _; rewrite big1 // => j _; rewrite zero; ring.
Qed.

Lemma variance_const (a : R) : variance (fun _ : 'I_m => a) = 0.
Proof.
have m0 := INR_neq0 pos; rewrite /variance big1 => [|j _]; first by field.
by rewrite /mean sum_const_ord; field.
Qed.

End Families.

(** Every pair of keys occurs in some permutation. *)
Lemma positional_columns m (M : 'I_m -> 'I_m -> R) :
  positional M <-> forall j k, k <> j -> M k j = lambda M j.
Proof.
split=> [pos j k _ | columns s j]; first by rewrite -{1}(tpermL j k) pos.
by case: (eqVneq (s j) j) => [-> // | /eqP]; apply: columns.
Qed.

Lemma symbolic_rows m (M : 'I_m -> 'I_m -> R) :
  symbolic M <-> forall j k, k <> j -> M j k = lambda M j.
Proof.
split=> [sym j k _ | rows s j]; first by rewrite -{1}(tpermL j k) sym.
by case: (eqVneq (s j) j) => [-> // | /eqP]; apply: rows.
Qed.

Lemma positional_entry m (M : 'I_m -> 'I_m -> R) : positional M -> forall a b, M a b = lambda M b.
Proof. by move=> pos a b; rewrite -{1}(tpermL b a) pos. Qed.

Lemma symbolic_entry m (M : 'I_m -> 'I_m -> R) : symbolic M -> forall a b, M a b = lambda M a.
Proof. by move=> sym a b; rewrite -{1}(tpermL a b) sym. Qed.

(** A table is positional where delta_pos is 0, and symbolic where delta_sym is. *)
Lemma positional_delta m (M : 'I_m -> 'I_m -> R) : positional M <-> norm2 (delta_pos M) = 0.
Proof. by rewrite norm2_eq0; split=> zero s j; have := zero s j; rewrite /delta_pos /lambda; lra. Qed.

Lemma symbolic_delta m (M : 'I_m -> 'I_m -> R) : symbolic M <-> norm2 (delta_sym M) = 0.
Proof. by rewrite norm2_eq0; split=> zero s j; have := zero s j; rewrite /delta_sym /lambda; lra. Qed.

(** dec.thm1.additive. For a table in which content and position add, the bound is twice the sum of the two parts'
    variances. What variance over bound is then is stated by gen.exclusion.ratio, not here. *)
Theorem dec_thm1_additive :
  forall (m : nat) (M : 'I_m -> 'I_m -> R) (c d : 'I_m -> R),
    (0 < m)%N -> (forall a b, M a b = c a + d b) -> bound M = 2 * variance c + 2 * variance d.
Proof.
by move=> m M c d pos; apply: bound_additive.
Qed.
(* mutant once
   from: 2 * variance c + 2 * variance d
   to:   variance c + variance d *)
(* mutant content only
   from: 2 * variance c + 2 * variance d
   to:   2 * variance c *)
(* mutant the variance itself
   from: 2 * variance c + 2 * variance d
   to:   variance (lambda M) *)

(** dec.thm1.additive-slack. What an additive table is short of the bound is the variance of the difference of its
    parts. *)
Theorem dec_thm1_additive_slack :
  forall (m : nat) (M : 'I_m -> 'I_m -> R) (c d : 'I_m -> R),
    (0 < m)%N -> (forall a b, M a b = c a + d b) -> slack M = variance (fun j => c j - d j).
Proof.
by move=> m M c d pos; apply: slack_additive.
Qed.
(* mutant halved
   from: slack M = variance
   to:   slack M = / 2 * variance *)
(* mutant sum
   from: c j - d j
   to:   c j + d j *)
(* mutant no cross term
   from: variance (fun j => c j - d j)
   to:   variance c + variance d *)

(** dec.thm1.positional. On an input on which a head is positional, the whole bound is the symbolic deviation, and it
    is twice the variance of the logits. *)
Theorem dec_thm1_positional :
  forall (m : nat) (M : 'I_m -> 'I_m -> R),
    (0 < m)%N -> positional M ->
    bound M = norm2 (delta_sym M) / (INR m`! * INR m) /\ bound M = 2 * variance (lambda M).
Proof.
move=> m M pos posit; split; first by rewrite /bound (proj1 (positional_delta M) posit) Rplus_0_l.
rewrite (bound_additive pos (c := fun=> 0) (d := lambda M)); first by rewrite variance_const //; ring.
by move=> a b; rewrite positional_entry // Rplus_0_l.
Qed.
(* mutant once
   from: 2 * variance (lambda M)
   to:   variance (lambda M) *)
(* mutant thrice
   from: 2 * variance (lambda M)
   to:   3 * variance (lambda M) *)
(* mutant not positional
   from: (0 < m)%N -> positional M ->
   to:   (0 < m)%N -> *)

(** dec.thm1.symbolic. On an input on which a head is symbolic, the whole bound is the positional deviation, and it is
    twice the variance of the logits. *)
Theorem dec_thm1_symbolic :
  forall (m : nat) (M : 'I_m -> 'I_m -> R),
    (0 < m)%N -> symbolic M ->
    bound M = norm2 (delta_pos M) / (INR m`! * INR m) /\ bound M = 2 * variance (lambda M).
Proof.
move=> m M pos symb; split; first by rewrite /bound (proj1 (symbolic_delta M) symb) Rplus_0_r.
rewrite (bound_additive pos (c := lambda M) (d := fun=> 0)); first by rewrite variance_const //; ring.
by move=> a b; rewrite symbolic_entry // Rplus_0_r.
Qed.
(* mutant once
   from: 2 * variance (lambda M)
   to:   variance (lambda M) *)
(* mutant thrice
   from: 2 * variance (lambda M)
   to:   3 * variance (lambda M) *)
(* mutant not symbolic
   from: (0 < m)%N -> symbolic M ->
   to:   (0 < m)%N -> *)

(** ** The two definitions *)

(** dec.definitions.positional. Positional on an input says that all deviations from it vanish, and that each column of
    the table is constant: the logit does not depend on the content. *)
Theorem dec_definitions_positional :
  forall (m : nat) (M : 'I_m -> 'I_m -> R),
    (positional M <-> norm2 (delta_pos M) = 0) /\
    (positional M <-> forall j k, k <> j -> M k j = lambda M j).
Proof.
by move=> m M; split; [apply: positional_delta | apply: positional_columns].
Qed.
(* mutant rows
   from: M k j = lambda M j
   to:   M j k = lambda M j *)
(* mutant logits
   from: M k j = lambda M j
   to:   lambda M k = lambda M j *)
(* mutant symmetric
   from: M k j = lambda M j
   to:   M k j = M j k *)

(** dec.definitions.symbolic. Symbolic on an input says that all deviations from it vanish, and that each row of the
    table is constant: the logit does not depend on the position. *)
Theorem dec_definitions_symbolic :
  forall (m : nat) (M : 'I_m -> 'I_m -> R),
    (symbolic M <-> norm2 (delta_sym M) = 0) /\
    (symbolic M <-> forall j k, k <> j -> M j k = lambda M j).
Proof.
by move=> m M; split; [apply: symbolic_delta | apply: symbolic_rows].
Qed.
(* mutant columns
   from: M j k = lambda M j
   to:   M k j = lambda M j *)
(* mutant logits
   from: M j k = lambda M j
   to:   lambda M k = lambda M j *)
(* mutant symmetric
   from: M j k = lambda M j
   to:   M j k = M k j *)

(** dec.definitions.both-constant. A head that is positional and symbolic on an input has constant logits there:
    content k at position j has the logit of j's position and of k's content. *)
Theorem dec_definitions_both_constant :
  forall (m : nat) (M : 'I_m -> 'I_m -> R),
    positional M -> symbolic M -> forall j k : 'I_m, lambda M j = lambda M k.
Proof.
by move=> m M posit symb j k; rewrite -(positional_entry posit k j) symbolic_entry.
Qed.
(* mutant positional only
   from: positional M -> symbolic M ->
   to:   positional M -> *)
(* mutant symbolic only
   from: positional M -> symbolic M ->
   to:   symbolic M -> *)
(* mutant zero
   from: lambda M j = lambda M k
   to:   lambda M j = 0 *)

(** ** Uniform attention, in three readings *)

(** Weights are equal exactly where logits are. *)
Lemma softmax_eq n (l : 'I_n -> R) i j : softmax l i = softmax l j <-> l i = l j.
Proof.
split=> [/Rmult_eq_reg_r same | same]; last by rewrite /softmax same.
have total := sum_exp_gt0 l i; apply: exp_inv; apply: same; apply: Rinv_neq_0_compat; lra.
Qed.

Lemma softmax_const n (l : 'I_n -> R) : (forall i j, l i = l j) -> forall i, softmax l i = 1 / INR n.
Proof.
move=> same i; rewrite /softmax (eq_bigr (fun=> exp (l i))) => [|j _]; last by rewrite (same j i).
rewrite sum_const_ord; have := exp_pos (l i) => e0.
have n0 : INR n <> 0 by apply: INR_neq0; apply: leq_ltn_trans (ltn_ord i).
by field; lra.
Qed.

Lemma softmax_uniform n (l : 'I_n -> R) : (forall i, softmax l i = 1 / INR n) <-> forall i j, l i = l j.
Proof.
by split=> [uniform i j | same]; [apply/softmax_eq; rewrite !uniform | apply: softmax_const].
Qed.

Lemma visible_earlier m (M : 'I_m -> 'I_m -> R) own j : visible M own (earlier j) = lambda M j.
Proof. by rewrite /visible /earlier liftK. Qed.

Lemma visible_own m (M : 'I_m -> 'I_m -> R) own : visible M own ord_max = own.
Proof. by rewrite /visible unlift_none. Qed.

(** What the softmax over the visible keys divides by. *)
Lemma sum_visible m (M : 'I_m -> 'I_m -> R) own :
  sum_(i < m.+1) exp (visible M own i) = sum_(j < m) exp (lambda M j) + exp own.
Proof.
rewrite big_ord_recr /= visible_own; congr (_ + _); apply: eq_bigr => j _.
rewrite -(visible_earlier M own); congr (exp (visible M own _)).
by apply: val_inj; rewrite /= /bump leqNgt ltn_ord.
Qed.

(** dec.definitions.uniform.visible-keys. First reading: if the permutations also move the query's own key, so that the
    table has all n visible keys, positional and symbolic together force the weight 1/n on each of them. *)
Theorem dec_definitions_uniform_visible_keys :
  forall (n : nat) (M : 'I_n -> 'I_n -> R),
    positional M -> symbolic M -> forall j, softmax (lambda M) j = 1 / INR n.
Proof.
by move=> n M posit symb; apply: softmax_const; apply: dec_definitions_both_constant.
Qed.
(* mutant positional only
   from: positional M -> symbolic M ->
   to:   positional M -> *)
(* mutant symbolic only
   from: positional M -> symbolic M ->
   to:   symbolic M -> *)

(** dec.definitions.uniform.earlier-keys. Second reading: the permutations move the m = n - 1 earlier keys, as in
    theorem 1. That attention is then uniform over all n visible keys is false: the query's own key is free, as two
    earlier keys of logit 0 and an own key of logit 1 show. *)
Theorem dec_definitions_uniform_earlier_keys_fails :
  ~ (forall (m : nat) (M : 'I_m -> 'I_m -> R) (own : R),
       (0 < m)%N -> positional M -> symbolic M -> forall i, softmax (visible M own) i = 1 / INR m.+1).
Proof.
move=> /(_ 2%N (fun _ _ => 0) 1 isT (fun _ _ => erefl) (fun _ _ => erefl)) uniform.
have /(_ (earlier ord0) ord_max) := proj1 (softmax_uniform _) uniform.
by rewrite visible_earlier visible_own /lambda; lra.
Qed.
(* counterexample: {"rows": [["0", "0"], ["0", "0"]], "own": "1"} *)
(* mutant own key equal
   from: positional M -> symbolic M ->
   to:   positional M -> symbolic M -> (forall j, lambda M j = own) -> *)

(** dec.definitions.uniform.repaired. Third reading: the earlier keys share one weight, and the weight of the query's
    own key is whatever its logit makes it. *)
Theorem dec_definitions_uniform_repaired :
  forall (m : nat) (M : 'I_m -> 'I_m -> R) (own : R),
    positional M -> symbolic M ->
    forall j k : 'I_m, softmax (visible M own) (earlier j) = softmax (visible M own) (earlier k).
Proof.
move=> m M own posit symb j k.
by rewrite /softmax !visible_earlier (dec_definitions_both_constant posit symb j k).
Qed.
(* mutant positional only
   from: positional M -> symbolic M ->
   to:   positional M -> *)
(* mutant symbolic only
   from: positional M -> symbolic M ->
   to:   symbolic M -> *)
(* mutant own key too
   from: forall j k : 'I_m, softmax (visible M own) (earlier j) = softmax (visible M own) (earlier k)
   to:   forall j k : 'I_m.+1, softmax (visible M own) j = softmax (visible M own) k *)

(** ** Rotary heads *)

(** A vector of one plane turned by an angle, R v (_turn in theory.cases). *)
Definition turn (angle : R) (v : R * R) : R * R :=
  (v.1 * cos angle - v.2 * sin angle, v.1 * sin angle + v.2 * cos angle).

(** The inner product of two vectors of one plane (_dot). *)
Definition dot (u v : R * R) : R := u.1 * v.1 + u.2 * v.2.

(** L(q, i, k, j) = (R_j k)^T (R_i q), a sum over the planes; plane f turns by theta_f from one position to the next. *)
Definition rope_logit p (theta : 'I_p -> R) (q : 'I_p -> R * R) (i : nat) (k : 'I_p -> R * R) (j : nat) : R :=
  sum_(f < p) dot (turn (theta f * INR j) (k f)) (turn (theta f * INR i) (q f)).

Lemma turn_add a b v : turn (a + b) v = turn a (turn b v).
Proof. by rewrite /turn cos_plus sin_plus /=; congr (_, _); ring. Qed.

Lemma dot_turn a u v : dot (turn a u) (turn a v) = dot u v.
Proof.
have := sin2_cos2 a; rewrite /Rsqr /dot /turn /= => one.
by transitivity ((sin a * sin a + cos a * cos a) * (u.1 * v.1 + u.2 * v.2)); [ring | rewrite one; ring].
Qed.

Lemma turn_iter theta d v : turn (theta * INR d) v = iter d (turn theta) v.
Proof.
elim: d => [|d IH]; first by case: v => x y; rewrite Rmult_0_r /turn cos_0 sin_0 /=; congr (_, _); ring.
by rewrite iterS -IH -turn_add S_INR; congr (turn _ v); ring.
Qed.

(** Only the distance of key and query counts, k^T R_(i-j) q. *)
Lemma dot_turn_distance theta i j u v :
  (j <= i)%N -> dot (turn (theta * INR j) u) (turn (theta * INR i) v) = dot u (iter (i - j) (turn theta) v).
Proof.
move=> le; rewrite -{1}(subnKC le) plus_INR Rmult_plus_distr_l turn_add dot_turn.
by rewrite turn_iter.
Qed.

(** The table of a query at position n = m + 1 and keys at the positions 1, ..., m (RotaryCase.table). *)
Definition rope_table p m (theta : 'I_p -> R) (q : 'I_p -> R * R) (k : 'I_m -> 'I_p -> R * R) (a b : 'I_m) : R :=
  rope_logit theta q m.+1 (k a) b.+1.

(** dec.definitions.nope-symbolic. Without rotation the logit of a key does not depend on where the key stands: a NoPE
    head is symbolic on every input. *)
Theorem dec_definitions_nope_symbolic :
  forall (p m : nat) (theta : 'I_p -> R) (q : 'I_p -> R * R) (k : 'I_m -> 'I_p -> R * R),
    (forall f, theta f = 0) -> symbolic (rope_table theta q k).
Proof.
move=> p m theta q k still s j; apply: eq_bigr => f _.
by rewrite still !Rmult_0_l.
Qed.
(* mutant positional
   from: symbolic (rope_table theta q k)
   to:   positional (rope_table theta q k) *)
(* mutant half turns
   from: theta f = 0
   to:   theta f = 0 \/ theta f = PI *)
(* mutant one plane turns
   from: forall f, theta f = 0
   to:   forall f : 'I_p, f.+1 <> p -> theta f = 0 *)

(** dec.definitions.equal-keys-positional. If all projected keys are one vector, only their distance to the query can
    make a difference: a RoPE head is then positional. *)
Theorem dec_definitions_equal_keys_positional :
  forall (p m : nat) (theta : 'I_p -> R) (q : 'I_p -> R * R) (k : 'I_m -> 'I_p -> R * R),
    (forall a b f, k a f = k b f) -> positional (rope_table theta q k).
Proof.
move=> p m theta q k equal s j; apply: eq_bigr => f _.
by rewrite (equal (s j) j).
Qed.
(* mutant symbolic
   from: positional (rope_table theta q k)
   to:   symbolic (rope_table theta q k) *)
(* mutant all keys but one
   from: forall a b f, k a f = k b f
   to:   forall (a b : 'I_m) f, a.+1 <> m -> b.+1 <> m -> k a f = k b f *)
(* mutant equal lengths
   from: k a f = k b f
   to:   dot (k a f) (k a f) = dot (k b f) (k b f) *)
