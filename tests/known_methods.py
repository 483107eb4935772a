"""The methods of linkwork in groups, by what they say of themselves."""

from linkwork.simulation.methods import ALL

EXPLICIT = {name: kind for name, kind in ALL.items() if len(kind.orders) > 1}  # with any integrator
IMPLICIT = {name: kind for name, kind in ALL.items() if kind.implicit}
