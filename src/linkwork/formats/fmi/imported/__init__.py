"""FMUs of others in a model: read, checked, and stepped with the run through fmpy."""
