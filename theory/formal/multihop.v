(** The multihop tasks as printed: the example, the formal definitions B.1 and B.2, and what proper inputs are good for
    (theory/multihop). Tokens, paths and answers are those of sequences.v. *)

From Coq Require Import ZArith Lia.
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq div.
From headproof Require Import sequences.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
(* end of header *)

(** ** The formal definition of the number task, B.1 *)

(** The input s_1 .. s_n1 j_1 .. j_n2, letters and then integers. *)
Definition number_tokens (L : Type) (s : seq L) (j : seq nat) : seq (L + nat) := map inl s ++ map inr j.

(** k, k - j_k, and so on while there is a place among the integers. The chains k_1 .. k_HL with k_1 = k and
    k_i - k_(i+1) = j_ki are the beginnings of this sequence. As integers are 1 or more, n2 places are enough. *)
Fixpoint number_chain (j : seq nat) (most k : nat) : seq nat :=
  if most is rest.+1 then
    if token_at j k is Some i then k :: number_chain j rest (k - i) else [::]
  else [::].

(** Where a chain may begin: at k_1 = n2, or, by value, wherever j_k1 = j_n2. *)
Definition chain_starts (by_value : bool) (j : seq nat) : seq nat :=
  [seq k <- iota 1 (size j) | (k == size j) || (by_value && (token_at j k == token_at j (size j)))].

(** Indices of letters, by n1, n2, the last place k of a chain and the integer i there: n1 - i + 1, that the last
    condition of B.1 tests; n2 - i + 1, where B.1 has the answer; and n1 + k - i, the place to which the integer
    leads. *)
Definition tested_index (n1 n2 k i : Z) : Z := (n1 - i + 1)%Z.
Definition answer_index (n1 n2 k i : Z) : Z := (n2 - i + 1)%Z.
Definition reached_index (n1 n2 k i : Z) : Z := (n1 + k - i)%Z.
Definition next_index (n1 n2 k i : Z) : Z := (n1 + k - i + 1)%Z.

(** The outcome of a chain of [hl] places with the last place k: it may end there if [tested] is one of 1 .. n1, and
    then has the letter at [answer] for its answer, none if there is no such letter, and [hl] hops. *)
Definition chain_outcome (L : Type) (tested answer : Z -> Z -> Z -> Z -> Z) (s : seq L) (j : seq nat) (hl k : nat) :
    seq (option L * nat) :=
  if token_at j k is Some i then
    let at_end f : Z := f (Z.of_nat (size s)) (Z.of_nat (size j)) (Z.of_nat k) (Z.of_nat i) in
    if (1 <=? at_end tested)%Z && (at_end tested <=? Z.of_nat (size s))%Z
    then [:: (token_at s (Z.to_nat (at_end answer)), hl)] else [::]
  else [::].
Fixpoint chain_outcomes (L : Type) (tested answer : Z -> Z -> Z -> Z -> Z) (s : seq L) (j : seq nat) (hl : nat)
    (chain : seq nat) : seq (option L * nat) :=
  if chain is k :: rest
  then chain_outcome tested answer s j hl k ++ chain_outcomes tested answer s j hl.+1 rest else [::].

(** The outcomes of all chains that a definition allows, an answer and a number of hops each (number_outcomes). *)
Definition number_outcomes (L : Type) (tested answer : Z -> Z -> Z -> Z -> Z) (by_value : bool) (s : seq L)
    (j : seq nat) : seq (option L * nat) :=
  flatten [seq chain_outcomes tested answer s j 1 (number_chain j (size j) k) | k <- chain_starts by_value j].

(** The set of their answers. *)
Definition number_answers (L : eqType) (tested answer : Z -> Z -> Z -> Z -> Z) (by_value : bool) (s : seq L)
    (j : seq nat) : seq (option L) :=
  undup (map fst (number_outcomes tested answer by_value s j)).

(** ** The printed example, C B A 1 4 1 3 2 1 1 *)

Definition letter_A : nat := 0.
Definition letter_B : nat := 1.
Definition letter_C : nat := 2.
Definition example_letters : seq nat := [:: letter_C; letter_B; letter_A].
Definition example_integers : seq nat := [:: 1; 4; 1; 3; 2; 1; 1].
Definition example : seq (nat + nat) := number_tokens example_letters example_integers.

