"""Contact: colliders, materials, pairs, touch sensors."""
