"""A run that somebody takes part in: dragging, real time, present contacts."""
