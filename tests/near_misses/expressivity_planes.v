(** dec_thm6_one_angle_fails, near miss: outside the range *)
move=> H; apply: H => S A T theta S2 A2 T2 outside.
move/(dec_thm6_one_angle_range theta S2 A2 (ltnW T2)) => [T_eq|//].
by rewrite T_eq in T2.

(** dyn_thm3_1_index_unique_maximum_fails, near miss: irrational multiple *)
move=> H; apply: H => A n theta x some valid free.
apply/(dyn_thm3_1_index_unique_maximum_repaired theta some valid) => t t1 _ [z e].
have /leP/le_INR /= t_ge := t1; have := PI_RGT_0 => pi0; apply: (free (2 * z)%Z t t1).
have -> : theta = 2 * IZR z * PI / INR t by rewrite -e; field; lra.
by rewrite mult_IZR; field; lra.

(** dyn_thm3_1_index_irrational_fails, near miss: irrational multiple *)
by move=> H; apply: H; apply: dyn_thm3_1_index_irrational_multiple.

(** dyn_thm3_1_purely_symbolic_fails, near miss: angle 0 *)
move=> H; apply: H => A n theta x pi j theta0 _ _.
have := dyn_thm3_1_purely_symbolic_repaired theta x pi j; rewrite theta0 Rabs_R0 Rmult_0_r.
set d := _ - _ => small; have := Rabs_pos d => pos.
have : d = 0 by case: (Req_dec d 0) => // /Rabs_no_R0; lra.
by rewrite /d; lra.

(** dec_toy_index_needs_high_fails, near miss: some multiple aliases *)
by move=> H; apply: H => A n c theta c0 A2 _ aliases _; have [[index _] _] := dec_thm3_angles n theta A2 c0 => /index.
