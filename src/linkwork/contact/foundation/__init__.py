"""Elastic foundation: pressure per area."""
