"""How long a question and its answer take over each transport, on this machine.

    python benchmarks/transport_latency.py [--exchanges 5000]

One process asks, another echoes; a figure is the best and the median of single round trips, in microseconds. TLS needs
trustme (extra dev), MPI needs mpi4py and mpiexec (extra mpi); what is missing is left out and said.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import linkwork
from linkwork.distribute.listen import connect, listen
from linkwork.distribute.mpi_transport import MpiTransport
from linkwork.distribute.socket_transport import SocketTransport
from linkwork.distribute.transport import Transport
from linkwork.errors import OptionError

SIZES = (6, 48, 512, 8192)  # numbers each way
WARM = 200  # round trips before the clock starts
TIMEOUT = 60.0  # s


def ask(transport: Transport, exchanges: int) -> list[tuple[float, float]]:
    """Best and median round trip in seconds for each size."""
    figures = []
    for size in SIZES:
        values, back = np.ones(size), np.empty(size)
        spent = np.empty(WARM + exchanges)
        for k in range(WARM + exchanges):
            start = perf_counter()
            transport.send(values)
            transport.receive(back)
            spent[k] = perf_counter() - start
        figures.append((float(spent[WARM:].min()), float(np.median(spent[WARM:]))))
    return figures


def echo(transport: Transport, exchanges: int) -> None:
    for size in SIZES:
        values = np.empty(size)
        for _ in range(WARM + exchanges):
            transport.receive(values)
            transport.send(values)
    transport.close()


def show(name: str, figures: list[tuple[float, float]]) -> None:
    cells = "".join(f"{1e6 * best:9.1f} /{1e6 * median:7.1f}" for best, median in figures)
    print(f"{name:24s}{cells}", flush=True)


def child(*arguments: str, pass_fds: tuple[int, ...] = ()) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(linkwork.__file__).parent.parent)}
    return subprocess.Popen(
        [sys.executable, __file__, *arguments], env=environment, stdout=subprocess.PIPE, text=True, pass_fds=pass_fds
    )


def measure_pair(exchanges: int) -> None:
    mine, theirs = socket.socketpair()
    other = child("--echo-descriptor", str(theirs.fileno()), "--exchanges", str(exchanges), pass_fds=(theirs.fileno(),))
    theirs.close()
    show("socket pair, 2 processes", ask(SocketTransport(mine, "echo", TIMEOUT), exchanges))
    other.communicate(timeout=TIMEOUT)


def measure_tcp(exchanges: int, folder: Path | None) -> None:
    files = [] if folder is None else ["--folder", str(folder)]
    other = child("--echo-listener", *files, "--exchanges", str(exchanges))
    assert other.stdout is not None
    port = int(other.stdout.readline())
    transport = connect(f"127.0.0.1:{port}", timeout=TIMEOUT, **tls_files(folder))
    show("TCP" if folder is None else "mutual TLS", ask(transport, exchanges))
    transport.close()
    other.communicate(timeout=TIMEOUT)


def measure_mpi(exchanges: int) -> None:
    beside = Path(sys.executable).parent / "mpiexec"
    mpiexec = str(beside) if beside.exists() else shutil.which("mpiexec")
    if mpiexec is None:
        print('MPI                     left out: pip install "linkwork[mpi]"')
        return
    environment = {**os.environ, "PYTHONPATH": str(Path(linkwork.__file__).parent.parent)}
    command = [mpiexec, "-n", "2", sys.executable, __file__, "--mpi", "--exchanges", str(exchanges)]
    subprocess.run(command, env=environment, timeout=5 * TIMEOUT, check=True)


def tls_files(folder: Path | None) -> dict[str, Any]:
    return {} if folder is None else {name: folder / f"{name}.pem" for name in ("cert", "key", "ca")}


def make_certificates(folder: Path) -> bool:
    try:
        import trustme
    except ImportError:
        print("mutual TLS              left out: pip install trustme")
        return False
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
    certificate.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--exchanges", type=int, default=5000)
    parser.add_argument("--echo-descriptor", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--echo-listener", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--mpi", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.echo_descriptor is not None:
        echo(SocketTransport(socket.socket(fileno=options.echo_descriptor), "asker", TIMEOUT), options.exchanges)
    elif options.echo_listener:
        listener = listen(0, timeout=TIMEOUT, **tls_files(options.folder))
        print(listener.port, flush=True)
        echo(listener.accept(), options.exchanges)
        listener.close()
    elif options.mpi:
        between_ranks(options.exchanges)
    else:
        print("round trip in us, best / median, of messages of so many numbers")
        print(f"{'':24s}" + "".join(f"{size:18d}" for size in SIZES))
        measure_pair(options.exchanges)
        measure_tcp(options.exchanges, None)
        with tempfile.TemporaryDirectory() as folder:
            if make_certificates(Path(folder)):
                measure_tcp(options.exchanges, Path(folder))
        measure_mpi(options.exchanges)


def between_ranks(exchanges: int) -> None:
    try:
        from mpi4py import MPI

        rank = MPI.COMM_WORLD.Get_rank()
        transport = MpiTransport(MPI.COMM_WORLD, 1 - rank, TIMEOUT)
    except (ImportError, OptionError) as error:
        print(f"MPI                     left out: {error}")
        return
    if rank == 0:
        show("MPI, 2 ranks", ask(transport, exchanges))
    else:
        echo(transport, exchanges)


if __name__ == "__main__":
    main()
