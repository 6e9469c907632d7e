(** dec_thm2_any_alphabet_fails, near miss: two symbols and two places *)
by move=> H; apply: H; apply: dec_thm2.

(** dec_cor1_symbolic_any_alphabet_fails, near miss: two attributes and two pairs *)
by move=> H; apply: H; apply: dec_cor1_symbolic.

(** dyn_rem3_1_index_any_alphabet_fails, near miss: two letters and three tokens *)
move=> H; apply: H => kind k m D h two_k two_m.
by apply: dyn_rem3_1_index => //; [apply: ltnW | left].

(** dec_thm4_any_alphabet_fails, near miss: two attributes and two pairs *)
by move=> H; apply: H; apply: dec_thm4.

(** dec_cor1_positional_any_alphabet_fails, near miss: two symbols, attributes and pairs *)
by move=> H; apply: H; apply: dec_cor1_positional.

(** dec_thm4_any_output_map_fails, near miss: projection *)
(* Whether a head is positional is a matter of its logits alone. *)
by move=> H; apply: H => kind s a m D h two_a two_m enough positional_h; apply: dec_thm4.

(** dec_cor1_positional_any_output_map_fails, near miss: projection *)
by move=> H; apply: H => kind s a m D h two_s two_a two_m positional_h; apply: dec_cor1_positional.

(** dyn_rem3_1_retrieval_any_output_map_fails, near miss: most attended *)
by move=> H; apply: H => kind k r m D h two_k two_m positional_h; apply: dyn_rem3_1_retrieval.

(** dyn_rem3_1_retrieval_any_alphabet_fails, near miss: two letters and three tokens *)
by move=> H; apply: H; apply: dyn_rem3_1_retrieval.

(** dyn_rem3_1_retrieval_any_value_map_fails, near miss: identity *)
by move=> H; apply: H => kind k r m L VAL two_k two_m positional_L; apply: dyn_rem3_1_retrieval.
