(** Which angles let a head answer Index and partial induction at all, whatever its widths (dec.toy). *)

From Coq Require Import Reals Lra Lia Psatz.
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finfun bigop fingroup perm.
From headproof Require Import common.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope R_scope.
(* own meanings: value *)
(* end of header *)

(** ** Attention *)

(** Softmax at an inverse temperature, or hard attention with ties averaged. *)
Inductive canonical_attention := canonical_soft of R | canonical_hard.

(** Whether no key has a larger logit than key [i]. *)
Definition canonical_top (I : finType) (l : I -> R) (i : I) : bool :=
  [forall j, if Rle_dec (l j) (l i) then true else false].

(** The weight of key [i] among keys with the logits [l]. *)
Definition canonical_weight (a : canonical_attention) (I : finType) (l : I -> R) (i : I) : R :=
  match a with
  | canonical_soft beta => exp (beta * l i) / sum_(j in I) exp (beta * l j)
  | canonical_hard => if canonical_top l i then / INR #|[pred j | canonical_top l j]| else 0
  end.

(** ** Heads over a set of angles *)

(** What a plane of the angle [theta] adds to a logit at the distance [d]: [k^T R_d q] ([_ranks] in Python). *)
Definition canonical_part (theta d : R) (k q : R * R) : R :=
  (k.1 * q.1 + k.2 * q.2) * cos (theta * d) + (k.2 * q.1 - k.1 * q.2) * sin (theta * d).

