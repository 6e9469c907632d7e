(** The two multihop tasks and the functions Index, Retrieval and Reflexive on whole sequences (theory/sequences.py).

    Letters are of any type [L], the numbers of the letter task of any type [N]. A token of the number task is a letter
    [inl s] or an integer [inr i]; negative integers are left out, since none of them has a target. A token of the
    letter task is a pair [(u, inl v)] of two letters or [(u, inr c)] of a letter and a number. Places count from 1.
    What Python refuses with an InputError is [None] here. *)

From Coq Require List Lia.
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
(* end of header *)

(** ** Places *)

(** The token at a place, from 1; none at place 0 and behind the last one. *)
Definition token_at (T : Type) (x : seq T) (place : nat) : option T :=
  if place is p.+1 then List.nth_error x p else None.

(** The last token of a sequence that is there: what is read off the last layer. *)
Definition last_token (T : Type) (x : option (seq T)) : option T := obind (fun y => token_at y (size y)) x.

(** Whether [P place token] is true of every token. *)
Definition every_place (T : Type) (P : nat -> T -> bool) (x : seq T) : bool :=
  all (fun place => if token_at x place is Some t then P place t else true) (iota 1 (size x)).

(** Each token [t], at its place, replaced by [f place t]; the first place is [place]. *)
Fixpoint each_place (T : Type) (f : nat -> T -> T) (place : nat) (x : seq T) : seq T :=
  if x is t :: rest then f place t :: each_place f place.+1 rest else [::].

(** A function applied [h] times, as [h] layers apply it; none if it is not defined on the way. *)
Definition power (T : Type) (f : seq T -> option (seq T)) (h : nat) (x : seq T) : option (seq T) :=
  iter h (obind f) (Some x).

(** Reflexive, the identity. *)
Definition reflexive_function (T : Type) (x : seq T) : option (seq T) := Some x.
Arguments reflexive_function {T} x.

(** The places from [place] on, each the [next] one of that before it, to the first at which [ends] is true. None if
    one of them has no next; [fuel] bounds their number, and where places fall that of the tokens is enough. *)
Fixpoint walk (ends : nat -> bool) (next : nat -> option nat) (fuel place : nat) : option (seq nat) :=
  if ends place then Some [:: place]
  else if fuel is rest.+1 then
    if next place is Some there then omap (cons place) (walk ends next rest there) else None
  else None.

(** ** The number task *)

(** valid: every integer i at a place j has a target, i >= 1 and j - i >= 1 (require_valid_index). *)
Definition valid_index (L : Type) (x : seq (L + nat)) : bool :=
  (1 <= size x) && every_place (fun j t => if t is inr i then (1 <= i) && (1 <= j - i) else true) x.

(** Index: an integer i at place j becomes the token at j - i where that is a letter; all other tokens stay
    (index_function). It is defined on valid sequences. *)
Definition index_token (L : Type) (x : seq (L + nat)) (j : nat) (t : L + nat) : L + nat :=
  if t is inr i then if token_at x (j - i) is Some (inl s) then inl s else t else t.
Definition index_function (L : Type) (x : seq (L + nat)) : option (seq (L + nat)) :=
  if valid_index x then Some (each_place (index_token x) 1 x) else None.
Arguments index_function {L} x.

(** The number task steps from an integer i at place j to j - i, and ends at a letter. *)
Definition is_letter (L : Type) (x : seq (L + nat)) (place : nat) : bool :=
  if token_at x place is Some (inl _) then true else false.
Definition number_step (L : Type) (x : seq (L + nat)) (j : nat) : option nat :=
  if token_at x j is Some (inr i) then if (1 <= i) && (1 <= j - i) then Some (j - i) else None else None.

(** The places it visits from the last token on (number_path). *)
Definition number_path (L : Type) (x : seq (L + nat)) : option (seq nat) :=
  walk (is_letter x) (number_step x) (size x) (size x).

(** Its answer, and the number of moves to it (solve_number). *)
Definition solve_number (L : Type) (x : seq (L + nat)) : option (L * nat) :=
  if number_path x is Some places then
    if token_at x (last 0 places) is Some (inl s) then Some (s, (size places).-1) else None
  else None.

(** ** The letter task *)