(** The answer of the number task, and the integers on its path, the last token's first. *)
Definition number_answer (L : Type) (x : seq (L + nat)) : option L := omap fst (solve_number x).
Definition path_values (L : Type) (x : seq (L + nat)) : option (seq nat) :=
  omap (pmap (fun k => if token_at x k is Some (inr i) then Some i else None)) (number_path x).

(** ** The formal definition of the letter task, B.2 *)

(** The input: pairs of a letter and a number, the target window, and then pairs of letters (x_k, y_k). *)
Definition letter_tokens (L N : Type) (target : seq (L * N)) (before : seq (L * L)) : seq (L * (L + N)) :=
  [seq (p.1, inr p.2) | p <- target] ++ [seq (p.1, inl p.2) | p <- before].

(** The places to which a chain may go on from one of [here]: y_k = x_there, and if [ordered] there < k. *)
Definition chain_next (L : eqType) (ordered : bool) (before : seq (L * L)) (here : seq nat) : seq nat :=
  [seq there <- iota 1 (size before) | has (fun k =>
    (omap snd (token_at before k) == omap fst (token_at before there)) && (ordered ==> (there < k))) here].

(** The pairs (s, c) of the target window at which a chain may end of which the last place is one of [here]. *)
Definition ends_at (L N : eqType) (target : seq (L * N)) (before : seq (L * L)) (here : seq nat) : seq (L * N) :=
  [seq p <- target | has (fun k => omap snd (token_at before k) == Some p.1) here].

(** The answers of the chains from k_1 = n2 that make [steps] steps, so that HL = steps + 1 (letter_outcomes). *)
Definition letter_answers (L N : eqType) (ordered : bool) (target : seq (L * N)) (before : seq (L * L)) (steps : nat) :
    seq (L * N) :=
  ends_at target before (iter steps (chain_next ordered before) [:: size before]).

(** ** Lemmas *)

Lemma token_at_cat (T : Type) (x y : seq T) k :
  token_at (x ++ y) k = if k <= size x then token_at x k else token_at y (k - size x).
Proof.
case: k => //= k; case: ltnP => [lt | le]; first by rewrite List.nth_error_app1 //; apply/ltP.
by rewrite List.nth_error_app2 ?subSn //; apply/leP.
Qed.

Lemma token_at_map (T U : Type) (f : T -> U) (x : seq T) k : token_at (map f x) k = omap f (token_at x k).
Proof. by case: k => //= k; elim: x k => [|a x IH] [|k] //=. Qed.

Lemma number_tokens_at (L : Type) (s : seq L) j k :
  token_at (number_tokens s j) k = if k <= size s then omap inl (token_at s k) else omap inr (token_at j (k - size s)).
Proof. by rewrite /number_tokens token_at_cat size_map !token_at_map. Qed.

Lemma chain_starts_last j : 0 < size j -> chain_starts false j = [:: size j].
Proof.
case: j => // i j _; rewrite /chain_starts; set n := size _; rewrite (eq_filter (a2 := pred1 n)).
  by rewrite filter_pred1_uniq ?iota_uniq // mem_iota add1n ltnSn.
by move=> k; rewrite /= orbF.
Qed.

Lemma le_Z m n : (Z.of_nat m <=? Z.of_nat n)%Z = (m <= n).
Proof. by apply/Z.leb_spec0/leP; rewrite Nat2Z.inj_le. Qed.

Lemma reached_Z n k i : i <= n + k -> (Z.of_nat n + Z.of_nat k - Z.of_nat i)%Z = Z.of_nat (n + k - i).
Proof. by move=> /leP le; rewrite -minusE Nat2Z.inj_sub // -plusE Nat2Z.inj_add. Qed.

(** From an integer there is one chain that ends, its answer is the path's, and its places are as many as the moves. *)
Lemma chain_reaches (L : Type) (s : seq L) j fuel k a d hl :
  valid_index (number_tokens s j) -> 0 < k -> k <= size j -> k <= fuel ->
  leads_to (number_tokens s j) (size s + k) a d ->
  chain_outcomes reached_index reached_index s j hl.+1 (number_chain j fuel k) = [:: (Some a, hl + d)].
Proof.
move=> valid; elim: fuel k d hl => [|fuel IH] k d hl pos bound enough; first by case: k pos enough {bound}.
have at_k : token_at (number_tokens s j) (size s + k) = omap inr (token_at j k).
  by rewrite number_tokens_at leqNgt -{1}(addn0 (size s)) ltn_add2l pos addKn.
have [i at_i] := token_at_there pos bound; rewrite /= at_i /= /chain_outcome at_i /reached_index.
move: at_k; rewrite at_i /= => at_k leads.
have [i_pos place_pos _] := valid_target valid at_k.
have i_le : i <= size s + k by rewrite ltnW // -subn_gt0.
rewrite reached_Z // (le_Z 1) le_Z Nat2Z.id place_pos /=.
inversion leads as [p b at_p | p i' b d' at_p rest]; subst; rewrite at_k in at_p; case: at_p => // same.
rewrite -{}same in rest; case: ltnP => [further | reached].
  have lt : i < k by rewrite ltnNge; apply: contraL further => le; rewrite -leqNgt leq_subLR addnC leq_add2r.
  rewrite (IH (k - i) d' hl.+1) ?subn_gt0 ?addSnnS //.
  - by apply: leq_trans bound; apply: leq_subr.
  - by rewrite -ltnS; apply: leq_trans enough; rewrite ltn_subrL i_pos pos.
  by rewrite addnBA // ltnW.
have gone : k - i = 0.
  by apply/eqP; rewrite subn_eq0 -(leq_add2l (size s)); move: reached; rewrite leq_subLR (addnC i).
have -> : chain_outcomes reached_index reached_index s j hl.+2 (number_chain j fuel (k - i)) = [::].
  by rewrite gone; case: fuel {IH enough}.
rewrite cats0; have at_s := number_tokens_at s j (size s + k - i); rewrite reached in at_s.
inversion rest as [q c at_q | q m c e at_q _]; subst; rewrite at_s in at_q.
  by case at_a: token_at at_q => [b|] //= [->]; rewrite addn1.
by case: token_at at_q.
Qed.

(** ** The number task *)

(** dyn.tasks.number.formal.repaired. On a valid sequence s_1 .. s_n1 j_1 .. j_n2 there is one chain with k_1 = n2,
    k_i - k_(i+1) = j_ki and n1 + k_HL - j_kHL in 1 .. n1; the letter at that place is where stepping back from the
    last token ends, and HL is the number of its moves. *)
Theorem dyn_tasks_number_formal_repaired :
  forall (L : Type) (s : seq L) (j : seq nat),
  0 < size s -> 0 < size j -> valid_index (number_tokens s j) ->
  exists a d, solve_number (number_tokens s j) = Some (a, d) /\
    number_outcomes reached_index reached_index false s j = [:: (Some a, d)].
Proof.
move=> L s j _ some valid; have [a [d [solved leads]]] := solve_on_valid valid.
exists a, d; split=> //; rewrite /number_outcomes chain_starts_last //= cats0.
by apply: chain_reaches valid some _ _ _ => //; move: leads; rewrite size_cat !size_map.
Qed.
(* mutant printed condition
   from: number_outcomes reached_index reached_index
   to:   number_outcomes tested_index reached_index *)
(* mutant printed index
   from: number_outcomes reached_index reached_index
   to:   number_outcomes reached_index answer_index *)
(* mutant one place further
   from: number_outcomes reached_index reached_index
   to:   number_outcomes next_index next_index *)
(* mutant without the query's move
   from: [:: (Some a, d)]
   to:   [:: (Some a, d.-1)] *)

(** dyn.tasks.number.formal (refuted). The chains with j_k1 = j_n2, k_i - k_(i+1) = j_ki and n1 - j_kHL + 1 in
    1 .. n1 would all give the answer s at n2 - j_kHL + 1 at which stepping back ends. Of a 1 1 the only letter is a,
    and they say that the answer is the second one. *)
Theorem dyn_tasks_number_formal_fails :
  ~ (forall (L : eqType) (s : seq L) (j : seq nat),
     0 < size s -> 0 < size j -> valid_index (number_tokens s j) ->
     exists a d, solve_number (number_tokens s j) = Some (a, d) /\
       number_answers tested_index answer_index true s j = [:: Some a]).
Proof.
move=> printed; have [//|//|//|a [d []]] := printed nat_eqType [:: 0] [:: 1; 1].
by vm_compute.
Qed.
(* mutant the letter that is reached, from the last place
   from: number_answers tested_index answer_index true
   to:   number_answers reached_index reached_index false *)
(* counterexample: {"tokens": ["a", 1, 1]} *)

(** dyn.tasks.number.formal.last-integer (refuted). The same with k_1 = n2 alone. *)
Theorem dyn_tasks_number_formal_last_integer_fails :
  ~ (forall (L : eqType) (s : seq L) (j : seq nat),
     0 < size s -> 0 < size j -> valid_index (number_tokens s j) ->
     exists a d, solve_number (number_tokens s j) = Some (a, d) /\
       number_answers tested_index answer_index false s j = [:: Some a]).
Proof.
move=> printed; have [//|//|//|a [d []]] := printed nat_eqType [:: 0] [:: 1; 1].
by vm_compute.
Qed.
(* mutant the letter that is reached
   from: number_answers tested_index answer_index false
   to:   number_answers reached_index reached_index false *)
(* counterexample: {"tokens": ["a", 1, 1]} *)

(** dyn.tasks.number.formal.tested-index (refuted). The same, with the answer at the number that is tested, s at
    n1 - j_kHL + 1. Of a 1 2 the path ends at a, but the chain 2 is not allowed to end, for 1 - 2 + 1 is 0. *)
Theorem dyn_tasks_number_formal_tested_index_fails :
  ~ (forall (L : eqType) (s : seq L) (j : seq nat),
     0 < size s -> 0 < size j -> valid_index (number_tokens s j) ->
     exists a d, solve_number (number_tokens s j) = Some (a, d) /\
       number_answers tested_index tested_index false s j = [:: Some a]).
Proof.
move=> printed; have [//|//|//|a [d []]] := printed nat_eqType [:: 0] [:: 1; 2].
by vm_compute.
Qed.
(* mutant the letter that is reached
   from: number_answers tested_index tested_index false
   to:   number_answers reached_index reached_index false *)
(* counterexample: {"tokens": ["a", 1, 2]} *)

(** dyn.tasks.number.formal.start-by-value (refuted). Chains that may begin at any integer equal to the last one would
    all give the answer, even as repaired. Of a b 2 2 that from the first integer gives a, that from the last b. *)
Theorem dyn_tasks_number_formal_start_by_value_fails :
  ~ (forall (L : eqType) (s : seq L) (j : seq nat),
     0 < size s -> 0 < size j -> valid_index (number_tokens s j) ->
     exists a d, solve_number (number_tokens s j) = Some (a, d) /\
       number_answers reached_index reached_index true s j = [:: Some a]).
Proof.
move=> printed; have [//|//|//|a [d []]] := printed nat_eqType [:: 0; 1] [:: 2; 2].
by vm_compute.
Qed.
(* mutant from the last place
   from: number_answers reached_index reached_index true
   to:   number_answers reached_index reached_index false *)
(* counterexample: {"tokens": ["a", "b", 2, 2]} *)

(** ** The printed example *)

(** dyn.tasks.number.example.answer. From the last token of C B A 1 4 1 3 2 1 1, stepping back as many places as each
    integer says leads to the letter C. *)
Theorem dyn_tasks_number_example_answer :
  number_answer example = Some letter_C.
Proof.
by vm_compute.
Qed.
(* mutant B
   from: letter_C
   to:   letter_B *)
(* mutant A
   from: letter_C
   to:   letter_A *)

(** dyn.tasks.number.example.moves (refuted). If every move is a hop, the path would have four hops, 1, 2, 1, 4. *)
Theorem dyn_tasks_number_example_moves_fails :
  ~ (path_values example = Some [:: 1; 2; 1; 4] /\ number_answer example = Some letter_C).
Proof.
by vm_compute => -[].
Qed.
(* mutant five moves
   from: [:: 1; 2; 1; 4]
   to:   [:: 1; 1; 2; 1; 4] *)
(* counterexample: {"tokens": ["C", "B", "A", 1, 4, 1, 3, 2, 1, 1]} *)

(** dyn.tasks.number.example.moves.repaired. The path makes five moves, by the integers 1, 1, 2, 1, 4, and ends at C. *)
Theorem dyn_tasks_number_example_moves_repaired :
  path_values example = Some [:: 1; 1; 2; 1; 4] /\ number_answer example = Some letter_C.
Proof.
by vm_compute.
Qed.
(* mutant four
   from: [:: 1; 1; 2; 1; 4]
   to:   [:: 1; 2; 1; 4] *)
(* mutant from the end
   from: [:: 1; 1; 2; 1; 4]
   to:   [:: 4; 1; 2; 1; 1] *)
(* mutant six
   from: [:: 1; 1; 2; 1; 4]
   to:   [:: 1; 1; 1; 2; 1; 4] *)

(** dyn.tasks.number.example.without-query. After the move of the last token, the query, the path makes four moves, by
    the integers 1, 2, 1, 4, and ends at C. *)
Theorem dyn_tasks_number_example_without_query :
  omap behead (path_values example) = Some [:: 1; 2; 1; 4] /\ number_answer example = Some letter_C.
Proof.
by vm_compute.
Qed.
(* mutant three
   from: [:: 1; 2; 1; 4]
   to:   [:: 2; 1; 4] *)
(* mutant from the end
   from: [:: 1; 2; 1; 4]
   to:   [:: 4; 1; 2; 1] *)
(* mutant five
   from: [:: 1; 2; 1; 4]
   to:   [:: 1; 1; 2; 1; 4] *)

(** dyn.tasks.number.example.formal (refuted). The chains of B.1 would give the example the answer C and no other. *)
Theorem dyn_tasks_number_example_formal_fails :
  ~ (number_answers tested_index answer_index true example_letters example_integers = [:: Some letter_C]).
Proof.
by vm_compute.
Qed.
(* mutant the letter that is reached, from the last place
   from: tested_index answer_index true
   to:   reached_index reached_index false *)
(* counterexample: {"tokens": ["C", "B", "A", 1, 4, 1, 3, 2, 1, 1]} *)

(** dyn.tasks.number.example.formal.repaired. The repaired definition has one chain, of five places, with answer C. *)
Theorem dyn_tasks_number_example_formal_repaired :
  number_outcomes reached_index reached_index false example_letters example_integers = [:: (Some letter_C, 5)].
Proof.
by vm_compute.
Qed.
(* mutant four
   from: (Some letter_C, 5)
   to:   (Some letter_C, 4) *)
(* mutant by value
   from: reached_index reached_index false
   to:   reached_index reached_index true *)
(* mutant tested index
   from: reached_index reached_index false
   to:   tested_index tested_index false *)

(** ** The letter task *)

Section LetterChains.
Variables L N : eqType.
Variables (target : seq (L * N)) (before : seq (L * L)).
Implicit Types (p : L * (L + N)) (here : seq nat).

Lemma letter_tokens_at k :
  token_at (letter_tokens target before) k =
  if k <= size target then omap (fun q => (q.1, inr q.2)) (token_at target k)
  else omap (fun q => (q.1, inl q.2)) (token_at before (k - size target)).
Proof. by rewrite /letter_tokens token_at_cat size_map !token_at_map. Qed.

Lemma letter_tokens_target k u c :
  token_at (letter_tokens target before) k = Some (u, inr c) -> k <= size target /\ (u, c) \in target.
Proof.
rewrite letter_tokens_at; case: ifP => [le | _]; last by case: token_at.
by case at_k: (token_at target k) => [[a b]|] //= [<- <-]; split=> //; apply: token_at_mem at_k.
Qed.

Lemma letter_tokens_before k u v :
  token_at (letter_tokens target before) k = Some (u, inl v) ->
  size target < k /\ token_at before (k - size target) = Some (u, v).
Proof.
rewrite letter_tokens_at ltnNge; case: ifP => [_ | _]; first by case: token_at.
by case: token_at => [[a b]|] //= [-> ->].
Qed.

Lemma before_tokens k u v :
  token_at before k = Some (u, v) -> token_at (letter_tokens target before) (size target + k) = Some (u, inl v).
Proof.
move=> at_k; have /andP[pos _] := token_at_bound at_k.
by rewrite letter_tokens_at leqNgt -{1}(addn0 (size target)) ltn_add2l pos addKn at_k.
Qed.

Lemma target_tokens u c : (u, c) \in target ->
  exists2 k, k <= size target & token_at (letter_tokens target before) k = Some (u, inr c).
Proof.
move=> /mem_token_at[k at_k]; have /andP[_ le] := token_at_bound at_k.
by exists k; rewrite // letter_tokens_at le at_k.
Qed.

(** Chains follow a path that ends: if all their last places hold the path's symbol, then so they do after every step,
    and they end with the path. The chains' places fall, or a letter that is asked for is that of one symbol only. *)
Lemma chains_follow (ordered : bool) here j p d :
  ordered \/ is_unambiguous (letter_tokens target before) ->
  letter_leads (letter_tokens target before) j p d -> size target < j ->
  j - size target \in here ->
  (forall k, k \in here -> token_at (letter_tokens target before) (size target + k) =
     token_at (letter_tokens target before) j /\ (ordered -> size target + k <= j)) ->
  forall q steps, q \in ends_at target before (iter steps (chain_next ordered before) here) <->
    p = (q.1, inr q.2) /\ steps.+1 = d.
Proof.
set x := letter_tokens target before => single leads.
elim: leads here => {j p d} [j u c at_j | j there p d step leads IH].
  by move=> here behind; have [] := letter_tokens_target at_j; rewrite leqNgt behind.
move=> here behind j_here alike.
have [u [v [r [at_j at_r r_v lt same]]]] := letter_stepP step.
have [_ at_j'] := letter_tokens_before at_j.
have here_at k : k \in here -> token_at before k = Some (u, v).
  move=> /alike [at_k _]; move: at_k; rewrite at_j => /letter_tokens_before[_].
  by rewrite addKn.
have only k w : token_at x k = Some w -> w.1 = v -> (ordered -> k <= j) -> w = r /\ (ordered -> k <= there).
  move=> at_k w_v le; case: single le => [-> le | single le].
    by have [-> ?] := same k w (le isT) at_k w_v.
  have w_r : w = r.
    apply: (constant_eq (unambiguous_at single (token_at_mem at_j))); rewrite mem_filter.
      by rewrite w_v eqxx (token_at_mem at_k).
    by rewrite r_v eqxx (token_at_mem at_r).
  by split=> // in_order; have [] := same k w (le in_order) at_k w_v.
have ends q : q \in ends_at target before here <-> r = (q.1, inr q.2).
  case: q => a c; rewrite mem_filter; split=> [/andP[/hasP[k k_here /eqP ends] q_in] | r_q] /=.
    move: ends; rewrite (here_at k k_here) /= => -[v_a]; have [m le at_m] := target_tokens q_in.
    have le_j : m <= j by apply: leq_trans le (ltnW behind).
    by have [] := only m _ at_m (esym v_a) (fun=> le_j).
  rewrite r_q in at_r; have [_ q_in] := letter_tokens_target at_r; rewrite q_in andbT; apply/hasP.
  by exists (j - size target); rewrite // at_j' /= -r_v r_q.
have next k : k \in chain_next ordered before here ->
    token_at x (size target + k) = Some r /\ (ordered -> size target + k <= there).
  rewrite mem_filter => /andP[/hasP[m m_here /andP[/eqP links order]] k_in].
  move: links; rewrite (here_at m m_here) /=; case at_k: (token_at before k) => [[a b]|] //= [v_a].
  have at_x := before_tokens at_k; have [_ m_le] := alike m m_here.
  have [] := only _ _ at_x; rewrite ?v_a //.
    move=> in_order; move: order; rewrite in_order /= => lt_k; apply: leq_trans (m_le in_order).
    by rewrite leq_add2l ltnW.
  by move=> <- le; split.
move=> q [|steps].
  rewrite ends; split=> [r_q | [p_q [zero]]].
    move: leads; rewrite r_q in at_r => leads.
    inversion leads as [j' a c at_a | j' k p' d' step' _]; subst.
      by rewrite at_a in at_r; case: at_r => -> ->.
    by move: step'; rewrite /letter_step at_r.
  rewrite -zero in leads; inversion leads as [j' a c at_a | ]; subst.
  by rewrite at_a in at_r; case: at_r => <-.
rewrite iterSr; case: r at_r r_v same only ends next => a [b|c] at_r r_v same only ends next.
  have [behind' at_there] := letter_tokens_before at_r.
  rewrite IH //; first by split=> -[->]; [move=> -> | case=> ->].
  - rewrite mem_filter; apply/andP; split; last first.
      by have /andP[pos le] := token_at_bound at_there; rewrite mem_iota pos add1n ltnS.
    apply/hasP; exists (j - size target) => //; rewrite at_j' at_there /= -r_v eqxx /=.
    by apply/implyP => _; apply: ltn_sub2r.
  by move=> k /next [-> le]; rewrite at_r; split.
have none : chain_next ordered before here = [::].
  case some: chain_next => [|k rest] //; have /next [at_k _] : k \in chain_next ordered before here.
    by rewrite some mem_head.
  have [le _] := letter_tokens_target at_k; move: le; rewrite -{2}(addn0 (size target)) leq_add2l leqn0 => /eqP zero.
  have : k \in chain_next ordered before here by rewrite some mem_head.
  by rewrite mem_filter mem_iota zero andbF.
rewrite none; split.
  have -> : iter steps (chain_next ordered before) [::] = [::].
    elim: steps => // steps IHs; rewrite iterS IHs /chain_next.
    by elim: (iota _ _).
  by rewrite mem_filter.
case=> _ [late]; move: leads; rewrite -late => leads.
inversion leads as [ | j' k p' d' step' _]; subst.
by move: step'; rewrite /letter_step at_r.
Qed.

End LetterChains.

(** dyn.tasks.letter.formal.repaired. If the path from the last pair ends, then the chains of B.2 whose places fall,
    k_(i+1) < k_i, have one answer, the path's, and one length, its number of moves. *)
Theorem dyn_tasks_letter_formal_repaired :
  forall (L N : eqType) (target : seq (L * N)) (before : seq (L * L)) (p : L * (L + N)) (d : nat),
  0 < size target -> 0 < size before -> solve_letter (letter_tokens target before) = Some (p, d) ->
  forall q steps, q \in letter_answers true target before steps <-> p = (q.1, inr q.2) /\ steps.+1 = d.
Proof.
move=> L N target before p d _ some /solve_letterP leads; apply: chains_follow leads _ _ _; first by left.
- by rewrite size_cat !size_map -{1}(addn0 (size target)) ltn_add2l.
- by rewrite size_cat !size_map addKn mem_head.
by move=> k; rewrite inE => /eqP ->; rewrite size_cat !size_map.
Qed.
(* mutant without the order
   from: letter_answers true
   to:   letter_answers false *)
(* mutant without the query's move
   from: steps.+1 = d
   to:   steps.+2 = d *)

(** dyn.tasks.letter.formal.unambiguous. If each letter asked for is the left letter of one symbol of the whole
    sequence and the path from the last pair ends, then all chains of B.2, as long as they may be, have its answer and
    its number of moves. *)
Theorem dyn_tasks_letter_formal_unambiguous :
  forall (L N : eqType) (target : seq (L * N)) (before : seq (L * L)) (p : L * (L + N)) (d : nat),
  0 < size target -> 0 < size before -> is_unambiguous (letter_tokens target before) ->
  solve_letter (letter_tokens target before) = Some (p, d) ->
  forall q steps, q \in letter_answers false target before steps <-> p = (q.1, inr q.2) /\ steps.+1 = d.
Proof.
move=> L N target before p d _ some single /solve_letterP leads; apply: chains_follow leads _ _ _; first by right.
- by rewrite size_cat !size_map -{1}(addn0 (size target)) ltn_add2l.
- by rewrite size_cat !size_map addKn mem_head.
by move=> k; rewrite inE => /eqP ->; rewrite size_cat !size_map.
Qed.
(* mutant proper
   from: is_unambiguous
   to:   is_proper *)
(* mutant without the query's move
   from: steps.+1 = d
   to:   steps.+2 = d *)

(** dyn.tasks.letter.formal (refuted). On a proper sequence whose path ends all chains of B.2 from the last pair would
    have its answer. On (a,1) (b,1) (c,a) (a,b) (a,c), with a, b, c as 0, 1, 2, the path ends at (a,1), and a chain
    that goes forward, from (c,a) to (a,b), at (b,1). *)
Theorem dyn_tasks_letter_formal_fails :
  ~ (forall (L N : eqType) (target : seq (L * N)) (before : seq (L * L)) (p : L * (L + N)) (d : nat),
     0 < size target -> 0 < size before -> is_proper (letter_tokens target before) ->
     solve_letter (letter_tokens target before) = Some (p, d) ->
     forall q, (exists steps, q \in letter_answers false target before steps) <-> p = (q.1, inr q.2)).
Proof.
move=> printed; have [] := @printed nat_eqType nat_eqType [:: (0, 1); (1, 1)] [:: (2, 0); (0, 1); (0, 2)]
  (0, inr 1) 2 isT isT isT erefl (1, 1).
by move=> forward _; have /forward : exists steps, (1, 1) \in
  letter_answers false [:: (0, 1); (1, 1)] [:: (2, 0); (0, 1); (0, 2)] steps by exists 2.
Qed.
(* mutant in order
   from: letter_answers false
   to:   letter_answers true *)
(* mutant unambiguous
   from: is_proper
   to:   is_unambiguous *)
(* counterexample: {"tokens": [["a", 1], ["b", 1], ["c", "a"], ["a", "b"], ["a", "c"]]} *)

(** dyn.tasks.letter.proper-ends (refuted). On a proper sequence the path from the last pair would reach the target
    window, in n2 moves at most. On (a,1) (b,b), with a, b as 0, 1, it does not: (b,b) names itself. *)
Theorem dyn_tasks_letter_proper_ends_fails :
  ~ (forall (L N : eqType) (target : seq (L * N)) (before : seq (L * L)),
     0 < size target -> 0 < size before -> is_proper (letter_tokens target before) ->
     exists p d, solve_letter (letter_tokens target before) = Some (p, d) /\ d <= size before).
Proof.
move=> printed; have [//|//|//|p [d [solved _]]] := printed nat_eqType nat_eqType [:: (0, 1)] [:: (1, 1)].
by move: solved; vm_compute.
Qed.
(* mutant no pair names itself
   from: is_proper (letter_tokens target before) ->
   to:   is_proper (letter_tokens target before) -> all (fun p => p.1 != p.2) before -> *)
(* counterexample: {"tokens": [["a", 1], ["b", "b"]]} *)

(** A proper pair that does not name itself leads to an earlier place, and so on to the target window. *)
Lemma proper_path_ends (L N : eqType) (target : seq (L * N)) (before : seq (L * L)) k :
  is_proper (letter_tokens target before) -> all (fun p => p.1 != p.2) before -> 0 < k -> k <= size before ->
  exists p d, letter_leads (letter_tokens target before) (size target + k) p d /\ d <= k.
Proof.
set x := letter_tokens target before => good /allP forward.
elim/ltn_ind: k => k IH pos bound; have [[u v] at_k] := token_at_there pos bound.
have at_x := before_tokens target at_k; have [some same] := proper_at good at_x.
have [there step] : exists there, letter_step x (size target + k) = Some there.
  have /namedP[left [m le at_m]] := last_in (u, inl v) some.
  have [there found] := latest_some le at_m left; have [q [_ at_q q_v _]] := latestP found.
  exists there; rewrite /letter_step at_x found same at_q /=; case: eqP => // -[q_x].
  by move: (forward _ (token_at_mem at_k)); rewrite -q_v q_x eqxx.
have [_ [_ [q [_ at_q _ lt _]]]] := letter_stepP step.
have [in_target | behind] := leqP there (size target).
  move: at_q; rewrite letter_tokens_at in_target; case at_t: (token_at target there) => [[a c]|] //= [q_t].
  exists (a, inr c), 1; split=> //; apply: leads_pair step _; apply: leads_answer.
  by rewrite letter_tokens_at in_target at_t.
have [m there_m] : exists m, there = size target + m by exists (there - size target); rewrite subnKC // ltnW.
rewrite there_m in lt behind step.
have m_lt : m < k by rewrite -(ltn_add2l (size target)).
have [||p [d [leads d_m]]] := IH m m_lt.
- by rewrite -(ltn_add2l (size target)) addn0.
- by apply: leq_trans bound; apply: ltnW.
by exists p, d.+1; split; [apply: leads_pair step leads | apply: leq_ltn_trans d_m m_lt].
Qed.

(** dyn.tasks.letter.proper-ends.repaired. On a proper sequence of letter-number and then n2 letter-letter pairs, none
    of which has two equal letters, the path from the last pair reaches the target window, in n2 moves at most. *)
Theorem dyn_tasks_letter_proper_ends_repaired :
  forall (L N : eqType) (target : seq (L * N)) (before : seq (L * L)),
  0 < size target -> 0 < size before -> is_proper (letter_tokens target before) ->
  all (fun p => p.1 != p.2) before ->
  exists p d, solve_letter (letter_tokens target before) = Some (p, d) /\ d <= size before.
Proof.
move=> L N target before _ some good forward.
have [p [d [leads le]]] := proper_path_ends good forward some (leqnn _).
by exists p, d; split=> //; apply/solve_letterP; move: leads; rewrite size_cat !size_map.
Qed.
(* mutant proper alone
   from: all (fun p => p.1 != p.2) before ->
   to:   *)
(* mutant any
   from: is_proper (letter_tokens target before) ->
   to:   *)
(* mutant one fewer
   from: d <= size before
   to:   d < size before *)

(** ** The data sets *)

(** A hop class of the number task: different sequences of 8 + 8 + 1 tokens, 120 letters and the integers 1 .. 16, that
    make so many moves; the place of the answer is the last one of the path. *)
Definition number_form (x : seq (nat + nat)) : bool :=
  [&& size x == 17, all (fun t => if t is inl a then a < 120 else false) (take 8 x),
      all (fun t => if t is inr i then (1 <= i) && (i <= 16) else false) (drop 8 x) & valid_index x].
Definition number_class (hops : nat) (D : seq (seq (nat + nat))) : bool :=
  uniq D && all (fun x => number_form x && (omap snd (solve_number x) == Some hops)) D.
Definition number_place (L : Type) (x : seq (L + nat)) : option nat := omap (last 0) (number_path x).
Arguments number_answer {L} x.
Arguments number_place {L} x.

(** A hop class of the letter task: different proper sequences of 8 + 8 + 1 tokens, 8 letters and 8 numbers. *)
Definition letter_form (x : seq (nat * (nat + nat))) : bool :=
  [&& size x == 17, all (fun p => if p.2 is inr c then (p.1 < 8) && (c < 8) else false) (take 8 x),
      all (fun p => if p.2 is inl v then (p.1 < 8) && (v < 8) else false) (drop 8 x) & is_proper x].
Definition letter_class (hops : nat) (D : seq (seq (nat * (nat + nat)))) : bool :=
  uniq D && all (fun x => letter_form x && (omap snd (solve_letter x) == Some hops)) D.
Definition letter_answer (L N : eqType) (x : seq (L * (L + N))) : option (L * (L + N)) := omap fst (solve_letter x).
Definition letter_place (L N : eqType) (x : seq (L * (L + N))) : option nat := omap (last 0) (letter_path x).
Arguments letter_answer {L N} x.
Arguments letter_place {L N} x.

(** The answers that there are, 120 letters and 64 pairs, and the 8 places; answer and place together. *)
Definition number_values : seq nat := iota 0 120.
Definition letter_values : seq (nat * (nat + nat)) := [seq (u, inr c) | u <- iota 0 8, c <- iota 0 8].
Definition places : seq nat := iota 1 8.
Definition together (T A : Type) (answer : T -> option A) (place : T -> option nat) (x : T) : option (A * nat) :=
  if answer x is Some a then omap (pair a) (place x) else None.
Definition cells (A : Type) (values : seq A) : seq (A * nat) := [seq (a, p) | a <- values, p <- places].

(** Every one of the values comes equally often among what [f] is of the sequences; or as often up to one. *)
Definition often (T A : eqType) (f : T -> option A) (D : seq T) (a : A) : nat := count (fun x => f x == Some a) D.
Definition equally_often (T A : eqType) (f : T -> option A) (values : seq A) (D : seq T) : Prop :=
  forall a b, a \in values -> b \in values -> often f D a = often f D b.
Definition nearly_as_often (T A : eqType) (f : T -> option A) (values : seq A) (D : seq T) : Prop :=
  forall a b, a \in values -> b \in values -> often f D a <= (often f D b).+1.

(** If all that comes up is among the values, and each equally often, the sequences are a multiple of the values. *)
Lemma size_often (T A : eqType) (f : T -> option A) values (D : seq T) :
  uniq values -> (forall x, x \in D -> exists2 a, a \in values & f x = Some a) ->
  size D = sumn (map (often f D) values).
Proof.
move=> single; elim: D => [|x D IH] all_in.
  by elim: values {single all_in} => //= a s <-.
have [a a_in f_x] := all_in x (mem_head _ _); rewrite /= IH; last first.
  by move=> y y_in; apply: all_in; rewrite inE y_in orbT.
have -> : map (often f (x :: D)) values = [seq (b == a) + often f D b | b <- values].
  by apply: eq_map => b; rewrite /often /= f_x eq_sym.
have split : sumn [seq (b == a) + often f D b | b <- values] =
    count_mem a values + sumn (map (often f D) values).
  by elim: values {single all_in a_in IH} => //= b s ->; rewrite addnACA.
by rewrite split count_uniq_mem // a_in.
Qed.

Lemma multiple_of_values (T A : eqType) (f : T -> option A) values (D : seq T) :
  uniq values -> (forall x, x \in D -> exists2 a, a \in values & f x = Some a) ->
  equally_often f values D -> size D %% size values = 0.
Proof.
move=> single all_in even; rewrite (size_often single all_in).
case: values even {single all_in} => [|a s] even; first by [].
have -> : map (often f D) (a :: s) = nseq (size (a :: s)) (often f D a).
  rewrite -(size_map (often f D)); apply/all_pred1P; apply/allP => n /mapP[b b_in ->].
  by rewrite /= (even b a) ?mem_head // eqxx.
by rewrite sumn_nseq modnMl.
Qed.

(** What a sequence of a hop class of the letter task has for answer and place. *)
Lemma letter_class_values hops D x :
  letter_class hops D -> x \in D ->
  exists p k, [/\ p \in letter_values, k \in places, letter_answer x = Some p & letter_place x = Some k].
Proof.
move=> /andP[_ /allP sound] /sound /andP[/and4P[/eqP size_x /allP front /allP back _] /eqP].
rewrite /letter_answer /letter_place /solve_letter /letter_path.
case walked: walk => [path|] //; have [p [last_p leads _]] := walk_letter_leads walked.
rewrite last_p /= => _; exists p, (last 0 path).
have [u [c [p_uc _]]] := letter_leads_answer leads.
have place_8 : last 0 path <= 8.
  rewrite leqNgt; apply/negP => behind; suff /back: p \in drop 8 x by rewrite p_uc.
  by move: last_p; rewrite -{1}(cat_take_drop 8 x) token_at_cat size_take size_x leqNgt behind => /token_at_mem.
have p_front : p \in take 8 x by apply/token_at_take; exists (last 0 path).
split=> //; last by have /andP[pos _] := token_at_bound last_p; rewrite mem_iota pos add1n ltnS.
move: (front p p_front); rewrite p_uc /= => /andP[u_8 c_8].
by apply: allpairs_f; rewrite mem_iota.
Qed.

(** dyn.tasks.balance.jointly (refuted). For both tasks there would be hop classes of 120,000 sequences, a quarter of
    all, in each of which every answer comes equally often at every place. For the letter task there is none, whatever
    the number of moves: it has 64 answers, and 120,000 is no multiple of 8 * 64. *)
Theorem dyn_tasks_balance_jointly_fails :
  ~ (exists hops D, letter_class hops D /\ size D = 120 * 1000 /\
     equally_often (together letter_answer letter_place) (cells letter_values) D).
Proof.
move=> [hops [D [sound [many even]]]].
suff: size D %% size (cells letter_values) = 0 by rewrite many; vm_compute.
apply: multiple_of_values even; first by vm_compute.
move=> x /(letter_class_values sound) [p [k [p_in k_in answer place]]].
by exists (p, k); [apply: allpairs_f | rewrite /together answer place].
Qed.
(* mutant the number task
   from: letter_class hops D /\ size D = 120 * 1000 /\
     equally_often (together letter_answer letter_place) (cells letter_values) D
   to:   number_class hops D /\ size D = 120 * 1000 /\
     equally_often (together number_answer number_place) (cells number_values) D *)
(* mutant but for one sequence
   from: equally_often
   to:   nearly_as_often *)
(* counterexample: {"task": "letter", "hops": 1, "sequences": 120000} *)

(** dyn.tasks.balance.in-each-split (refuted). For both tasks the hop classes of the splits, 600, 11,400 and 108,000
    sequences, would have every answer equally often, and every place. The letter task has none of these sizes, whatever
    the number of moves: it has 64 answers, and none of the sizes is a multiple of that. *)
Theorem dyn_tasks_balance_in_each_split_fails :
  ~ (exists hops n, n \in [:: 600; 114 * 100; 108 * 1000] /\
     (exists D, letter_class hops D /\ size D = n /\
       equally_often letter_answer letter_values D /\ equally_often letter_place places D)).
Proof.
move=> [hops [n [n_in [D [sound [many [even _]]]]]]].
have: size D %% size letter_values = 0.
  apply: multiple_of_values even; first by vm_compute.
  by move=> x /(letter_class_values sound) [p [k [p_in _ answer _]]]; exists p.
by rewrite many; move: n_in; rewrite !inE => /or3P[] /eqP ->; vm_compute.
Qed.
(* mutant the number task
   from: letter_class hops D /\ size D = n /\
     equally_often letter_answer letter_values D /\ equally_often letter_place places D
   to:   number_class hops D /\ size D = n /\
     equally_often number_answer number_values D /\ equally_often number_place places D *)
(* mutant but for one sequence
   from: equally_often letter_answer
   to:   nearly_as_often letter_answer *)
(* counterexample: {"task": "letter", "hops": 1, "sequences": 600} *)

(** Sequences dealt to cells of answers and places: [table a p] of them with answer [a] at place [p], the sequences
    [deal a p i] from i = [first a p] on. *)
Definition dealt (T A : Type) (deal : A -> nat -> nat -> T) (first table : A -> nat -> nat) (cs : seq (A * nat)) :
    seq T :=
  flatten [seq [seq deal c.1 c.2 i | i <- iota (first c.1 c.2) (table c.1 c.2)] | c <- cs].

Section Dealing.
Variables (T A : eqType) (good : T -> bool) (answer : T -> option A) (place : T -> option nat).
Variables (deal : A -> nat -> nat -> T) (values : seq A) (most : nat).
Variable single : uniq values.
Variable sound : forall a p i, a \in values -> p \in places -> i < most ->
  [/\ good (deal a p i), answer (deal a p i) = Some a & place (deal a p i) = Some p].
Variable apart : forall a p i k, a \in values -> p \in places -> i < most -> k < most ->
  deal a p i = deal a p k -> i = k.
Implicit Types (first table : A -> nat -> nat).

Definition enough first table := forall a p, a \in values -> p \in places -> first a p + table a p <= most.

Lemma cells_in c : (c \in cells values) = (c.1 \in values) && (c.2 \in places).
Proof.
case: c => a p; apply/allpairsP/andP => [[[b q] [b_in q_in [-> ->]]] // | [a_in p_in]].
by exists (a, p).
Qed.

Lemma uniq_cells : uniq (cells values).
Proof. by apply: allpairs_uniq => // -[a p] [b q] _ _ /= [-> ->]. Qed.

Lemma dealt_in first table x : enough first table ->
  reflect (exists a p i, [/\ a \in values, p \in places, first a p <= i, i < first a p + table a p & x = deal a p i])
    (x \in dealt deal first table (cells values)).
Proof.
move=> fits; apply: (iffP flatten_mapP) => [[[a p]] | [a [p [i [a_in p_in le lt ->]]]]].
  rewrite cells_in => /andP[/= a_in p_in] /mapP[i]; rewrite mem_iota => /andP[le lt] ->.
  by exists a, p, i.
by exists (a, p); rewrite ?cells_in ?a_in //=; apply: map_f; rewrite mem_iota le lt.
Qed.

Lemma dealt_good first table : enough first table -> all good (dealt deal first table (cells values)).
Proof.
move=> fits; apply/allP => x /(dealt_in _ fits)[a [p [i [a_in p_in _ lt ->]]]].
by have [] := sound a_in p_in (leq_trans lt (fits _ _ a_in p_in)).
Qed.

Lemma dealt_uniq first table : enough first table -> uniq (dealt deal first table (cells values)).
Proof.
move=> fits; suff general cs : uniq cs -> {subset cs <= cells values} -> uniq (dealt deal first table cs).
  exact: general uniq_cells (fun _ => id).
elim: cs => // -[a p] cs IH /andP[new single_cs] sub; rewrite /dealt /=.
have /andP[/= a_in p_in] : (a \in values) && (p \in places) by rewrite -(cells_in (a, p)) sub ?mem_head.
have below i b q : b \in values -> q \in places -> i \in iota (first b q) (table b q) -> i < most.
  by rewrite mem_iota => b_in q_in /andP[_ lt]; apply: leq_trans lt (fits _ _ b_in q_in).
rewrite cat_uniq IH //; last by move=> c c_in; apply: sub; rewrite inE c_in orbT.
rewrite andbT map_inj_in_uniq ?iota_uniq /=; last first.
  by move=> i k /(below _ _ _ a_in p_in) i_lt /(below _ _ _ a_in p_in) k_lt; apply: apart.
apply/hasP => -[x /flatten_mapP[[b q] c_in /mapP[k k_in x_k]] /mapP[i i_in x_i]].
have /andP[/= b_in q_in] : (b \in values) && (q \in places).
  by rewrite -(cells_in (b, q)) sub // inE c_in orbT.
have [_ answer_i place_i] := sound a_in p_in (below _ _ _ a_in p_in i_in).
have [_ answer_k place_k] := sound b_in q_in (below _ _ _ b_in q_in k_in).
move: answer_k place_k; rewrite -x_k x_i answer_i place_i => -[a_b] [p_q].
by move: new; rewrite a_b p_q c_in.
Qed.

Lemma dealt_size first table :
  size (dealt deal first table (cells values)) = sumn [seq table c.1 c.2 | c <- cells values].
Proof.
rewrite /dealt size_flatten /shape -map_comp; congr sumn; apply: eq_map => c /=.
by rewrite size_map size_iota.
Qed.

Lemma dealt_often (B : eqType) (f : T -> option B) (g : A * nat -> B) first table b :
  enough first table ->
  (forall a p i, a \in values -> p \in places -> i < most -> f (deal a p i) = Some (g (a, p))) ->
  often f (dealt deal first table (cells values)) b =
  sumn [seq if g c == b then table c.1 c.2 else 0 | c <- cells values].
Proof.
move=> fits known; rewrite /often /dealt count_flatten -map_comp; congr sumn; apply/eq_in_map => -[a p].
rewrite cells_in => /andP[/= a_in p_in].
have same : {in iota (first a p) (table a p), (fun i => f (deal a p i) == Some b) =1 fun=> g (a, p) == b}.
  move=> i; rewrite mem_iota => /andP[_ lt].
  by rewrite (known a p i) //; apply: leq_trans lt (fits _ _ a_in p_in).
rewrite count_map (eq_in_count same); case: eqP => _; last exact: count_pred0.
by rewrite count_predT size_iota.
Qed.

Lemma dealt_often_cell first table c :
  enough first table -> c \in cells values ->
  often (together answer place) (dealt deal first table (cells values)) c = table c.1 c.2.
Proof.
move=> fits c_in; rewrite (dealt_often (g := id)) //; last first.
  by move=> a p i a_in p_in lt; have [_ to at_p] := sound a_in p_in lt; rewrite /together to at_p.
elim: (cells values) uniq_cells c_in => //= d cs IH /andP[new single_cs]; rewrite inE => /orP[/eqP c_d | c_in].
  rewrite c_d eqxx (_ : sumn _ = 0) ?addn0 //.
  elim: cs new {IH single_cs} => //= e cs IH; rewrite inE negb_or eq_sym => /andP[/negbTE -> /IH ->].
  by [].
have -> : (d == c) = false by apply/negP => /eqP d_c; move: new; rewrite d_c c_in.
by rewrite IH.
Qed.

(** Tables whose rows add up to one number and columns to another. *)
Definition rows_add_up table total :=
  all (fun a => sumn [seq if c.1 == a then table c.1 c.2 else 0 | c <- cells values] == total) values.
Definition columns_add_up table total :=
  all (fun p => sumn [seq if c.2 == p then table c.1 c.2 else 0 | c <- cells values] == total) places.

Lemma dealt_often_answer first table a :
  enough first table -> often answer (dealt deal first table (cells values)) a =
  sumn [seq if c.1 == a then table c.1 c.2 else 0 | c <- cells values].
Proof.
move=> fits; rewrite (dealt_often (g := fst)) // => b p i b_in p_in lt.
by have [] := sound b_in p_in lt.
Qed.

Lemma dealt_answers first table total :
  enough first table -> rows_add_up table total ->
  equally_often answer values (dealt deal first table (cells values)).
Proof.
move=> fits /allP rows a b /rows /eqP row_a /rows /eqP row_b.
by rewrite !(dealt_often_answer _ fits) row_a row_b.
Qed.

Lemma dealt_places first table total :
  enough first table -> columns_add_up table total ->
  equally_often place places (dealt deal first table (cells values)).
Proof.
move=> fits /allP columns p q /columns /eqP column_p /columns /eqP column_q.
rewrite !(dealt_often (g := snd)) ?column_p ?column_q // => a k i a_in k_in lt.
all: by have [] := sound a_in k_in lt.
Qed.

(** Rows that add up to one of two numbers that follow each other, and cells that are one of two such. *)
Definition rows_nearly table total :=
  all (fun a => let row := sumn [seq if c.1 == a then table c.1 c.2 else 0 | c <- cells values] in
    (total <= row) && (row <= total.+1)) values.

Lemma dealt_answers_nearly first table total :
  enough first table -> rows_nearly table total ->
  nearly_as_often answer values (dealt deal first table (cells values)).
Proof.
move=> fits /allP rows a b /rows /andP[_ row_a] /rows /andP[row_b _].
by rewrite !(dealt_often_answer _ fits); apply: leq_trans row_a _; rewrite ltnS.
Qed.

Lemma dealt_cells_nearly first table base :
  enough first table -> (forall a p, (base <= table a p) && (table a p <= base.+1)) ->
  nearly_as_often (together answer place) (cells values) (dealt deal first table (cells values)).
Proof.
move=> fits near c d c_in d_in; rewrite !dealt_often_cell //.
have /andP[_ le] := near c.1 c.2; have /andP[ge _] := near d.1 d.2.
by apply: leq_trans le _; rewrite ltnS.
Qed.

(** Three parts whose numbers [i] do not overlap have no sequence in common. *)
Lemma dealt_disjoint first table later other :
  enough first table -> enough later other ->
  (forall a p, first a p + table a p <= later a p) ->
  ~~ has (mem (dealt deal first table (cells values))) (dealt deal later other (cells values)).
Proof.
move=> fits fits' before; apply/hasPn => x /(dealt_in _ fits')[a [p [i [a_in p_in le lt x_i]]]].
apply/negP => /(dealt_in _ fits)[b [q [k [b_in q_in _ lt_k x_k]]]].
have i_lt : i < most by apply: leq_trans lt (fits' _ _ a_in p_in).
have k_lt : k < most by apply: leq_trans lt_k (fits _ _ b_in q_in).
have [_ answer_i place_i] := sound a_in p_in i_lt; have [_ answer_k place_k] := sound b_in q_in k_lt.
move: answer_k place_k; rewrite -x_k x_i answer_i place_i => -[a_b] [p_q]; move: lt_k x_k k_lt.
rewrite -a_b -p_q x_i => lt_k same k_lt; have i_k := apart a_in p_in i_lt k_lt same.
by move: le; rewrite i_k leqNgt (leq_trans lt_k (before a p)).
Qed.

Lemma dealt_three f1 t1 f2 t2 f3 t3 :
  enough f1 t1 -> enough f2 t2 -> enough f3 t3 ->
  (forall a p, f1 a p + t1 a p <= f2 a p) -> (forall a p, f2 a p + t2 a p <= f3 a p) ->
  let D := dealt deal f1 t1 (cells values) ++ dealt deal f2 t2 (cells values) ++ dealt deal f3 t3 (cells values) in
  uniq D && all good D.
Proof.
move=> fits1 fits2 fits3 one_two two_three /=; rewrite !cat_uniq !all_cat !dealt_good // !dealt_uniq //=.
rewrite has_cat negb_or !dealt_disjoint // => a p.
by apply: leq_trans (one_two a p) _; apply: leq_trans (two_three a p); apply: leq_addr.
Qed.

End Dealing.

(** The window of [a] at place [k + 1] and of others at the other places. *)
Definition insert (T : Type) (k : nat) (a : T) (others : seq T) : seq T := take k others ++ a :: drop k others.

Lemma insert_others (T : Type) k (a : T) others :
  k <= size others -> take k (insert k a others) ++ drop k.+1 (insert k a others) = others.
Proof.
move=> le; rewrite /insert take_size_cat ?size_takel // drop_cat size_takel // ltnNge leqnSn /= subSnn /= drop0.
exact: cat_take_drop.
Qed.

Lemma insert_all (T : Type) (P : pred T) k a others : all P (insert k a others) = P a && all P others.
Proof. by rewrite /insert all_cat /= andbCA -all_cat cat_take_drop. Qed.

Lemma size_insert (T : Type) k (a : T) others : size (insert k a others) = (size others).+1.
Proof. by rewrite /insert size_cat /= addnS -size_cat cat_take_drop. Qed.

(** Of the number task: the path visits the last places, one after the other, and then place [p], where [a] stands
    among other letters, two of which tell the number [i] of the sequence. *)
Definition number_others (i : nat) : seq nat := [:: i %% 120; i %/ 120; 0; 0; 0; 0; 0].
Definition number_links (hops p : nat) : seq nat := [seq if k == 18 - hops then k - p else 1 | k <- iota 9 9].
Definition number_sequence (hops a p i : nat) : seq (nat + nat) :=
  number_tokens (insert p.-1 a (number_others i)) (number_links hops p).

Lemma number_links_solved a b c :
  [seq [seq let x := number_tokens (insert p.-1 a [:: b; c; 0; 0; 0; 0; 0]) (number_links hops p) in
    (valid_index x, solve_number x, number_place x) | p <- places] | hops <- iota 1 7] =
  [seq [seq (true, Some (a, hops), Some p) | p <- places] | hops <- iota 1 7].
Proof. by vm_compute. Qed.

Lemma number_links_form :
  all (fun hops => all (fun p => all (fun i => (1 <= i) && (i <= 16)) (number_links hops p)) places) (iota 1 7).
Proof. by vm_compute. Qed.

Lemma number_sequence_sound hops a p i :
  hops \in iota 1 7 -> a \in number_values -> p \in places -> i < 240 ->
  [/\ number_form (number_sequence hops a p i) && (omap snd (solve_number (number_sequence hops a p i)) == Some hops),
    number_answer (number_sequence hops a p i) = Some a & number_place (number_sequence hops a p i) = Some p].
Proof.
move=> hops_in a_in p_in i_lt; rewrite /number_answer /number_form.
have [-> -> ->] : [/\ valid_index (number_sequence hops a p i), number_place (number_sequence hops a p i) = Some p &
    solve_number (number_sequence hops a p i) = Some (a, hops)].
  have /eq_in_map/(_ hops hops_in)/eq_in_map/(_ p p_in) := number_links_solved a (i %% 120) (i %/ 120).
  by rewrite /number_sequence; case=> -> -> ->.
split=> //; rewrite /number_sequence /number_tokens size_cat !size_map size_iota size_insert eqxx /= eqxx !andbT.
set window := map _ (insert _ _ _); have size_8 : size window = 8 by rewrite size_map size_insert.
rewrite (take_size_cat _ size_8) (drop_size_cat _ size_8) !all_map insert_all; apply/andP; split.
  have a_lt : a < 120 by move: a_in; rewrite mem_iota.
  have div_lt : i %/ 120 < 120 by rewrite ltn_divLR //; apply: (@ltn_trans 240).
  by rewrite /= a_lt ltn_pmod //= div_lt.
by move/allP: number_links_form => /(_ hops hops_in)/allP/(_ p p_in).
Qed.

Lemma number_sequence_apart hops a p i k :
  p \in places -> number_sequence hops a p i = number_sequence hops a p k -> i = k.
Proof.
rewrite mem_iota => /andP[pos le]; rewrite /number_sequence /number_tokens => same.
have p_le o : size o = 7 -> p.-1 <= size o by move=> ->; case: p pos le {same}.
have eq_s : insert p.-1 a (number_others i) = insert p.-1 a (number_others k).
  have inl_inj : injective (@inl nat nat) by move=> x y [].
  apply: (inj_map inl_inj); move/(congr1 (take 8)): same.
  by rewrite !take_size_cat // size_map size_insert.
have [mod_eq div_eq] : i %% 120 = k %% 120 /\ i %/ 120 = k %/ 120.
  have := insert_others a (p_le _ (number_others i) erefl).
  by rewrite eq_s insert_others ?p_le // => -[-> ->].
by rewrite (divn_eq i 120) (divn_eq k 120) mod_eq div_eq.
Qed.

(** Of the letter task: the pairs of the path stand last, before them copies of a pair that nothing names, and the
    answer stands at place [p] among pairs that nothing names, of which three numbers tell [i]. *)
Definition letter_name (u k : nat) : nat := if k is 0 then u else (u + k.+1) %% 8.
Definition unnamed (u : nat) : nat := (u + 1) %% 8.
Definition letter_others (u i : nat) : seq (nat * nat) :=
  [:: (unnamed u, i %% 8); (unnamed u, (i %/ 8) %% 8); (unnamed u, i %/ 64); (unnamed u, 0); (unnamed u, 0);
      (unnamed u, 0); (unnamed u, 0)].
Definition letter_links (hops u : nat) : seq (nat * nat) :=
  nseq (9 - hops) (unnamed u, u) ++ [seq (letter_name u k.+1, letter_name u k) | k <- iota 0 hops.-1]
  ++ [:: (unnamed u, letter_name u hops.-1)].
Definition letter_sequence (hops : nat) (a : nat * (nat + nat)) (p i : nat) : seq (nat * (nat + nat)) :=
  if a.2 is inr c then letter_tokens (insert p.-1 (a.1, c) (letter_others a.1 i)) (letter_links hops a.1) else [::].

Lemma letter_links_solved c d e f :
  [seq [seq [seq
    let w := unnamed u in
    let others := [:: (w, d); (w, e); (w, f); (w, 0); (w, 0); (w, 0); (w, 0)] in
    let x := letter_tokens (insert p.-1 (u, c) others) (letter_links hops u) in
    (is_proper x, solve_letter x, letter_place x) | u <- iota 0 8] | p <- places] | hops <- iota 1 7] =
  [seq [seq [seq (true, Some ((u, inr c), hops), Some p) | u <- iota 0 8] | p <- places] | hops <- iota 1 7].
Proof. by vm_compute. Qed.

Lemma letter_links_form :
  all (fun hops => all (fun u => (size (letter_links hops u) == 9) &&
    all (fun q => (q.1 < 8) && (q.2 < 8)) (letter_links hops u)) (iota 0 8)) (iota 1 7).
Proof. by vm_compute. Qed.

Lemma letter_values_in a : a \in letter_values -> exists u c, [/\ a = (u, inr c), u \in iota 0 8 & c < 8].
Proof.
by move=> /allpairsP[[u c] [u_in c_in ->]]; exists u, c; split=> //; move: c_in; rewrite mem_iota.
Qed.

Lemma letter_sequence_sound hops a p i :
  hops \in iota 1 7 -> a \in letter_values -> p \in places -> i < 512 ->
  [/\ letter_form (letter_sequence hops a p i) && (omap snd (solve_letter (letter_sequence hops a p i)) == Some hops),
    letter_answer (letter_sequence hops a p i) = Some a & letter_place (letter_sequence hops a p i) = Some p].
Proof.
move=> hops_in /letter_values_in[u [c [-> u_in c_lt]]] p_in i_lt; rewrite /letter_answer /letter_form.
set x := letter_sequence hops (u, inr c) p i.
have [-> -> ->] : [/\ is_proper x, letter_place x = Some p & solve_letter x = Some ((u, inr c), hops)].
  have /eq_in_map/(_ hops hops_in)/eq_in_map/(_ p p_in)/eq_in_map/(_ u u_in) :=
    letter_links_solved c (i %% 8) ((i %/ 8) %% 8) (i %/ 64).
  by rewrite /x /letter_sequence /letter_others /=; case=> -> -> ->.
have /andP[/eqP size_9 back] : (size (letter_links hops u) == 9) &&
    all (fun q => (q.1 < 8) && (q.2 < 8)) (letter_links hops u).
  by move/allP: letter_links_form => /(_ hops hops_in)/allP/(_ u u_in).
split=> //; rewrite /x /letter_sequence /letter_tokens size_cat !size_map size_insert size_9 eqxx /= eqxx !andbT.
set window := map _ (insert _ _ _); have size_8 : size window = 8 by rewrite size_map size_insert.
rewrite (take_size_cat _ size_8) (drop_size_cat _ size_8) !all_map insert_all; apply/andP; split=> //=.
have u_lt : u < 8 by move: u_in; rewrite mem_iota.
have w_lt : unnamed u < 8 by apply: ltn_pmod.
have div_lt : i %/ 64 < 8 by rewrite ltn_divLR.
by rewrite u_lt c_lt w_lt !ltn_pmod // div_lt.
Qed.

Lemma letter_sequence_apart hops a p i k :
  a \in letter_values -> p \in places -> letter_sequence hops a p i = letter_sequence hops a p k -> i = k.
Proof.
move=> /letter_values_in[u [c [-> _ _]]]; rewrite mem_iota => /andP[pos le].
rewrite /letter_sequence /letter_tokens /= => same.
have p_le o : size o = 7 -> p.-1 <= size o by move=> ->; case: p pos le {same}.
have eq_s : insert p.-1 (u, c) (letter_others u i) = insert p.-1 (u, c) (letter_others u k).
  have pair_inj : injective (fun q : nat * nat => (q.1, @inr nat nat q.2)) by move=> [x y] [z t] [-> ->].
  apply: (inj_map pair_inj); move/(congr1 (take 8)): same.
  by rewrite !take_size_cat // size_map size_insert.
have [one two three] : [/\ i %% 8 = k %% 8, (i %/ 8) %% 8 = (k %/ 8) %% 8 & i %/ 64 = k %/ 64].
  have := insert_others (u, c) (p_le _ (letter_others u i) erefl).
  by rewrite eq_s insert_others ?p_le // => -[-> -> ->].
have eight : i %/ 8 = k %/ 8.
  by rewrite (divn_eq (i %/ 8) 8) (divn_eq (k %/ 8) 8) two -!divnMA three.
by rewrite (divn_eq i 8) (divn_eq k 8) one eight.
Qed.

(** Tables of counts: [base] at every place, one more at [extra a] of the 8 places, other ones as the answer turns. *)
Definition turning (A : Type) (key extra : A -> nat) (base : nat) (a : A) (p : nat) : nat :=
  base + ((p + key a) %% 8 < extra a).
Definition number_table (base extra : nat) : nat -> nat -> nat := turning id (fun=> extra) base.
Definition letter_key (a : nat * (nat + nat)) : nat := if a.2 is inr c then c else 0.
Definition letter_table (base : nat) (extra : nat -> nat) : nat * (nat + nat) -> nat -> nat :=
  turning letter_key (fun a => extra a.1) base.

Lemma turning_fits (A : eqType) (values : seq A) most key extra base first :
  first + base.+1 <= most -> enough values most (fun _ _ => first) (turning key extra base).
Proof.
by move=> fits a p _ _; apply: leq_trans fits; rewrite leq_add2l /turning -[base.+1]addn1 leq_add2l leq_b1.
Qed.

Lemma turning_near (A : Type) (key extra : A -> nat) base a p :
  (base <= turning key extra base a p) && (turning key extra base a p <= base.+1).
Proof. by rewrite leq_addr -[base.+1]addn1 leq_add2l leq_b1. Qed.

Lemma turning_before (A : Type) (key extra : A -> nat) base first later (a : A) (p : nat) :
  first + base.+1 <= later -> first + turning key extra base a p <= later.
Proof. by apply: leq_trans; rewrite leq_add2l; have /andP[] := turning_near key extra base a p. Qed.

Definition number_deal hops first base extra :=
  dealt (number_sequence hops) (fun _ _ => first) (number_table base extra) (cells number_values).
Definition letter_deal hops first base extra :=
  dealt (letter_sequence hops) (fun _ _ => first) (letter_table base extra) (cells letter_values).

Section Deals.
Variable hops : nat.
Variable hops_in : hops \in iota 1 7.

Lemma number_apart_in a p i k : a \in number_values -> p \in places -> i < 240 -> k < 240 ->
  number_sequence hops a p i = number_sequence hops a p k -> i = k.
Proof. by move=> _ p_in _ _; apply: number_sequence_apart. Qed.

Lemma letter_apart_in a p i k : a \in letter_values -> p \in places -> i < 512 -> k < 512 ->
  letter_sequence hops a p i = letter_sequence hops a p k -> i = k.
Proof. by move=> a_in p_in _ _; apply: letter_sequence_apart. Qed.

Definition number_good (x : seq (nat + nat)) : bool := number_form x && (omap snd (solve_number x) == Some hops).
Definition letter_good (x : seq (nat * (nat + nat))) : bool :=
  letter_form x && (omap snd (solve_letter x) == Some hops).

Lemma number_sound_in a p i : a \in number_values -> p \in places -> i < 240 ->
  [/\ number_good (number_sequence hops a p i), number_answer (number_sequence hops a p i) = Some a
    & number_place (number_sequence hops a p i) = Some p].
Proof. exact (@number_sequence_sound hops a p i hops_in). Qed.

Lemma letter_sound_in a p i : a \in letter_values -> p \in places -> i < 512 ->
  [/\ letter_good (letter_sequence hops a p i), letter_answer (letter_sequence hops a p i) = Some a
    & letter_place (letter_sequence hops a p i) = Some p].
Proof. exact (@letter_sequence_sound hops a p i hops_in). Qed.

Lemma uniq_letter_values : uniq letter_values.
Proof. by vm_compute. Qed.

Lemma number_fits first base extra :
  first + base.+1 <= 240 -> enough number_values 240 (fun _ _ => first) (number_table base extra).
Proof. by move=> fits a p; apply: turning_fits. Qed.

Lemma letter_fits first base extra :
  first + base.+1 <= 512 -> enough letter_values 512 (fun _ _ => first) (letter_table base extra).
Proof. by move=> fits a p; apply: turning_fits. Qed.

Lemma number_deal_class first base extra :
  first + base.+1 <= 240 -> number_class hops (number_deal hops first base extra).
Proof.
move=> fits; have all_fit := @number_fits first base extra fits; apply/andP; split.
  exact (dealt_uniq (iota_uniq _ _) number_sound_in number_apart_in all_fit).
exact (dealt_good number_sound_in all_fit).
Qed.

Lemma letter_deal_class first base extra :
  first + base.+1 <= 512 -> letter_class hops (letter_deal hops first base extra).
Proof.
move=> fits; have all_fit := @letter_fits first base extra fits; apply/andP; split.
  exact (dealt_uniq uniq_letter_values letter_sound_in letter_apart_in all_fit).
exact (dealt_good letter_sound_in all_fit).
Qed.

Lemma number_deal_three b1 e1 b2 e2 b3 e3 f2 f3 :
  0 + b1.+1 <= f2 -> f2 + b2.+1 <= f3 -> f3 + b3.+1 <= 240 ->
  number_class hops (number_deal hops 0 b1 e1 ++ number_deal hops f2 b2 e2 ++ number_deal hops f3 b3 e3).
Proof.
move=> one two three; have two_in : f2 + b2.+1 <= 240 by apply: leq_trans two (leq_trans (leq_addr _ _) three).
have one_in : 0 + b1.+1 <= 240 by apply: leq_trans one (leq_trans (leq_addr _ _) two_in).
have fits1 := @number_fits 0 b1 e1 one_in; have fits2 := @number_fits f2 b2 e2 two_in.
have fits3 := @number_fits f3 b3 e3 three.
refine (dealt_three (iota_uniq _ _) number_sound_in number_apart_in fits1 fits2 fits3 _ _) => a p.
  exact (turning_before _ _ a p one).
exact (turning_before _ _ a p two).
Qed.

Lemma letter_deal_three b1 e1 b2 e2 b3 e3 f2 f3 :
  0 + b1.+1 <= f2 -> f2 + b2.+1 <= f3 -> f3 + b3.+1 <= 512 ->
  letter_class hops (letter_deal hops 0 b1 e1 ++ letter_deal hops f2 b2 e2 ++ letter_deal hops f3 b3 e3).
Proof.
move=> one two three; have two_in : f2 + b2.+1 <= 512 by apply: leq_trans two (leq_trans (leq_addr _ _) three).
have one_in : 0 + b1.+1 <= 512 by apply: leq_trans one (leq_trans (leq_addr _ _) two_in).
have fits1 := @letter_fits 0 b1 e1 one_in; have fits2 := @letter_fits f2 b2 e2 two_in.
have fits3 := @letter_fits f3 b3 e3 three.
refine (dealt_three uniq_letter_values letter_sound_in letter_apart_in fits1 fits2 fits3 _ _) => a p.
  exact (turning_before _ _ a p one).
exact (turning_before _ _ a p two).
Qed.

Lemma number_deal_even first base extra row column :
  first + base.+1 <= 240 -> rows_add_up number_values (number_table base extra) row ->
  columns_add_up number_values (number_table base extra) column ->
  equally_often number_answer number_values (number_deal hops first base extra) /\
  equally_often number_place places (number_deal hops first base extra).
Proof.
move=> fits rows columns; have all_fit := @number_fits first base extra fits; split.
  exact (dealt_answers number_sound_in all_fit rows).
exact (dealt_places number_sound_in all_fit columns).
Qed.

Lemma number_deal_near first base extra :
  first + base.+1 <= 240 ->
  nearly_as_often (together number_answer number_place) (cells number_values) (number_deal hops first base extra).
Proof.
move=> fits; have all_fit := @number_fits first base extra fits.
exact (dealt_cells_nearly (iota_uniq _ _) number_sound_in all_fit (turning_near _ _ _)).
Qed.

Lemma letter_deal_even first base extra row column :
  first + base.+1 <= 512 -> rows_nearly letter_values (letter_table base extra) row ->
  columns_add_up letter_values (letter_table base extra) column ->
  [/\ nearly_as_often letter_answer letter_values (letter_deal hops first base extra),
    equally_often letter_place places (letter_deal hops first base extra) &
    nearly_as_often (together letter_answer letter_place) (cells letter_values) (letter_deal hops first base extra)].
Proof.
move=> fits rows columns; have all_fit := @letter_fits first base extra fits; split.
- exact (dealt_answers_nearly letter_sound_in all_fit rows).
- exact (dealt_places letter_sound_in all_fit columns).
exact (dealt_cells_nearly uniq_letter_values letter_sound_in all_fit (turning_near _ _ _)).
Qed.

Lemma letter_deal_answers first base extra row :
  first + base.+1 <= 512 -> rows_add_up letter_values (letter_table base extra) row ->
  equally_often letter_answer letter_values (letter_deal hops first base extra).
Proof.
move=> fits rows; have all_fit := @letter_fits first base extra fits.
exact (dealt_answers letter_sound_in all_fit rows).
Qed.

End Deals.

Lemma equally_nearly (T A : eqType) (f : T -> option A) values (D : seq T) :
  equally_often f values D -> nearly_as_often f values D.
Proof. by move=> even a b a_in b_in; rewrite (even a b a_in b_in). Qed.

Lemma hops_in_iota hops : 1 <= hops -> hops <= 7 -> hops \in iota 1 7.
Proof. by rewrite mem_iota add1n ltnS => -> ->. Qed.

(** The 120,000 sequences of a hop class of each task. *)
Definition number_whole hops := number_deal hops 0 125 0.
Definition letter_whole hops := letter_deal hops 0 234 (fun=> 3).

Lemma size_number_whole hops : size (number_whole hops) = 120 * 1000.
Proof. by rewrite dealt_size; apply/eqP; vm_compute. Qed.

Lemma size_letter_whole hops : size (letter_whole hops) = 120 * 1000.
Proof. by rewrite dealt_size; apply/eqP; vm_compute. Qed.

Lemma number_whole_even hops : hops \in iota 1 7 ->
  equally_often number_answer number_values (number_whole hops) /\
  equally_often number_place places (number_whole hops).
Proof. by move=> h_in; apply: (@number_deal_even hops h_in 0 125 0 (8 * 125) (120 * 125)); vm_compute. Qed.

Lemma letter_whole_even hops : hops \in iota 1 7 ->
  [/\ equally_often letter_answer letter_values (letter_whole hops),
    equally_often letter_place places (letter_whole hops) &
    nearly_as_often (together letter_answer letter_place) (cells letter_values) (letter_whole hops)].
Proof.
move=> h_in; have [||| _ columns near] := @letter_deal_even hops h_in 0 234 (fun=> 3) 1875 (8 * 1875).
- by vm_compute.
- by vm_compute.
- by vm_compute.
split; [apply: (@letter_deal_answers hops h_in 0 234 (fun=> 3) 1875) | exact: columns | exact: near].
  by vm_compute.
by vm_compute.
Qed.

(** dyn.tasks.balance. For both tasks, whatever the number of moves, there are hop classes of 120,000 sequences, a
    quarter of all, in each of which every answer (120 letters; 64 pairs) comes equally often, and every place. *)
Theorem dyn_tasks_balance :
  forall hops, 1 <= hops -> hops <= 7 ->
  (exists D, number_class hops D /\ size D = 120 * 1000 /\
    equally_often number_answer number_values D /\ equally_often number_place places D) /\
  (exists D, letter_class hops D /\ size D = 120 * 1000 /\
    equally_often letter_answer letter_values D /\ equally_often letter_place places D).
Proof.
move=> hops some few; have h_in := hops_in_iota some few; split.
  exists (number_whole hops); split; first exact: (number_deal_class h_in).
  by split; [apply: size_number_whole | apply: number_whole_even].
exists (letter_whole hops); split; first exact: (letter_deal_class h_in).
split; first exact: size_letter_whole.
by have [answers columns _] := letter_whole_even h_in; exact (conj answers columns).
Qed.
(* mutant one sequence more
   from: number_class hops D /\ size D = 120 * 1000
   to:   number_class hops D /\ size D = (120 * 1000).+1 *)
(* mutant nine places
   from: equally_often number_place places D
   to:   equally_often number_place (iota 1 9) D *)
(* mutant one answer more
   from: equally_often number_answer number_values D
   to:   equally_often number_answer (iota 0 121) D *)

(** dyn.tasks.balance.jointly.number. For the number task there are hop classes of 120,000 sequences in each of which
    every answer comes equally often at every place. *)
Theorem dyn_tasks_balance_jointly_number :
  forall hops, 1 <= hops -> hops <= 7 ->
  exists D, number_class hops D /\ size D = 120 * 1000 /\
    equally_often (together number_answer number_place) (cells number_values) D.
Proof.
move=> hops some few; have h_in := hops_in_iota some few; exists (number_whole hops).
split; first exact: (number_deal_class h_in).
split; first exact: size_number_whole.
move=> c d c_in d_in; have fits := @turning_fits nat_eqType number_values 240 id (fun=> 0) 125 0 isT.
by rewrite !(dealt_often_cell (iota_uniq _ _) (number_sound_in h_in) fits).
Qed.
(* mutant one sequence more
   from: size D = 120 * 1000
   to:   size D = (120 * 1000).+1 *)
(* mutant one answer more
   from: (cells number_values)
   to:   (cells (iota 0 121)) *)

(** dyn.tasks.balance.jointly.repaired. For both tasks there are hop classes of 120,000 sequences in each of which every
    answer comes equally often, every place too, and every answer at every place up to one. *)
Theorem dyn_tasks_balance_jointly_repaired :
  forall hops, 1 <= hops -> hops <= 7 ->
  (exists D, number_class hops D /\ size D = 120 * 1000 /\
    equally_often number_answer number_values D /\ equally_often number_place places D /\
    nearly_as_often (together number_answer number_place) (cells number_values) D) /\
  (exists D, letter_class hops D /\ size D = 120 * 1000 /\
    equally_often letter_answer letter_values D /\ equally_often letter_place places D /\
    nearly_as_often (together letter_answer letter_place) (cells letter_values) D).
Proof.
move=> hops some few; have h_in := hops_in_iota some few; split.
  exists (number_whole hops); split; first exact: (number_deal_class h_in).
  split; first exact: size_number_whole.
  have [rows columns] := number_whole_even h_in.
  exact (conj rows (conj columns (@number_deal_near hops h_in 0 125 0 isT))).
exists (letter_whole hops); split; first exact: (letter_deal_class h_in).
split; first exact: size_letter_whole.
by have [answers columns near] := letter_whole_even h_in; exact (conj answers (conj columns near)).
Qed.
(* mutant one sequence more
   from: letter_class hops D /\ size D = 120 * 1000
   to:   letter_class hops D /\ size D = (120 * 1000).+1 *)
(* mutant nine places
   from: equally_often letter_place places D
   to:   equally_often letter_place (iota 1 9) D *)
(* mutant exactly
   from: nearly_as_often (together letter_answer
   to:   equally_often (together letter_answer *)

(** The tables of the splits add up: of 108,000, 600 and 11,400 sequences. *)
Lemma number_rows_1 : rows_add_up number_values (number_table 112 4) 900.
Proof. by vm_compute. Qed.
Lemma number_columns_1 : columns_add_up number_values (number_table 112 4) (135 * 100).
Proof. by vm_compute. Qed.
Lemma number_rows_2 : rows_add_up number_values (number_table 0 5) 5.
Proof. by vm_compute. Qed.
Lemma number_columns_2 : columns_add_up number_values (number_table 0 5) 75.
Proof. by vm_compute. Qed.
Lemma number_rows_3 : rows_add_up number_values (number_table 11 7) 95.
Proof. by vm_compute. Qed.
Lemma number_columns_3 : columns_add_up number_values (number_table 11 7) 1425.
Proof. by vm_compute. Qed.
Lemma letter_rows_1 : rows_nearly letter_values (letter_table 210 (fun u => if u < 4 then 7 else 8)) 1687.
Proof. by vm_compute. Qed.
Lemma letter_columns_1 : columns_add_up letter_values (letter_table 210 (fun u => if u < 4 then 7 else 8)) (135 * 100).
Proof. by vm_compute. Qed.
Lemma letter_rows_2 : rows_nearly letter_values (letter_table 1 (fun u => if u < 5 then 1 else 2)) 9.
Proof. by vm_compute. Qed.
Lemma letter_columns_2 : columns_add_up letter_values (letter_table 1 (fun u => if u < 5 then 1 else 2)) 75.
Proof. by vm_compute. Qed.
Lemma letter_rows_3 : rows_nearly letter_values (letter_table 22 (fun u => if u < 7 then 2 else 3)) 178.
Proof. by vm_compute. Qed.
Lemma letter_columns_3 : columns_add_up letter_values (letter_table 22 (fun u => if u < 7 then 2 else 3)) 1425.
Proof. by vm_compute. Qed.

(** dyn.tasks.balance.in-each-split.number. For the number task there are hop classes of 108,000, 600 and 11,400
    sequences, the splits of one of 120,000 different ones, in each of which every answer comes equally often, and every
    place. *)
Theorem dyn_tasks_balance_in_each_split_number :
  forall hops, 1 <= hops -> hops <= 7 ->
  exists D1 D2 D3, number_class hops (D1 ++ D2 ++ D3) /\
    size D1 = 108 * 1000 /\ size D2 = 600 /\ size D3 = 114 * 100 /\
    forall D, D \in [:: D1; D2; D3] ->
    equally_often number_answer number_values D /\ equally_often number_place places D.
Proof.
move=> hops some few; have h_in := hops_in_iota some few.
exists (number_deal hops 0 112 4), (number_deal hops 120 0 5), (number_deal hops 130 11 7).
split; first exact: (number_deal_three h_in).
do 3![split; first by rewrite dealt_size; apply/eqP; vm_compute].
move=> D; rewrite !inE => /or3P[] /eqP ->.
- exact (number_deal_even h_in (isT : 0 + 112.+1 <= 240) number_rows_1 number_columns_1).
- exact (number_deal_even h_in (isT : 120 + 0.+1 <= 240) number_rows_2 number_columns_2).
exact (number_deal_even h_in (isT : 130 + 11.+1 <= 240) number_rows_3 number_columns_3).
Qed.
(* mutant one sequence more
   from: size D2 = 600
   to:   size D2 = 601 *)
(* mutant nine places
   from: number_place places D
   to:   number_place (iota 1 9) D *)
(* mutant one answer more
   from: number_answer number_values D
   to:   number_answer (iota 0 121) D *)

(** dyn.tasks.balance.in-each-split.repaired. For both tasks there are hop classes of 108,000, 600 and 11,400 sequences,
    the splits of one of 120,000 different ones, in each of which every place comes equally often, and every answer, and
    every answer at every place, up to one. *)
Theorem dyn_tasks_balance_in_each_split_repaired :
  forall hops, 1 <= hops -> hops <= 7 ->
  (exists D1 D2 D3, number_class hops (D1 ++ D2 ++ D3) /\
    size D1 = 108 * 1000 /\ size D2 = 600 /\ size D3 = 114 * 100 /\
    forall D, D \in [:: D1; D2; D3] ->
    nearly_as_often number_answer number_values D /\ equally_often number_place places D /\
    nearly_as_often (together number_answer number_place) (cells number_values) D) /\
  (exists D1 D2 D3, letter_class hops (D1 ++ D2 ++ D3) /\
    size D1 = 108 * 1000 /\ size D2 = 600 /\ size D3 = 114 * 100 /\
    forall D, D \in [:: D1; D2; D3] ->
    nearly_as_often letter_answer letter_values D /\ equally_often letter_place places D /\
    nearly_as_often (together letter_answer letter_place) (cells letter_values) D).
Proof.
move=> hops some few; have h_in := hops_in_iota some few; split.
  exists (number_deal hops 0 112 4), (number_deal hops 120 0 5), (number_deal hops 130 11 7).
  split; first exact: (number_deal_three h_in).
  do 3![split; first by rewrite dealt_size; apply/eqP; vm_compute].
  move=> D; rewrite !inE => /or3P[] /eqP ->.
  - have [rows columns] := number_deal_even h_in (isT : 0 + 112.+1 <= 240) number_rows_1 number_columns_1.
    exact (conj (equally_nearly rows) (conj columns (@number_deal_near hops h_in 0 112 4 isT))).
  - have [rows columns] := number_deal_even h_in (isT : 120 + 0.+1 <= 240) number_rows_2 number_columns_2.
    exact (conj (equally_nearly rows) (conj columns (@number_deal_near hops h_in 120 0 5 isT))).
  have [rows columns] := number_deal_even h_in (isT : 130 + 11.+1 <= 240) number_rows_3 number_columns_3.
  exact (conj (equally_nearly rows) (conj columns (@number_deal_near hops h_in 130 11 7 isT))).
exists (letter_deal hops 0 210 (fun u => if u < 4 then 7 else 8)),
  (letter_deal hops 220 1 (fun u => if u < 5 then 1 else 2)),
  (letter_deal hops 230 22 (fun u => if u < 7 then 2 else 3)).
split; first exact: (letter_deal_three h_in).
do 3![split; first by rewrite dealt_size; apply/eqP; vm_compute].
move=> D; rewrite !inE => /or3P[] /eqP ->.
- have [rows columns near] := letter_deal_even h_in (isT : 0 + 210.+1 <= 512) letter_rows_1 letter_columns_1.
  exact (conj rows (conj columns near)).
- have [rows columns near] := letter_deal_even h_in (isT : 220 + 1.+1 <= 512) letter_rows_2 letter_columns_2.
  exact (conj rows (conj columns near)).
have [rows columns near] := letter_deal_even h_in (isT : 230 + 22.+1 <= 512) letter_rows_3 letter_columns_3.
exact (conj rows (conj columns near)).
Qed.
(* mutant exactly
   from: nearly_as_often letter_answer letter_values D
   to:   equally_often letter_answer letter_values D *)
(* mutant jointly
   from: nearly_as_often (together letter_answer
   to:   equally_often (together letter_answer *)
(* mutant nine places
   from: letter_place places D
   to:   letter_place (iota 1 9) D *)
