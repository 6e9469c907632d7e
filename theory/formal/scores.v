(** The positional and the symbolic score of a head (DEC): attention before and after two blocks of keys change their
    contents. *)

From Coq Require Import Reals Lra Psatz.
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq fintype finfun bigop fingroup perm.
From headproof Require Import common.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope R_scope.
(* own meanings: normaliser, positive *)
(* end of header *)

(** ** What the claims speak of *)

(** [m] blocks of [len k] tokens each tile the keys 0, 1, 2, ...; [order] says which block's content stands at which
    place, and [start] is where place [k] then begins. [1%g] is the order in use. *)
Definition start m (len : 'I_m -> nat) (order : {perm 'I_m}) (k : 'I_m) : nat :=
  (\sum_(l < m | l < k) len (order l))%N.

(** The number of keys in blocks. *)
Definition keys m (len : 'I_m -> nat) : nat := (\sum_(l < m) len l)%N.

(** [n] tokens, the contents [a], [a + 1], ... at the positions [b], [b + 1], ...: their summed e^logit. [M a b] is the
    logit of the content [a] at the position [b]. *)
Definition token_sum (M : nat -> nat -> R) (n a b : nat) : R := sum_(t < n) exp (M (a + t)%N (b + t)%N).

(** The summed e^logit at place [k]. *)
Definition block_sum m (M : nat -> nat -> R) (len : 'I_m -> nat) (order : {perm 'I_m}) (k : 'I_m) : R :=
  token_sum M (len (order k)) (start len 1 (order k)) (start len order k).

(** The mean attention at place [k]; [others] is the summed e^logit of the keys outside the blocks, the query's own key
    among them ([HeadCase.means] in Python). *)
Definition mean m (M : nat -> nat -> R) (others : R) (len : 'I_m -> nat) (order : {perm 'I_m}) (k : 'I_m) : R :=
  block_sum M len order k / INR (len (order k)) / (sum_(l < m) block_sum M len order l + others).

(** [(d_i, d_j)] in use, and [(d'_i, d'_j)] with the contents of the blocks [i] and [j] exchanged. *)
Definition before m M others (len : 'I_m -> nat) (i j : 'I_m) : R * R :=
  (mean M others len 1 i, mean M others len 1 j).
Definition after m M others (len : 'I_m -> nat) (i j : 'I_m) : R * R :=
  (mean M others len (tperm i j) i, mean M others len (tperm i j) j).

(** The cosine of the angle between two vectors of the plane, and a pair in the other order. *)
Definition cosine (x y : R * R) : R :=
  (x.1 * y.1 + x.2 * y.2) / (sqrt (x.1 ^ 2 + x.2 ^ 2) * sqrt (y.1 ^ 2 + y.2 ^ 2)).
Definition exchanged (x : R * R) : R * R := (x.2, x.1).

(** Both means are positive, as those of a softmax are. *)
Definition positive (x : R * R) : Prop := 0 < x.1 /\ 0 < x.2.

(** The scores of a swap with the means [d] before and [e] after it ([squared_scores] in Python has their squares). *)
Definition positional_score (d e : R * R) : R := cosine e d.
Definition symbolic_score (d e : R * R) : R := cosine e (exchanged d).

(** The scores [s_pos(i, j)] and [s_sym(i, j)] of the swap of the blocks [i] and [j]. *)
Definition s_pos m M others (len : 'I_m -> nat) (i j : 'I_m) : R :=
  positional_score (before M others len i j) (after M others len i j).
Definition s_sym m M others (len : 'I_m -> nat) (i j : 'I_m) : R :=
  symbolic_score (before M others len i j) (after M others len i j).

(** A score of the head at temperature [tau]: the average over all swaps, [softmax(|d_i - d_j| / tau)] the weights. *)
Definition heat m M others (len : 'I_m -> nat) (tau : R) (p : 'I_m * 'I_m) : R :=
  exp (Rabs (mean M others len 1 p.1 - mean M others len 1 p.2) / tau).
Definition head_score m M others (len : 'I_m -> nat) (tau : R) (score : 'I_m -> 'I_m -> R) : R :=
  \big[Rplus/0]_(p : 'I_m * 'I_m | (p.1 < p.2)%N)
    (heat M others len tau p / \big[Rplus/0]_(q : 'I_m * 'I_m | (q.1 < q.2)%N) heat M others len tau q
     * score p.1 p.2).

(** Positional on the input: no logit depends on the key's content. Symbolic: none depends on its position. *)
Definition is_positional m (M : nat -> nat -> R) (len : 'I_m -> nat) : Prop :=
  forall a b, (a < keys len)%N -> (b < keys len)%N -> M a b = M b b.
Definition is_symbolic m (M : nat -> nat -> R) (len : 'I_m -> nat) : Prop :=
  forall a b, (a < keys len)%N -> (b < keys len)%N -> M a b = M a a.

(** [E_ab]: the summed e^logit over the tokens of block content [a] at block position [b], blocks of [B] tokens. *)
Definition E (M : nat -> nat -> R) (B a b : nat) : R := token_sum M B (a * B) (b * B).

(** ** Cosines *)

Lemma square_pos (x : R * R) : positive x -> 0 < x.1 ^ 2 + x.2 ^ 2.
Proof. by case=> x1 x2; nra. Qed.

Lemma dot_pos (x y : R * R) : positive x -> positive y -> 0 < x.1 * y.1 + x.2 * y.2.
Proof.
by case=> x1 x2 [y1 y2]; have := Rmult_lt_0_compat _ _ x1 y1; have := Rmult_lt_0_compat _ _ x2 y2; lra.
Qed.

Lemma exchanged_pos (x : R * R) : positive x -> positive (exchanged x).
Proof. by case. Qed.

Lemma cosine_gt0 (x y : R * R) : positive x -> positive y -> 0 < cosine x y.
Proof.
move=> px py; apply: Rdiv_lt_0_compat; first exact: dot_pos.
by apply: Rmult_lt_0_compat; apply: sqrt_lt_R0; apply: square_pos.
Qed.

Lemma cosine_sq (x y : R * R) : positive x -> positive y ->
  cosine x y ^ 2 = (x.1 * y.1 + x.2 * y.2) ^ 2 / ((x.1 ^ 2 + x.2 ^ 2) * (y.1 ^ 2 + y.2 ^ 2)).
Proof.
move=> px py; have sx := square_pos px; have sy := square_pos py; rewrite /cosine.
set a := x.1 ^ 2 + x.2 ^ 2 in sx *; set b := y.1 ^ 2 + y.2 ^ 2 in sy *.
have ea := pow2_sqrt a (Rlt_le _ _ sx); have eb := pow2_sqrt b (Rlt_le _ _ sy).
have ra := sqrt_lt_R0 _ sx; have rb := sqrt_lt_R0 _ sy.
by rewrite -[in RHS]ea -[in RHS]eb; field; lra.
Qed.

(** The cosine does not depend on the vectors' sizes, and it is 1 exactly where they are parallel. *)
Lemma cosine_scale (k l : R) (x y : R * R) : 0 < k -> 0 < l -> positive x -> positive y ->
  cosine (k * x.1, k * x.2) (l * y.1, l * y.2) = cosine x y.
Proof.
move=> k0 l0 px py; have sx := square_pos px; have sy := square_pos py; rewrite /cosine /=.
have size (c a b : R) : 0 < c -> sqrt (c * a * (c * a * 1) + c * b * (c * b * 1)) = c * sqrt (a ^ 2 + b ^ 2).
  move=> c0; have -> : c * a * (c * a * 1) + c * b * (c * b * 1) = c ^ 2 * (a ^ 2 + b ^ 2) by ring.
  by rewrite sqrt_mult_alt; [rewrite sqrt_pow2 // ; lra | nra].
rewrite !size //; have ra := sqrt_lt_R0 _ sx; have rb := sqrt_lt_R0 _ sy.
by rewrite /= in ra rb *; field; lra.
Qed.

Lemma square_one (s : R) : 0 < s -> (s = 1 <-> s ^ 2 = 1).
Proof. by move=> s0; split=> [-> | e]; [ring | nra]. Qed.

Lemma cosine_one (x y : R * R) : positive x -> positive y -> (cosine x y = 1 <-> x.1 * y.2 = x.2 * y.1).
Proof.
move=> px py; have sx := square_pos px; have sy := square_pos py.
have sxy : 0 < (x.1 ^ 2 + x.2 ^ 2) * (y.1 ^ 2 + y.2 ^ 2) by apply: Rmult_lt_0_compat.
rewrite (square_one (cosine_gt0 px py)) (cosine_sq px py).
have lagrange : (x.1 ^ 2 + x.2 ^ 2) * (y.1 ^ 2 + y.2 ^ 2) =
  (x.1 * y.1 + x.2 * y.2) ^ 2 + (x.1 * y.2 - x.2 * y.1) ^ 2 by ring.
split=> [e | e].
- have : (x.1 * y.1 + x.2 * y.2) ^ 2 = (x.1 ^ 2 + x.2 ^ 2) * (y.1 ^ 2 + y.2 ^ 2).
    by rewrite -[RHS]Rmult_1_l -e; field; lra.
  by move=> eq; have : (x.1 * y.2 - x.2 * y.1) ^ 2 = 0; [lra | nra].
- by have <- : (x.1 ^ 2 + x.2 ^ 2) * (y.1 ^ 2 + y.2 ^ 2) = (x.1 * y.1 + x.2 * y.2) ^ 2;
    [rewrite lagrange e; ring | field; lra].
Qed.

(** ** Blocks *)

Lemma start_bound m (len : 'I_m -> nat) (order : {perm 'I_m}) (k : 'I_m) (t : nat) :
  (t < len (order k))%N -> (start len order k + t < keys len)%N.
Proof.
move=> inside; have -> : keys len = (\sum_(l < m) len (order l))%N by rewrite /keys (reindex_inj (@perm_inj _ order)).
rewrite (bigD1 k) //= addnC -addSn leq_add // /start.
rewrite [X in (_ <= X)%N](bigID (fun l : 'I_m => (l < k)%N)) /=.
apply: leq_trans (leq_addr _ _); apply: eq_leq; apply: eq_bigl => l.
by case: (ltnP l k) => //= [less | _]; rewrite ?andbT ?andbF // neq_ltn less.
Qed.

Lemma start_equal m (B : nat) (order : {perm 'I_m}) (k : 'I_m) : start (fun=> B) order k = (k * B)%N.
Proof.
by rewrite /start -(big_ord_widen m (fun=> B)) ?sum_nat_const ?card_ord // ltnW.
Qed.

Lemma block_sum_equal m M (B : nat) (order : {perm 'I_m}) (k : 'I_m) :
  block_sum M (fun=> B) order k = E M B (order k) k.
Proof. by rewrite /block_sum !start_equal. Qed.

Lemma token_sum_gt0 M n a b : (0 < n)%N -> 0 < token_sum M n a b.
Proof. by case: n => // n _; apply: (sum_gt0 ord0) => t; apply: exp_pos. Qed.

Lemma block_sum_gt0 m M (len : 'I_m -> nat) (order : {perm 'I_m}) (k : 'I_m) :
  (forall l, (0 < len l)%N) -> 0 < block_sum M len order k.
Proof. by move=> pos; apply: token_sum_gt0. Qed.

Definition normaliser m M others (len : 'I_m -> nat) (order : {perm 'I_m}) : R :=
  sum_(l < m) block_sum M len order l + others.

Lemma normaliser_gt0 m M others (len : 'I_m -> nat) (order : {perm 'I_m}) (k : 'I_m) :
  0 <= others -> (forall l, (0 < len l)%N) -> 0 < normaliser M others len order.
Proof.
move=> o0 pos; rewrite /normaliser; suff : 0 < sum_(l < m) block_sum M len order l by lra.
by apply: (sum_gt0 k) => l; apply: block_sum_gt0.
Qed.

Lemma mean_gt0 m M others (len : 'I_m -> nat) (order : {perm 'I_m}) (k : 'I_m) :
  0 <= others -> (forall l, (0 < len l)%N) -> 0 < mean M others len order k.
Proof.
move=> o0 pos; apply: Rdiv_lt_0_compat; last exact: normaliser_gt0 k _ _.
by apply: Rdiv_lt_0_compat; [apply: block_sum_gt0 | apply: lt_0_INR; apply/ltP].
Qed.

Lemma before_pos m M others (len : 'I_m -> nat) (i j : 'I_m) :
  0 <= others -> (forall l, (0 < len l)%N) -> positive (before M others len i j).
Proof. by move=> o0 pos; split; apply: mean_gt0. Qed.

Lemma after_pos m M others (len : 'I_m -> nat) (i j : 'I_m) :
  0 <= others -> (forall l, (0 < len l)%N) -> positive (after M others len i j).
Proof. by move=> o0 pos; split; apply: mean_gt0. Qed.

(** The average of a score that is 1 on every swap. *)
Lemma heat_gt0 m M others (len : 'I_m -> nat) tau :
  (1 < m)%N -> 0 < \big[Rplus/0]_(q : 'I_m * 'I_m | (q.1 < q.2)%N) heat M others len tau q.
Proof.
case: m len => [|[|m]] // len _; rewrite (bigD1 (ord0, lift ord0 ord0)) //=.
apply: Rplus_lt_le_0_compat; first exact: exp_pos.
by apply: sum_ge0 => q _; apply: Rlt_le; apply: exp_pos.
Qed.

Lemma head_score_one m M others (len : 'I_m -> nat) tau score :
  (1 < m)%N -> (forall i j, i <> j -> score i j = 1) -> head_score M others len tau score = 1.
Proof.
move=> two ones; rewrite /head_score; have := heat_gt0 M others len tau two.
set total := \big[Rplus/0]_(q | _) heat M others len tau q => pos.
rewrite (eq_bigr (fun p => / total * heat M others len tau p)); last first.
  by move=> [i j] /= less; rewrite ones; [field; lra | move=> e; rewrite e ltnn in less].
by rewrite sum_scale -/total; field; lra.
Qed.

(** ** Blocks of one length *)

Lemma block_table_gt0 M B a b : (0 < B)%N -> 0 < E M B a b.
Proof. exact: token_sum_gt0. Qed.

Lemma equal_means m M others B (order : {perm 'I_m}) : 0 <= others -> (0 < B)%N -> forall l : 'I_m,
  exists k, 0 < k /\ forall p, mean M others (fun=> B) order p = k * E M B (order p) p.
Proof.
move=> o0 B0 l; exists (/ INR B / normaliser M others (fun=> B) order).
have Z := normaliser_gt0 M order l o0 (fun=> B0).
have BR : 0 < INR B by apply: lt_0_INR; apply/ltP.
split; first by apply: Rdiv_lt_0_compat => //; apply: Rinv_0_lt_compat.
by move=> p; rewrite /mean block_sum_equal -/(normaliser M others (fun=> B) order); field; lra.
Qed.

(** The scores from the four sums: neither the normaliser nor any other key enters. *)
Definition own M B (i j : nat) : R * R := (E M B i i, E M B j j).
Definition swapped M B (i j : nat) : R * R := (E M B j i, E M B i j).

Lemma own_pos M B i j : (0 < B)%N -> positive (own M B i j).
Proof. by move=> B0; split; apply: block_table_gt0. Qed.

Lemma swapped_pos M B i j : (0 < B)%N -> positive (swapped M B i j).
Proof. by move=> B0; split; apply: block_table_gt0. Qed.

Lemma scores_of_table m M others B (i j : 'I_m) : 0 <= others -> (0 < B)%N ->
  s_pos M others (fun=> B) i j = cosine (swapped M B i j) (own M B i j) /\
  s_sym M others (fun=> B) i j = cosine (swapped M B i j) (exchanged (own M B i j)).
Proof.
move=> o0 B0; have [k [k0 mk]] := equal_means M 1 o0 B0 i; have [l [l0 ml]] := equal_means M (tperm i j) o0 B0 i.
have po := own_pos M i j B0; have ps := swapped_pos M i j B0; have pe := exchanged_pos po.
rewrite /s_pos /s_sym /positional_score /symbolic_score /before /after !mk !ml !perm1 tpermL tpermR.
by split; [apply: (cosine_scale l0 k0 ps po) | apply: (cosine_scale l0 k0 ps pe)].
Qed.

Lemma positional_one m M others B (i j : 'I_m) : 0 <= others -> (0 < B)%N ->
  s_pos M others (fun=> B) i j = 1 <-> E M B j i * E M B j j = E M B i j * E M B i i.
Proof.
move=> o0 B0; rewrite (scores_of_table M i j o0 B0).1.
exact: cosine_one (swapped_pos M i j B0) (own_pos M i j B0).
Qed.

Lemma symbolic_one m M others B (i j : 'I_m) : 0 <= others -> (0 < B)%N ->
  s_sym M others (fun=> B) i j = 1 <-> E M B j i * E M B i i = E M B i j * E M B j j.
Proof.
move=> o0 B0; rewrite (scores_of_table M i j o0 B0).2.
exact: cosine_one (swapped_pos M i j B0) (exchanged_pos (own_pos M i j B0)).
Qed.

Lemma keys_equal m B : keys (fun _ : 'I_m => B) = (m * B)%N.
Proof. by rewrite /keys sum_nat_const card_ord. Qed.

Lemma block_inside m B (i : 'I_m) t : (t < B)%N -> (i * B + t < m * B)%N.
Proof.
move=> less; apply: (@leq_trans (i.+1 * B)); first by rewrite mulSn addnC ltn_add2r.
by rewrite leq_mul2r ltn_ord orbT.
Qed.

Lemma of_positional m M B (a b : 'I_m) : is_positional M (fun _ : 'I_m => B) -> E M B a b = E M B b b.
Proof.
move=> pos; apply: eq_bigr => t _; congr exp.
by apply: pos; rewrite keys_equal block_inside.
Qed.

Lemma of_symbolic m M (len : 'I_m -> nat) (order : {perm 'I_m}) (k : 'I_m) :
  is_symbolic M len -> block_sum M len order k = block_sum M len 1 (order k).
Proof.
move=> sym; rewrite /block_sum perm1; apply: eq_bigr => t _; congr exp.
have inside : (start len 1 (order k) + t < keys len)%N by apply: start_bound; rewrite perm1.
by rewrite sym // start_bound.
Qed.

Lemma symbolic_head_one m M others (len : 'I_m -> nat) (i j : 'I_m) :
  0 <= others -> (forall l, (0 < len l)%N) -> is_symbolic M len -> s_sym M others len i j = 1.
Proof.
move=> o0 pos sym; have b := before_pos M i j o0 pos; have a := after_pos M i j o0 pos.
apply/(cosine_one a (exchanged_pos b)); rewrite /before /after /mean /exchanged /=.
rewrite (of_symbolic (tperm i j) i sym) (of_symbolic (tperm i j) j sym) !perm1 tpermL tpermR.
by rewrite -/(normaliser M others len 1) -/(normaliser M others len (tperm i j)) /Rdiv; ring.
Qed.

(** ** One swap *)

Lemma score_squares (d e : R * R) : positive d -> positive e ->
  positional_score d e ^ 2 = (e.1 * d.1 + e.2 * d.2) ^ 2 / ((d.1 ^ 2 + d.2 ^ 2) * (e.1 ^ 2 + e.2 ^ 2)) /\
  symbolic_score d e ^ 2 = (e.1 * d.2 + e.2 * d.1) ^ 2 / ((d.1 ^ 2 + d.2 ^ 2) * (e.1 ^ 2 + e.2 ^ 2)).
Proof.
move=> pd pe; have sd := square_pos pd; have se := square_pos pe.
rewrite /positional_score /symbolic_score !cosine_sq //; last exact: exchanged_pos.
by rewrite /exchanged; cbn [fst snd]; split; field; split; lra.
Qed.

Lemma score_gt0 (d e : R * R) : positive d -> positive e -> 0 < positional_score d e /\ 0 < symbolic_score d e.
Proof. by move=> pd pe; split; apply: cosine_gt0 => //; apply: exchanged_pos. Qed.

Lemma sizes_pos (d e : R * R) : positive d -> positive e -> 0 < (d.1 ^ 2 + d.2 ^ 2) * (e.1 ^ 2 + e.2 ^ 2).
Proof. by move=> pd pe; apply: Rmult_lt_0_compat; apply: square_pos. Qed.

Lemma four_pos (d e : R * R) : positive d -> positive e -> 0 < d.1 * d.2 * (e.1 * e.2).
Proof. by case=> d1 d2 [e1 e2]; apply: Rmult_lt_0_compat; apply: Rmult_lt_0_compat. Qed.

Lemma quotient_le (x y b : R) : 0 < y -> x <= b * y -> x / y <= b.
Proof. by move=> y0 le; apply: (Rmult_le_reg_r y) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra. Qed.

Lemma le_quotient (x y b : R) : 0 < y -> b * y <= x -> b <= x / y.
Proof. by move=> y0 le; apply: (Rmult_le_reg_r y) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra. Qed.

Lemma circle (d e : R * R) : positive d -> positive e ->
  positional_score d e ^ 2 + symbolic_score d e ^ 2 =
    1 + 4 * d.1 * d.2 * e.1 * e.2 / ((d.1 ^ 2 + d.2 ^ 2) * (e.1 ^ 2 + e.2 ^ 2)) /\
  1 < positional_score d e ^ 2 + symbolic_score d e ^ 2 <= 2.
Proof.
move=> pd pe; have [-> ->] := score_squares pd pe; have ss := sizes_pos pd pe; have four := four_pos pd pe.
have sd := square_pos pd; have se := square_pos pe.
set S := (d.1 ^ 2 + d.2 ^ 2) * (e.1 ^ 2 + e.2 ^ 2) in ss *.
have -> : (e.1 * d.1 + e.2 * d.2) ^ 2 / S + (e.1 * d.2 + e.2 * d.1) ^ 2 / S =
    1 + 4 * d.1 * d.2 * e.1 * e.2 / S by rewrite /S; field; split; lra.
have some : 0 < 4 * d.1 * d.2 * e.1 * e.2 / S by apply: Rdiv_lt_0_compat; lra.
have most : 4 * d.1 * d.2 * e.1 * e.2 / S <= 1.
  apply: quotient_le => //; rewrite /S.
  have one : 2 * (d.1 * d.2) <= d.1 ^ 2 + d.2 ^ 2 by have := pow2_ge_0 (d.1 - d.2); lra.
  have two : 2 * (e.1 * e.2) <= e.1 ^ 2 + e.2 ^ 2 by have := pow2_ge_0 (e.1 - e.2); lra.
  have [d1 d2] := pd; have [e1 e2] := pe.
  have d12 := Rmult_lt_0_compat _ _ d1 d2; have e12 := Rmult_lt_0_compat _ _ e1 e2.
  have -> : 4 * d.1 * d.2 * e.1 * e.2 = 2 * (d.1 * d.2) * (2 * (e.1 * e.2)) by ring.
  by rewrite Rmult_1_l; apply: Rmult_le_compat; lra.
by split=> //; lra.
Qed.

Lemma square_lt (x y : R) : 0 < x -> 0 < y -> (x < y <-> 0 < y ^ 2 - x ^ 2).
Proof. by move=> x0 y0; split=> less; nra. Qed.

Lemma difference (d e : R * R) : positive d -> positive e ->
  positional_score d e ^ 2 - symbolic_score d e ^ 2 =
    (d.2 ^ 2 - d.1 ^ 2) * (e.2 ^ 2 - e.1 ^ 2) / ((d.1 ^ 2 + d.2 ^ 2) * (e.1 ^ 2 + e.2 ^ 2)) /\
  (symbolic_score d e < positional_score d e <-> (d.1 < d.2 /\ e.1 < e.2) \/ (d.2 < d.1 /\ e.2 < e.1)).
Proof.
move=> pd pe; have [s0 t0] := score_gt0 pd pe; rewrite (square_lt t0 s0).
have [-> ->] := score_squares pd pe; have ss := sizes_pos pd pe.
have sd := square_pos pd; have se := square_pos pe.
set S := (d.1 ^ 2 + d.2 ^ 2) * (e.1 ^ 2 + e.2 ^ 2) in ss *.
have -> : (e.1 * d.1 + e.2 * d.2) ^ 2 / S - (e.1 * d.2 + e.2 * d.1) ^ 2 / S =
    (d.2 ^ 2 - d.1 ^ 2) * (e.2 ^ 2 - e.1 ^ 2) / S by rewrite /S; field; split; lra.
split=> //; have is0 := Rinv_0_lt_compat _ ss.
have -> : (d.2 ^ 2 - d.1 ^ 2) * (e.2 ^ 2 - e.1 ^ 2) / S =
  (d.2 - d.1) * (e.2 - e.1) * ((d.2 + d.1) * (e.2 + e.1) * / S) by rewrite /Rdiv; ring.
have [d1 d2] := pd; have [e1 e2] := pe.
have scale : 0 < (d.2 + d.1) * (e.2 + e.1) * / S.
  by apply: Rmult_lt_0_compat => //; apply: Rmult_lt_0_compat; lra.
split=> [prod | order].
- have {prod} : 0 < (d.2 - d.1) * (e.2 - e.1) by nra.
  by move=> prod; case: (Rtotal_order d.1 d.2) => [?|[?|?]]; [left | |right]; nra.
- apply: Rmult_lt_0_compat => //; case: order => [[? ?] | [? ?]]; first by apply: Rmult_lt_0_compat; lra.
  have -> : (d.2 - d.1) * (e.2 - e.1) = (d.1 - d.2) * (e.1 - e.2) by ring.
  by apply: Rmult_lt_0_compat; lra.
Qed.

Lemma share (x y : R) : 0 < x -> 0 < y ->
  Rmin x y / Rmax x y / 2 <= x * y / (x ^ 2 + y ^ 2) <= Rmin x y / Rmax x y.
Proof.
have half (a b : R) : 0 < a -> a <= b -> a / b / 2 <= a * b / (a ^ 2 + b ^ 2) <= a / b.
  move=> a0 ab; have s0 : 0 < a ^ 2 + b ^ 2 by nra.
  have ratio : 0 < a / b by apply: Rdiv_lt_0_compat; lra.
  have prod : a * b = a / b * b ^ 2 by field; lra.
  have squares : a ^ 2 <= b ^ 2 by apply: pow_incr; lra.
  have a2 := pow2_ge_0 a; split; [apply: le_quotient | apply: quotient_le] => //; rewrite prod.
  - have -> : a / b / 2 * (a ^ 2 + b ^ 2) = a / b * ((a ^ 2 + b ^ 2) / 2) by field; lra.
    by apply: Rmult_le_compat_l; lra.
  - by apply: Rmult_le_compat_l; lra.
move=> x0 y0; case: (Rle_lt_dec x y) => [le | lt].
- by rewrite Rmin_left ?Rmax_right //; apply: half.
- have -> : x * y / (x ^ 2 + y ^ 2) = y * x / (y ^ 2 + x ^ 2) by rewrite [y * x]Rmult_comm [y ^ 2 + _]Rplus_comm.
  by rewrite Rmin_right ?Rmax_left; try lra; apply: half; lra.
Qed.

Lemma near (d e : R * R) : positive d -> positive e ->
  Rmin d.1 d.2 / Rmax d.1 d.2 * (Rmin e.1 e.2 / Rmax e.1 e.2) <=
    positional_score d e ^ 2 + symbolic_score d e ^ 2 - 1 <=
  4 * (Rmin d.1 d.2 / Rmax d.1 d.2 * (Rmin e.1 e.2 / Rmax e.1 e.2)).
Proof.
move=> pd pe; have [-> _] := circle pd pe; have [d1 d2] := pd; have [e1 e2] := pe.
have [dl dh] := share d1 d2; have [el eh] := share e1 e2.
have sd := square_pos pd; have se := square_pos pe.
have ratio x y : 0 < x -> 0 < y -> 0 < Rmin x y / Rmax x y.
  by move=> x0 y0; apply: Rdiv_lt_0_compat; [apply: Rmin_glb_lt | apply: Rlt_le_trans (Rmax_l x y)].
have rd := ratio _ _ d1 d2; have re := ratio _ _ e1 e2.
have -> : 1 + 4 * d.1 * d.2 * e.1 * e.2 / ((d.1 ^ 2 + d.2 ^ 2) * (e.1 ^ 2 + e.2 ^ 2)) - 1 =
  4 * (d.1 * d.2 / (d.1 ^ 2 + d.2 ^ 2) * (e.1 * e.2 / (e.1 ^ 2 + e.2 ^ 2))) by field; split; lra.
move: dl dh el eh rd re; move: (Rmin d.1 d.2 / _) (Rmin e.1 e.2 / _) (_ / (d.1 ^ 2 + _)) (_ / (e.1 ^ 2 + _)).
move=> r r' q q' ? ? ? ? ? ?; split.
- have -> : r * r' = 4 * (r / 2 * (r' / 2)) by field.
  by apply: Rmult_le_compat_l; [lra | apply: Rmult_le_compat; lra].
- by apply: Rmult_le_compat_l; [lra | apply: Rmult_le_compat; lra].
Qed.

(** ** Blocks of one token *)

Lemma E_one M a b : E M 1 a b = exp (M a b).
Proof. by rewrite /E /token_sum big_ord_recl big_ord0 Rplus_0_r !muln1 !addn0. Qed.

Lemma exp_iff (x y : R) : exp x = exp y <-> x = y.
Proof. by split=> [|->//]; exact: exp_inv. Qed.

Lemma positional_one_token m M others (i j : 'I_m) : 0 <= others ->
  s_pos M others (fun=> 1%N) i j = 1 <-> M i j - M j j = M j i - M i i.
Proof.
by move=> o0; rewrite (positional_one M i j o0 (ltn0Sn 0)) !E_one -!exp_plus exp_iff; lra.
Qed.

Lemma symbolic_one_token m M others (i j : 'I_m) : 0 <= others ->
  s_sym M others (fun=> 1%N) i j = 1 <-> M i j - M i i = M j i - M j j.
Proof.
by move=> o0; rewrite (symbolic_one M i j o0 (ltn0Sn 0)) !E_one -!exp_plus exp_iff; lra.
Qed.

(** ** The claims: one swap *)

(** dec.scores.normaliser. With [E_ab] the summed e^logit over the tokens of block content a at block position b, the
    two scores of a swap are not negative and have the squares that the four numbers [E_ii], [E_jj], [E_ij], [E_ji]
    give: neither the length of the blocks nor any key outside the two enters. *)
Theorem dec_scores_normaliser :
  forall (m B : nat) (M : nat -> nat -> R) (others : R) (i j : 'I_m), 0 <= others -> (0 < B)%N -> i <> j ->
    let Eii := E M B i i in let Ejj := E M B j j in let Eij := E M B i j in let Eji := E M B j i in
    0 <= s_pos M others (fun=> B) i j /\ 0 <= s_sym M others (fun=> B) i j /\
    s_pos M others (fun=> B) i j ^ 2 =
      (Eji * Eii + Eij * Ejj) ^ 2 / ((Eii ^ 2 + Ejj ^ 2) * (Eij ^ 2 + Eji ^ 2)) /\
    s_sym M others (fun=> B) i j ^ 2 =
      (Eji * Ejj + Eij * Eii) ^ 2 / ((Eii ^ 2 + Ejj ^ 2) * (Eij ^ 2 + Eji ^ 2)).
Proof.
move=> m B M others i j o0 B0 _ Eii Ejj Eij Eji.
have po := own_pos M i j B0; have ps := swapped_pos M i j B0.
have [ep es] := scores_of_table M i j o0 B0; have [p0 s0] := score_gt0 po ps.
have [sp ss] := score_squares po ps; move: p0 s0 sp ss.
rewrite /positional_score /symbolic_score -ep -es [Eij ^ 2 + _]Rplus_comm => p0 s0 sp ss.
by split; [lra | split; [lra | split; [exact: sp | exact: ss]]].
Qed.
(* mutant exchanged
   from: (Eji * Eii + Eij * Ejj)
   to:   (Eji * Ejj + Eij * Eii) *)
(* mutant no swap
   from: (Eji * Eii + Eij * Ejj)
   to:   (Eii * Eii + Ejj * Ejj) *)

(** dec.scores.circle. With the means d before a swap and e after it, the squares of its two scores add up to 1 plus
    4 d_i d_j e_i e_j / ((d_i^2 + d_j^2) (e_i^2 + e_j^2)): more than 1 and at most 2. *)
Theorem dec_scores_circle :
  forall (m : nat) (M : nat -> nat -> R) (others : R) (len : 'I_m -> nat) (i j : 'I_m),
    0 <= others -> (forall l, (0 < len l)%N) -> i <> j ->
    let (di, dj) := before M others len i j in let (ei, ej) := after M others len i j in
    s_pos M others len i j ^ 2 + s_sym M others len i j ^ 2 =
      1 + 4 * di * dj * ei * ej / ((di ^ 2 + dj ^ 2) * (ei ^ 2 + ej ^ 2)) /\
    1 < s_pos M others len i j ^ 2 + s_sym M others len i j ^ 2 <= 2.
Proof.
move=> m M others len i j o0 pos _.
exact: (circle (before_pos M i j o0 pos) (after_pos M i j o0 pos)).
Qed.
(* mutant halved
   from: 1 + 4 *
   to:   1 + 2 * *)
(* mutant inside
   from: 1 + 4 *
   to:   1 - 4 * *)
(* mutant three halves
   from: <= 2
   to:   <= 3 / 2 *)

(** dec.scores.circle.near. With r the smaller over the larger of the two means before a swap, and r' the same after
    it, the squares of the scores add up to 1 plus something between r r' and 4 r r'. *)
Theorem dec_scores_circle_near :
  forall (m : nat) (M : nat -> nat -> R) (others : R) (len : 'I_m -> nat) (i j : 'I_m),
    0 <= others -> (forall l, (0 < len l)%N) -> i <> j ->
    let (di, dj) := before M others len i j in let (ei, ej) := after M others len i j in
    let r := Rmin di dj / Rmax di dj in let r' := Rmin ei ej / Rmax ei ej in
    r * r' <= s_pos M others len i j ^ 2 + s_sym M others len i j ^ 2 - 1 <= 4 * (r * r').
Proof.
move=> m M others len i j o0 pos _.
exact: (near (before_pos M i j o0 pos) (after_pos M i j o0 pos)).
Qed.
(* mutant twice
   from: r * r' <= s_pos
   to:   2 * (r * r') <= s_pos *)
(* mutant three
   from: 4 * (r * r')
   to:   3 * (r * r') *)
(* mutant before alone
   from: let r' := Rmin ei ej / Rmax ei ej
   to:   let r' := Rmin di dj / Rmax di dj *)

(** dec.scores.difference. The squares of the two scores differ by (d_j^2 - d_i^2) (e_j^2 - e_i^2) over the product of
    the sums of squares, and the positional one is larger exactly where the same position has the larger mean before
    the swap and after it. *)
Theorem dec_scores_difference :
  forall (m : nat) (M : nat -> nat -> R) (others : R) (len : 'I_m -> nat) (i j : 'I_m),
    0 <= others -> (forall l, (0 < len l)%N) -> i <> j ->
    let (di, dj) := before M others len i j in let (ei, ej) := after M others len i j in
    s_pos M others len i j ^ 2 - s_sym M others len i j ^ 2 =
      (dj ^ 2 - di ^ 2) * (ej ^ 2 - ei ^ 2) / ((di ^ 2 + dj ^ 2) * (ei ^ 2 + ej ^ 2)) /\
    (s_sym M others len i j < s_pos M others len i j <-> (di < dj /\ ei < ej) \/ (dj < di /\ ej < ei)).
Proof.
move=> m M others len i j o0 pos _.
exact: (difference (before_pos M i j o0 pos) (after_pos M i j o0 pos)).
Qed.
(* mutant reversed
   from: (dj ^ 2 - di ^ 2) * (ej ^ 2 - ei ^ 2)
   to:   (di ^ 2 - dj ^ 2) * (ej ^ 2 - ei ^ 2) *)
(* mutant ties
   from: (di < dj /\ ei < ej)
   to:   (di <= dj /\ ei <= ej) *)
(* mutant larger content
   from: (di < dj /\ ei < ej) \/ (dj < di /\ ej < ei)
   to:   di < dj *)

(** ** The claims: heads with a score of 1 *)

(** dec.scores.faithful.positional. If a head is positional on an input, its positional score there is 1 on every swap
    of blocks of one length, and so at every temperature. *)
Theorem dec_scores_faithful_positional :
  forall (m B : nat) (M : nat -> nat -> R) (others : R), 0 <= others -> (0 < B)%N ->
    is_positional M (fun _ : 'I_m => B) ->
    (forall i j : 'I_m, i <> j -> s_pos M others (fun=> B) i j = 1) /\
    ((1 < m)%N -> forall tau, 0 < tau ->
       head_score M others (fun=> B) tau (fun i j : 'I_m => s_pos M others (fun=> B) i j) = 1).
Proof.
move=> m B M others o0 B0 pos.
have ones (i j : 'I_m) : s_pos M others (fun=> B) i j = 1.
  by apply/(positional_one M i j o0 B0); rewrite (of_positional j i pos) (of_positional i j pos); ring.
by split=> // two tau _; apply: head_score_one.
Qed.
(* mutant symbolic head
   from: is_positional
   to:   is_symbolic *)
(* mutant symbolic score
   from: i <> j -> s_pos
   to:   i <> j -> s_sym *)

(** dec.scores.faithful.symbolic. If a head is symbolic on an input, its symbolic score there is 1 on every swap of
    blocks of any lengths, and so at every temperature. *)
Theorem dec_scores_faithful_symbolic :
  forall (m : nat) (len : 'I_m -> nat) (M : nat -> nat -> R) (others : R), 0 <= others -> (forall l, (0 < len l)%N) ->
    is_symbolic M len ->
    (forall i j : 'I_m, i <> j -> s_sym M others len i j = 1) /\
    ((1 < m)%N -> forall tau, 0 < tau ->
       head_score M others len tau (fun i j : 'I_m => s_sym M others len i j) = 1).
Proof.
move=> m len M others o0 pos sym.
have ones (i j : 'I_m) : s_sym M others len i j = 1 by apply: symbolic_head_one.
by split=> // two tau _; apply: head_score_one.
Qed.
(* mutant positional head
   from: is_symbolic
   to:   is_positional *)
(* mutant positional score
   from: i <> j -> s_sym
   to:   i <> j -> s_pos *)

(** dec.scores.faithful.positional.exactly. With blocks of one token the positional score of every swap is 1 if and
    only if M_ij - lambda_j is symmetric in i and j, lambda_j = M_jj the logits in use. *)
Theorem dec_scores_faithful_positional_exactly :
  forall (m : nat) (M : nat -> nat -> R) (others : R), 0 <= others ->
    (forall i j : 'I_m, i <> j -> s_pos M others (fun=> 1%N) i j = 1) <->
    (forall i j : 'I_m, M i j - M j j = M j i - M i i).
Proof.
move=> m M others o0; split=> [ones i j | symmetric i j _]; last by apply/positional_one_token.
by case: (eqVneq i j) => [-> // | /eqP ne]; apply/(positional_one_token M i j o0); apply: ones.
Qed.
(* mutant the other one
   from: M i j - M j j = M j i - M i i
   to:   M i j - M i i = M j i - M j j *)
(* mutant symmetric table
   from: M i j - M j j = M j i - M i i
   to:   M i j = M j i *)
(* mutant positional
   from: M i j - M j j = M j i - M i i
   to:   M i j - M j j = 0 *)

(** dec.scores.faithful.symbolic.exactly. With blocks of one token the symbolic score of every swap is 1 if and only if
    M_ij - lambda_i is symmetric in i and j. *)
Theorem dec_scores_faithful_symbolic_exactly :
  forall (m : nat) (M : nat -> nat -> R) (others : R), 0 <= others ->
    (forall i j : 'I_m, i <> j -> s_sym M others (fun=> 1%N) i j = 1) <->
    (forall i j : 'I_m, M i j - M i i = M j i - M j j).
Proof.
move=> m M others o0; split=> [ones i j | symmetric i j _]; last by apply/symbolic_one_token.
by case: (eqVneq i j) => [-> // | /eqP ne]; apply/(symbolic_one_token M i j o0); apply: ones.
Qed.
(* mutant the other one
   from: M i j - M i i = M j i - M j j
   to:   M i j - M j j = M j i - M i i *)
(* mutant symmetric table
   from: M i j - M i i = M j i - M j j
   to:   M i j = M j i *)
(* mutant symbolic
   from: M i j - M i i = M j i - M j j
   to:   M i j - M i i = 0 *)

(** dec.scores.blind. With blocks of one token both scores of every swap are 1 if and only if all logits in use agree
    and the logit table is symmetric. *)
Theorem dec_scores_blind :
  forall (m : nat) (M : nat -> nat -> R) (others : R), 0 <= others ->
    (forall i j : 'I_m, i <> j -> s_pos M others (fun=> 1%N) i j = 1 /\ s_sym M others (fun=> 1%N) i j = 1) <->
    (forall i j : 'I_m, M i i = M j j /\ M i j = M j i).
Proof.
move=> m M others o0; split=> [ones i j | agree i j _].
- case: (eqVneq i j) => [-> // | /eqP /ones [/(positional_one_token M i j o0) p /(symbolic_one_token M i j o0) s]]; lra.
- have [used table] := agree i j.
  by rewrite (positional_one_token M i j o0) (symbolic_one_token M i j o0); lra.
Qed.
(* mutant constant table
   from: M i i = M j j
   to:   M i i = M i j *)
(* mutant logits in use alone
   from: M i i = M j j /\ M i j = M j i
   to:   M i i = M j j *)
(* mutant symmetric alone
   from: M i i = M j j /\ M i j = M j i
   to:   M i j = M j i *)

(** The table of the counterexamples to the converses: logit 0 where content and position belong together, else ln 2. *)
Definition interaction (a b : nat) : R := if a == b then 0 else ln 2.

(** dec.scores.faithful.positional.converse. A positional score of 1 on every swap does not make a head positional:
    with e^M = ((1, 2), (2, 1)) attention is uniform before the swap and after it. *)
Theorem dec_scores_faithful_positional_converse_fails :
  ~ (forall (m : nat) (M : nat -> nat -> R) (others : R), 0 <= others ->
       (forall i j : 'I_m, i <> j -> s_pos M others (fun=> 1%N) i j = 1) -> is_positional M (fun _ : 'I_m => 1%N)).
Proof.
move=> converse; have no_debt := Rle_refl 0; have one : is_positional interaction (fun _ : 'I_2 => 1%N).
  apply: (converse 2%N _ 0 no_debt) => i j _; apply/(positional_one_token _ _ _ no_debt).
  by rewrite /interaction !eqxx [nat_of_ord j == _]eq_sym; lra.
have := one 0%N 1%N; rewrite keys_equal /interaction /= => /(_ isT isT).
by have := ln_lt_2; lra.
Qed.
(* counterexample: {"lengths": ["1", "1"], "factors": ["1", "2", "2", "1"], "own": "0"} *)
(* mutant half of the equations
   from: is_positional M (fun _ : 'I_m => 1%N)
   to:   forall i j : 'I_m, M i j - M j j = M j i - M i i *)

(** dec.scores.faithful.symbolic.converse. Nor does a symbolic score of 1 on every swap make a head symbolic. *)
Theorem dec_scores_faithful_symbolic_converse_fails :
  ~ (forall (m : nat) (M : nat -> nat -> R) (others : R), 0 <= others ->
       (forall i j : 'I_m, i <> j -> s_sym M others (fun=> 1%N) i j = 1) -> is_symbolic M (fun _ : 'I_m => 1%N)).
Proof.
move=> converse; have no_debt := Rle_refl 0; have one : is_symbolic interaction (fun _ : 'I_2 => 1%N).
  apply: (converse 2%N _ 0 no_debt) => i j _; apply/(symbolic_one_token _ _ _ no_debt).
  by rewrite /interaction !eqxx [nat_of_ord j == _]eq_sym; lra.
have := one 0%N 1%N; rewrite keys_equal /interaction /= => /(_ isT isT).
by have := ln_lt_2; lra.
Qed.
(* counterexample: {"lengths": ["1", "1"], "factors": ["1", "2", "2", "1"], "own": "0"} *)
(* mutant half of the equations
   from: is_symbolic M (fun _ : 'I_m => 1%N)
   to:   forall i j : 'I_m, M i j - M i i = M j i - M j j *)

(** ** Main effects *)

Lemma cosh_gt0 x : 0 < cosh x.
Proof. by rewrite /cosh; have := exp_pos x; have := exp_pos (- x); lra. Qed.

Lemma cosh_sq x : cosh x ^ 2 = (cosh (2 * x) + 1) / 2.
Proof.
rewrite /cosh; have -> : 2 * x = x + x by ring.
rewrite Ropp_plus_distr !exp_plus; have : exp x * exp (- x) = 1 by rewrite -exp_plus Rplus_opp_r exp_0.
by move=> e; nra.
Qed.

Lemma cosh_lt x y : Rabs x < Rabs y <-> cosh x < cosh y.
Proof.
have even z : cosh z = cosh (Rabs z).
  by rewrite /Rabs; case: (Rcase_abs z) => // _; rewrite /cosh Ropp_involutive Rplus_comm.
have rises a b : 0 <= a -> a < b -> cosh a < cosh b.
  move=> a0 ab; rewrite /cosh !exp_Ropp; have ea := exp_pos a; have := exp_increasing _ _ ab.
  have : 1 <= exp a by rewrite -exp_0; case: a0 => [/exp_increasing | <-]; lra.
  move: (exp a) (exp b) ea => u v u0 u1 uv.
  have -> : v = u + (v - u) by ring.
  have : / u - / (u + (v - u)) = (v - u) * / (u * v) by field; lra.
  have : / (u * v) < 1 by rewrite -Rinv_1; apply: Rinv_lt_contravar; nra.
  by nra.
rewrite [cosh x]even [cosh y]even; split=> less; first by apply: rises => //; apply: Rabs_pos.
case: (Rlt_le_dec (Rabs x) (Rabs y)) => // [[lt | e]]; last by rewrite e in less; lra.
by have := rises _ _ (Rabs_pos y) lt; lra.
Qed.

Lemma squares_agree (x y : R) : 0 < x -> 0 < y -> x ^ 2 = y ^ 2 -> x = y.
Proof. by move=> x0 y0 e; nra. Qed.

Lemma main_effects_squares (mu F G I : R) :
  let x := (exp (mu - F + G - I), exp (mu + F - G - I)) in let y := (exp (mu - F - G + I), exp (mu + F + G + I)) in
  let c := cosh (2 * F) in let d := cosh (2 * G) in
  cosine x y = c / sqrt (c ^ 2 + d ^ 2 - 1) /\ cosine x (exchanged y) = d / sqrt (c ^ 2 + d ^ 2 - 1).
Proof.
move=> x y c d; have px : positive x by split; apply: exp_pos.
have py : positive y by split; apply: exp_pos.
have e1 := exp_pos; pose u := exp F; pose v := exp G; pose w := exp mu; pose z := exp I.
have u0 : 0 < u by apply: exp_pos. have v0 : 0 < v by apply: exp_pos.
have w0 : 0 < w by apply: exp_pos. have z0 : 0 < z by apply: exp_pos.
have split4 a b k l : exp (a + b + k + l) = exp a * exp b * exp k * exp l by rewrite !exp_plus.
have double a : 2 * a = a + a by ring.
have ec : c = (u ^ 2 + / u ^ 2) / 2 by rewrite /c /cosh exp_Ropp double exp_plus -/u; field; lra.
have ed : d = (v ^ 2 + / v ^ 2) / 2 by rewrite /d /cosh exp_Ropp double exp_plus -/v; field; lra.
have ex1 : x.1 = w * / u * v * / z by rewrite /x /= /Rminus split4 !exp_Ropp.
have ex2 : x.2 = w * u * / v * / z by rewrite /x /= /Rminus split4 !exp_Ropp.
have ey1 : y.1 = w * / u * / v * z by rewrite /y /= /Rminus split4 !exp_Ropp.
have ey2 : y.2 = w * u * v * z by rewrite /y /= split4.
have c0 : 0 < c by apply: cosh_gt0.
have d0 : 0 < d by apply: cosh_gt0.
have size : (x.1 ^ 2 + x.2 ^ 2) * (y.1 ^ 2 + y.2 ^ 2) = 4 * w ^ 4 * (c ^ 2 + d ^ 2 - 1).
  by rewrite ex1 ex2 ey1 ey2 ec ed; field; lra.
have dot : x.1 * y.1 + x.2 * y.2 = 2 * w ^ 2 * c by rewrite ex1 ex2 ey1 ey2 ec; field; lra.
have cross : x.1 * y.2 + x.2 * y.1 = 2 * w ^ 2 * d by rewrite ex1 ex2 ey1 ey2 ed; field; lra.
have span0 : 0 < c ^ 2 + d ^ 2 - 1.
  have w4 : 0 < 4 * w ^ 4 by have := pow_lt w 4 w0; lra.
  have := Rmult_lt_0_compat _ _ (square_pos px) (square_pos py); rewrite size => prod.
  by apply: (Rmult_lt_reg_l (4 * w ^ 4)); lra.
have root := sqrt_lt_R0 _ span0; have square := pow2_sqrt _ (Rlt_le _ _ span0).
have pe := exchanged_pos py.
split; apply: squares_agree; try exact: cosine_gt0; try exact: Rdiv_lt_0_compat.
- rewrite cosine_sq // size dot; move: span0 square root; set S := c ^ 2 + d ^ 2 - 1 => span0 square root.
  by have -> : (c / sqrt S) ^ 2 = c ^ 2 / sqrt S ^ 2; [field; lra | rewrite square; field; lra].
- rewrite cosine_sq // [(exchanged y).1]/= [(exchanged y).2]/= [y.2 ^ 2 + _]Rplus_comm size cross.
  move: span0 square root; set S := c ^ 2 + d ^ 2 - 1 => span0 square root.
  by have -> : (d / sqrt S) ^ 2 = d ^ 2 / sqrt S ^ 2; [field; lra | rewrite square; field; lra].
Qed.

(** dec.scores.main-effects. Write the logs of the four sums of a swap as mu plus or minus F by position, G by content
    and I by both (I where content and position belong together, -I where not). With c = cosh 2F and d = cosh 2G the
    scores are c and d over sqrt (c^2 + d^2 - 1), whatever mu and I are; the positional one is larger exactly where
    |F| > |G|. *)
Theorem dec_scores_main_effects :
  forall (m B : nat) (M : nat -> nat -> R) (others : R) (i j : 'I_m) (mu F G I : R),
    0 <= others -> (0 < B)%N -> i <> j ->
    ln (E M B i i) = mu - F - G + I -> ln (E M B j j) = mu + F + G + I ->
    ln (E M B i j) = mu + F - G - I -> ln (E M B j i) = mu - F + G - I ->
    let c := cosh (2 * F) in let d := cosh (2 * G) in
    s_pos M others (fun=> B) i j = c / sqrt (c ^ 2 + d ^ 2 - 1) /\
    s_sym M others (fun=> B) i j = d / sqrt (c ^ 2 + d ^ 2 - 1) /\
    (s_sym M others (fun=> B) i j < s_pos M others (fun=> B) i j <-> Rabs G < Rabs F).
Proof.
move=> m B M others i j mu F G I o0 B0 _ lii ljj lij lji c d.
have table a b l : ln (E M B a b) = l -> E M B a b = exp l.
  by move=> <-; rewrite exp_ln //; apply: block_table_gt0.
have [ep es] := main_effects_squares mu F G I; have [sp ss] := scores_of_table M i j o0 B0.
rewrite /swapped /own (table _ _ _ lii) (table _ _ _ ljj) (table _ _ _ lij) (table _ _ _ lji) in sp ss.
have e : s_pos M others (fun=> B) i j = c / sqrt (c ^ 2 + d ^ 2 - 1) by rewrite sp.
have e' : s_sym M others (fun=> B) i j = d / sqrt (c ^ 2 + d ^ 2 - 1) by rewrite ss.
split=> //; split=> //; rewrite e e'.
have some : 0 < s_pos M others (fun=> B) i j.
  by rewrite sp; apply: cosine_gt0; split; apply: exp_pos.
have root : 0 < / sqrt (c ^ 2 + d ^ 2 - 1).
  by apply: (Rmult_lt_reg_l c); [apply: cosh_gt0 | move: some; rewrite e /Rdiv; lra].
rewrite /Rdiv ![_ * / sqrt _]Rmult_comm.
have -> : (Rabs G < Rabs F) <-> (Rabs (2 * G) < Rabs (2 * F)) by rewrite !Rabs_mult (Rabs_right 2); lra.
by rewrite cosh_lt -/c -/d; split=> less; nra.
Qed.
(* mutant position alone
   from: = c / sqrt (c ^ 2 + d ^ 2 - 1)
   to:   = 1 *)
(* mutant exchanged
   from: Rabs G < Rabs F
   to:   Rabs F < Rabs G *)
(* mutant ties
   from: Rabs G < Rabs F
   to:   Rabs G <= Rabs F *)
(* mutant signed
   from: Rabs G < Rabs F
   to:   G < F *)

(** ** Averages over swaps *)

Lemma score_le1 (d e : R * R) : positive d -> positive e -> positional_score d e <= 1 /\ symbolic_score d e <= 1.
Proof.
have most x y : positive x -> positive y -> cosine x y <= 1.
  move=> px py; have s0 := cosine_gt0 px py; suff : cosine x y ^ 2 <= 1 by nra.
  rewrite cosine_sq //; apply: quotient_le; first exact: sizes_pos.
  by have := pow2_ge_0 (x.1 * y.2 - x.2 * y.1); lra.
by move=> pd pe; split; apply: most => //; apply: exchanged_pos.
Qed.

Lemma more_than_one (d e : R * R) : positive d -> positive e -> 1 < positional_score d e + symbolic_score d e.
Proof.
move=> pd pe; have [s0 t0] := score_gt0 pd pe; have [s1 t1] := score_le1 pd pe; have [_ [more _]] := circle pd pe.
by nra.
Qed.

(** dec.scores.average. Averaged over swaps, with means d before and e after them, with any weights that are not
    negative and add up to 1, the positional and the symbolic score add up to more than 1. *)
Theorem dec_scores_average :
  forall (N : nat) (d e : 'I_N -> R * R) (alpha : 'I_N -> R),
    (forall k, positive (d k)) -> (forall k, positive (e k)) ->
    (forall k, 0 <= alpha k) -> sum_(k < N) alpha k = 1 ->
    1 < sum_(k < N) (alpha k * positional_score (d k) (e k)) + sum_(k < N) (alpha k * symbolic_score (d k) (e k)).
Proof.
move=> N d e alpha pd pe nonneg total.
pose more k := alpha k * (positional_score (d k) (e k) + symbolic_score (d k) (e k) - 1).
have more0 k : true -> 0 <= more k.
  by move=> _; apply: Rmult_le_pos => //; have := more_than_one (pd k) (pe k); lra.
have sum : sum_(k < N) more k = sum_(k < N) (alpha k * positional_score (d k) (e k)) +
                               sum_(k < N) (alpha k * symbolic_score (d k) (e k)) - 1.
  rewrite -total -sum_add -sum_sub; apply: eq_bigr => k _; rewrite /more; ring.
case: (sum_ge0 more0) => [ | zero]; first by rewrite sum; lra.
have none k : alpha k = 0.
  have := sum_eq0 more0 (esym zero) (isT : xpredT k); rewrite /more => /Rmult_integral.
  by case=> //; have := more_than_one (pd k) (pe k); lra.
by move: total; rewrite big1 // => /esym; lra.
Qed.
(* mutant more
   from: 1 < sum_
   to:   11 / 10 < sum_ *)
(* mutant any weights
   from: (forall k, 0 <= alpha k) ->
   to:   *)
(* mutant any sum
   from: sum_(k < N) alpha k = 1
   to:   0 < sum_(k < N) alpha k *)

(** A weighted average of numbers of at most 1 is 1 only where all are. *)
Lemma average_is_one N (alpha s : 'I_N -> R) :
  (forall k, 0 < alpha k) -> sum_(k < N) alpha k = 1 -> (forall k, s k <= 1) ->
  (sum_(k < N) (alpha k * s k) = 1 <-> forall k, s k = 1).
Proof.
move=> pos total most; split=> [one k | ones]; last first.
  by rewrite -[RHS]total; apply: eq_bigr => k _; rewrite ones; ring.
have less0 l : true -> 0 <= alpha l * (1 - s l).
  by move=> _; apply: Rmult_le_pos; [apply: Rlt_le | have := most l; lra].
have zero : sum_(l < N) (alpha l * (1 - s l)) = 0.
  rewrite (eq_bigr (fun l => alpha l - alpha l * s l)); last by move=> l _; ring.
  by rewrite sum_sub total one; ring.
have := sum_eq0 less0 zero (isT : xpredT k) => /Rmult_integral.
by case=> ?; have := pos k; lra.
Qed.

(** dec.scores.average.one. Averaged over swaps with positive weights that add up to 1, such as those of any temperature
    above 0, a score is 1 if and only if it is 1 on every swap. *)
Theorem dec_scores_average_one :
  forall (N : nat) (d e : 'I_N -> R * R) (alpha : 'I_N -> R),
    (forall k, positive (d k)) -> (forall k, positive (e k)) ->
    (forall k, 0 < alpha k) -> sum_(k < N) alpha k = 1 ->
    (sum_(k < N) (alpha k * positional_score (d k) (e k)) = 1 <-> forall k, positional_score (d k) (e k) = 1) /\
    (sum_(k < N) (alpha k * symbolic_score (d k) (e k)) = 1 <-> forall k, symbolic_score (d k) (e k) = 1).
Proof.
move=> N d e alpha pd pe pos total.
by split; apply: average_is_one => // k; have [] := score_le1 (pd k) (pe k).
Qed.
(* mutant weights of 0
   from: 0 < alpha k
   to:   0 <= alpha k *)
(* mutant any sum
   from: sum_(k < N) alpha k = 1
   to:   0 < sum_(k < N) alpha k *)
(* mutant exchanged
   from: forall k, positional_score (d k) (e k) = 1
   to:   forall k, symbolic_score (d k) (e k) = 1 *)

(** The cosine of two vectors (1 - t^2, 2 t), whose sizes are 1 + t^2. *)
Lemma pythagorean (t u : R) :
  cosine (1 - u ^ 2, 2 * u) (1 - t ^ 2, 2 * t) =
  ((1 - u ^ 2) * (1 - t ^ 2) + 4 * u * t) / ((1 + u ^ 2) * (1 + t ^ 2)).
Proof.
have size x : sqrt ((1 - x ^ 2) ^ 2 + (2 * x) ^ 2) = 1 + x ^ 2.
  have -> : (1 - x ^ 2) ^ 2 + (2 * x) ^ 2 = (1 + x ^ 2) ^ 2 by ring.
  by apply: sqrt_pow2; have := pow2_ge_0 x; lra.
by rewrite /cosine; cbn [fst snd]; rewrite !size; congr (_ / _); ring.
Qed.

Lemma cosine_exchange (x y : R * R) : cosine x (exchanged y) = cosine (exchanged x) y.
Proof. by rewrite /cosine /exchanged; cbn [fst snd]; rewrite [x.2 ^ 2 + _]Rplus_comm [y.2 ^ 2 + _]Rplus_comm;
  congr (_ / _); ring. Qed.

Lemma pythagorean_exchanged (t u : R) :
  cosine (1 - u ^ 2, 2 * u) (exchanged (1 - t ^ 2, 2 * t)) =
  (2 * t * (1 - u ^ 2) + 2 * u * (1 - t ^ 2)) / ((1 + u ^ 2) * (1 + t ^ 2)).
Proof.
have size x : sqrt ((1 - x ^ 2) ^ 2 + (2 * x) ^ 2) = 1 + x ^ 2.
  have -> : (1 - x ^ 2) ^ 2 + (2 * x) ^ 2 = (1 + x ^ 2) ^ 2 by ring.
  by apply: sqrt_pow2; have := pow2_ge_0 x; lra.
rewrite /cosine /exchanged; cbn [fst snd]; rewrite [(2 * t) ^ 2 + _]Rplus_comm !size.
by congr (_ / _); ring.
Qed.

(** dec.scores.average.circle. The average of the points of two swaps, one near (1, 0) and one near (0, 1), lies inside
    the unit circle: the squares of a head's scores need not add up to 1. *)
Theorem dec_scores_average_circle_fails :
  ~ (forall (N : nat) (d e : 'I_N -> R * R) (alpha : 'I_N -> R),
       (forall k, positive (d k)) -> (forall k, positive (e k)) ->
       (forall k, 0 <= alpha k) -> sum_(k < N) alpha k = 1 ->
       1 <= (sum_(k < N) (alpha k * positional_score (d k) (e k))) ^ 2 +
            (sum_(k < N) (alpha k * symbolic_score (d k) (e k))) ^ 2).
Proof.
move=> outside; pose point (t : R) := (1 - t ^ 2, 2 * t).
pose pick a b : 'I_2 -> R := fun k => if k == ord0 then a else b.
have inside a b : 0 < a < 1 -> 0 < b < 1 -> forall k, positive (point (pick a b k)).
  by move=> a0 b0 k; rewrite /positive /point /pick /=; case: (k == _); split; nra.
have pd := inside (1 / 2) (1 / 50) ltac:(lra) ltac:(lra); have pe := inside (49 / 51) (1 / 50) ltac:(lra) ltac:(lra).
have nonneg k : 0 <= pick (2 / 3) (1 / 3) k by rewrite /pick; case: (k == _); lra.
have total : sum_(k < 2) pick (2 / 3) (1 / 3) k = 1 by rewrite !big_ord_recl big_ord0 /pick /=; lra.
have := outside 2%N _ _ _ pd pe nonneg total.
rewrite !big_ord_recl !big_ord0 /positional_score /symbolic_score /point !pythagorean !pythagorean_exchanged /pick /=.
lra.
Qed.
(* counterexample: {"before": ["1/2", "1/50"], "after": ["49/51", "1/50"], "weights": ["2/3", "1/3"]} *)
(* mutant one swap
   from: (forall k, 0 <= alpha k) ->
   to:   (forall k, 0 <= alpha k) -> N = 1%N -> *)

(** dec.scores.unequal. A positional head need not have the positional score 1 on swaps of blocks of unequal length,
    which move the tokens between them: with the factors 1, 2, 1 by position and blocks of one and two tokens the means
    go from 1 : 3/2 to 3/2 : 1. *)
Theorem dec_scores_unequal_fails :
  ~ (forall (m : nat) (len : 'I_m -> nat) (M : nat -> nat -> R) (others : R), 0 <= others ->
       (forall l, (0 < len l)%N) -> is_positional M len -> forall i j, i <> j -> s_pos M others len i j = 1).
Proof.
move=> one; pose M (a b : nat) := if b == 1%N then ln 2 else 0; pose len (i : 'I_2) := i.+1.
pose i : 'I_2 := ord0; pose j : 'I_2 := ord_max.
have pos l : (0 < len l)%N by [].
have := one 2%N len M 0 (Rle_refl 0) pos (fun a b _ _ => erefl) i j (fun e => ltac:(discriminate e)).
have first order : start len order i = 0%N by rewrite /start big_pred0.
have second order : start len order j = len (order i).
  by rewrite /start (bigD1 i) //= big_pred0 ?addn0 // => -[[|[|l]]].
have b := before_pos M i j (Rle_refl 0) pos; have a := after_pos M i j (Rle_refl 0) pos.
rewrite /s_pos /positional_score => /(cosine_one a b).
rewrite /before /after; cbn [fst snd]; rewrite /mean.
rewrite -/(normaliser M 0 len 1) -/(normaliser M 0 len (tperm i j)).
have Z := normaliser_gt0 M 1 i (Rle_refl 0) pos; have Z' := normaliser_gt0 M (tperm i j) i (Rle_refl 0) pos.
rewrite /block_sum !first !second !perm1 tpermL tpermR /token_sum /len !big_ord_recl !big_ord0 /M /=.
rewrite !exp_0 exp_ln; last lra; move: (normaliser _ _ _ _) (normaliser _ _ _ _) Z Z' => z z' z0 z1 e.
have : (1 + (2 + 0)) / (1 + 1) * ((2 + (1 + 0)) / (1 + 1)) = (1 + 0) / 1 * ((1 + 0) / 1); last lra.
apply: (Rmult_eq_reg_l (/ z * / z')); last by apply: Rgt_not_eq; apply: Rmult_lt_0_compat; apply: Rinv_0_lt_compat.
by rewrite /Rdiv in e *; nra.
Qed.
(* counterexample: {"lengths": ["1", "2"], "factors": ["1", "2", "1", "1", "2", "1", "1", "2", "1"], "own": "0"} *)
(* mutant one length
   from: 0 <= others ->
   to:   0 <= others -> (forall k l, len k = len l) -> *)