(** A head that reads tokens [T] and a query [Q] and answers in [Y]: its planes, each with an angle, the vectors of keys
    and queries in each plane, the logit of the query's own key, the values VAL of both, and F. *)
Record canonical_head (T Q Y : Type) := Head {
  planes : nat;
  angle : 'I_planes -> R;
  key : 'I_planes -> T -> R * R;
  query : 'I_planes -> Q -> R * R;
  own_logit : Q -> R;
  width : nat;
  value : T -> 'I_width -> R;
  own_value : Q -> 'I_width -> R;
  output : ('I_width -> R) -> Q -> Y }.

(** The logits of an input of [K] tokens and a query after them: of the token at place [p + 1], [K - p] places before
    the query, and of the query's own key, [None]. *)
Definition canonical_logit T Q Y (h : canonical_head T Q Y) K (x : 'I_K -> T) (q : Q) (i : option 'I_K) : R :=
  match i with
  | Some p => sum_(f < planes h) canonical_part (angle f) (INR K - INR p) (key f (x p)) (query f q)
  | None => own_logit h q
  end.

(** What the head attends to, [sum_j w_j VAL(x_j)], and its answer [F]. *)
Definition canonical_attended (a : canonical_attention) T Q Y (h : canonical_head T Q Y) K (x : 'I_K -> T) (q : Q)
    (c : 'I_(width h)) : R :=
  sum_(i in option 'I_K) (canonical_weight a (canonical_logit h x q) i
    * match i with Some p => value (x p) c | None => own_value q c end).
Arguments canonical_attended a {T Q Y} h {K} x q c.
Definition canonical_answer (a : canonical_attention) T Q Y (h : canonical_head T Q Y) K (x : 'I_K -> T) (q : Q) : Y :=
  output (canonical_attended a h x q) q.

(** An angle turns by whole turns over [t] places. *)
Definition canonical_aliases (theta : R) (t : nat) : Prop := exists z : Z, INR t * theta = 2 * PI * IZR z.

(** Index: [K] symbols and a query that names a place; the head is right on every input if it answers the symbol
    there. *)
Definition canonical_computes_index a S K (h : canonical_head 'I_S 'I_K 'I_S) : Prop :=
  forall (x : 'I_K -> 'I_S) (j : 'I_K), canonical_answer a h x j = x j.

(** Partial induction: [K] pairs of a symbol and an attribute and a query that is a symbol; the head is right on every
    input if it answers the attribute of the last pair of that symbol, wherever there is one. *)
Definition canonical_computes_induction a S M K (h : canonical_head ('I_S * 'I_M) 'I_S 'I_M) : Prop :=
  forall (x : 'I_K -> 'I_S * 'I_M) (q : 'I_S) (p : 'I_K),
  (x p).1 = q -> (forall r : 'I_K, (p < r)%N -> (x r).1 <> q) -> canonical_answer a h x q = (x p).2.

(** ** Equal keys *)

(** The head with one plane for each angle, all keys one vector and the query turned to its target [j]: the logit at
    place [k] is the sum of [cos (theta (j - k))], also at the query's own place ([equal_keys_share] in Python). *)
Definition canonical_equal_keys P (theta : 'I_P -> R) K (j : 'I_K) (i : option 'I_K) : R :=
  sum_(f < P) cos (theta f * (INR j - match i with Some k => INR k | None => INR K end)).

(** The weight that it gives to symbol [s] under hard attention; the query's own key carries no answer. *)
Definition canonical_symbol_weight P (theta : 'I_P -> R) S K (x : 'I_K -> 'I_S) (j : 'I_K) (s : 'I_S) : R :=
  sum_(k < K) (canonical_weight canonical_hard (canonical_equal_keys theta j) (Some k) * (if x k == s then 1 else 0)).

(** It is right on every input: the symbol at the target has a larger weight than every other one. *)
Definition canonical_equal_keys_right P (theta : 'I_P -> R) S K : Prop :=
  forall (x : 'I_K -> 'I_S) (j : 'I_K) (s : 'I_S), s <> x j ->
  canonical_symbol_weight theta x j s < canonical_symbol_weight theta x j (x j).

(** ** Attention does not see how keys are numbered *)

Lemma canonical_topP (I : finType) (l : I -> R) i : reflect (forall j, l j <= l i) (canonical_top l i).
Proof. by apply: (iffP forallP) => top j; move: (top j); case: Rle_dec. Qed.

Lemma canonical_weight_perm a (I : finType) (s : {perm I}) (l m : I -> R) i :
  (forall j, m j = l (s j)) -> canonical_weight a m i = canonical_weight a l (s i).
Proof.
move=> eq; case: a => [beta|] /=.
  rewrite eq [in RHS](reindex_inj (@perm_inj _ s)) /=.
  by congr (_ / _); apply: eq_bigr => j _; rewrite eq.
have top j : canonical_top m j = canonical_top l (s j).
  apply/canonical_topP/canonical_topP => le k; last by rewrite !eq.
  by have := le (s^-1 k)%g; rewrite !eq permKV.
have card : #|[pred j | canonical_top m j]| = #|[pred j | canonical_top l j]|.
  rewrite -!sum1_card [RHS](reindex_inj (@perm_inj _ s)) /=.
  by apply: eq_bigl => j; rewrite !inE top.
by rewrite top card.
Qed.

(** Two inputs that an exchange of two keys with the same logits takes to one another have one answer. *)
Lemma canonical_exchange a T Q Y (h : canonical_head T Q Y) K (x y : 'I_K -> T) (q : Q) (k m : 'I_K) :
  (forall p, y p = x (tperm k m p)) ->
  (forall s, sum_(f < planes h) canonical_part (angle f) (INR K - INR k) (key f s) (query f q)
    = sum_(f < planes h) canonical_part (angle f) (INR K - INR m) (key f s) (query f q)) ->
  canonical_answer a h y q = canonical_answer a h x q.
Proof.
move=> swap same; pose s := tperm (Some k) (Some m).
have sE p : s (Some p) = Some (tperm k m p).
  rewrite /s; case: (eqVneq p k) => [->|pk]; first by rewrite !tpermL.
  case: (eqVneq p m) => [->|pm]; first by rewrite !tpermR.
  by rewrite !tpermD // eq_sym.
have logits i : canonical_logit h y q i = canonical_logit h x q (s i).
  case: i => [p|]; last by rewrite /s tpermD.
  rewrite sE /canonical_logit swap.
  by case: (tpermP k m p) => [->|->|//]; [exact: same | symmetry; exact: same].
rewrite /canonical_answer; congr (output _ q); apply: FunctionalExtensionality.functional_extensionality => c.
rewrite /canonical_attended [RHS](reindex_inj (@perm_inj _ s)); apply: eq_bigr => i _.
rewrite (canonical_weight_perm a i logits); congr (_ * _).
by case: i => [p|]; [rewrite sE swap | rewrite /s tpermD].
Qed.

(** In a plane whose angle aliases at [t], places [t] apart are one. *)
Lemma canonical_part_alias theta t d k q : canonical_aliases theta t ->
  canonical_part theta (d + INR t) k q = canonical_part theta d k q.
Proof.
move=> [z turn]; rewrite /canonical_part.
have -> : theta * (d + INR t) = theta * d + 2 * IZR z * PI.
  by rewrite Rmult_plus_distr_l (Rmult_comm theta (INR t)) turn; ring.
have [c s] : cos (theta * d + 2 * IZR z * PI) = cos (theta * d)
    /\ sin (theta * d + 2 * IZR z * PI) = sin (theta * d).
  case: (Z_le_gt_dec 0 z) => [z0|z0].
    have := cos_period (theta * d) (Z.to_nat z); have := sin_period (theta * d) (Z.to_nat z).
    by rewrite INR_IZR_INZ Z2Nat.id // => -> ->.
  have := cos_period (theta * d + 2 * IZR z * PI) (Z.to_nat (- z)).
  have := sin_period (theta * d + 2 * IZR z * PI) (Z.to_nat (- z)).
  rewrite INR_IZR_INZ Z2Nat.id; last lia.
  by rewrite opp_IZR (_ : theta * d + 2 * IZR z * PI + 2 * - IZR z * PI = theta * d); last ring.
by rewrite c s.
Qed.

(** ** Equal keys: the target leads where no place aliases with it *)

Lemma canonical_hard_zero (I : finType) (l : I -> R) i j : l i < l j -> canonical_weight canonical_hard l i = 0.
Proof. by move=> lt; rewrite /=; case: canonical_topP => // /(_ j); lra. Qed.

Lemma canonical_hard_pos (I : finType) (l : I -> R) i :
  (forall j, l j <= l i) -> 0 < canonical_weight canonical_hard l i.
Proof.
move=> /canonical_topP top; rewrite /= top; apply: Rinv_0_lt_compat; apply: lt_0_INR; apply/ltP.
by apply/card_gt0P; exists i.
Qed.

Lemma canonical_weight_ge0 (I : finType) (l : I -> R) i : 0 <= canonical_weight canonical_hard l i.
Proof.
rewrite /=; case: ifP => [top|_]; last lra.
by have /canonical_hard_pos := elimT (canonical_topP l i) top; rewrite /= top; lra.
Qed.

Lemma canonical_cos_one theta y : cos (theta * y) = 1 -> exists z, y * theta = 2 * PI * IZR z.
Proof.
move=> one; have := cos_2a_sin (theta * y / 2); rewrite (_ : 2 * (theta * y / 2) = theta * y); last field.
move=> half; have : sin (theta * y / 2) = 0 by nra.
by move=> /sin_eq_0_0[z turn]; exists z; lra.
Qed.

Lemma canonical_turns_cos theta t : canonical_aliases theta t -> cos (theta * INR t) = 1.
Proof.
move=> alias; have := canonical_part_alias 0 (1, 0) (1, 0) alias.
by rewrite /canonical_part /= Rplus_0_l !Rmult_0_r cos_0 sin_0; lra.
Qed.

Lemma canonical_equal_keys_le P (theta : 'I_P -> R) K (j : 'I_K) i :
  canonical_equal_keys theta j i <= canonical_equal_keys theta j (Some j).
Proof.
apply: sum_le => f _; rewrite (Rminus_diag_eq (INR j) (INR j) erefl) Rmult_0_r cos_0.
by have := COS_bound (theta f * (INR j - match i with Some k => INR k | None => INR K end)); lra.
Qed.

(** A key that ties with the target aliases with it in every plane. *)
Lemma canonical_tie P (theta : 'I_P -> R) K (j k : 'I_K) :
  canonical_equal_keys theta j (Some j) <= canonical_equal_keys theta j (Some k) -> j <> k ->
  exists t, (1 <= t <= K - 1)%N /\ forall f, canonical_aliases (theta f) t.
Proof.
move=> tie jk.
have one f : cos (theta f * (INR j - INR k)) = 1.
  have sum0 : sum_(f < P) (1 - cos (theta f * (INR j - INR k))) = 0.
    have := canonical_equal_keys_le theta j (Some k); move: tie; rewrite sum_sub.
    have -> : sum_(f < P) 1 = canonical_equal_keys theta j (Some j).
      by apply: eq_bigr => g _; rewrite (Rminus_diag_eq (INR j) (INR j) erefl) Rmult_0_r cos_0.
    by rewrite -/(canonical_equal_keys theta j (Some k)); lra.
  have nonneg g : true -> 0 <= 1 - cos (theta g * (INR j - INR k)).
    by move=> _; have := COS_bound (theta g * (INR j - INR k)); lra.
  by have := sum_eq0 nonneg sum0 (isT : xpredT f); lra.
have small (p q : 'I_K) : (p < q)%N -> (1 <= q - p <= K - 1)%N.
  move=> lt; rewrite subn_gt0 lt; case: K p q lt {j k tie jk one} => [[]//|K] p q _.
  by rewrite subn1 /= (leq_trans (leq_subr _ _)) // -ltnS.
case: (ltngtP j k) => [lt|lt|/val_inj//].
  exists (k - j)%N; split; first exact: small.
  move=> f; apply: canonical_cos_one; rewrite -(one f) minus_INR; last by apply/leP/ltnW.
  by rewrite -cos_neg; congr cos; ring.
exists (j - k)%N; split; first exact: small.
by move=> f; apply: canonical_cos_one; rewrite -(one f) minus_INR //; apply/leP/ltnW.
Qed.

(** ** The theorems *)

(** dec.toy.index.aliased. If for some distance 1 <= t <= n - 2 between key places, n - 1 = K of them, t theta is a
    multiple of 2 pi for every angle of a head, whatever its planes, vectors, VAL and F, then it is not right on every
    Index input of length n with two symbols or more, neither under softmax at any inverse temperature nor under hard
    attention. *)
Theorem dec_toy_index_aliased :
  forall (a : canonical_attention) (S K t : nat) (h : canonical_head 'I_S 'I_K 'I_S),
  (2 <= S)%N -> (1 <= t <= K - 1)%N ->
  (forall f : 'I_(planes h), canonical_aliases (angle f) t) ->
  ~ canonical_computes_index a h.
Proof.
move=> a [|[|S]] K t h // _ /andP[t1 tK] alias right.
have K0 : (0 < K)%N by case: K tK {h alias right} => //; rewrite leqNgt t1.
have tK' : (t < K)%N by rewrite -[K]prednK // ltnS -subn1.
pose k := Ordinal K0; pose m := Ordinal tK'.
pose x (p : 'I_K) : 'I_S.+2 := if p == m then ord_max else ord0.
have km : k != m by rewrite -val_eqE /= neq_ltn t1.
have := right (fun p => x (tperm k m p)) m; rewrite (canonical_exchange a (x := x) (k := k) (m := m)) //.
  by rewrite (right x m) tpermR /x eqxx (negbTE km).
move=> s; apply: eq_bigr => f _; rewrite -(canonical_part_alias (INR K - INR m) _ _ (alias f)).
by congr canonical_part; rewrite /=; ring.
Qed.
(* mutant one multiple more
   from: (1 <= t <= K - 1)%N
   to:   (1 <= t <= K)%N *)
(* mutant half turns
   from: canonical_aliases (angle f) t
   to:   canonical_aliases (2 * angle f) t *)
(* mutant some angle
   from: (forall f : 'I_(planes h), canonical_aliases (angle f) t)
   to:   (exists f : 'I_(planes h), canonical_aliases (angle f) t) *)
(* mutant one symbol
   from: (2 <= S)%N
   to:   (1 <= S)%N *)

(** dec.toy.induction.aliased. The same for partial induction inputs of length n, K = n - 1 pairs, with two attributes
    or more and any number of symbols. *)
Theorem dec_toy_induction_aliased :
  forall (a : canonical_attention) (S M K t : nat) (h : canonical_head ('I_S * 'I_M) 'I_S 'I_M),
  (1 <= S)%N -> (2 <= M)%N -> (1 <= t <= K - 1)%N ->
  (forall f : 'I_(planes h), canonical_aliases (angle f) t) ->
  ~ canonical_computes_induction a K h.
Proof.
move=> a [|S] [|[|M]] [|K] t h // _ _; first by case: t.
rewrite subn1 /= => /andP[t1 tK] alias right.
have lt : (K - t < K.+1)%N by rewrite ltnS leq_subr.
pose k := Ordinal lt; pose m : 'I_K.+1 := ord_max.
pose x (p : 'I_K.+1) : 'I_S.+1 * 'I_M.+2 := (ord0, if p == m then ord_max else ord0).
have km : k != m by rewrite -val_eqE /= ltn_eqF // ltn_subrL t1 (leq_trans t1 tK).
have last (r : 'I_K.+1) : (m < r)%N -> False by rewrite ltnNge -ltnS ltn_ord.
have := right (fun p => x (tperm k m p)) ord0 m erefl (fun r mr => False_ind _ (last r mr)).
rewrite (canonical_exchange a (x := x) (k := k) (m := m)) //.
  by rewrite (right x ord0 m erefl (fun r mr => False_ind _ (last r mr))) tpermR /x eqxx (negbTE km).
move=> s; apply: eq_bigr => f _; rewrite -(canonical_part_alias (INR K.+1 - INR m) _ _ (alias f)).
by congr canonical_part; rewrite /= minus_INR; [ring | apply/leP].
Qed.
(* mutant one multiple more
   from: (1 <= t <= K - 1)%N
   to:   (1 <= t <= K)%N *)
(* mutant half turns
   from: canonical_aliases (angle f) t
   to:   canonical_aliases (2 * angle f) t *)
(* mutant some angle
   from: (forall f : 'I_(planes h), canonical_aliases (angle f) t)
   to:   (exists f : 'I_(planes h), canonical_aliases (angle f) t) *)
(* mutant one attribute
   from: (2 <= M)%N
   to:   (1 <= M)%N *)

(** dec.toy.index.together. Under hard attention, with two symbols or more, the head with one plane for each angle of a
    set, all keys one vector and the query turned to its target is right on every Index input of length n, K = n - 1
    keys, if and only if for no 1 <= t <= n - 2 all t theta are multiples of 2 pi. *)
Theorem dec_toy_index_together :
  forall (S K P : nat) (theta : 'I_P -> R),
  (2 <= S)%N ->
  canonical_equal_keys_right theta S K
    <-> ~ (exists t, (1 <= t <= K - 1)%N /\ (forall f : 'I_P, canonical_aliases (theta f) t)).
Proof.
move=> [|[|S]] K P theta // _; split=> [right [t [/andP[t1 tK] alias]]|none x j s other].
  have K0 : (0 < K)%N by case: K tK {right} => //; rewrite leqNgt t1.
  have tK' : (t < K)%N by rewrite -[K]prednK // ltnS -subn1.
  pose j := Ordinal K0; pose k := Ordinal tK'.
  pose x (p : 'I_K) : 'I_S.+2 := if p == j then ord0 else ord_max.
  have kj : k != j by rewrite -val_eqE /= -lt0n.
  have xj : x j = ord0 by rewrite /x eqxx.
  have tie : canonical_equal_keys theta j (Some k) = canonical_equal_keys theta j (Some j).
    apply: eq_bigr => f _; rewrite (Rminus_diag_eq (INR j) (INR j) erefl) Rmult_0_r cos_0.
    rewrite (_ : INR j - INR k = - INR t); last by rewrite /=; ring.
    by rewrite Ropp_mult_distr_r_reverse cos_neg (canonical_turns_cos (alias f)).
  have same : canonical_weight canonical_hard (canonical_equal_keys theta j) (Some k)
      = canonical_weight canonical_hard (canonical_equal_keys theta j) (Some j).
    have -> // : canonical_weight canonical_hard (canonical_equal_keys theta j) (Some k)
      = if canonical_top (canonical_equal_keys theta j) (Some j)
        then / INR #|[pred i | canonical_top (canonical_equal_keys theta j) i]| else 0.
    rewrite /=; congr (if _ then _ else _).
    by apply/canonical_topP/canonical_topP; rewrite tie.
  have := right x j ord_max; rewrite xj => /(_ ltac:(done)); apply: Rle_not_lt.
  rewrite /canonical_symbol_weight (bigD1 j) // xj eqxx Rmult_1_r big1 ?Rplus_0_r; last first.
    by move=> p /= pj; rewrite /x (negbTE pj) Rmult_0_r.
  rewrite -same (bigD1 k) // (_ : x k == ord_max) ?Rmult_1_r; last by rewrite /x (negbTE kj).
  rewrite [Rplus_comoid _ 0]Rplus_0_r -[X in X <= _]Rplus_0_r.
  apply: Rplus_le_compat_l; apply: sum_ge0 => p _; apply: Rmult_le_pos; last by case: ifP; lra.
  exact: canonical_weight_ge0.
have -> : canonical_symbol_weight theta x j s = 0.
  apply: big1 => k _; case: eqP => [xk|_]; last by rewrite Rmult_0_r.
  rewrite (canonical_hard_zero (j := Some j)) ?Rmult_0_l //.
  apply: Rnot_le_lt => tie; apply: none; apply: (canonical_tie tie) => jk.
  by apply: other; rewrite jk xk.
rewrite /canonical_symbol_weight (bigD1 j) //= eqxx Rmult_1_r -[X in X < _]Rplus_0_r.
apply: Rplus_lt_le_compat; first exact: (canonical_hard_pos (canonical_equal_keys_le theta j)).
apply: sum_ge0 => p _; apply: Rmult_le_pos; last by case: ifP; lra.
exact: canonical_weight_ge0.
Qed.
(* mutant one multiple more
   from: (1 <= t <= K - 1)%N
   to:   (1 <= t <= K)%N *)
(* mutant one multiple fewer
   from: (1 <= t <= K - 1)%N
   to:   (1 <= t <= K - 2)%N *)
(* mutant half turns
   from: canonical_aliases (theta f) t
   to:   canonical_aliases (2 * theta f) t *)
(* mutant some angle
   from: (forall f : 'I_P, canonical_aliases (theta f) t)
   to:   (exists f : 'I_P, canonical_aliases (theta f) t) *)
(* mutant one symbol
   from: (2 <= S)%N
   to:   (1 <= S)%N *)
