(** dec_definitions_uniform_earlier_keys_fails, near miss: own key equal *)
(* All visible keys have one logit then. *)
move=> H; apply: H => m M own some _ _ equal i; apply: softmax_const => {i} i k.
suff all_own l : visible M own l = own by rewrite !all_own.
by rewrite /visible; case: unliftP => [j|] _.
