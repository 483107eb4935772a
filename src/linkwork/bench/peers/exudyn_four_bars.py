"""Four-bars in a row in Exudyn: planar bodies in absolute coordinates, generalized alpha, full Newton."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.bench.peers.four_bars import GRAVITY, UNTIL


class ExudynFourBars:
    """Every bar a planar body, every pin a joint of two of them."""

    def __init__(self, windows: int, dt: float) -> None:
        import exudyn
        from exudyn import itemInterface as item

        self.exudyn, self.item, self.windows, self.dt = exudyn, item, windows, dt
        self.reset()

    def reset(self) -> None:
        exudyn, item = self.exudyn, self.item
        container = exudyn.SystemContainer()
        mbs = container.AddSystem()
        ground = mbs.AddObject(item.ObjectGround())

        def bar(x: float, y: float, turn: float, speed: list[float]) -> Any:
            node = mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=[x, y, turn], initialVelocities=speed))
            body = mbs.AddObject(item.ObjectRigidBody2D(physicsMass=1.0, physicsInertia=1 / 12, nodeNumber=node))
            middle = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=body, localPosition=[0, 0, 0]))
            mbs.AddLoad(item.Force(markerNumber=middle, loadVector=[0, -GRAVITY, 0]))
            return body

        def pin(a: Any, at_a: list[float], b: Any, at_b: list[float]) -> None:
            first = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=a, localPosition=at_a))
            second = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=b, localPosition=at_b))
            mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=[first, second]))

        # cranks turn clockwise with 1 rad/s, couplers move with their tips
        cranks = [bar(k, 0.5, math.pi / 2, [0.5, 0, -1.0]) for k in range(self.windows + 1)]
        for k, crank in enumerate(cranks):
            pin(ground, [k, 0, 0], crank, [-0.5, 0, 0])
        for k in range(self.windows):
            coupler = bar(k + 0.5, 1.0, 0.0, [1.0, 0, 0])
            pin(cranks[k], [0.5, 0, 0], coupler, [-0.5, 0, 0])
            pin(coupler, [0.5, 0, 0], cranks[k + 1], [0.5, 0, 0])
        mbs.Assemble()
        settings = exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps = round(UNTIL / self.dt)
        settings.timeIntegration.endTime = UNTIL
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.newton.useModifiedNewton = False
        settings.timeIntegration.adaptiveStep = False
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWriteFileHeader = False
        if self.windows > 10:
            settings.linearSolverType = exudyn.LinearSolverType.EigenSparse
        self.container, self.mbs, self.settings = container, mbs, settings

    def error(self) -> float:
        heights = np.array([0.5] * (self.windows + 1) + [1.0] * self.windows)
        seen: list[float] = []

        def look(mbs: Any, t: float) -> bool:
            x = np.array(mbs.systemData.GetODE2Coordinates()).reshape(-1, 3)
            v = np.array(mbs.systemData.GetODE2Coordinates_t()).reshape(-1, 3)
            kinetic = 0.5 * np.sum(v[:, :2] ** 2) + np.sum(v[:, 2] ** 2) / 24
            seen.append(float(kinetic + GRAVITY * np.sum(heights + x[:, 1])))
            return True

        self.mbs.SetPreStepUserFunction(look)
        if not self._solve():
            return math.inf
        look(self.mbs, UNTIL)
        return float(np.abs(np.array(seen) - seen[0]).max())

    def _solve(self) -> bool:
        solver = self.exudyn.DynamicSolverType.GeneralizedAlpha
        try:
            return bool(self.mbs.SolveDynamic(self.settings, solverType=solver, showHints=False))
        except Exception:  # what it raises where it does not converge has no common type
            return False

    def all(self) -> None:
        self._solve()