(** The pairs up to a place whose left letter is [v]. *)
Definition named (L N : eqType) (x : seq (L * (L + N))) (place : nat) (v : L) : seq (L * (L + N)) :=
  [seq p <- take place x | p.1 == v].

(** proper: for each pair of letters there is a pair, at its own place or before, whose left letter is its right letter,
    and all such pairs are the same symbol (require_proper). *)
Definition is_proper (L N : eqType) (x : seq (L * (L + N))) : bool :=
  (1 <= size x) && every_place (fun j p =>
    if p.2 is inl v then (named x j v != [::]) && constant (named x j v) else true) x.

(** unambiguous: each letter that is a pair's right letter is the left letter of one symbol of the whole sequence at
    most (require_unambiguous). *)
Definition is_unambiguous (L N : eqType) (x : seq (L * (L + N))) : bool :=
  (1 <= size x) && all (fun p => if p.2 is inl v then constant [seq q <- x | q.1 == v] else true) x.

(** Retrieval: a pair of letters becomes the earlier or equal pair that its right letter names; pairs of a letter and
    a number stay (retrieval_function). It is defined on proper sequences. *)
Definition retrieval_token (L N : eqType) (x : seq (L * (L + N))) (j : nat) (p : L * (L + N)) : L * (L + N) :=
  if p.2 is inl v then last p (named x j v) else p.
Definition retrieval_function (L N : eqType) (x : seq (L * (L + N))) : option (seq (L * (L + N))) :=
  if is_proper x then Some (each_place (retrieval_token x) 1 x) else None.
Arguments retrieval_function {L N} x.

(** The latest place, this one or before, of a pair whose left letter is [v]. *)
Fixpoint latest (L N : eqType) (x : seq (L * (L + N))) (v : L) (place : nat) : option nat :=
  if place is before.+1 then
    if omap fst (token_at x place) == Some v then Some place else latest x v before
  else None.

(** The letter task steps from a pair (u, v) to the latest place, its own or before, of a pair whose left letter is v,
    if all such pairs are the same symbol, and another than (u, v). It ends at a pair of a letter and a number. *)
Definition is_answer (L N : eqType) (x : seq (L * (L + N))) (place : nat) : bool :=
  if token_at x place is Some (_, inr _) then true else false.
Definition letter_step (L N : eqType) (x : seq (L * (L + N))) (j : nat) : option nat :=
  if token_at x j is Some (u, inl v) then
    if latest x v j is Some there then
      if constant (named x j v) && (token_at x there != token_at x j) then Some there else None
    else None
  else None.

(** The places it visits from the last token on (letter_path). *)
Definition letter_path (L N : eqType) (x : seq (L * (L + N))) : option (seq nat) :=
  walk (is_answer x) (letter_step x) (size x) (size x).

(** Its answer, and the number of moves to it (solve_letter). *)
Definition solve_letter (L N : eqType) (x : seq (L * (L + N))) : option ((L * (L + N)) * nat) :=
  if letter_path x is Some places then
    if token_at x (last 0 places) is Some p then Some (p, (size places).-1) else None
  else None.

(** ** Lemmas *)

Section Places.
Variable T : Type.
Implicit Types (x y : seq T) (P : nat -> T -> bool) (f : nat -> T -> T).

Lemma token_at_bound x j t : token_at x j = Some t -> (0 < j) && (j <= size x).
Proof.
case: j => // j /=.
by elim: x j => [|a x IH] [|j] //= /IH.
Qed.

Lemma token_at_there x j : 0 < j -> j <= size x -> exists t, token_at x j = Some t.
Proof.
case: j => // j _; elim: x j => [|a x IH] [|j] //= bound; first by exists a.
exact: IH.
Qed.

Lemma every_placeP P x :
  reflect (forall j t, token_at x j = Some t -> P j t) (every_place P x).
Proof.
apply: (iffP allP) => [every j t at_j | every j _].
  have /andP[pos bound] := token_at_bound at_j.
  by move: (every j); rewrite mem_iota pos add1n ltnS bound at_j; apply.
by case at_j: (token_at x j) => [t|] //; apply: every.
Qed.

