(** dec_scores_faithful_positional_converse_fails, near miss: half of the equations *)
by move=> H; apply: H => m M others nonneg /(dec_scores_faithful_positional_exactly m M nonneg).

(** dec_scores_faithful_symbolic_converse_fails, near miss: half of the equations *)
by move=> H; apply: H => m M others nonneg /(dec_scores_faithful_symbolic_exactly m M nonneg).

(** dec_scores_average_circle_fails, near miss: one swap *)
move=> H; apply: H => N d e alpha d0 e0 nonneg one; move: d e alpha d0 e0 nonneg; rewrite one => d e alpha d0 e0 _.
rewrite !big_ord_recl !big_ord0 !Rplus_0_r => ->; rewrite !Rmult_1_l.
by have [_ [above _]] := circle (d0 ord0) (e0 ord0); apply: Rlt_le.

(** dec_scores_unequal_fails, near miss: one length *)
(* Blocks of one length are blocks of the length of the first. *)
move=> H; apply: H => m len M others nonneg same some posit i j ij; have B0 := some i.
have len_B : len = fun=> len i by apply: FunctionalExtensionality.functional_extensionality => k; apply: same.
move: posit; rewrite len_B => posit.
by have [scores _] := dec_scores_faithful_positional nonneg B0 posit; apply: scores.
