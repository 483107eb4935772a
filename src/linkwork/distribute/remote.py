"""`Remote`: a component in another process, standing where a subsystem would."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from linkwork._version import __version__
from linkwork.distribute.transport import PeerError, Transport, one_line
from linkwork.errors import OptionError
from linkwork.model import Foreign, Frame, Subsystem
from linkwork.model.checked import part_name, shown, vector
from linkwork.simulation.stepping.remote_links import finite

PROTOCOL = 2
MOST_RATES = 256  # at which a component is sampled
MOST_PORTS = 256  # of a component: the numbers of a message grow with their square
UNCLEAR = "gives an answer that cannot be understood; install the same linkwork on both sides"


class Remote(Subsystem):
    """A component served by `linkwork serve`: connect joints to its ports; the rest stays with its owner.

    `address` is "host:port". Other hosts than this one need `cert`, `key` and `ca` (files, mutual TLS). If it does not
    answer within `timeout` seconds, the run stops with an error that names the component. Only method "component"
    supports it. `keeps` is True if its owner saves states (`linkwork serve … --keep FOLDER`): then the run can be
    resumed.

    >>> wheel = lw.Remote("127.0.0.1:5000")  # doctest: +SKIP
    >>> model.add("left wheel", wheel, position=(-1, 0, 0.35))  # doctest: +SKIP
    >>> model.revolute("hub", beam, wheel.rim, at=(-1, 0, 0.35), axis=(1, 0, 0))  # doctest: +SKIP
    """

    def __init__(
        self,
        address: str = "",
        *,
        timeout: float = 10.0,
        cert: str | None = None,
        key: str | None = None,
        ca: str | None = None,
        transport: Transport | None = None,
    ) -> None:
        super().__init__()
        self._dial: Any = None if transport is not None else (address, timeout, cert, key, ca)
        self._begin(transport)

    def _begin(self, transport: Transport | None = None) -> None:
        """Meet the component and hear of its ports."""
        self.transport: Any = transport if transport is not None else self._connect()
        self._ready = False
        try:
            self._describe()
        except BaseException:
            self.transport.close()
            raise

    def _describe(self) -> None:
        answer = self._ask({"verb": "describe"})
        self.component = one_line(str(answer.get("component", "")), 200)
        self.keeps = answer.get("keeps") is True
        peer = self.transport.peer
        try:
            self.samples = _periods(answer.get("samples", []))
            if len(answer["ports"]) > MOST_PORTS:
                raise PeerError(peer, f"offers more than {MOST_PORTS} ports; let it offer fewer")
            bodies = [self._foreign(port) for port in answer["ports"]]
        except (KeyError, TypeError, ValueError) as error:
            raise PeerError(peer, f"{UNCLEAR} ({type(error).__name__}: {error})") from error
        if not bodies:
            raise PeerError(peer, "offers no port; name border bodies there with self.port(...)")
        if len({body.name for body in bodies}) < len(bodies):
            raise PeerError(peer, "offers two ports of the same name; name border bodies there apart")
        for body in bodies:
            self.grounds[body.name] = self.ports[body.name] = self._names[body.name] = body

    def _connect(self) -> Transport:
        from linkwork.distribute.listen import connect

        if self._dial is None:
            raise OptionError(
                f"component '{self.path}' came over a transport that serves once; make a new Remote, or give an address"
            )
        address, timeout, cert, key, ca = self._dial
        return connect(address, timeout=timeout, cert=cert, key=key, ca=ca)

    def _foreign(self, port: dict[str, Any]) -> Foreign:
        """The body behind a port, as its owner describes it."""
        what = f"port {shown(port['name'])}"
        linear, angular = (vector(port[name], what, name).tolist() for name in ("velocity", "angular_velocity"))
        return Foreign(
            part_name(port["name"], "port"),
            self,
            0.0,
            np.zeros((3, 3)),
            np.zeros(3),
            Frame(port["at"], port["turned"]),
            start=Frame(port["position"], port["rotation"]),
            velocity=(linear[0], linear[1], linear[2]),
            angular_velocity=(angular[0], angular[1], angular[2]),
        )

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        return ask(self.transport, question)

    def prepare(self, method: Any, gravity: Any) -> None:
        """Tell the component where it stands and how it is stepped; it then waits for the first message."""
        if method.integrator == "adaptive":
            raise OptionError(
                f"component '{self.path}' lives elsewhere, where integrator='adaptive' cannot look for errors; "
                "use a fixed step such as integrator='rk4'"
            )
        # a second run of the same model, as the first one ended the connection; or an end while nothing was asked
        if self._ready or (self._dial is not None and self.transport.wait(0.0)):
            self._meet_again()
        self._ready = True
        place = self.world
        self._ask(
            {
                "verb": "prepare",
                "position": place.position.tolist(),
                "rotation": place.rotation.tolist(),
                "gravity": [float(g) for g in gravity],
                "integrator": method.integrator,
                "dt": method.dt,
                "stabilize": method.stabilize,
                "rank_tolerance": method.rank_tolerance,
            }
        )

    def handed_over(self, place: int, mark: int) -> Any:
        """A state that was kept, as bytes for the file of the whole; nothing where its owner has it."""
        return None

    def take_back(self, place: int, mark: int, state: Any) -> None:
        """What `handed_over` gave, from the file."""

    @property
    def remedy(self) -> str:
        """What to do where it cannot go back to a state."""
        return "let its owner serve it with the folder in which its states were kept (--keep), or run from the start"

    def _meet_again(self) -> None:
        """Another connection, up to where the first one was."""
        self.renew()
        self._ask({"verb": "describe"})

    def order(self, command: Any) -> str:
        """Between two runs of the loop: send an order in numbers; what the component says against it, or nothing."""
        self.transport.send(command)
        return one_line(str(understood(self.transport).get("refused", "")))

    def sample(self, command: Any) -> tuple[str, bool]:
        """Let it call what is sampled there: what went wrong, and whether any of its inputs changed."""
        self.transport.send(command)
        answer = understood(self.transport)
        return one_line(str(answer.get("refused", ""))), answer.get("changed") is True

    def renew(self) -> Transport:
        """Another connection to the same component; the one at hand ends, since a component serves one at a time."""
        self.close()
        self._ready = True
        self.transport = self._connect()
        return self.transport  # type: ignore[no-any-return]

    def hang_up(self) -> None:
        """End the connection if a run was to come over it, or if another can be made for the next run."""
        if self._ready or self._dial is not None:
            self._ready = True  # that connection is spent
            self.close()

    def close(self) -> None:
        """End the connection."""
        self.transport.close()


def _periods(given: Any) -> tuple[float, ...]:
    """Seconds between the samples of a component, as its owner says; `ValueError` for nonsense."""
    if not isinstance(given, list) or len(given) > MOST_RATES:
        raise ValueError(f"{shown(given)} are no rates")
    periods = tuple(float(each) for each in given)
    if not all(0.0 < each < math.inf for each in periods):
        raise ValueError(f"{shown(given)} are no rates")
    return periods


def ask(transport: Transport, question: dict[str, Any]) -> dict[str, Any]:
    """The answer of a component to a question; `PeerError` where it refuses or makes no sense."""
    transport.send_text(json.dumps({"linkwork": __version__, "protocol": PROTOCOL, **question}))
    return understood(transport)


def understood(transport: Transport) -> dict[str, Any]:
    """The next answer of a component."""
    try:
        answer = read(transport.receive_text())
    except ValueError as error:
        raise PeerError(transport.peer, f"{UNCLEAR} ({error})") from error
    if not isinstance(answer, dict):
        raise PeerError(transport.peer, f"{UNCLEAR} ({shown(answer)})")
    if answer.get("protocol") != PROTOCOL:
        raise PeerError(
            transport.peer,
            f"speaks protocol {shown(answer.get('protocol'))} and this side {PROTOCOL}; "
            "install the same linkwork on both",
        )
    if "error" in answer:
        raise PeerError(transport.peer, str(answer["error"]))
    return answer


def read(text: str) -> Any:
    """What a text of a peer says in JSON; `ValueError` where it makes no sense, or holds what is no number.

    >>> read('{"protocol": 2}')
    {'protocol': 2}
    """
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is not finite")


def _number(word: str) -> float:
    number = float(word)
    if not finite(np.array(number)):
        raise ValueError(f"{shown(word)} is beyond all bounds")
    return number
