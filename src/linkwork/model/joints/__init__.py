"""Joints and what couples them: kinds, limits, gears, cams, guides, rolling wheels."""
