"""The certificate of a live run as a light: good, watch or poor, and why, by the bounds that certificates have."""

from __future__ import annotations

from typing import Any

from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.judging.least_energy import least_energy
from linkwork.simulation.results.judging.limits import BOUNDS
from linkwork.simulation.results.judging.part_tally import ROUNDED
from linkwork.simulation.run import Simulation

GOOD, WATCH, POOR = range(3)
NEAR = 0.1  # of a bound: nearer than this it is worth watching


class TrustLight:
    """Keeps the worst that was seen since the run began."""

    def __init__(self, sim: Simulation) -> None:
        self.method, self.settings = sim.method.name, {"dt": sim.method.dt}
        self.least = least_energy(sim.system)
        self.low: dict[str, float] = {}
        self.high: dict[str, float] = {}

    def see(self, accounts: dict[str, Any], balance: float, lost: float) -> None:
        """Take in a state: energies (J), drift, the balance and what was lost so far (J)."""
        names = ("kinetic", "potential", "springs", "work", "beyond law", "drift relative")
        seen = {name: float(accounts[name][0]) for name in names} | {"balance": balance, "dissipated": lost}
        for name, value in seen.items():
            self.low[name] = min(value, self.low.get(name, value))
            self.high[name] = max(value, self.high.get(name, value))

    def _worst(self, name: str) -> float:
        return max(abs(self.low[name]), abs(self.high[name]))

    def certificate(self) -> Certificate:
        """What a certificate would say of the energies and the drift so far."""
        ledger = ("kinetic", "potential", "springs", "work", "dissipated")
        moved = [self.high[name] - self.low[name] for name in ledger]
        stored = max(self._worst("potential"), self._worst("springs"))
        return Certificate(
            method=self.method,
            settings=self.settings,
            energy_balance_worst=self._worst("balance"),
            energy_scale=max(*moved, self.high["kinetic"]),
            energy_least=max(self.least, ROUNDED * stored),
            energy_gained=max(0.0, -self.low["dissipated"]),
            energy_numerical=self.high["beyond law"],
            drift_relative=self.high["drift relative"],
        )

    def light(self) -> tuple[int, list[str]]:
        """GOOD, WATCH or POOR, and the reasons."""
        if not self.high:
            return GOOD, []
        seen = self.certificate()
        doubts = seen.doubts()
        if doubts:
            return POOR, doubts
        near = seen.broken({name: NEAR * BOUNDS[name] for name in ("energy", "gain", "drift")})
        return (WATCH, near) if near else (GOOD, [])
