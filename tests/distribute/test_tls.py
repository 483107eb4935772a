"""A component on "another host": `linkwork serve` and `lw.Remote` by mutual TLS, end to end; strangers are refused."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from attacks.wire import HELLO
from linkwork.cli import app
from linkwork.distribute.substitute import substitute
from linkwork.gallery import car
from linkwork.simulation.stepping.workspaces import ready_components

trustme = pytest.importorskip("trustme", reason="trustme, which makes the certificates, is not installed")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, str]]:
    """cert, key and ca of "server", "whole" and "stranger", whose certificate another authority has signed."""
    folder: Path = tmp_path_factory.mktemp("certificates")
    authorities = {"ours": trustme.CA(), "theirs": trustme.CA()}
    for name, authority in authorities.items():
        authority.cert_pem.write_to_path(str(folder / f"{name}.pem"))
    for name, signed in (("server", "ours"), ("whole", "ours"), ("stranger", "theirs")):
        made = authorities[signed].issue_cert("127.0.0.1")
        (folder / f"{name}.cert").write_bytes(b"".join(pem.bytes() for pem in made.cert_chain_pems))
        made.private_key_pem.write_to_path(str(folder / f"{name}.key"))

    def named(name: str, ca: str = "ours") -> dict[str, str]:
        found = {"cert": folder / f"{name}.cert", "key": folder / f"{name}.key", "ca": folder / f"{ca}.pem"}
        return {option: str(file) for option, file in found.items()}

    return named


def test_a_wheel_behind_tls(process: Callable[..., Any], files: Callable[..., dict[str, str]]) -> None:
    """Refusals say whose certificate is wrong, count as no run, and the right one is served as if nothing had been."""
    ready_components()
    options = [text for option, file in files("server").items() for text in (f"--{option}", file)]
    far = process("car:Wheel", "--runs", "1", *options)
    for given, words in (
        (files("stranger"), "refuses the certificate of this side: the authority it trusts has not signed it"),
        (files("whole", ca="theirs"), "its certificate was not signed by the authority in ca; check ca here"),
        ({}, "check the port, and that both sides use TLS"),
    ):
        with pytest.raises(lw.PeerError, match=re.escape(words)) as caught:
            lw.Remote(far.address, timeout=20, **given)
        assert caught.value.peer == far.address

    model = car.build()
    substitute(model, "left wheel", lw.Remote(far.address, timeout=20, **files("whole")))
    run = lw.simulate(model, until=0.05, dt=1e-3, method="component")
    here = lw.simulate(car.build(), until=0.05, dt=1e-3, method="component")
    seen = {name.removeprefix("left wheel.").rpartition(".")[0] for name in run.names if name.startswith("left wheel")}
    assert seen == {"ring"}  # its port, and nothing inside
    assert np.abs(run["car body.position"] - here["car body.position"]).max() < 1e-13
    code, said = far.end()
    assert code == 0
    lines = said.strip().splitlines()
    assert len(lines) == 3
    assert all(line.startswith("refused: 127.0.0.1:") for line in lines)
    assert "its certificate was not signed by the authority in ca" in lines[0]


def test_silent_strangers_before_tls_hold_up_nobody(
    process: Callable[..., Any], files: Callable[..., dict[str, str]]
) -> None:
    """Each of them might take ten seconds to show a certificate."""
    ready_components()
    options = [text for option, file in files("server").items() for text in (f"--{option}", file)]
    far = process("car:Wheel", "--runs", "1", *options)
    host, _, port = far.address.rpartition(":")
    strangers = [socket.create_connection((host, int(port))) for _ in range(40)]
    for half in strangers[::2]:
        half.sendall(HELLO)
    model = car.build()
    substitute(model, "left wheel", lw.Remote(far.address, timeout=20, **files("whole")))
    lw.simulate(model, until=0.01, dt=1e-3, method="component")
    for stranger in strangers:
        stranger.close()
    code, said = far.end()
    assert code == 0
    assert "Traceback" not in said


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_nothing_is_served_to_others_without_tls(host: str) -> None:
    found = CliRunner().invoke(app, ["serve", "car:Wheel", "--host", host])
    assert found.exit_code == 2
    assert "needs TLS; give cert=, key= and ca=" in found.stderr
    with pytest.raises(lw.OptionError, match=r"another host, needs TLS"):
        lw.Remote("wheels.example.org:5000")


def test_files_for_tls_that_do_not_fit(files: Callable[..., dict[str, str]], tmp_path: Path) -> None:
    mixed = {**files("server"), "key": files("whole")["key"]}
    with pytest.raises(lw.OptionError, match="does not belong to the certificate"):
        lw.Remote("127.0.0.1:1", **mixed)
    with pytest.raises(lw.OptionError, match="ca= is missing"):
        lw.Remote("127.0.0.1:1", cert=mixed["cert"], key=mixed["key"])
    with pytest.raises(lw.OptionError, match="cannot be read"):
        lw.Remote("127.0.0.1:1", **{**mixed, "ca": str(tmp_path / "none.pem")})