Lemma token_at_each f x j : token_at (each_place f 1 x) j = omap (f j) (token_at x j).
Proof.
case: j => // j; rewrite /token_at.
have general k : List.nth_error (each_place f k x) j = omap (f (k + j)) (List.nth_error x j).
  by elim: x j k => [|t x IH] [|j] k //=; rewrite ?addn0 // IH addSnnS.
by rewrite general add1n.
Qed.

Lemma size_each f x : size (each_place f 1 x) = size x.
Proof. by elim: x 1 => //= t x IH k; rewrite IH. Qed.

Lemma powerS g h x : power g h.+1 x = obind g (power g h x).
Proof. by []. Qed.

Lemma power_reflexive h x : power reflexive_function h x = Some x.
Proof. by elim: h => // h IH; rewrite powerS IH. Qed.

End Places.

Lemma constant_eq (T : eqType) (s : seq T) a b : constant s -> a \in s -> b \in s -> a = b.
Proof.
case: s => //= c s /allP same.
have eq_c d : d \in c :: s -> d = c by rewrite inE => /orP[/eqP //|/same /eqP].
by move=> /eq_c -> /eq_c ->.
Qed.

Lemma constant_if (T : eqType) (s : seq T) a : (forall b, b \in s -> b = a) -> constant s.
Proof.
case: s => //= c s same; apply/allP => d d_s /=.
by rewrite (same c) ?mem_head // (same d) ?eqxx // inE d_s orbT.
Qed.

Lemma last_in (T : eqType) (a : T) s : s != [::] -> last a s \in s.
Proof. by case: s => //= b s _; apply: mem_last. Qed.

Lemma token_at_mem (T : eqType) (x : seq T) j t : token_at x j = Some t -> t \in x.
Proof.
case: j => // j; elim: x j => [|a x IH] [|j] //=; first by case=> ->; rewrite mem_head.
by move=> /IH; rewrite inE orbC => ->.
Qed.

Lemma token_at_take (T : eqType) (x : seq T) n t :
  reflect (exists2 j, j <= n & token_at x j = Some t) (t \in take n x).
Proof.
apply: (iffP idP) => [|[[//|j] le at_j]].
  elim: x n => [|a x IH] [|n] //=; rewrite inE => /orP[/eqP -> | /IH [[//|j] le at_j]]; first by exists 1.
  by exists j.+2.
move: le at_j; elim: x j n => [|a x IH] [|j] [|n] //=; first by move=> _ [->]; rewrite mem_head.
by move=> le at_j; rewrite inE (IH j) ?orbT.
Qed.

Lemma mem_token_at (T : eqType) (x : seq T) t : t \in x -> exists j, token_at x j = Some t.
Proof. by rewrite -{1}(take_size x) => /token_at_take [j _ at_j]; exists j. Qed.

(** *** The number task *)

Section Numbers.
Variable L : Type.
Implicit Types (x y : seq (L + nat)) (s : L).

Lemma valid_target x j i :
  valid_index x -> token_at x j = Some (inr i) -> [/\ 0 < i, 0 < j - i & exists t, token_at x (j - i) = Some t].
Proof.
move=> /andP[_ /every_placeP valid] at_j; have /andP[pos target] := valid _ _ at_j.
have /andP[_ bound] := token_at_bound at_j; split=> //; apply: token_at_there => //.
by apply: leq_trans bound; apply: leq_subr.
Qed.

(** Index is defined on a valid sequence, keeps its length and its validity; what it does at each place. *)
Lemma index_on_valid x :
  valid_index x ->
  exists y, [/\ index_function x = Some y, valid_index y, size y = size x &
    forall j, token_at y j = omap (index_token x j) (token_at x j)].
Proof.
move=> valid; rewrite /index_function valid; eexists; split; [by [] | | exact: size_each | exact: token_at_each].
move: (valid) => /andP[pos /every_placeP targets]; apply/andP; split; first by rewrite size_each.
apply/every_placeP => j t; rewrite token_at_each.
case at_j: (token_at x j) => [[s|i]|] //= -[<-] //.
by case: (token_at x (j - i)) => [[s|k]|] //; apply: (targets _ _ at_j).
Qed.

(** The answer [s] and the moves [d] of the number task begun at place [j]. *)
Inductive leads_to x : nat -> L -> nat -> Prop :=
| leads_letter j s : token_at x j = Some (inl s) -> leads_to x j s 0
| leads_integer j i s d : token_at x j = Some (inr i) -> leads_to x (j - i) s d -> leads_to x j s d.+1.

(** From every place of a valid sequence a path leads to a letter. *)
Lemma walk_on_valid x fuel j t :
  valid_index x -> token_at x j = Some t -> j <= fuel ->
  exists places s, [/\ walk (is_letter x) (number_step x) fuel j = Some places,
    token_at x (last 0 places) = Some (inl s) & leads_to x j s (size places).-1] /\ places <> [::].
Proof.
move=> valid; elim: fuel j t => [|fuel IH] j t at_j enough.
  by move: enough; rewrite leqn0 => /eqP zero; rewrite zero in at_j.
rewrite /= /is_letter /number_step at_j; case: t at_j => [s|i] at_j.
  by exists [:: j], s; split=> //; split=> //=; apply: leads_letter.
have [pos target [t at_t]] := valid_target valid at_j.
have [|places [s [[walked last_s leads] some]]] := IH (j - i) t at_t.
  by apply/leP; move/leP: enough; move/ltP: pos; move/ltP: target; rewrite /subn /subn_rec; Lia.lia.
rewrite pos target /= -/(is_letter x) -/(number_step x) walked /=.
exists (j :: places), s; split=> //; case: places walked last_s leads some => // k places _ last_s leads _.
by split=> //; apply: leads_integer at_j leads.
Qed.

Lemma solve_on_valid x :
  valid_index x -> exists s d, solve_number x = Some (s, d) /\ leads_to x (size x) s d.
Proof.
move=> valid; have /andP[pos _] := valid; have [t at_n] := token_at_there pos (leqnn _).
have [places [s [[walked last_s leads] _]]] := walk_on_valid valid at_n (leqnn _).
by rewrite /solve_number /number_path walked last_s; exists s, (size places).-1.
Qed.

(** After [h] applications of Index a token [d] moves from its answer is that letter if [d <= h], and unchanged
    before. *)
Lemma index_power x h :
  valid_index x ->
  exists y, [/\ power index_function h x = Some y, valid_index y, size y = size x &
    forall j s d, leads_to x j s d -> token_at y j = if d <= h then Some (inl s) else token_at x j].
Proof.
move=> valid; elim: h => [|h [y [powered valid_y size_y moved]]].
  exists x; split=> // j s d; case=> {j s d} [j s at_j|j i s d at_j _] //.
have [z [indexed valid_z size_z each]] := index_on_valid valid_y.
exists z; split=> //; first by rewrite powerS powered.
  by rewrite size_z.
move=> j s d leads; rewrite each (moved _ _ _ leads) {each}.
case: leads => {j s d} [j s at_j|j i s d at_j leads] //.
rewrite ltnS; case: ltngtP => [lt|gt|eq] /=.
- by [].
- rewrite at_j /= (moved _ _ _ leads) leqNgt gt /=.
  by case: leads gt => // k m s' d' -> _ _.
by rewrite at_j /= (moved _ _ _ leads) eq leqnn.
Qed.

End Numbers.

(** *** The letter task *)

Section Letters.
Variables L N : eqType.
Implicit Types (x y : seq (L * (L + N))) (p q r : L * (L + N)) (v : L).

Lemma namedP x j v p : reflect (p.1 = v /\ exists2 k, k <= j & token_at x k = Some p) (p \in named x j v).
Proof.
by rewrite mem_filter; apply: (iffP andP) => -[/eqP left /token_at_take at_p]; split=> //; apply/eqP.
Qed.

Lemma proper_at x j u v :
  is_proper x -> token_at x j = Some (u, inl v) -> named x j v != [::] /\ constant (named x j v).
Proof. by move=> /andP[_ /every_placeP every] /every /andP. Qed.

Lemma unambiguous_at x u v : is_unambiguous x -> (u, inl v) \in x -> constant [seq q <- x | q.1 == v].
Proof. by move=> /andP[_ /allP every] /every. Qed.

(** The symbol that a pair of letters names; other pairs are their own. *)
Definition target_of x p := if p.2 is inl v then head p [seq q <- x | q.1 == v] else p.

Lemma target_of_eq x u v q : is_unambiguous x -> (u, inl v) \in x -> q \in x -> q.1 = v -> target_of x (u, inl v) = q.
Proof.
move=> single p_x q_x left; apply: (constant_eq (unambiguous_at single p_x)); rewrite /target_of /=.
  suff: [seq r <- x | r.1 == v] != [::] by case: filter => //= r s _; apply: mem_head.
  by rewrite -has_filter; apply/hasP; exists q => //; apply/eqP.
by rewrite mem_filter q_x left eqxx.
Qed.

(** Retrieval is defined on a proper and unambiguous sequence and keeps it so; every token becomes what it names. *)
Lemma retrieval_on_both x :
  is_proper x -> is_unambiguous x ->
  exists y, [/\ retrieval_function x = Some y, is_proper y, is_unambiguous y, size y = size x &
    forall j, token_at y j = omap (target_of x) (token_at x j)].
Proof.
move=> good single; rewrite /retrieval_function good; eexists; split; [by [] | | | exact: size_each | ].
all: set y := each_place _ 1 x.
all: have moved j : token_at y j = omap (target_of x) (token_at x j).
1,3,5: rewrite token_at_each; case at_j: (token_at x j) => [[u [v|c]]|] //=; congr Some.
1-3: have [some same] := proper_at good at_j.
1-3: have /namedP[left [k _ at_k]] := last_in (u, inl v) some.
1-3: by rewrite /retrieval_token /=; symmetry; apply: target_of_eq (token_at_mem at_j) (token_at_mem at_k) left.
all: have from_x q : q \in y -> q \in x.
1,3,5: move=> /mem_token_at[j]; rewrite moved; case at_j: (token_at x j) => [[u [v|c]]|] //= [<-].
1,3,5: have [some _] := proper_at good at_j; have /namedP[left [k _ at_k]] := last_in (u, inl v) some.
1-3: by rewrite (target_of_eq single (token_at_mem at_j) (token_at_mem at_k) left) (token_at_mem at_k).
1-3: exact: token_at_mem at_j.
all: have same v : forall u, (u, inl v) \in y -> forall q r, q \in y -> r \in y -> q.1 = v -> r.1 = v -> q = r.
1,3,5: move=> u p_y q r q_y r_y q_v r_v; apply: (constant_eq (unambiguous_at single (from_x _ p_y))).
1-6: by rewrite mem_filter from_x // (q_v, r_v) eqxx.
- apply/andP; split; first by rewrite size_each; case/andP: good.
  apply/every_placeP => j [u [v|c]] //= at_j; apply/andP.
  have: exists2 q, q \in named y j v & True.
    move: (at_j); rewrite moved; case before: (token_at x j) => [p|] //= [p_to].
    have [k le at_k] : exists2 k, k <= j & token_at x k = Some (u, inl v).
      case: p before p_to => [a [b|c]] before; last by rewrite /target_of /= => <-; exists j.
      have [some _] := proper_at good before; have /namedP[left [k le at_k]] := last_in (a, inl b) some.
      rewrite (target_of_eq single (token_at_mem before) (token_at_mem at_k) left) => eq_k.
      by exists k; rewrite // -eq_k.
    have [some _] := proper_at good at_k; have /namedP[left [m _ at_m]] := last_in (u, inl v) some.
    exists (target_of x (u, inl v)) => //; apply/namedP.
    rewrite {1}(target_of_eq single (token_at_mem at_k) (token_at_mem at_m) left); split=> //.
    by exists k; rewrite // moved at_k.
  case=> q q_y _; split; first by case: named q_y.
  apply: (constant_if (a := q)) => r /namedP[r_v [k _ at_k]]; move: q_y => /namedP[q_v [m _ at_m]].
  exact: same (token_at_mem at_j) _ _ (token_at_mem at_k) (token_at_mem at_m) r_v q_v.
- apply/andP; split; first by rewrite size_each; case/andP: good.
  apply/allP => -[u [v|c]] //= p_y; case named_v: [seq q <- y | q.1 == v] => [|a s] //.
  have: a \in [seq q <- y | q.1 == v] by rewrite named_v mem_head.
  rewrite mem_filter => /andP[/eqP a_v a_y]; rewrite -named_v.
  apply: (constant_if (a := a)) => b; rewrite mem_filter => /andP[/eqP b_v b_y].
  exact: same p_y _ _ b_y a_y b_v a_v.
by [].
Qed.

(** After [h] applications of Retrieval every token is the one to which [h] moves lead from it. *)
Lemma retrieval_power x h :
  is_proper x -> is_unambiguous x ->
  exists y, [/\ power retrieval_function h x = Some y, is_proper y, is_unambiguous y, size y = size x &
    forall j, token_at y j = omap (iter h (target_of x)) (token_at x j)].
Proof.
move=> good single; suff: exists y, [/\ power retrieval_function h x = Some y, is_proper y, is_unambiguous y,
    size y = size x & (forall j, token_at y j = omap (iter h (target_of x)) (token_at x j)) /\ {subset y <= x}].
  by case=> y [-> ? ? ? [? _]]; exists y.
elim: h => [|h [y [powered good_y single_y size_y [moved from_x]]]].
  by exists x; split=> //; split=> // j; case: token_at.
have [z [retrieved good_z single_z size_z each]] := retrieval_on_both good_y single_y.
have steps j p : token_at y j = Some p -> target_of y p = target_of x p /\ target_of y p \in y.
  case: p => [u [v|c]] at_j; last by split=> //; apply: token_at_mem at_j.
  have [some _] := proper_at good_y at_j; have /namedP[left [k _ at_k]] := last_in (u, inl v) some.
  rewrite (target_of_eq single_y (token_at_mem at_j) (token_at_mem at_k) left).
  rewrite (target_of_eq single (from_x _ (token_at_mem at_j)) (from_x _ (token_at_mem at_k)) left).
  by split=> //; apply: token_at_mem at_k.
exists z; split; rewrite ?powerS ?powered ?size_z //; split=> [j | q /mem_token_at[j]].
  rewrite each; case at_j: (token_at y j) => [p|] /=.
    have [-> _] := steps _ _ at_j; move: at_j; rewrite moved.
    by case: (token_at x j) => //= q [<-].
  by move: at_j; rewrite moved; case: (token_at x j).
by rewrite each; case at_j: (token_at y j) => [p|] //= [<-]; have [_ /from_x] := steps _ _ at_j.
Qed.

Lemma latestP x v j k :
  latest x v j = Some k ->
  exists q, [/\ k <= j, token_at x k = Some q, q.1 = v &
    forall m r, m <= j -> token_at x m = Some r -> r.1 = v -> m <= k].
Proof.
elim: j => //= j IH; case: eqP => [at_j [<-] | other /IH [q [le at_k left last]]].
  by case at_q: (List.nth_error x j) at_j => [q|] //= [left]; exists q.
exists q; split=> //; first exact: leqW.
move=> m r; rewrite leq_eqVlt => /orP[/eqP -> /= at_m r_v | ]; last exact: last.
by case: other; rewrite at_m -r_v.
Qed.

Lemma latest_some x v j k q :
  k <= j -> token_at x k = Some q -> q.1 = v -> exists there, latest x v j = Some there.
Proof.
elim: j => [|j IH]; first by rewrite leqn0 => /eqP ->.
rewrite leq_eqVlt => /orP[/eqP -> /= -> /= -> | le at_k left] /=; first by exists j.+1; rewrite eqxx.
by case: ifP => _; [exists j.+1 | apply: IH].
Qed.

(** A step of the letter task leads to the latest place of the one symbol that is named, which is before. *)
Lemma letter_stepP x j there :
  letter_step x j = Some there ->
  exists u v q, [/\ token_at x j = Some (u, inl v), token_at x there = Some q, q.1 = v, there < j &
    forall k r, k <= j -> token_at x k = Some r -> r.1 = v -> r = q /\ k <= there].
Proof.
rewrite /letter_step; case at_j: (token_at x j) => [[u [v|c]]|] //.
case found: (latest x v j) => [k|] //; case: andP => // -[same other] [<-].
have [q [le at_k left last]] := latestP found; exists u, v, q; split=> //.
  by rewrite ltn_neqAle le andbT; apply: contra other => /eqP ->; apply/eqP.
move=> m r le_m at_m r_v; split; last exact: last at_m r_v.
by apply: (constant_eq same); apply/namedP; split=> //; [exists m | exists k].
Qed.

(** The answer [p] and the moves [d] of the letter task begun at place [j]. *)
Inductive letter_leads x : nat -> L * (L + N) -> nat -> Prop :=
| leads_answer j u c : token_at x j = Some (u, inr c) -> letter_leads x j (u, inr c) 0
| leads_pair j there p d : letter_step x j = Some there -> letter_leads x there p d -> letter_leads x j p d.+1.

Lemma letter_leads_answer x j p d : letter_leads x j p d -> exists u c, p = (u, inr c) /\ p \in x.
Proof. by elim=> // k u c at_k; exists u, c; split=> //; apply: token_at_mem at_k. Qed.

Lemma walk_letter_leads x fuel j places :
  walk (is_answer x) (letter_step x) fuel j = Some places ->
  exists p, [/\ token_at x (last 0 places) = Some p, letter_leads x j p (size places).-1 & places <> [::]].
Proof.
elim: fuel j places => [|fuel IH] j places /=; rewrite {1}/is_answer.
  case at_j: (token_at x j) => [[u [v|c]]|] // [<-] /=.
  by exists (u, inr c); split=> //; apply: leads_answer at_j.
have step_on there : letter_step x j = Some there ->
    omap (cons j) (walk (is_answer x) (letter_step x) fuel there) = Some places ->
    exists p, [/\ token_at x (last 0 places) = Some p, letter_leads x j p (size places).-1 & places <> [::]].
  move=> step; case walked: walk => [rest|] //= [<-] /=.
  have [p [last_p leads some]] := IH _ _ walked; exists p.
  case: rest last_p leads some {walked} => // k rest last_p leads _.
  by split=> //; apply: leads_pair step leads.
case at_j: (token_at x j) => [[u [v|c]]|].
- by case step: letter_step => [there|] //; apply: step_on.
- by case=> <-; exists (u, inr c); split=> //=; apply: leads_answer at_j.
by case step: letter_step => [there|] //; apply: step_on.
Qed.

Lemma letter_leads_walk x fuel j p d :
  letter_leads x j p d -> j <= fuel ->
  exists places, [/\ walk (is_answer x) (letter_step x) fuel j = Some places,
    token_at x (last 0 places) = Some p & size places = d.+1].
Proof.
move=> leads; elim: leads fuel => {j p d} [j u c at_j | j there p d step _ IH] fuel enough.
  by exists [:: j]; split=> //; case: fuel {enough} => [|fuel] /=; rewrite /is_answer at_j.
have [u [v [q [at_j at_q _ before _]]]] := letter_stepP step.
case: fuel enough => [|fuel] enough; first by case: j before enough {step at_j}.
have [|places [walked last_p size_p]] := IH fuel; first by rewrite -ltnS; apply: leq_trans before enough.
exists (j :: places); rewrite /= {1}/is_answer at_j step walked /= size_p; split=> //.
by case: places last_p size_p {walked}.
Qed.

Lemma solve_letterP x p d : solve_letter x = Some (p, d) <-> letter_leads x (size x) p d.
Proof.
rewrite /solve_letter /letter_path; split=> [|leads].
  case walked: walk => [places|] //; have [q [-> leads _]] := walk_letter_leads walked.
  by case=> <- <-.
by have [places [-> -> ->]] := letter_leads_walk leads (leqnn _).
Qed.

(** On an unambiguous sequence [h] moves from a place whose path ends after [d <= h] lead to its answer. *)
Lemma leads_iter x j p d h :
  is_unambiguous x -> letter_leads x j p d -> d <= h -> omap (iter h (target_of x)) (token_at x j) = Some p.
Proof.
move=> single leads; elim: leads h => {j p d} [j u c at_j | j there p d step _ IH] h.
  by rewrite at_j => _ /=; congr Some; elim: h => //= h ->.
case: h => // h; rewrite ltnS => /IH {IH}.
have [u [v [q [at_j at_q left before same]]]] := letter_stepP step.
by rewrite at_j at_q /= -iterS iterSr (target_of_eq single (token_at_mem at_j) (token_at_mem at_q) left).
Qed.

End Letters.
