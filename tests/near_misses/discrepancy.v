(** dyn_thm3_2_index_fails, near miss: inputs that end in a letter *)
by move=> H; apply: H => theta n g _ n2 [gaps _]; have [_] := dyn_thm3_2_index_best_other n2 gaps.

(** dyn_thm3_2_index_fails, near miss: four times the constant *)
move=> H; apply: H => theta n g _ n2 [gaps _].
have [below bound] := dyn_thm3_2_positional_decay n2 gaps; split=> //; apply: Rle_trans bound _.
have n_ge := leq_INR n2; have n_eq := S_INR n; have pi2 := pow2_ge_0 PI; rewrite /= in n_ge.
apply: Rmult_le_compat_l; first by lra.
by apply: Rinv_le_contravar; [apply: pow_lt; lra | apply: pow_incr; lra].

(** dyn_thm3_2_index_smallest_positive_fails, near miss: no alias *)
(* The smallest of some numbers is one number. *)
move=> H; apply: H => theta n g free n2 [gaps least].
have [|h [[h_gaps h_least] bounds]] := @dyn_thm3_2_index_smallest_positive_no_alias theta n n2.
  by move=> u k /andP[u1 un]; apply: free; rewrite u1 -(prednK (ltnW n2)) ltnS -subn1.
by rewrite (_ : g = h) //; apply: Rle_antisym; [apply: least | apply: h_least].

(** dyn_thm3_2_index_smallest_positive_fails, near miss: theta over pi *)
move=> H; apply: H => theta n g free n2 [gaps least]; have pi0 := PI_RGT_0.
have [|h [[h_gaps h_least] bounds]] := @dyn_thm3_2_index_smallest_positive_no_alias theta n n2.
  move=> u k /andP[u1 _] e; have := leq_INR u1; rewrite /= => u_ge.
  apply: (free (2 * k)%Z (Z.of_nat u)); first by case: u u1 {e u_ge}.
  by rewrite mult_IZR -INR_IZR_INZ (_ : theta = 2 * PI * IZR k / INR u); [field; lra | rewrite -e; field; lra].
by rewrite (_ : g = h) //; apply: Rle_antisym; [apply: least | apply: h_least].

(** dyn_thm3_2_retrieval_fails, near miss: the exact value *)
move=> H; apply: H => L n0 n theta x g L2 n02 nn t0 allowed fits here; case/andP: (nn) => n2 _.
have [room [le E]] := allowed_room n02 nn (Rlt_le _ _ t0) allowed.
have [|_ most] := dyn_def3_1_retrieval_largest L2 n2 (Rlt_le _ _ t0); first by rewrite subn1; lra.
by apply: most; exists x.

(** dyn_thm3_2_retrieval_best_wrong_letter_fails, near miss: the last place *)
move=> H; apply: H => L n0 n theta v L2 n02 nn t0 allowed [c [[_ c_most] ->]]; case/andP: (nn) => n2 _.
have [room [le E]] := allowed_room n02 nn (Rlt_le _ _ t0) allowed.
have N0 := leq_INR n02; rewrite /= in N0.
have [|d [[d_in d_most] value]] := dyn_def3_1_retrieval_best_wrong_letter L2 n2 (Rlt_le _ _ t0).
  by rewrite subn1; nra.
by have := c_most _ d_in; lra.

(** dyn_thm3_2_retrieval_smallest_lead_fails, near miss: the last place *)
move=> H; apply: H => L n0 n theta g L2 n02 nn t0 allowed [g_in least]; case/andP: (nn) => n2 _.
have [room [le E]] := allowed_room n02 nn (Rlt_le _ _ t0) allowed.
have n_eq : INR n = INR n.-1 + 1 by rewrite -S_INR prednK // ltnW.
have [|value _] := dyn_def3_1_retrieval_smallest_lead L2 n2 (Rlt_le _ _ t0); first by nra.
have := least _ value; have := COS_bound (INR n.-2 * theta); lra.

(** dyn_thm3_2_retrieval_smallest_positive_fails, near miss: within n0 *)
move=> H; apply: H => L n0 n theta g L2 n02 nn t0 allowed [g_in least]; case/andP: (nn) => n2 _.
have [room [le E]] := allowed_room n02 nn (Rlt_le _ _ t0) allowed.
have n_eq : INR n = INR n.-1 + 1 by rewrite -S_INR prednK // ltnW.
have N0 := leq_INR n02; rewrite /= in N0.
have [|h [[h_in _] [_ bound]]] := dyn_thm3_2_retrieval_smallest_positive_within L2 n2 t0; first by nra.
by apply: Rle_trans (least _ h_in) bound.

(** dyn_thm3_2_symbolic_stays_every_input_fails, near miss: over wrong letters *)
move=> H; apply: H => L n theta g L2 n2 theta0 g_in; have [w0 [w1 _]] := omega_facts L2.
have [[_ least] _] := dyn_thm3_2_symbolic_stays L2 n2 theta0; have pi := PI_RGT_0.
by apply: Rlt_le_trans (least _ g_in); have := @cos_lt_1 (omega L) ltac:(lra); lra.

(** dyn_thm3_2_symbolic_stays_allowed_angles_fails, near miss: at theta = 0 *)
move=> H; apply: H => L L2; have [w0 [w1 _]] := omega_facts L2; have pi := PI_RGT_0.
exists (1 - cos (omega L)); split; first by have := @cos_lt_1 (omega L) ltac:(lra); lra.
move=> n0 n theta g _ /andP[n2 _] theta0 _ [g_in _].
by have [[_ least] _] := dyn_thm3_2_symbolic_stays L2 n2 theta0; apply: least.

(** dyn_thm3_2_symbolic_stays_allowed_angles_smallest_positive_fails, near miss: over wrong letters at theta = 0 *)
move=> H; apply: H => L L2; have [w0 [w1 _]] := omega_facts L2; have pi := PI_RGT_0.
exists (1 - cos (omega L)); split; first by have := @cos_lt_1 (omega L) ltac:(lra); lra.
move=> n0 n theta g _ /andP[n2 _] theta0 _ [g_in _].
by have [[_ least] _] := dyn_thm3_2_symbolic_stays L2 n2 theta0; apply: least.
