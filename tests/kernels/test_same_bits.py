"""The library and code compiled here for the same level give the same bits."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from linkwork._kernels.library import Library, library

FOUND = library()
HEAD = """
import hashlib, json, sys, warnings
import linkwork as lw
from linkwork.gallery import names
from linkwork.targets import find
warnings.simplefilter("ignore")
methods, pieces = json.loads(sys.argv[1]), json.loads(sys.argv[2])
found = {}
"""
RUNS = """
for piece in pieces or names():
    target = find(piece, {})
    for method in methods:
        options = {name: target.options[name] for name in ("dt", "start") if name in target.options}
        try:
            run = lw.simulate(target.model, until=20 * options.get("dt", 1e-3), method=method, **options)
        except (lw.OptionError, lw.ModelError):
            continue  # a method that cannot run the piece
        except lw.RunError as error:
            run = error.run
        digest = hashlib.sha256()
        for name in (*run.names, "time", "energy.total"):
            digest.update(run[name].tobytes())
        found[f"{piece} {method}"] = digest.hexdigest()
print(json.dumps([lw.simulate(lw.gallery.pendulum.build(), until=0.01).certificate.versions["kernels"], found]))
"""
# entries that are compiled in seconds, in some poses of each piece
POSES = """
import numpy as np
from linkwork._kernels.code_lookup import kernel_origin
chance = np.random.default_rng(1)
for piece in pieces:
    system, digest = lw.assemble(find(piece, {}).model), hashlib.sha256()
    for _ in range(20):
        q = lw.integrate(system, chance.normal(size=system.nq), chance.normal(size=system.nv), 0.1)
        poses = lw.forward_kinematics(system, q)
        some = [q, lw.mass_matrix(system, q), lw.jacobian(system, q, list(poses)[-1])]
        for array in some + [each for pose in poses.values() for each in pose]:
            digest.update(array.tobytes())
    found[piece] = digest.hexdigest()
print(json.dumps([kernel_origin(), found]))
"""


def bits(script: str, methods: list[str], pieces: list[str], **environment: str) -> tuple[str, dict[str, str]]:
    settings = {**os.environ, **environment}
    command = [sys.executable, "-c", HEAD + script, json.dumps(methods), json.dumps(pieces)]
    done = subprocess.run(command, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    code, found = json.loads(done.stdout.splitlines()[-1])
    return code, found


def compare(script: str, methods: list[str], pieces: list[str], folder: str) -> dict[str, str]:
    assert isinstance(FOUND, Library)
    code, from_library = bits(script, methods, pieces)
    assert code == FOUND.level
    code, compiled = bits(script, methods, pieces, LINKWORK_KERNELS=f"compile:{FOUND.level}", LINKWORK_CACHE=folder)
    assert code.startswith("compiled here")
    assert from_library == compiled
    return compiled


needs_library = pytest.mark.skipif(not isinstance(FOUND, Library), reason="no library of kernels: make kernels")


@needs_library
def test_of_poses_and_masses(tmp_path):
    found = compare(POSES, [], ["double_four_bar", "car", "humanoid"], str(tmp_path))
    assert len(set(found.values())) == 3


@needs_library
@pytest.mark.long
def test_of_every_piece_by_every_method(tmp_path):
    methods = ["recursive", "component", "absolute", "hybrid", "semi-recursive", "global", "impulse", "maximal"]
    assert len(compare(RUNS, methods, [], str(tmp_path))) > 100
