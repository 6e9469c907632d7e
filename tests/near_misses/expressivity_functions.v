(** dyn_functions_number_hops_of_the_example_fails, near miss: the move of the last token counted *)
move=> H; apply: H => L x s h good solved _; have [s' [d []]] := dyn_functions_number good.
rewrite solved => -[<- <-] /(_ h h (leqnn _) (leqnn _)).
by rewrite subnn; case: (power _ h x).

(** dyn_functions_number_hops_of_the_example_fails, near miss: one application more *)
move=> H; apply: H => L x s h good solved _; have [s' [d []]] := dyn_functions_number good.
rewrite solved => -[<- <-] /(_ h.+1 h.+1 (leqnn _) (leqnn _)).
by rewrite subnn; case: (power _ h.+1 x).

(** dyn_functions_retrieval_closed_fails, near miss: unambiguous as well *)
move=> H; apply: H => L N x proper single.
by have [y [found [good _]]] := dyn_functions_retrieval_closed_repaired proper single; exists y.

(** dyn_functions_letter_fails, near miss: unambiguous as well *)
move=> H; apply: H => L N x p h proper single solved.
have := dyn_functions_letter_repaired proper single solved (leqnn h) (leqnn h).
by rewrite subnn; case: (power _ h x).
