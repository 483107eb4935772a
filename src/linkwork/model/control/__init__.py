"""Control: what is sampled, what happens during a run, what is stepped beside it."""
