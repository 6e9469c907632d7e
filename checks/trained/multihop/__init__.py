"""GPT-J models trained on the two multihop tasks (dyn.tasks, dyn.learning), and what their heads do."""
