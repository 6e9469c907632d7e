(** DYN's functions on whole sequences: Index, Retrieval, and what applying them layer after layer computes. *)

From Coq Require Import Reals Lra Lia Psatz.
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq fintype finfun bigop fingroup perm.
From headproof Require Import common sequences.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope R_scope.
(* end of header *)

(** dyn.functions.index-closed. If every integer of a sequence has a target, Index is defined on it, and every integer
    of its image has a target. *)
Theorem dyn_functions_index_closed :
  forall (L : Type) (x : seq (L + nat)),
  valid_index x -> exists y, index_function x = Some y /\ valid_index y.
Proof.
by move=> L x /index_on_valid [y [indexed valid_y _ _]]; exists y.
Qed.
(* mutant nothing moves
   from: valid_index y
   to:   y = x *)
(* mutant at once
   from: valid_index y
   to:   index_function y = Some y *)

(** dyn.functions.number. A valid sequence has an answer, d moves from its last token, and the last token of
    Reflexive^(l - h) after Index^h is that answer for all l >= h >= d: with h = d layers, with more, and with any
    number of layers that are not needed. *)
Theorem dyn_functions_number :
  forall (L : Type) (x : seq (L + nat)),
  valid_index x ->
  exists s d, solve_number x = Some (s, d) /\
    forall h l, (d <= h)%N -> (h <= l)%N ->
    last_token (obind (power reflexive_function (l - h)) (power index_function h x)) = Some (inl s).
Proof.
move=> L x valid; have [s [d [solved leads]]] := solve_on_valid valid.
exists s, d; split=> // h l enough _; have [y [powered _ size_y moved]] := index_power h valid.
by rewrite powered /= power_reflexive /= size_y (moved _ _ _ leads) enough.
Qed.
(* mutant one less
   from: (d <= h)%N
   to:   (d <= h.+1)%N *)
(* mutant forwards only
   from: (power index_function h x)
   to:   (power index_function 1 x) *)

(** dyn.functions.number.hops-of-the-example (refuted). With h hops, the moves after that of the last token, as the
    printed example counts them, the last token of Index^h would be the answer. The example itself, with A, B, C as
    0, 1, 2, makes h + 1 = 5 moves, and after four applications its last token is still an integer. *)
Theorem dyn_functions_number_hops_of_the_example_fails :
  ~ (forall (L : Type) (x : seq (L + nat)) (s : L) (h : nat),
     valid_index x -> solve_number x = Some (s, h.+1) -> (1 <= h)%N ->
     last_token (power index_function h x) = Some (inl s)).
Proof.
pose example : seq (nat + nat) := [:: inl 2; inl 1; inl 0; inr 1; inr 4; inr 1; inr 3; inr 2; inr 1; inr 1]%N.
move=> printed; have := printed nat example 2%N 4%N.
by vm_compute => /(_ erefl erefl erefl).
Qed.
(* mutant the move of the last token counted
   from: Some (s, h.+1)
   to:   Some (s, h) *)
(* mutant one application more
   from: power index_function h x
   to:   power index_function h.+1 x *)
(* counterexample: {"tokens": ["C", "B", "A", 1, 4, 1, 3, 2, 1, 1]} *)

(** dyn.functions.retrieval-closed (refuted). The image of a proper sequence under Retrieval would be proper. The
    sequence (a,1) (b,a) (a,2) (a,b), with a, b as 0, 1, is proper; its image (a,1) (a,1) (a,2) (b,a) is not. *)
Theorem dyn_functions_retrieval_closed_fails :
  ~ (forall (L N : eqType) (x : seq (L * (L + N))),
     is_proper x -> exists y, retrieval_function x = Some y /\ is_proper y).
Proof.
pose x : seq (nat * (nat + nat)) := [:: (0, inr 1); (1, inl 0); (0, inr 2); (0, inl 1)]%N.
move=> printed; have [] := printed nat_eqType nat_eqType x; first by vm_compute.
by vm_compute => y [[<-]].
Qed.
(* mutant unambiguous as well
   from: is_proper x ->
   to:   is_proper x -> is_unambiguous x -> *)
(* counterexample: {"tokens": [["a", 1], ["b", "a"], ["a", 2], ["a", "b"]]} *)

(** dyn.functions.retrieval-closed.repaired. If a sequence is proper, and each letter asked for is the left letter of
    one symbol only, Retrieval is defined on it and its image is both again. *)
Theorem dyn_functions_retrieval_closed_repaired :
  forall (L N : eqType) (x : seq (L * (L + N))),
  is_proper x -> is_unambiguous x ->
  exists y, retrieval_function x = Some y /\ is_proper y /\ is_unambiguous y.
Proof.
by move=> L N x good single; have [y [moved good_y single_y _ _]] := retrieval_on_both good single; exists y.
Qed.
(* mutant proper alone
   from: is_proper x -> is_unambiguous x ->
   to:   is_proper x -> *)
(* mutant nothing moves
   from: is_proper y /\ is_unambiguous y
   to:   y = x *)
(* mutant at once
   from: is_proper y /\ is_unambiguous y
   to:   retrieval_function y = Some y *)

(** dyn.functions.letter (refuted). On a proper sequence whose path from the last token ends after h moves the last
    token of Retrieval^h would be the answer. On (a,1) (b,a) (a,2) (a,b), with a, b as 0, 1, the path makes two moves,
    to (b,a) and to (a,1), but the image under Retrieval is not proper, and a second Retrieval not defined. *)
Theorem dyn_functions_letter_fails :
  ~ (forall (L N : eqType) (x : seq (L * (L + N))) (p : L * (L + N)) (h : nat),
     is_proper x -> solve_letter x = Some (p, h) ->
     last_token (power retrieval_function h x) = Some p).
Proof.
pose x : seq (nat * (nat + nat)) := [:: (0, inr 1); (1, inl 0); (0, inr 2); (0, inl 1)]%N.
move=> printed; have := printed nat_eqType nat_eqType x (0, inr 1)%N 2%N.
by vm_compute => /(_ erefl erefl).
Qed.
(* mutant unambiguous as well
   from: is_proper x ->
   to:   is_proper x -> is_unambiguous x -> *)
(* counterexample: {"tokens": [["a", 1], ["b", "a"], ["a", 2], ["a", "b"]]} *)

(** dyn.functions.letter.repaired. If a sequence is proper, each letter asked for is the left letter of one symbol
    only, and the path from the last token ends after d moves, then the last token of Reflexive^(l - h) after
    Retrieval^h is the answer for all l >= h >= d. *)
Theorem dyn_functions_letter_repaired :
  forall (L N : eqType) (x : seq (L * (L + N))) (p : L * (L + N)) (d : nat),
  is_proper x -> is_unambiguous x -> solve_letter x = Some (p, d) ->
  forall h l, (d <= h)%N -> (h <= l)%N ->
  last_token (obind (power reflexive_function (l - h)) (power retrieval_function h x)) = Some p.
Proof.
move=> L N x p d good single /solve_letterP leads h l enough _.
have [y [powered _ _ size_y moved]] := retrieval_power h good single.
by rewrite powered /= power_reflexive /= size_y moved (leads_iter single leads enough).
Qed.
(* mutant one less
   from: (d <= h)%N
   to:   (d <= h.+1)%N *)
(* mutant once
   from: (power retrieval_function h x)
   to:   (power retrieval_function 1 x) *)
(* mutant ambiguous
   from: is_proper x -> is_unambiguous x ->
   to:   is_proper x -> *)
