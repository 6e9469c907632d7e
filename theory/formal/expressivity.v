From Coq Require Import Reals Lra Lia Psatz.
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finfun bigop fingroup perm.
From headproof Require Import common.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope R_scope.
(* own meanings: head, proper, value *)
(* end of header *)

(** ** A head, its attention and its output *)

(** The head [H = (L, VAL, F)]: [logit q n t j] is [L(x_n, n, x_j, j)] for the query [q] at position [n] and the token
    [t] at position [j]; tokens have values in the coordinates [D]; [out a q] is [F(a_n, x_n)] (Python: [HeadCase]). *)
Record head (T : Type) (D : finType) (Out : Type) := Head {
  logit : T -> nat -> T -> nat -> R;
  value : T -> D -> R;
  out : (D -> R) -> T -> Out
}.

(** An input of length [n = m + 1] is given by its [m] earlier tokens [x] and its last token, the query [q], as in
    Python's [Input]. Token number [i], counted from 0; the query is number [m]. *)
Definition token_at T m (x : 'I_m -> T) (q : T) (i : nat) : T := oapp x q (insub i).

(** The logits [L(x_n, n, x_j, j)] of the last query: [m] earlier keys and its own. Positions count from 1. *)
Definition logits T (L : T -> nat -> T -> nat -> R) m (x : 'I_m -> T) (q : T) (i : 'I_m.+1) : R :=
  L q m.+1 (token_at x q i) i.+1.

(** Softmax, and average hard attention, which shares the attention among the keys with the largest logit. *)
Inductive attention := Softmax | Hard.

(** Key [i] has the largest logit, perhaps with others. *)
Definition largest n (l : 'I_n -> R) (i : 'I_n) : bool := [forall j, Rle_dec (l j) (l i)].

(** What a key gets before it is divided by the sum of all (Python: [attention]). *)
Definition share (kind : attention) n (l : 'I_n -> R) (i : 'I_n) : R :=
  match kind with Softmax => exp (l i) | Hard => if largest l i then 1 else 0 end.

Definition weight (kind : attention) n (l : 'I_n -> R) (i : 'I_n) : R := share kind l i / sum_(j < n) share kind l j.

(** The attention output [a_n = sum_j w_j VAL(x_j)] at the last position. *)
Definition attended kind T D Out (H : head T D Out) m (x : 'I_m -> T) (q : T) (d : D) : R :=
  sum_(i < m.+1) (weight kind (logits (logit H) x q) i * value H (token_at x q i) d).

(** The output [F(a_n, x_n)] of the one-layer model at the last position. *)
Definition output kind T D Out (H : head T D Out) m (x : 'I_m -> T) (q : T) : Out := out H (attended kind H x q) q.

(** ** Symbolic and positional (Python: [Invariance]) *)

(** [L(x_n, n, x_j, pi(j)) = L(x_n, n, x_j, j)] for every key [j] and this permutation of the earlier keys. *)
Definition symbolic_under T D Out (H : head T D Out) m (x : 'I_m -> T) (q : T) (pi : {perm 'I_m}) : Prop :=
  forall j, logit H q m.+1 (x j) (pi j).+1 = logit H q m.+1 (x j) j.+1.

(** [L(x_n, n, x_pi(j), j) = L(x_n, n, x_j, j)] for every key [j] and this permutation of the earlier keys. *)
Definition positional_under T D Out (H : head T D Out) m (x : 'I_m -> T) (q : T) (pi : {perm 'I_m}) : Prop :=
  forall j, logit H q m.+1 (x (pi j)) j.+1 = logit H q m.+1 (x j) j.+1.

(** Symbolic, positional on an input: under every permutation. *)
Definition symbolic_on T D Out (H : head T D Out) m (x : 'I_m -> T) (q : T) : Prop :=
  forall pi, symbolic_under H x q pi.

Definition positional_on T D Out (H : head T D Out) m (x : 'I_m -> T) (q : T) : Prop :=
  forall pi, positional_under H x q pi.

(** ** Tasks *)

(** A task at length [n = m + 1] says which inputs are valid and what is right: [task x q y] holds if the earlier tokens
    [x] and the query [q] make a valid input and [y] is its answer (Python: [Instance]). *)
Definition task (T Y : Type) (m : nat) := ('I_m -> T) -> T -> Y -> Prop.

(** Symbolic, positional on every valid input. *)
Definition symbolic T D Out Y m (H : head T D Out) (f : task T Y m) : Prop :=
  forall x q y, f x q y -> symbolic_on H x q.

Definition positional T D Out Y m (H : head T D Out) (f : task T Y m) : Prop :=
  forall x q y, f x q y -> positional_on H x q.

(** The head computes the task: its output is the answer (Python: [computes] with the output map "any"). *)
Definition computes kind T D Y m (H : head T D Y) (f : task T Y m) : Prop :=
  forall x q y, f x q y -> output kind H x q = y.

(** The output scores all answers, and the right one has strictly the largest score (Python: [computes] with the other
    output maps). *)
Definition decides kind T D Y m (H : head T D (Y -> R)) (f : task T Y m) : Prop :=
  forall x q y, f x q y -> forall z, z <> y -> output kind H x q z < output kind H x q y.

(** DEC's Index, [f_POS]: symbols, then a query that names one of their places ([index_instance]). *)
Definition Index s m : task ('I_s + 'I_m) 'I_s m := fun x q y =>
  exists (c : 'I_m -> 'I_s) (p : 'I_m), x = inl \o c /\ q = inr p /\ y = c p.

(** DEC's Retrieval, [f_SYM]: pairs of a symbol and an attribute, no symbol twice, then a symbol that stands in one of
    them; the answer is its attribute ([pair_instance] with [once]). *)
Definition Retrieval s a m : task ('I_s * 'I_a + 'I_s) 'I_a m := fun x q y =>
  exists (p : 'I_m -> 'I_s * 'I_a) (j : 'I_m),
  injective (fst \o p) /\ x = inl \o p /\ q = inr (p j).1 /\ y = (p j).2.

(** DEC's partial induction, [f_MIX]: symbols may repeat, and the last pair of the query's symbol counts
    ([pair_instance] without [once]). *)
Definition Induction s a m : task ('I_s * 'I_a + 'I_s) 'I_a m := fun x q y =>
  exists (p : 'I_m -> 'I_s * 'I_a) (j : 'I_m),
  (forall i : 'I_m, (j < i)%N -> (p i).1 <> (p j).1) /\ x = inl \o p /\ q = inr (p j).1 /\ y = (p j).2.

(** A number sequence of DYN, letters and integers, is valid if each integer [i] at place [j] has [i >= 1] and
    [j - i >= 1], places counted from 1 ([require_valid_index]). *)
Definition valid_numbers k m (x : 'I_m -> 'I_k + nat) (q : 'I_k + nat) : Prop :=
  forall j i, (j <= m)%N -> token_at x q j = inr i -> (0 < i <= j)%N.

(** DYN's Index, read at the last token: an integer becomes the token so many places before it where that is a letter;
    all else stays ([index_function], [number_instance]). *)
Definition Whole_index k m : task ('I_k + nat) ('I_k + nat) m := fun x q y =>
  valid_numbers x q /\
  y = match q with
      | inl _ => q
      | inr i => match token_at x q (m - i) with inl letter => inl letter | inr _ => q end
      end.

(** A letter sequence of DYN, pairs of a letter and a letter or number, is proper: where a pair's right half is a
    letter, some pair at its own place or before has it as left letter, and all that have it are one symbol
    ([require_proper]). *)
Definition proper k r m (x : 'I_m -> 'I_k * ('I_k + 'I_r)) (q : 'I_k * ('I_k + 'I_r)) : Prop :=
  forall j c, (j <= m)%N -> (token_at x q j).2 = inl c ->
  exists t, (exists i, (i <= j)%N /\ token_at x q i = t) /\ t.1 = c /\
            forall i, (i <= j)%N -> (token_at x q i).1 = c -> token_at x q i = t.

(** DYN's Retrieval, read at the last token: a pair of letters becomes the pair, there or before, whose left letter is
    its right one; a letter-number pair stays ([retrieval_function], [letter_instance]). *)
Definition Whole_retrieval k r m : task ('I_k * ('I_k + 'I_r)) ('I_k * ('I_k + 'I_r)) m := fun x q y =>
  proper x q /\
  match q.2 with
  | inl c => y.1 = c /\ exists i, (i <= m)%N /\ token_at x q i = y
  | inr _ => y = q
  end.

(** ** Value and output maps *)

(** One-hot embeddings with [VAL] the identity: a token has the value 1 at itself and 0 elsewhere. *)
Definition one_hot (T : finType) (t d : T) : R := if t == d then 1 else 0.

(** [F] the projection onto attributes: the score of [y] is the attention on pairs with this attribute ([carried]). *)
Definition projecting s a L : head _ _ ('I_a -> R) :=
  Head L (@one_hot [finType of 'I_s * 'I_a + 'I_s]) (fun z _ y => sum_(c in 'I_s) z (inl (c, y))).

(** Scores affine in the attention output, with a term of the query's own ([AffineCase]). *)
Definition affine T (D : finType) a L VAL (A : 'I_a -> D -> R) (b : 'I_a -> T -> R) : head T D ('I_a -> R) :=
  Head L VAL (fun z q y => sum_(d in D) (A y d * z d) + b y q).

(** [F = a]: the output is the attention output; a token's score is its coordinate. *)
Definition copying (T : finType) L VAL : head T T (T -> R) := Head L VAL (fun z _ => z).

(** ** Inputs, weights and outputs *)

Lemma token_early T m (x : 'I_m -> T) q (j : 'I_m) : token_at x q j = x j.
Proof. by rewrite /token_at valK. Qed.

Lemma token_last T m (x : 'I_m -> T) q : token_at x q m = q.
Proof. by rewrite /token_at insubN ?ltnn. Qed.

(** What holds for the earlier keys and for the query's own holds for all. *)
Lemma keys_ind m (P : 'I_m.+1 -> Prop) : (forall j : 'I_m, P (lift ord_max j)) -> P ord_max -> forall i, P i.
Proof. by move=> early own i; case: (unliftP ord_max i) => [j ->|->]. Qed.

Lemma lift_last m (j : 'I_m) : lift ord_max j = j :> nat.
Proof. by rewrite lift_max. Qed.

Lemma token_lift T m (x : 'I_m -> T) q (j : 'I_m) : token_at x q (lift ord_max j) = x j.
Proof. by rewrite lift_last token_early. Qed.

Lemma logits_early T (L : T -> nat -> T -> nat -> R) m (x : 'I_m -> T) q (j : 'I_m) :
  logits L x q (lift ord_max j) = L q m.+1 (x j) j.+1.
Proof. by rewrite /logits token_lift lift_last. Qed.

Lemma logits_own T (L : T -> nat -> T -> nat -> R) m (x : 'I_m -> T) q :
  logits L x q ord_max = L q m.+1 q m.+1.
Proof. by rewrite /logits token_last. Qed.

Lemma sum_keys m (f : 'I_m.+1 -> R) : sum_(i < m.+1) f i = sum_(j < m) f (lift ord_max j) + f ord_max.
Proof.
rewrite big_ord_recr; congr (_ + _); apply: eq_bigr => j _; congr f.
by apply: ord_inj; rewrite lift_last.
Qed.

Lemma share_ge0 kind n (l : 'I_n -> R) i : 0 <= share kind l i.
Proof. by case: kind => /=; [have := exp_pos (l i); lra | case: ifP; lra]. Qed.

Lemma weight_ge0 kind n (l : 'I_n -> R) i : 0 <= weight kind l i.
Proof.
have nonneg j : true -> 0 <= share kind l j by move=> _; apply: share_ge0.
rewrite /weight; case: (Rle_lt_or_eq_dec 0 (sum_(j < n) share kind l j) (sum_ge0 nonneg)) => [pos|zero].
  by apply: Rmult_le_pos; [apply: nonneg | apply/Rlt_le/Rinv_0_lt_compat].
by rewrite (sum_eq0 nonneg (esym zero) (i := i)) // /Rdiv Rmult_0_l; lra.
Qed.

(** Softmax is the shared one. *)
Lemma weight_softmax n (l : 'I_n -> R) i : weight Softmax l i = softmax l i.
Proof. by []. Qed.

(** Permuted logits have permuted weights. *)
Lemma weight_perm kind n (l l' : 'I_n -> R) (pi : {perm 'I_n}) :
  (forall i, l' i = l (pi i)) -> forall i, weight kind l' i = weight kind l (pi i).
Proof.
move=> permuted.
have same i : share kind l' i = share kind l (pi i).
  case: kind => /=; first by rewrite permuted.
  congr (if _ then 1 else 0); apply/forallP/forallP => top j.
    by have := top (pi^-1 j)%g; rewrite !permuted permKV.
  by rewrite !permuted.
move=> i; rewrite /weight same; congr (_ / _).
by rewrite [RHS](reindex_inj (@perm_inj _ pi)); apply: eq_bigr => j _; apply: same.
Qed.

(** Lemma 1 for the attention output. *)
Lemma attended_order kind T D Out (H : head T D Out) m (x : 'I_m -> T) q (pi : {perm 'I_m}) :
  symbolic_on H x q -> attended kind H (x \o pi) q = attended kind H x q.
Proof.
move=> symbolic; apply: FunctionalExtensionality.functional_extensionality => d.
set all_keys := lift_perm ord_max ord_max pi.
have token (i : 'I_m.+1) : token_at (x \o pi) q i = token_at x q (all_keys i).
  by move: i; apply: keys_ind => [j|]; rewrite ?lift_perm_lift ?lift_perm_id ?token_lift ?token_last.
have logit_ (i : 'I_m.+1) : logits (logit H) (x \o pi) q i = logits (logit H) x q (all_keys i).
  move: i; apply: keys_ind => [j|]; rewrite ?lift_perm_lift ?lift_perm_id ?logits_early ?logits_own //.
  by rewrite /= -(symbolic (pi^-1)%g (pi j)) permK.
rewrite /attended [RHS](reindex_inj (@perm_inj _ all_keys)); apply: eq_bigr => i _.
by rewrite (weight_perm kind logit_) token.
Qed.

(** With the same logits key by key, the same weights. *)
Lemma same_weights kind T (L : T -> nat -> T -> nat -> R) m (x x' : 'I_m -> T) q :
  (forall j : 'I_m, L q m.+1 (x' j) j.+1 = L q m.+1 (x j) j.+1) ->
  weight kind (logits L x' q) = weight kind (logits L x q).
Proof.
move=> same; congr weight; apply: FunctionalExtensionality.functional_extensionality.
by apply: keys_ind => [j|]; rewrite ?logits_early ?logits_own.
Qed.

(** ** Lemma 1, and what no symbolic head computes *)

(** dec.lemma1. If a head is symbolic on an input, then with its earlier tokens in any other order the one-layer model
    gives the same output at the last position, whatever the values and the output map. *)
Theorem dec_lemma1 :
  forall (kind : attention) (T : Type) (D : finType) (Out : Type) (H : head T D Out) (m : nat) (x : 'I_m -> T) (q : T),
  symbolic_on H x q -> forall pi : {perm 'I_m}, output kind H (x \o pi) q = output kind H x q.
Proof.
move=> kind T D Out H m x q symbolic pi.
by rewrite /output (attended_order kind pi symbolic).
Qed.
(* mutant positional
   from: symbolic_on H x q
   to:   positional_on H x q *)
(* mutant first key only
   from: symbolic_on H x q
   to:   (forall (pi : {perm 'I_m}) (j : 'I_m), j = 0%N :> nat ->
         logit H q m.+1 (x j) (pi j).+1 = logit H q m.+1 (x j) j.+1) *)
(* mutant last place kept
   from: symbolic_on H x q
   to:   (forall pi : {perm 'I_m}, (forall j : 'I_m, j.+1 = m -> pi j = j) -> symbolic_under H x q pi) *)
(* mutant first two swapped
   from: symbolic_on H x q
   to:   (forall pi : {perm 'I_m}, (forall j : 'I_m, (2 <= j)%N -> pi j = j) -> symbolic_under H x q pi) *)

(** Two orders of one input with different answers: no symbolic head is right on both, by lemma 1. *)
Lemma two_orders kind T D Y m (H : head T D Y) (f : task T Y m) x q (pi : {perm 'I_m}) y y' :
  symbolic H f -> f x q y -> f (x \o pi) q y' -> y' <> y -> ~ computes kind H f.
Proof.
move=> symbolic fx fx' differ right; apply: differ.
by rewrite -(right _ _ _ fx') -(right _ _ _ fx) (dec_lemma1 kind (symbolic _ _ _ fx)).
Qed.

Lemma two_of n : (2 <= n)%N -> exists i0 i1 : 'I_n, i0 != i1.
Proof. by move=> two; exists (Ordinal (ltnW two)), (Ordinal two). Qed.

Lemma one_of n : (1 <= n)%N -> exists i : 'I_n, True.
Proof. by move=> one; exists (Ordinal one). Qed.

(** The last of at least two places, and another one. *)
Lemma last_of n : (2 <= n)%N -> exists i0 i1 : 'I_n, i0 != i1 /\ i1.+1 = n.
Proof. by case: n => [|[|n]] // _; exists ord0, ord_max. Qed.

(** dec.thm2. With two symbols at least and n >= 3 no head that is symbolic on every valid input of length n computes
    Index, whatever its values and its output map: the inputs (s, t, ..., 1) and (t, s, ..., 1) have the same output and
    different answers. *)
Theorem dec_thm2 :
  forall (kind : attention) (s m : nat) (D : finType) (H : head ('I_s + 'I_m) D 'I_s),
  (2 <= s)%N -> (2 <= m)%N -> symbolic H (@Index s m) -> ~ computes kind H (@Index s m).
Proof.
move=> kind s m D H /two_of[a [b ab]] /two_of[i0 [i1 i01]] symbolic.
pose c (j : 'I_m) := if j == i0 then a else b.
apply: (@two_orders _ _ _ _ _ _ _ (inl \o c) (inr i0) (tperm i0 i1) a b symbolic).
- by exists c, i0; rewrite /c eqxx.
- by exists (c \o tperm i0 i1), i0; rewrite /= tpermL /c eq_sym (negbTE i01).
- by move=> ba; rewrite ba eqxx in ab.
Qed.
(* mutant positional
   from: -> symbolic H
   to:   -> positional H *)
(* mutant last place kept
   from: symbolic H (@Index s m)
   to:   (forall x q y, Index x q y -> forall pi : {perm 'I_m}, (forall j : 'I_m, j.+1 = m -> pi j = j) ->
         symbolic_under H x q pi) *)
(* mutant any alphabet
   from: (2 <= s)%N
   to:   (1 <= s)%N *)
(* mutant two tokens
   from: (2 <= m)%N
   to:   (1 <= m)%N *)

(** dec.cor1.symbolic. With two attributes at least and n >= 3 no head that is symbolic on every valid input of length n
    computes partial induction, whatever its values and its output map: the inputs (..., (s,y1), (s,y2), s) and
    (..., (s,y2), (s,y1), s), for which one symbol is enough, have the same output and different answers. *)
Theorem dec_cor1_symbolic :
  forall (kind : attention) (s a m : nat) (D : finType) (H : head ('I_s * 'I_a + 'I_s) D 'I_a),
  (1 <= s)%N -> (2 <= a)%N -> (2 <= m)%N ->
  symbolic H (@Induction s a m) -> ~ computes kind H (@Induction s a m).
Proof.
move=> kind s a m D H /one_of[c _] /two_of[y1 [y2 y12]] /last_of[i0 [i1 [i01 last]]] symbolic.
pose p (j : 'I_m) := (c, if j == i1 then y2 else y1).
have none_later (i : 'I_m) : (i1 < i)%N = false by apply/negbTE; rewrite -leqNgt -ltnS last.
apply: (@two_orders _ _ _ _ _ _ _ (inl \o p) (inr c) (tperm i0 i1) y2 y1 symbolic).
- by exists p, i1; rewrite /p /= eqxx; split=> // i; rewrite none_later.
- by exists (p \o tperm i0 i1), i1; rewrite /p /= tpermR (negbTE i01); split=> // i; rewrite none_later.
- by move=> y; rewrite y eqxx in y12.
Qed.
(* mutant positional
   from: symbolic H
   to:   positional H *)
(* mutant last place kept
   from: symbolic H (@Induction s a m)
   to:   (forall x q y, Induction x q y -> forall pi : {perm 'I_m}, (forall j : 'I_m, j.+1 = m -> pi j = j) ->
         symbolic_under H x q pi) *)
(* mutant any alphabet
   from: (2 <= a)%N
   to:   (1 <= a)%N *)
(* mutant two tokens
   from: (2 <= m)%N
   to:   (1 <= m)%N *)

(** A number sequence is valid if its integers before the last one reach back to a token, and the last one does. *)
Lemma valid_split k m (x : 'I_m -> 'I_k + nat) i :
  (forall (j : 'I_m) i', x j = inr i' -> (0 < i' <= j)%N) -> (0 < i <= m)%N -> valid_numbers x (inr i).
Proof.
move=> early own j i'; rewrite leq_eqVlt => /orP[/eqP->|lt]; first by rewrite token_last => -[<-].
by rewrite -[j]/(nat_of_ord (Ordinal lt)) token_early => /early.
Qed.

(** What the last token 1 becomes: the token before it, if that is a letter. *)
Lemma step_back k m (x : 'I_m -> 'I_k + nat) (last : 'I_m) : last.+1 = m ->
  (forall (j : 'I_m) i', x j = inr i' -> (0 < i' <= j)%N) ->
  Whole_index x (inr 1%N) (match x last with inl letter => inl letter | inr _ => inr 1%N end).
Proof.
move=> is_last early; split.
  by apply: valid_split => //; rewrite -is_last.
by rewrite -[in (m - 1)%N]is_last subn1 /= token_early.
Qed.

Lemma two_letters kind k m (D : finType) (H : head ('I_k + nat) D ('I_k + nat)) :
  (2 <= k)%N -> (2 <= m)%N -> symbolic H (@Whole_index k m) -> ~ computes kind H (@Whole_index k m).
Proof.
move=> /two_of[a [b ab]] /last_of[i0 [i1 [i01 last]]] symbolic.
pose x (j : 'I_m) : 'I_k + nat := inl (if j == i1 then b else a).
have first := @step_back k m x i1 last (fun j i e => ltac:(by [])).
have second := @step_back k m (x \o tperm i0 i1) i1 last (fun j i e => ltac:(by [])).
apply: (two_orders symbolic first second) => /=.
by rewrite tpermR eqxx (negbTE i01) => -[e]; rewrite e eqxx in ab.
Qed.

Lemma four_tokens kind k m (D : finType) (H : head ('I_k + nat) D ('I_k + nat)) :
  (1 <= k)%N -> (3 <= m)%N -> symbolic H (@Whole_index k m) -> ~ computes kind H (@Whole_index k m).
Proof.
move=> /one_of[a _] three symbolic.
have [i1 last] : exists i : 'I_m, i.+1 = m by case: m three {symbolic} H => // m' _ _; exists ord_max.
have [i0 before] : exists i : 'I_m, i.+1 = i1.
  by exists (Ordinal (leq_ltn_trans (leq_pred i1) (ltn_ord i1))); rewrite /= prednK // -ltnS last ltnW.
have reach : (1 <= i0)%N by rewrite -[(1 <= i0)%N]/(2 < i0.+2)%N before last.
have i01 : (i1 == i0) = false by rewrite -val_eqE /= -before gtn_eqF.
pose x (j : 'I_m) : 'I_k + nat := if j == i0 then inr 1%N else inl a.
have early (j : 'I_m) i : x j = inr i -> (0 < i <= j)%N by rewrite /x; case: eqP => // -> [<-].
have early' (j : 'I_m) i : (x \o tperm i0 i1) j = inr i -> (0 < i <= j)%N.
  rewrite /x /=; case: tpermP => [->|->|]; last by case: eqP.
    by rewrite i01.
  by rewrite eqxx => -[<-]; rewrite -before.
apply: (two_orders symbolic (step_back last early) (step_back last early')) => /=.
by rewrite tpermR /x eqxx i01.
Qed.

(** dyn.rem3.1.index. With two letters at least, or n >= 4, and n >= 3, no head that is symbolic on every valid input of
    length n computes Index on whole sequences, read at the last token, whatever its values and its output map: the
    inputs (..., x, y, 1) and (..., y, x, 1) with two letters, or (a, 1, a, 1) and (a, a, 1, 1) with one letter, at
    greater length after more letters a, have the same output and different answers. *)
Theorem dyn_rem3_1_index :
  forall (kind : attention) (k m : nat) (D : finType) (H : head ('I_k + nat) D ('I_k + nat)),
  (1 <= k)%N -> (2 <= k)%N \/ (3 <= m)%N -> (2 <= m)%N ->
  symbolic H (@Whole_index k m) -> ~ computes kind H (@Whole_index k m).
Proof.
move=> kind k m D H one room two symbolic; case: room => [letters|three].
- exact: two_letters letters two symbolic.
- exact: four_tokens one three symbolic.
Qed.
(* mutant positional
   from: -> symbolic H
   to:   -> positional H *)
(* mutant last place kept
   from: symbolic H (@Whole_index k m)
   to:   (forall x q y, Whole_index x q y -> forall pi : {perm 'I_m}, (forall j : 'I_m, j.+1 = m -> pi j = j) ->
         symbolic_under H x q pi) *)
(* mutant any alphabet
   from: (2 <= k)%N
   to:   (1 <= k)%N *)
(* mutant two tokens
   from: (2 <= m)%N
   to:   (1 <= m)%N *)

(** ** What positional heads cannot compute with the projection, or with any affine output map *)

(** The input whose pair at each place has this symbol and this attribute. *)
Definition with_pairs s a m (symbol : 'I_m -> 'I_s) (attribute : 'I_m -> 'I_a) : 'I_m -> 'I_s * 'I_a + 'I_s :=
  fun j => inl (symbol j, attribute j).

(** Symbols that stand in one input, all with one attribute, have the same logit with it at each place. *)
Lemma swapped_symbols s a m (D : finType) Out (H : head ('I_s * 'I_a + 'I_s) D Out)
    (symbol : 'I_m -> 'I_s) (attribute : 'I_m -> 'I_a) (i0 i1 : 'I_m) q :
  (forall y, positional_on H (with_pairs symbol (fun _ => y)) q) -> forall j : 'I_m,
  logit H q m.+1 (with_pairs (symbol \o tperm i0 i1) attribute j) j.+1 =
  logit H q m.+1 (with_pairs symbol attribute j) j.+1.
Proof. by move=> positional j; apply: (positional (attribute j) (tperm i0 i1) j). Qed.

(** The score of an attribute is the weight on the pairs that have it. *)
Lemma projected kind s a L m (x : 'I_m -> 'I_s * 'I_a + 'I_s) q y :
  output kind (projecting L) x q y =
  sum_(i < m.+1) (weight kind (logits L x q) i * (if token_at x q i is inl p then if p.2 == y then 1 else 0 else 0)).
Proof.
rewrite /output /attended /= exchange_big; apply: eq_bigr => i _; rewrite sum_scale; congr (_ * _).
rewrite /one_hot; case: (token_at x q i) => [[c z]|c] /=; last by rewrite big1.
rewrite (bigD1 c) //= big1 => [|c' ne]; first by rewrite Rplus_0_r -[inl _ == _]/((c == c) && (z == y)) eqxx.
by rewrite -[inl _ == _]/((c == c') && (z == y)) eq_sym (negbTE ne).
Qed.

(** Inputs that hold the same attributes place by place, with the same logits, have the same scores. *)
Lemma blind_projection kind s a m L (symbol : 'I_m -> 'I_s) (attribute : 'I_m -> 'I_a) (i0 i1 : 'I_m) q y :
  (forall y, positional_on (projecting L) (with_pairs symbol (fun _ => y)) q) ->
  output kind (projecting L) (with_pairs (symbol \o tperm i0 i1) attribute) q y =
  output kind (projecting L) (with_pairs symbol attribute) q y.
Proof.
move=> /swapped_symbols same; rewrite !projected; apply: eq_bigr => i _.
rewrite (same_weights kind (same attribute i0 i1)); congr (_ * _); move: i.
by apply: keys_ind => [j|]; rewrite ?token_lift ?token_last.
Qed.

(** Inputs with the same scores and different answers are not both answered rightly. *)
Lemma same_scores kind T D Y m (H : head T D (Y -> R)) (f : task T Y m) x x' q (y1 y2 : Y) :
  y1 <> y2 -> f x q y1 -> f x' q y2 -> (forall y, output kind H x' q y = output kind H x q y) -> ~ decides kind H f.
Proof.
move=> differ first second same right.
have := right _ _ _ first y2 (not_eq_sym differ); have := right _ _ _ second y1 differ.
by rewrite !same; lra.
Qed.

Lemma retrieval_at s a m (symbol : 'I_m -> 'I_s) (attribute : 'I_m -> 'I_a) j c y :
  injective symbol -> symbol j = c -> attribute j = y -> Retrieval (with_pairs symbol attribute) (inr c) y.
Proof. by move=> once <- <-; exists (fun j => (symbol j, attribute j)), j. Qed.

Lemma distinct_symbols s m : (m <= s)%N -> exists symbol : 'I_m -> 'I_s, injective symbol.
Proof. by move=> le; exists (widen_ord le) => i j e; apply/val_inj/(congr1 val e). Qed.

(** dec.thm4. With one-hot pairs, VAL the identity, F the projection onto attributes, two attributes at least and
    n >= 3, no head that is positional on every valid input of length n computes Retrieval: ((s1,y1), (s2,y2), s1) and
    ((s2,y1), (s1,y2), s1) hold the same attributes place by place, with the same weights, but have different answers.
    An input of length n has n - 1 different symbols, so there are as many at least. *)
Theorem dec_thm4 :
  forall (kind : attention) (s a m : nat) (L : 'I_s * 'I_a + 'I_s -> nat -> 'I_s * 'I_a + 'I_s -> nat -> R),
  (2 <= a)%N -> (2 <= m)%N -> (m <= s)%N ->
  positional (projecting L) (@Retrieval s a m) -> ~ decides kind (projecting L) (@Retrieval s a m).
Proof.
move=> kind s a m L /two_of[y1 [y2 y12]] /two_of[i0 [i1 i01]] /distinct_symbols[symbol once] positional.
pose attribute (j : 'I_m) := if j == i0 then y1 else y2.
have one y : positional_on (projecting L) (with_pairs symbol (fun _ => y)) (inr (symbol i0)).
  by apply: (positional _ _ y); apply: (retrieval_at (j := i0)).
have swapped_once : injective (symbol \o tperm i0 i1) by apply: inj_comp once perm_inj.
have first : Retrieval (with_pairs symbol attribute) (inr (symbol i0)) y1.
  by apply: (retrieval_at (j := i0)) => //; rewrite /attribute eqxx.
have second : Retrieval (with_pairs (symbol \o tperm i0 i1) attribute) (inr (symbol i0)) y2.
  by apply: (retrieval_at (j := i1)) => //; rewrite /attribute /= ?tpermR // eq_sym (negbTE i01).
exact: same_scores (elimN eqP y12) first second (fun y => blind_projection kind attribute i0 i1 y one).
Qed.
(* mutant any head
   from: positional (projecting L) (@Retrieval s a m) ->
   to: *)
(* mutant one attribute
   from: (2 <= a)%N
   to:   (1 <= a)%N *)
(* mutant two tokens
   from: (2 <= m)%N
   to:   (1 <= m)%N *)
(* mutant any output map
   from: ~ decides kind (projecting L) (@Retrieval s a m)
   to:   forall (D : finType) (V : 'I_s * 'I_a + 'I_s -> D -> R) F, ~ computes kind (Head L V F) (@Retrieval s a m) *)

(** The query's symbol stands at one place only. *)
Lemma induction_at s a m (symbol : 'I_m -> 'I_s) (attribute : 'I_m -> 'I_a) j c y :
  (forall i, i != j -> symbol i != c) -> symbol j = c -> attribute j = y ->
  Induction (with_pairs symbol attribute) (inr c) y.
Proof.
move=> once at_j <-; exists (fun j => (symbol j, attribute j)), j; rewrite /= at_j; split=> // i later.
by apply/eqP/once; rewrite -val_eqE /= gtn_eqF.
Qed.

(** dec.cor1.positional. With one-hot pairs, VAL the identity, F the projection onto attributes, two symbols and two
    attributes at least and n >= 3, no head that is positional on every valid input of length n computes partial
    induction: two inputs as in theorem 4, filled up with copies of (s2,y2), contradict each other. *)
Theorem dec_cor1_positional :
  forall (kind : attention) (s a m : nat) (L : 'I_s * 'I_a + 'I_s -> nat -> 'I_s * 'I_a + 'I_s -> nat -> R),
  (2 <= s)%N -> (2 <= a)%N -> (2 <= m)%N ->
  positional (projecting L) (@Induction s a m) -> ~ decides kind (projecting L) (@Induction s a m).
Proof.
move=> kind s a m L /two_of[c1 [c2 c12]] /two_of[y1 [y2 y12]] /two_of[i0 [i1 i01]] positional.
pose symbol (j : 'I_m) := if j == i0 then c1 else c2;
pose attribute (j : 'I_m) := if j == i0 then y1 else y2.
have c21 : c2 != c1 by rewrite eq_sym.
have i10 : (i1 == i0) = false by rewrite eq_sym (negbTE i01).
have one y : positional_on (projecting L) (with_pairs symbol (fun _ => y)) (inr c1).
  by apply: (positional _ _ y); apply: (induction_at (j := i0)); rewrite /symbol ?eqxx // => i /negbTE->.
have first : Induction (with_pairs symbol attribute) (inr c1) y1.
  by apply: (induction_at (j := i0)); rewrite /symbol /attribute ?eqxx // => i /negbTE->.
have second : Induction (with_pairs (symbol \o tperm i0 i1) attribute) (inr c1) y2.
  apply: (induction_at (j := i1)); rewrite /symbol /attribute /= ?tpermR ?eqxx ?i10 // => i.
  by case: tpermP => [->|->|/eqP/negbTE->]; rewrite ?eqxx ?i10.
exact: same_scores (elimN eqP y12) first second (fun y => blind_projection kind attribute i0 i1 y one).
Qed.
(* mutant any head
   from: positional (projecting L) (@Induction s a m) ->
   to: *)
(* mutant one attribute
   from: (2 <= a)%N
   to:   (1 <= a)%N *)
(* mutant two tokens
   from: (2 <= m)%N
   to:   (1 <= m)%N *)
(* mutant one symbol
   from: (2 <= s)%N
   to:   (1 <= s)%N *)
(* mutant any output map
   from: ~ decides kind (projecting L) (@Induction s a m)
   to:   forall (D : finType) (V : 'I_s * 'I_a + 'I_s -> D -> R) F, ~ computes kind (Head L V F) (@Induction s a m) *)

(** An affine score is a weighted sum over tokens, and a term of the query's own. *)
Lemma affine_score kind T (D : finType) a L V (A : 'I_a -> D -> R) b m (x : 'I_m -> T) q y :
  output kind (affine L V A b) x q y =
  sum_(i < m.+1) (weight kind (logits L x q) i * sum_(d in D) (A y d * V (token_at x q i) d)) + b y q.
Proof.
rewrite /output /attended /=; congr (_ + _).
rewrite (eq_bigr (fun d => sum_(i < m.+1) (weight kind (logits L x q) i * (A y d * V (token_at x q i) d)))).
  by rewrite exchange_big; apply: eq_bigr => i _; rewrite sum_scale.
by move=> d _; rewrite -sum_scale; apply: eq_bigr => i _ /=; ring.
Qed.

(** The same weights on four inputs: [x] and [x'] differ at the places [i0] and [i1] alone, and each comes with these
    two places swapped. What a sum over tokens tells between them is the weight on both places times one difference. *)
Lemma parity T m (x x' : 'I_m -> T) q (i0 i1 : 'I_m) (w : 'I_m.+1 -> R) (g : T -> R) :
  i0 != i1 -> (forall j, j != i0 -> j != i1 -> x' j = x j) ->
  let total z := sum_(i < m.+1) (w i * g (token_at z q i)) in
  total x + total (x \o tperm i0 i1) - total x' - total (x' \o tperm i0 i1) =
  (w (lift ord_max i0) + w (lift ord_max i1)) * (g (x i0) + g (x i1) - g (x' i0) - g (x' i1)).
Proof.
move=> i01 same /=; rewrite -!sum_add -!sum_sub sum_keys !token_last (bigD1 i0) // (bigD1 i1) 1?eq_sym //= big1.
  by rewrite !token_lift /= tpermL tpermR; ring.
by move=> j /andP[n0 n1]; rewrite !token_lift /= tpermD 1?eq_sym // same //; ring.
Qed.

(** A positional head gives pairs of two symbols and two attributes one logit at each place. *)
Lemma four_logits s a m (D : finType) Out (H : head ('I_s * 'I_a + 'I_s) D Out)
    (symbol : 'I_m -> 'I_s) (attribute : 'I_m -> 'I_a) (i0 i1 : 'I_m) q :
  (forall attribute, positional_on H (with_pairs symbol attribute) q) -> forall j : 'I_m,
  logit H q m.+1 (with_pairs symbol (attribute \o tperm i0 i1) j) j.+1 =
  logit H q m.+1 (with_pairs symbol attribute j) j.+1.
Proof.
move=> positional j; rewrite -(positional attribute (tperm i0 i1) j).
exact: esym (positional (fun _ => attribute (tperm i0 i1 j)) (tperm i0 i1) j).
Qed.

Lemma retrieval_order s a m (x : 'I_m -> 'I_s * 'I_a + 'I_s) q y (pi : {perm 'I_m}) :
  Retrieval x q y -> Retrieval (x \o pi) q y.
Proof.
move=> [p [j [once [-> [-> ->]]]]]; exists (p \o pi), (pi^-1 j)%g; rewrite /= permKV; split=> //.
exact: inj_comp once perm_inj.
Qed.

(** Four inputs for one query: [u y t] is [A_y VAL(t)]. Two have the answer [y] and two, with the attributes at two
    places exchanged, have [y']; each says that a score is larger than another, and these add up. *)
Lemma told_apart kind s a m (D : finType) L V (A : 'I_a -> D -> R) b q y y'
    (symbol : 'I_m -> 'I_s) (attribute : 'I_m -> 'I_a) (i0 i1 : 'I_m) :
  let H := affine L V A b in
  let x := with_pairs symbol attribute in
  let x' := with_pairs symbol (attribute \o tperm i0 i1) in
  let gap t := sum_(d in D) (A y d * V t d) - sum_(d in D) (A y' d * V t d) in
  (forall attribute, positional_on H (with_pairs symbol attribute) q) -> decides kind H (@Retrieval s a m) ->
  i0 != i1 -> y <> y' -> Retrieval x q y -> Retrieval x' q y' ->
  exists W, 0 <= W /\ 0 < W * (gap (x i0) + gap (x i1) - gap (x' i0) - gap (x' i1)).
Proof.
move=> H x x' gap positional right i01 differ answer answer'.
pose w := weight kind (logits L x q); pose swap := tperm i0 i1.
exists (w (lift ord_max i0) + w (lift ord_max i1)); split.
  by apply: Rplus_le_le_0_compat; apply: weight_ge0.
have scores z : (forall j : 'I_m, L q m.+1 (z j) j.+1 = L q m.+1 (x j) j.+1) ->
    output kind H z q y - output kind H z q y' = sum_(i < m.+1) (w i * gap (token_at z q i)) + (b y q - b y' q).
  move=> same; rewrite !affine_score (same_weights kind same) -/w.
  have -> : sum_(i < m.+1) (w i * gap (token_at z q i)) =
            sum_(i < m.+1) (w i * sum_(d in D) (A y d * V (token_at z q i) d)) -
            sum_(i < m.+1) (w i * sum_(d in D) (A y' d * V (token_at z q i) d)).
    by rewrite -sum_sub; apply: eq_bigr => i _; rewrite /gap; ring.
  by ring.
have swapped z : (forall j : 'I_m, L q m.+1 ((z \o swap) j) j.+1 = L q m.+1 (z j) j.+1) ->
    (forall j : 'I_m, L q m.+1 (z j) j.+1 = L q m.+1 (x j) j.+1) ->
    forall j : 'I_m, L q m.+1 ((z \o swap) j) j.+1 = L q m.+1 (x j) j.+1 by move=> one other j; rewrite one other.
have logits' j : L q m.+1 (x' j) j.+1 = L q m.+1 (x j) j.+1 := four_logits attribute i0 i1 positional j.
have others j : j != i0 -> j != i1 -> x' j = x j.
  by move=> n0 n1; rewrite /x' /x /with_pairs /= tpermD 1?eq_sym.
have differ' := not_eq_sym differ.
rewrite -(parity q w gap i01 others).
have := right _ _ _ answer _ differ'; have := right _ _ _ answer' _ differ.
have := right _ _ _ (retrieval_order swap answer) _ differ'.
have := right _ _ _ (retrieval_order swap answer') _ differ.
have := scores x (fun _ => erefl); have := scores x' logits'.
have := scores (x \o swap) (swapped x (positional attribute swap) (fun _ => erefl)).
have := scores (x' \o swap) (swapped x' (positional (attribute \o swap) swap) logits').
rewrite -/swap; lra.
Qed.

(** dec.thm4.affine. Whatever the values and whatever term the output map adds for the query, if the scores are affine
    in the attention output then no head that is positional on every valid input computes Retrieval, from two attributes
    and two pairs on: eight inputs cannot all be right. *)
Theorem dec_thm4_affine :
  forall (kind : attention) (s a m : nat) (D : finType)
    (L : 'I_s * 'I_a + 'I_s -> nat -> 'I_s * 'I_a + 'I_s -> nat -> R) (VAL : 'I_s * 'I_a + 'I_s -> D -> R)
    (A : 'I_a -> D -> R) (b : 'I_a -> 'I_s * 'I_a + 'I_s -> R),
  (2 <= a)%N -> (2 <= m)%N -> (m <= s)%N ->
  positional (affine L VAL A b) (@Retrieval s a m) -> ~ decides kind (affine L VAL A b) (@Retrieval s a m).
Proof.
move=> kind s a m D L V A b /two_of[y1 [y2 y12]] /two_of[i0 [i1 i01]] /distinct_symbols[symbol once] positional right.
pose attribute (j : 'I_m) := if j == i0 then y1 else y2.
have i10 : (i1 == i0) = false by rewrite eq_sym (negbTE i01).
have differ : y1 <> y2 by apply/eqP.
have valid i (tau : 'I_m -> 'I_a) y : tau i = y -> Retrieval (with_pairs symbol tau) (inr (symbol i)) y.
  exact: (retrieval_at (j := i)).
have everywhere i tau : positional_on (affine L V A b) (with_pairs symbol tau) (inr (symbol i)).
  by apply: (positional _ _ (tau i)); apply: valid.
have at0 : attribute i0 = y1 by rewrite /attribute eqxx.
have at1 : attribute i1 = y2 by rewrite /attribute i10.
have at0' : (attribute \o tperm i0 i1) i0 = y2 by rewrite /= tpermL.
have at1' : (attribute \o tperm i0 i1) i1 = y1 by rewrite /= tpermR.
have [W [W0 first]] := told_apart (everywhere i0) right i01 differ (valid _ _ _ at0) (valid _ _ _ at0').
have [W' [W'0 second]] :=
  told_apart (everywhere i1) right i01 (not_eq_sym differ) (valid _ _ _ at1) (valid _ _ _ at1').
have pos (u v : R) : 0 <= u -> 0 < u * v -> 0 < v by nra.
by move: (pos _ _ W0 first) (pos _ _ W'0 second); lra.
Qed.
(* mutant symbolic
   from: -> positional (affine
   to:   -> symbolic (affine *)
(* mutant one attribute
   from: (2 <= a)%N
   to:   (1 <= a)%N *)
(* mutant two tokens
   from: (2 <= m)%N
   to:   (1 <= m)%N *)
(* mutant any output map
   from: ~ decides kind (affine L VAL A b) (@Retrieval s a m)
   to:   forall F, ~ computes kind (Head L VAL F) (@Retrieval s a m) *)

(** ** DYN's Retrieval: the token with the most attention *)

(** Of two tokens that stand in one input at the places [i0] and [i1], with copies of the second at the other places,
    the first does not have the most attention both there and with these two places swapped. *)
Lemma both_places kind (T : finType) L m (x : 'I_m -> T) q (t t' : T) (i0 i1 : 'I_m) :
  let H := copying L (@one_hot T) in
  positional_on H x q -> t <> t' -> q <> t -> i0 <> i1 -> (forall j, x j = if j == i0 then t else t') ->
  output kind H x q t' < output kind H x q t ->
  output kind H (x \o tperm i0 i1) q t' < output kind H (x \o tperm i0 i1) q t -> False.
Proof.
move=> H positional differ own i01 held.
have same := same_weights kind (positional (tperm i0 i1)).
rewrite /output /attended /H /= in same *; rewrite same; set w := weight _ _ => first second.
apply: (Rle_not_lt _ _ _ (Rplus_lt_compat _ _ _ _ first second)).
rewrite -!sum_add; apply: sum_le => i _; rewrite -!Rmult_plus_distr_l; apply: Rmult_le_compat_l.
  exact: weight_ge0.
have i10 : (i1 == i0) = false by apply/eqP => e; apply: i01.
have t't : (t' == t) = false by apply/eqP => e; apply: differ.
have tt' : (t == t') = false by apply/eqP.
have qt : (q == t) = false by apply/eqP.
move: i; apply: keys_ind => [j|]; rewrite ?token_lift ?token_last /one_hot.
  rewrite /= !held; case: tpermP => [->|->|/eqP/negbTE n0 _]; by rewrite ?eqxx ?n0 ?i10 ?eqxx ?t't ?tt'; lra.
by rewrite qt; case: ifP => _; lra.
Qed.

(** Letter-letter pairs [(b,b)] and [(c,c)], then [(c,b)], which names [(b,b)]. *)
Lemma names_target k r m (b c : 'I_k) (x : 'I_m -> 'I_k * ('I_k + 'I_r)) (i : 'I_m) :
  b <> c -> (forall j, x j = (b, inl b) \/ x j = (c, inl c)) -> x i = (b, inl b) ->
  Whole_retrieval x (c, inl b) (b, inl b).
Proof.
move=> differ held at_i; split; last by split=> //; exists i; rewrite token_early ltnW.
have all j : (j < m)%N -> token_at x (c, inl b) j = (b, inl b) \/ token_at x (c, inl b) j = (c, inl c).
  by move=> lt; rewrite -[j]/(nat_of_ord (Ordinal lt)) token_early.
move=> j e le named.
case: (ltnP j m) => [lt|ge].
  exists (token_at x (c, inl b) j); split; first by exists j.
  have only j' : (j' <= j)%N -> token_at x (c, inl b) j' = (b, inl b) \/ token_at x (c, inl b) j' = (c, inl c).
    by move=> le'; apply: all; apply: leq_ltn_trans lt.
  move: named; case: (all j lt) => -> [<-]; split=> // j' /only[] -> //= eq; case: differ; exact: esym eq || exact: eq.
have own : j = m by apply/eqP; rewrite eqn_leq le.
move: named; rewrite own token_last => -[<-].
exists (b, inl b); split; first by exists i; rewrite token_early ltnW.
split=> // j'; rewrite leq_eqVlt => /orP[/eqP->|/all[]->] //=; first by rewrite token_last => /= eq; case: differ.
by move=> eq; case: differ.
Qed.

(** dyn.rem3.1.retrieval. With one-hot pairs, VAL the identity and F = a, the token with the most attention, two letters
    at least and n >= 3, no head that is positional on every proper input of length n computes Retrieval at the last
    token: with the pairs (b,b) and (c,c), which name themselves, ((b,b), (c,c), (c,b)) and ((c,c), (b,b), (c,b)) ask
    for more weight at the first place than at the second and for less; at greater length further copies of (c,c)
    stand before the query. There need be no numbers. *)
Theorem dyn_rem3_1_retrieval :
  forall (kind : attention) (k r m : nat)
    (L : 'I_k * ('I_k + 'I_r) -> nat -> 'I_k * ('I_k + 'I_r) -> nat -> R),
  (2 <= k)%N -> (2 <= m)%N ->
  positional (copying L (@one_hot _)) (@Whole_retrieval k r m) ->
  ~ decides kind (copying L (@one_hot _)) (@Whole_retrieval k r m).
Proof.
move=> kind k r m L /two_of[b [c bc]] /two_of[i0 [i1 i01]] positional right.
have differ : b <> c by apply/eqP.
pose x (j : 'I_m) : 'I_k * ('I_k + 'I_r) := if j == i0 then (b, inl b) else (c, inl c).
have first : Whole_retrieval x (c, inl b) (b, inl b).
  by apply: (names_target (i := i0)) => // [j|]; rewrite /x ?eqxx //; case: ifP; [left | right].
have second : Whole_retrieval (x \o tperm i0 i1) (c, inl b) (b, inl b).
  by apply: (names_target (i := i1)) => // [j|]; rewrite /x /= ?tpermR ?eqxx //; case: ifP; [left | right].
apply: (both_places (positional _ _ _ first) _ _ (elimN eqP i01) (fun j => erefl (x j))
  (right _ _ _ first (c, inl c) _) (right _ _ _ second (c, inl c) _)) => [[e]|[e]|[e]|[e]]; by case: differ.
Qed.
(* mutant symbolic
   from: -> positional (copying
   to:   -> symbolic (copying *)
(* mutant one letter
   from: (2 <= k)%N
   to:   (1 <= k)%N *)
(* mutant two tokens
   from: (2 <= m)%N
   to:   (1 <= m)%N *)
(* mutant any output map
   from: ~ decides kind (copying L (@one_hot _)) (@Whole_retrieval k r m)
   to:   forall (D : finType) (V : 'I_k * ('I_k + 'I_r) -> D -> R) F,
         ~ computes kind (Head L V F) (@Whole_retrieval k r m) *)

(** ** With any output map, with any value map, over the least alphabets *)

(** The attention output by softmax, written out. *)
Lemma attended_softmax T D Out (H : head T D Out) m (x : 'I_m -> T) q d :
  let e t j := exp (logit H q m.+1 t j) in
  attended Softmax H x q d =
  (sum_(j < m) (e (x j) j.+1 * value H (x j) d) + e q m.+1 * value H q d) / (sum_(j < m) e (x j) j.+1 + e q m.+1).
Proof.
move=> e; have all : sum_(i < m.+1) exp (logits (logit H) x q i) = sum_(j < m) e (x j) j.+1 + e q m.+1.
  by rewrite sum_keys logits_own; congr (_ + _); apply: eq_bigr => j _; rewrite logits_early.
rewrite /attended sum_keys token_last /weight /= all logits_own -/(e q m.+1); set total := _ + e q m.+1.
have -> : sum_(j < m) (exp (logits (logit H) x q (lift ord_max j)) / total *
                       value H (token_at x q (lift ord_max j)) d) =
          / total * sum_(j < m) (e (x j) j.+1 * value H (x j) d).
  by rewrite -sum_scale; apply: eq_bigr => j _; rewrite token_lift logits_early -/(e _ _) /Rdiv; ring.
rewrite /Rdiv Rmult_plus_distr_r [/ total * _]Rmult_comm; congr (_ + _).
by rewrite Rmult_assoc [/ total * _]Rmult_comm -Rmult_assoc.
Qed.

Lemma one_hot_same (T : finType) (t : T) : one_hot t t = 1.
Proof. by rewrite /one_hot eqxx. Qed.

(** By softmax a token has attention exactly if it stands in the input. *)
Lemma attention_shows (T : finType) Out L (F : (T -> R) -> T -> Out) m (x : 'I_m -> T) q t :
  0 < attended Softmax (Head L (@one_hot T) F) x q t <-> (exists i, (i <= m)%N /\ token_at x q i = t).
Proof.
have nonneg (i : 'I_m.+1) t' : 0 <= weight Softmax (logits L x q) i * one_hot (token_at x q i) t'.
  by apply: Rmult_le_pos; [apply: weight_ge0 | rewrite /one_hot; case: ifP; lra].
split=> [|[i [le <-]]].
  case: (boolP [exists i : 'I_m.+1, token_at x q i == t]) => [/existsP[i /eqP <-] _|/existsPn none].
    by exists i; rewrite -ltnS.
  by rewrite /attended big1 => [|i _]; [lra | rewrite /= /one_hot (negbTE (none i)); ring].
rewrite -ltnS in le; rewrite /attended (bigD1 (Ordinal le)) //= one_hot_same Rmult_1_r.
apply: Rplus_lt_le_0_compat; first exact: softmax_gt0.
by apply: sum_ge0 => j _; apply: nonneg.
Qed.

Lemma of_two (y : 'I_2) : y = ord0 \/ y = ord_max.
Proof. by case: y => [[|[|]]] // lt; [left | right]; apply: val_inj. Qed.

(** dec.thm2.any-alphabet. Read literally, over each alphabet and at each length n >= 2 by itself, theorem 2 is false:
    with one symbol and one place to name, there is one answer. *)
Theorem dec_thm2_any_alphabet_fails :
  ~ (forall (kind : attention) (s m : nat) (D : finType) (H : head ('I_s + 'I_m) D 'I_s),
     (1 <= s)%N -> (1 <= m)%N -> symbolic H (@Index s m) -> ~ computes kind H (@Index s m)).
Proof.
pose H : head ('I_1 + 'I_1) [finType of 'I_1] 'I_1 := Head (fun _ _ _ _ => 0) (fun _ _ => 0) (fun _ _ => ord0).
by move=> /(_ Softmax 1%N 1%N _ H isT isT); apply=> // x q y _; rewrite [y]ord1.
Qed.
(* counterexample: {"symbols": 1, "length": 2, "factors": []} *)
(* mutant two symbols and two places
   from: (1 <= s)%N -> (1 <= m)%N
   to:   (2 <= s)%N -> (2 <= m)%N *)

(** dec.cor1.symbolic.any-alphabet. Read literally, over each alphabet and at each length n >= 2 by itself, the symbolic
    half of corollary 1 is false: with one attribute there is one answer. *)
Theorem dec_cor1_symbolic_any_alphabet_fails :
  ~ (forall (kind : attention) (s a m : nat) (D : finType) (H : head ('I_s * 'I_a + 'I_s) D 'I_a),
     (1 <= s)%N -> (1 <= a)%N -> (1 <= m)%N ->
     symbolic H (@Induction s a m) -> ~ computes kind H (@Induction s a m)).
Proof.
pose H : head ('I_1 * 'I_1 + 'I_1) [finType of 'I_1] 'I_1 :=
  Head (fun _ _ _ _ => 0) (fun _ _ => 0) (fun _ _ => ord0).
by move=> /(_ Softmax 1%N 1%N 1%N _ H isT isT isT); apply=> // x q y _; rewrite [y]ord1.
Qed.
(* counterexample: {"symbols": 1, "attributes": 1, "length": 2, "factors": []} *)
(* mutant two attributes and two pairs
   from: (1 <= a)%N -> (1 <= m)%N
   to:   (2 <= a)%N -> (2 <= m)%N *)

(** dyn.rem3.1.index.any-alphabet. Read literally, over each alphabet and at each length n >= 2 by itself, the remark's
    half on Index is false: with one letter and one token before the last, which is that letter, the answer is it. *)
Theorem dyn_rem3_1_index_any_alphabet_fails :
  ~ (forall (kind : attention) (k m : nat) (D : finType) (H : head ('I_k + nat) D ('I_k + nat)),
     (1 <= k)%N -> (1 <= m)%N -> symbolic H (@Whole_index k m) -> ~ computes kind H (@Whole_index k m)).
Proof.
pose H : head ('I_1 + nat) [finType of 'I_1] ('I_1 + nat) :=
  Head (fun _ _ _ _ => 0) (fun _ _ => 0) (fun _ _ => inl ord0).
move=> /(_ Softmax 1%N 1%N _ H isT isT); apply=> // x q y [valid ->]; rewrite /output /=.
case: q valid => [letter|i] valid; first by rewrite [letter]ord1.
have := valid 1%N i isT (token_last x (inr i)).
case: i valid => [|[|i]] // valid _; rewrite subnn.
by case: (token_at x (inr 1%N) 0) (valid 0%N ^~ isT) => [letter _|i /(_ i erefl)]; [rewrite [letter]ord1 | case: i].
Qed.
(* counterexample: {"letters": 1, "length": 2, "factors": []} *)
(* mutant two letters and three tokens
   from: (1 <= k)%N -> (1 <= m)%N
   to:   (2 <= k)%N -> (2 <= m)%N *)

(** dec.thm4.any-alphabet. Read literally, over each alphabet and at each length n >= 2 by itself, theorem 4 is false:
    with one attribute there is one answer. *)
Theorem dec_thm4_any_alphabet_fails :
  ~ (forall (kind : attention) (s a m : nat) (L : 'I_s * 'I_a + 'I_s -> nat -> 'I_s * 'I_a + 'I_s -> nat -> R),
     (1 <= a)%N -> (1 <= m)%N -> (m <= s)%N ->
     positional (projecting L) (@Retrieval s a m) -> ~ decides kind (projecting L) (@Retrieval s a m)).
Proof.
move=> /(_ Softmax 1%N 1%N 1%N (fun _ _ _ _ => 0) isT isT isT); apply=> // x q y _ z; by rewrite [y]ord1 [z]ord1.
Qed.
(* counterexample: {"symbols": 1, "attributes": 1, "length": 2, "factors": []} *)
(* mutant two attributes and two pairs
   from: (1 <= a)%N -> (1 <= m)%N
   to:   (2 <= a)%N -> (2 <= m)%N *)

(** dec.cor1.positional.any-alphabet. Read literally, over each alphabet and at each length n >= 2 by itself, the
    positional half of corollary 1 is false: with one attribute there is one answer. *)
Theorem dec_cor1_positional_any_alphabet_fails :
  ~ (forall (kind : attention) (s a m : nat) (L : 'I_s * 'I_a + 'I_s -> nat -> 'I_s * 'I_a + 'I_s -> nat -> R),
     (1 <= s)%N -> (1 <= a)%N -> (1 <= m)%N ->
     positional (projecting L) (@Induction s a m) -> ~ decides kind (projecting L) (@Induction s a m)).
Proof.
move=> /(_ Softmax 1%N 1%N 1%N (fun _ _ _ _ => 0) isT isT isT); apply=> // x q y _ z; by rewrite [y]ord1 [z]ord1.
Qed.
(* counterexample: {"symbols": 1, "attributes": 1, "length": 2, "factors": []} *)
(* mutant two symbols, attributes and pairs
   from: (1 <= s)%N -> (1 <= a)%N -> (1 <= m)%N
   to:   (2 <= s)%N -> (2 <= a)%N -> (2 <= m)%N *)

(** dec.thm4.any-output-map. With any output map theorem 4 is false: uniform attention shows which pairs are present,
    and the output map looks up the pair of the query symbol. *)
Theorem dec_thm4_any_output_map_fails :
  ~ (forall (kind : attention) (s a m : nat) (D : finType) (H : head ('I_s * 'I_a + 'I_s) D 'I_a),
     (2 <= a)%N -> (2 <= m)%N -> (m <= s)%N ->
     positional H (@Retrieval s a m) -> ~ computes kind H (@Retrieval s a m)).
Proof.
pose look_up (z : 'I_2 * 'I_2 + 'I_2 -> R) (q : 'I_2 * 'I_2 + 'I_2) : 'I_2 :=
  if q is inr c then if Rlt_dec 0 (z (inl (c, ord0))) then ord0 else ord_max else ord0.
pose H := Head (fun _ _ _ _ => 0) (@one_hot [finType of 'I_2 * 'I_2 + 'I_2]) look_up.
move=> /(_ Softmax 2%N 2%N 2%N _ H isT isT isT); apply=> // x q y [p [j [once [-> [-> ->]]]]].
rewrite /output {1}/H /=; case: Rlt_dec => /= [present|absent].
  have [i [le]] := proj1 (attention_shows _ _ _ _ _) present.
  rewrite leq_eqVlt in le; case/orP: le => [/eqP->|lt]; first by rewrite token_last.
  by rewrite -[i]/(nat_of_ord (Ordinal lt)) token_early => -[here];
    move: (once (Ordinal lt) j) => /=; rewrite here => /(_ erefl) <-; rewrite here.
case: (of_two (p j).2) => y0 //; case: absent; apply: (proj2 (attention_shows _ _ _ _ _)).
by exists j; rewrite ltnW // token_early /= -y0 -surjective_pairing.
Qed.
(* counterexample: {"symbols": 2, "attributes": 2, "length": 3, "factors": [], "values": [], "biases": []} *)
(* mutant projection
   from: ~ computes kind H (@Retrieval s a m)
   to:   ~ decides kind (projecting (logit H)) (@Retrieval s a m) *)

(** Positional logits for two places: the second gets twice the weight, so the attention tells what stands where. *)
Definition doubling s a (_ : 'I_s * 'I_a + 'I_s) (_ : nat) (_ : 'I_s * 'I_a + 'I_s) (j : nat) : R :=
  if j == 2%N then ln 2 else 0.

Lemma attended_doubling s a Out F (p : 'I_2 -> 'I_s * 'I_a) c t :
  attended Softmax (Head (@doubling s a) (@one_hot _) F : head _ _ Out) (inl \o p) (inr c) (inl t) =
  ((if p ord0 == t then 1 else 0) + 2 * (if p ord_max == t then 1 else 0)) / 4.
Proof.
have second : lift ord0 ord0 = ord_max :> 'I_2 by apply: val_inj.
rewrite attended_softmax !big_ord_recl !big_ord0 second /= /doubling /= exp_0 exp_ln; last by lra.
have pair i : one_hot (inl (p i)) (inl t : 'I_s * 'I_a + 'I_s) = if p i == t then 1 else 0 by [].
have query : one_hot (inr c) (inl t : 'I_s * 'I_a + 'I_s) = 0 by [].
by rewrite !pair query; field.
Qed.

(** Of two pairs the attention of [doubling] prefers the later one with the query's symbol. *)
Lemma doubling_prefers s (p : 'I_2 -> 'I_s * 'I_2) (j : 'I_2) F
    (H := Head (@doubling s 2) (@one_hot _) F : head _ _ 'I_2) :
  (forall i : 'I_2, (j < i)%N -> (p i).1 <> (p j).1) ->
  attended Softmax H (inl \o p) (inr (p j).1) (inl ((p j).1, ord_max)) <
  attended Softmax H (inl \o p) (inr (p j).1) (inl ((p j).1, ord0)) <-> (p j).2 = ord0.
Proof.
move=> last; rewrite !attended_doubling.
have pair_eq i c y : (p i == (c, y)) = ((p i).1 == c) && ((p i).2 == y) by rewrite -pair_eqE.
rewrite !pair_eq.
case: (of_two j) last => -> last; rewrite !eqxx /=.
  rewrite (introF eqP (last ord_max isT)) /=.
  by case: (of_two (p ord0).2) => -> /=; split=> // ?; lra.
by case: (of_two (p ord_max).2) => -> /=; split=> //; case: ((p ord0).1 == _); case: (of_two (p ord0).2) => -> /=; lra.
Qed.

(** dec.cor1.positional.any-output-map. With any output map the positional half of corollary 1 is false: with the
    weights 1, 2 on the two places the attention output tells which attribute of the query's symbol stands at the
    later one. *)
Theorem dec_cor1_positional_any_output_map_fails :
  ~ (forall (kind : attention) (s a m : nat) (D : finType) (H : head ('I_s * 'I_a + 'I_s) D 'I_a),
     (2 <= s)%N -> (2 <= a)%N -> (2 <= m)%N ->
     positional H (@Induction s a m) -> ~ computes kind H (@Induction s a m)).
Proof.
pose more (z : 'I_2 * 'I_2 + 'I_2 -> R) (q : 'I_2 * 'I_2 + 'I_2) : 'I_2 :=
  if q is inr c then if Rlt_dec (z (inl (c, ord_max))) (z (inl (c, ord0))) then ord0 else ord_max else ord0.
pose H := Head (@doubling 2 2) (@one_hot [finType of 'I_2 * 'I_2 + 'I_2]) more.
move=> /(_ Softmax 2%N 2%N 2%N _ H isT isT isT); apply=> // x q y [p [j [last [-> [-> ->]]]]].
have [first_if if_first] := doubling_prefers more last.
rewrite /output {1}/H /=; case: Rlt_dec => /= [less|not_less]; first by rewrite first_if.
by case: (of_two (p j).2) => [is_first|->] //; case: (not_less (if_first is_first)).
Qed.
(* counterexample: {"symbols": 2, "attributes": 2, "length": 3, "factors":
   ["1", "1", "1", "1", "2", "2", "2", "2", "1", "1", "1", "1", "2", "2", "2", "2"]} *)
(* mutant projection
   from: ~ computes kind H (@Induction s a m)
   to:   ~ decides kind (projecting (logit H)) (@Induction s a m) *)

(** dyn.rem3.1.retrieval.any-output-map. With any output map the remark's half on Retrieval is false: uniform attention
    shows which pairs are present, and the output map looks up the one whose left letter the query names. *)
Theorem dyn_rem3_1_retrieval_any_output_map_fails :
  ~ (forall (kind : attention) (k r m : nat) (D : finType)
       (H : head ('I_k * ('I_k + 'I_r)) D ('I_k * ('I_k + 'I_r))),
     (2 <= k)%N -> (2 <= m)%N ->
     positional H (@Whole_retrieval k r m) -> ~ computes kind H (@Whole_retrieval k r m)).
Proof.
pose look_up (z : 'I_2 * ('I_2 + 'I_1) -> R) (q : 'I_2 * ('I_2 + 'I_1)) : 'I_2 * ('I_2 + 'I_1) :=
  if q.2 is inl c then odflt q [pick t | (t.1 == c) && Rlt_dec 0 (z t)] else q.
pose H := Head (fun _ _ _ _ => 0) (@one_hot [finType of 'I_2 * ('I_2 + 'I_1)]) look_up.
move=> /(_ Softmax 2%N 1%N 2%N _ H isT isT); apply=> // x q y [is_proper].
rewrite /output {1}/H /= /look_up; case named: q.2 => [c|] // [left [i [le at_i]]].
have [t [_ [_ only]]] := is_proper 2%N c isT (etrans (congr1 snd (token_last x q)) named).
have yt : y = t by rewrite -at_i; apply: only => //; rewrite at_i.
case: pickP => [t' /andP[/eqP left' /=]|none] /=.
  case: Rlt_dec => // present _; have [i' [le' at_i']] := proj1 (attention_shows _ _ _ _ _) present.
  by rewrite yt -at_i'; apply: only => //; rewrite at_i'.
have /andP[] := negbT (none y); rewrite left eqxx; case: Rlt_dec => // absent.
by case: absent; apply: (proj2 (attention_shows _ _ _ _ _)); exists i.
Qed.
(* counterexample: {"letters": 2, "numbers": 1, "length": 3, "factors": [], "values": []} *)
(* mutant most attended
   from: ~ computes kind H (@Whole_retrieval k r m)
   to:   ~ decides kind (copying (logit H) (@one_hot _)) (@Whole_retrieval k r m) *)

(** dyn.rem3.1.retrieval.any-alphabet. Read literally, over each alphabet and at each length n >= 2 by itself, the
    remark's half on Retrieval is false: with one letter a and one number each last token stays, and (a,1) attends most
    to its own key. *)
Theorem dyn_rem3_1_retrieval_any_alphabet_fails :
  ~ (forall (kind : attention) (k r m : nat)
       (L : 'I_k * ('I_k + 'I_r) -> nat -> 'I_k * ('I_k + 'I_r) -> nat -> R),
     (1 <= k)%N -> (1 <= m)%N ->
     positional (copying L (@one_hot _)) (@Whole_retrieval k r m) ->
     ~ decides kind (copying L (@one_hot _)) (@Whole_retrieval k r m)).
Proof.
pose L (q : 'I_1 * ('I_1 + 'I_1)) (n : nat) (t : 'I_1 * ('I_1 + 'I_1)) (j : nat) :=
  if q.2 is inr _ then if j == n then ln 2 else 0 else 0.
move=> /(_ Softmax 1%N 1%N 1%N L isT isT); apply=> [x q y _ pi j|x [a q] y [is_proper right] [b z] zy].
  by rewrite /= [pi j]ord1 [j]ord1.
rewrite /output /= !attended_softmax !big_ord_recl !big_ord0 /= /L /=.
case: q right is_proper zy => [c|c] right is_proper zy.
  have [t [_ [_ only]]] := is_proper 1%N c isT (congr1 snd (token_last x (a, inl c))).
  have yt : y = t.
    by case: right => left [i [le <-]]; apply: only; rewrite // [c]ord1; apply: ord1.
  have own : (a, inl c) = t by rewrite -(token_last x (a, inl c)); apply: only; rewrite // [c]ord1; apply: ord1.
  have first : x ord0 = t.
    by rewrite -(token_early x (a, inl c)); apply: only; rewrite // [c]ord1; apply: ord1.
  rewrite first own yt one_hot_same /one_hot; case: eqP => [zt|_]; last by rewrite exp_0; lra.
  by case: zy; rewrite -zt.
rewrite right one_hot_same exp_0 exp_ln; last by lra.
rewrite /one_hot; case: ((a, inr c) =P (b, z)) => [qz|_]; last by do 2?[case: ifP => _]; lra.
by case: zy; rewrite right -qz.
Qed.
(* counterexample: {"letters": 1, "numbers": 1, "length": 2, "factors": ["1", "1", "1", "1", "1", "2"], "values": []} *)
(* mutant two letters and three tokens
   from: (1 <= k)%N -> (1 <= m)%N
   to:   (2 <= k)%N -> (2 <= m)%N *)

(** A value map for two letters: a pair has the value 1 at itself, and 2 at each pair that it names and that has another
    left letter than it. *)
Definition naming k r (t u : 'I_k * ('I_k + 'I_r)) : R :=
  (if t == u then 1 else 0) + (if (t.2 == inl u.1) && (t.1 != u.1) then 2 else 0).

(** What it is at the own pair, at most, and between two pairs with one left letter. *)
Lemma naming_self k r (t : 'I_k * ('I_k + 'I_r)) : naming t t = 1.
Proof. by rewrite /naming !eqxx andbF; lra. Qed.

Lemma naming_ge0 k r (t u : 'I_k * ('I_k + 'I_r)) : 0 <= naming t u.
Proof. by rewrite /naming; do 2?[case: ifP => _]; lra. Qed.

Lemma naming_le2 k r (t u : 'I_k * ('I_k + 'I_r)) : naming t u <= 2.
Proof. by rewrite /naming; case: eqP => [->|_]; rewrite ?eqxx ?andbF; try case: ifP; lra. Qed.

Lemma naming_other k r (q z : 'I_k * ('I_k + 'I_r)) :
  (q.2 == inl z.1) && (q.1 != z.1) = false -> naming q z = if q == z then 1 else 0.
Proof. by rewrite /naming => ->; lra. Qed.

Lemma naming_left k r (t y z : 'I_k * ('I_k + 'I_r)) :
  z.1 = y.1 -> t <> z -> naming t z + (if t == y then 1 else 0) = naming t y.
Proof. by move=> left /eqP/negbTE differ; rewrite /naming differ left; lra. Qed.

(** The scores of the head that attends most to its own key: 9 parts of 11. *)
Lemma naming_right (x : 'I_2 -> 'I_2 * ('I_2 + 'I_1)) q y z :
  Whole_retrieval x q y -> z <> y ->
  naming (x ord0) z + naming (x ord_max) z + 9 * naming q z <
  naming (x ord0) y + naming (x ord_max) y + 9 * naming q y.
Proof.
move=> [is_proper right] zy.
have [low0 low1] := (naming_ge0 (x ord0) y, naming_ge0 (x ord_max) y).
have [top0 top1] := (naming_le2 (x ord0) z, naming_le2 (x ord_max) z).
have own : (q.2 == inl z.1) && (q.1 != z.1) = false -> q = y ->
    naming (x ord0) z + naming (x ord_max) z + 9 * naming q z <
    naming (x ord0) y + naming (x ord_max) y + 9 * naming q y.
  by move=> /naming_other-> ->; rewrite naming_self; case: eqP => [yz|_]; [case: zy | lra].
case named: q.2 right own => [c|c] right own; last exact: own.
case: right => left [i [le at_i]].
have [t [_ [_ only]]] := is_proper 2%N c isT (etrans (congr1 snd (token_last x q)) named).
have only_y j : (j <= 2)%N -> (token_at x q j).1 = c -> token_at x q j = y.
  by move=> le_j left_j; rewrite (only j le_j left_j) -at_i; symmetry; apply: only; rewrite ?at_i.
have [first second] := (only_y 0%N isT, only_y 1%N isT).
rewrite (token_early x q ord0) in first; rewrite (token_early x q ord_max) in second.
case: (q.1 =P c) => [same|differ].
  have := only_y 2%N isT; rewrite token_last => /(_ same); apply: own.
  by rewrite same; apply/andP => -[/eqP[<-]]; rewrite eqxx.
have -> : naming q y = 2.
  rewrite /naming named left eqxx (introF eqP differ) /=; case: eqP => [qy|_]; last by lra.
  by case: differ; rewrite qy.
case: (z.1 =P c) => [left_z|other]; last first.
  have differ' : (q.2 == inl z.1) && (q.1 != z.1) = false by rewrite named; apply/andP => -[/eqP[]] /esym.
  by rewrite (naming_other differ'); case: eqP => _; lra.
have not_z j : ((x j).1 = c -> x j = y) -> x j <> z.
  by move=> to_y xz; apply: zy; rewrite -xz; apply: to_y; rewrite xz.
have := naming_left (etrans left_z (esym left)) (not_z _ first).
have := naming_left (etrans left_z (esym left)) (not_z _ second).
have -> : naming q z = 2.
  rewrite /naming named left_z eqxx (introF eqP differ) /=; case: eqP => [qz|_]; last by lra.
  by case: differ; rewrite qz.
have : x ord0 = y \/ x ord_max = y.
  case: i le at_i => [|[|[|i]]] // _ at_i.
  - by left; rewrite -at_i (token_early x q ord0).
  - by right; rewrite -at_i (token_early x q ord_max).
  by case: differ; rewrite -left -at_i token_last.
by case=> ->; rewrite eqxx; case: eqP => _; lra.
Qed.

(** dyn.rem3.1.retrieval.any-value-map. With any linear value map and F = a the remark's half on Retrieval is false: a
    head that attends most to its own key, whose value raises all pairs that its right letter names, lets the other keys
    decide which of them is there. *)
Theorem dyn_rem3_1_retrieval_any_value_map_fails :
  ~ (forall (kind : attention) (k r m : nat)
       (L : 'I_k * ('I_k + 'I_r) -> nat -> 'I_k * ('I_k + 'I_r) -> nat -> R)
       (VAL : 'I_k * ('I_k + 'I_r) -> 'I_k * ('I_k + 'I_r) -> R),
     (2 <= k)%N -> (2 <= m)%N ->
     positional (copying L VAL) (@Whole_retrieval k r m) -> ~ decides kind (copying L VAL) (@Whole_retrieval k r m)).
Proof.
pose L (_ : 'I_2 * ('I_2 + 'I_1)) (n : nat) (_ : 'I_2 * ('I_2 + 'I_1)) (j : nat) := if j == n then ln 9 else 0.
move=> /(_ Softmax 2%N 1%N 2%N L (@naming 2 1) isT isT); apply=> // x q y right z zy.
have second : lift ord0 ord0 = ord_max :> 'I_2 by apply: val_inj.
have := naming_right right zy.
rewrite /output /= !attended_softmax !big_ord_recl !big_ord0 /= second exp_0 exp_ln; last by lra.
by lra.
Qed.
(* counterexample: {"letters": 2, "numbers": 1, "length": 3, "factors": ["1", "1", "1", "1", "1", "1", "1", "1", "1",
   "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1",
   "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1",
   "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "9", "9", "9", "9", "9", "9"],
   "values": ["1", "0", "0", "0", "0", "0", "0", "1", "2", "2", "0", "2", "2", "2", "1", "0", "2", "0", "0", "0", "0",
   "1", "0", "0", "0", "0", "0", "0", "1", "0", "0", "0", "0", "0", "0", "1"]} *)
(* mutant identity
   from: ~ decides kind (copying L VAL)
   to:   ~ decides kind (copying L (@one_hot _)) *)
