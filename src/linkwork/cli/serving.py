"""`linkwork serve`: a sealed component for a model elsewhere."""

from __future__ import annotations

from typing import Annotated

import typer

from linkwork.cli.app import Settings, app
from linkwork.cli.running import announce_kernels
from linkwork.cli.speaking import speaking
from linkwork.errors import RunError


@app.command()
def serve(
    component: Annotated[str, typer.Argument(metavar="FILE.py:Class", help="The subsystem to serve, or PIECE:Class.")],
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one and prints it.")] = 0,
    host: Annotated[str, typer.Option(help="Address to listen on; one that others reach needs TLS.")] = "127.0.0.1",
    cert: Annotated[str | None, typer.Option(help="This side's certificate (PEM).")] = None,
    key: Annotated[str | None, typer.Option(help="Its private key (PEM).")] = None,
    ca: Annotated[str | None, typer.Option(help="The authority that signs both sides (PEM).")] = None,
    timeout: Annotated[float, typer.Option(help="Seconds without an answer after which a whole is given up.")] = 10.0,
    keep: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Keep states in FOLDER when a whole does, so that its run can be resumed."),
    ] = None,
    runs: Annotated[int, typer.Option(help="End after so many runs; 0 goes on until Ctrl-C.")] = 0,
    setting: Settings = None,
) -> None:
    """Serve a sealed component to a model elsewhere, which joins it by lw.Remote("HOST:PORT")."""
    with speaking(False):
        from linkwork.distribute.keep import Keep
        from linkwork.distribute.listen import listen
        from linkwork.distribute.server import describe
        from linkwork.distribute.server import serve as serve_one
        from linkwork.distribute.transport import PeerError
        from linkwork.targets import find_component, parse_settings

        states = None if keep is None else Keep(keep)
        make = find_component(component, parse_settings(setting or []))
        announce_kernels("component")
        describe(make)  # so that nobody has to wait for the compiler, or for a refusal
        listener = listen(port, host=host, cert=cert, key=key, ca=ca, timeout=timeout)
        typer.echo(f"serving {component} at {listener.address}")
        done = 0
        try:
            while runs == 0 or done < runs:
                if not listener.wait(0.5):
                    continue
                try:
                    transport = listener.accept()
                except PeerError as error:  # that was no run
                    typer.echo(f"refused: {error}", err=True)
                    continue
                try:
                    serve_one(make, transport, name=component.partition(":")[2], keep=states)
                except PeerError as error:
                    typer.echo(f"the whole was lost: {error}", err=True)
                except RunError as error:  # the whole has been told; the next one may fare better
                    typer.echo(f"a run failed: {error}", err=True)
                done += 1
        except KeyboardInterrupt:
            typer.echo("ended", err=True)
        finally:
            listener.close()
