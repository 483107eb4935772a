"""One paper, one file; verbs `prepare` and `step`."""
