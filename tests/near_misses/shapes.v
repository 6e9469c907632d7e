(** dec_thm7_u_shape_fails, near miss: below a full turn *)
(* The step's sign is that of sin(theta N / 2) sin(theta (N - 2 p) / 2), both angles within half a turn. *)
move=> H; apply: H => N theta c pos t0 t1 i j next.
have [falls rises] := positional_step theta pos next.
have step : gap N theta (place i) =
    2 * (sin (theta * INR N / 2) * sin (theta * (INR N - 2 * place i) / 2)).
  by rewrite /gap cos_below; congr (2 * (sin _ * sin _)); field.
have whole : 0 <= sin (theta * INR N / 2) by apply: sin_ge_0; have := pos_INR N; nra.
split=> half; apply: Rnot_lt_le.
  move/rises; rewrite step; have [p1 p2] := first_half half.
  by have : 0 <= sin (theta * (INR N - 2 * place i) / 2) by [apply: sin_ge_0; nra]; nra.
move/falls; rewrite step; have [p1 p2] := second_half next half.
have : 0 <= sin (- (theta * (INR N - 2 * place i) / 2)) by apply: sin_ge_0; nra.
by rewrite sin_neg; nra.

(** dec_thm7_inverted_u_fails, near miss: within the range *)
(* The step's sign is that of sin(theta / 2) sin(theta (2 p - N) / 2), both angles within half a turn. *)
move=> H; apply: H => N theta c other pos t0 t1 i j next.
have [falls rises] := symbolic_step theta other pos next.
have step : drop N theta (place i) = 2 * (sin (theta * (2 * place i - INR N) / 2) * sin (theta / 2)).
  by rewrite /drop cos_below /centre; congr (2 * (sin _ * sin _)); field.
split=> half; apply: Rnot_lt_le.
  move/falls; rewrite step; have [p1 p2] := first_half half.
  have unit : 0 <= sin (theta / 2) by apply: sin_ge_0; nra.
  have : 0 <= sin (- (theta * (2 * place i - INR N) / 2)) by apply: sin_ge_0; nra.
  by rewrite sin_neg; nra.
move/rises; rewrite step; have [p1 p2] := second_half next half.
have unit : 0 <= sin (theta / 2) by apply: sin_ge_0; nra.
by have : 0 <= sin (theta * (2 * place i - INR N) / 2) by [apply: sin_ge_0; nra]; nra.
