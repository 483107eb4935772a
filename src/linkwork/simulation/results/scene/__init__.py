"""Scenes: what there is to draw of a model and its contacts, as plain facts."""
