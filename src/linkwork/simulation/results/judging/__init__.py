"""Certificates: what a run can vouch for, and what is in doubt."""
