(** dyn_tasks_number_formal_fails, near miss: the letter that is reached, from the last place *)
move=> H; apply: H => L s j some_s some_j good.
have [a [d [solved outcomes]]] := dyn_tasks_number_formal_repaired some_s some_j good.
by exists a, d; rewrite /number_answers outcomes.

(** dyn_tasks_number_formal_last_integer_fails, near miss: the letter that is reached *)
move=> H; apply: H => L s j some_s some_j good.
have [a [d [solved outcomes]]] := dyn_tasks_number_formal_repaired some_s some_j good.
by exists a, d; rewrite /number_answers outcomes.

(** dyn_tasks_number_formal_tested_index_fails, near miss: the letter that is reached *)
move=> H; apply: H => L s j some_s some_j good.
have [a [d [solved outcomes]]] := dyn_tasks_number_formal_repaired some_s some_j good.
by exists a, d; rewrite /number_answers outcomes.

(** dyn_tasks_number_formal_start_by_value_fails, near miss: from the last place *)
move=> H; apply: H => L s j some_s some_j good.
have [a [d [solved outcomes]]] := dyn_tasks_number_formal_repaired some_s some_j good.
by exists a, d; rewrite /number_answers outcomes.

(** dyn_tasks_number_example_moves_fails, near miss: five moves *)
by move=> H; apply: H; apply: dyn_tasks_number_example_moves_repaired.

(** dyn_tasks_number_example_formal_fails, near miss: the letter that is reached, from the last place *)
by move=> H; apply: H; rewrite /number_answers dyn_tasks_number_example_formal_repaired.

(** dyn_tasks_letter_formal_fails, near miss: in order *)
(* The last pair is one of two letters, so that the path makes a move at least. *)
move=> H; apply: H => L N target before p d some_t some _ solved q.
split=> [[steps /(dyn_tasks_letter_formal_repaired some_t some solved) [] //] | p_q].
case: d solved => [|d] solved; last by exists d; apply/(dyn_tasks_letter_formal_repaired some_t some solved).
have [[u v] /(before_tokens target)] := token_at_there some (leqnn _); move: solved => /solve_letterP.
rewrite size_cat !size_map; move: (size target + size before) => last leads at_last.
by inversion leads; congruence.

(** dyn_tasks_letter_formal_fails, near miss: unambiguous *)
move=> H; apply: H => L N target before p d some_t some single solved q.
split=> [[steps /(dyn_tasks_letter_formal_unambiguous some_t some single solved) [] //] | p_q].
case: d solved => [|d] solved; last by exists d; apply/(dyn_tasks_letter_formal_unambiguous some_t some single solved).
have [[u v] /(before_tokens target)] := token_at_there some (leqnn _); move: solved => /solve_letterP.
rewrite size_cat !size_map; move: (size target + size before) => last leads at_last.
by inversion leads; congruence.

(** dyn_tasks_letter_proper_ends_fails, near miss: no pair names itself *)
by move=> H; apply: H; apply: dyn_tasks_letter_proper_ends_repaired.

(** dyn_tasks_balance_jointly_fails, near miss: the number task *)
by apply; exists 1; apply: dyn_tasks_balance_jointly_number.

(** dyn_tasks_balance_jointly_fails, near miss: but for one sequence *)
have [//|//|_ [D [sound [many [_ [_ near]]]]]] := @dyn_tasks_balance_jointly_repaired 1.
by apply; exists 1, D; split=> //; split.

(** dyn_tasks_balance_in_each_split_fails, near miss: the number task *)
apply; exists 1, 600; split=> //.
have [//|//|D1 [D [D3 [sound [_ [many [_ even]]]]]]] := @dyn_tasks_balance_in_each_split_number 1.
exists D; split; last by split=> //; apply: even; rewrite !inE eqxx orbT.
by move: sound; rewrite /number_class !cat_uniq !all_cat => /andP[/and3P[_ _ /and3P[-> _ _]] /and3P[_ -> _]].

(** dyn_tasks_balance_in_each_split_fails, near miss: but for one sequence *)
apply; exists 1, 600; split=> //.
have [//|//|_ [D1 [D [D3 [sound [_ [many [_ near]]]]]]]] := @dyn_tasks_balance_in_each_split_repaired 1.
exists D; split; last by have [|rows [columns _]] := near D; rewrite ?inE ?eqxx ?orbT.
by move: sound; rewrite /letter_class !cat_uniq !all_cat => /andP[/and3P[_ _ /and3P[-> _ _]] /and3P[_ -> _]].
