"""Many callers at once: each is greeted and served in a thread of its own, so that nobody waits for a stranger.

A caller has ten seconds to say who it is and to ask something. Then it takes one of the places; where all are taken,
the caller that has been silent for longest makes room, once it has been silent for ten seconds. Whatever a caller does,
the server goes on.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from linkwork.assembly.laws.law_errors import describe_exception
from linkwork.distribute.listen import GREETING_TIME, Listener
from linkwork.distribute.server import Session
from linkwork.distribute.socket_transport import SocketTransport
from linkwork.distribute.transport import PeerError, one_line
from linkwork.errors import ModelError, OptionError, RunError

PLACES = 64  # callers served at once
IDLE = 3600.0  # s that a caller may think between two questions
STRANGERS = 64  # callers that have asked nothing yet; where more come, the oldest is let go
FAREWELL = 2.0  # s for those who are served to notice that the server ends
LOOK = 0.1  # s between two looks at whether the last run has ended
LINES = 20  # said within MOMENT; what strangers can cause more often is counted instead
MOMENT = 10.0  # s


class Callers:
    """Those who call at `listener`; `session` makes what serves one of them, `say` is told what went wrong.

    >>> from linkwork.distribute.listen import listen
    >>> listener = listen(0, timeout=5)
    >>> callers = Callers(listener, lambda transport: Session(lw.gallery.car.Wheel, transport), say=print)
    >>> callers.close(), listener.close()
    (None, None)
    """

    def __init__(
        self,
        listener: Listener,
        session: Callable[[SocketTransport], Session],
        *,
        say: Callable[[str], None],
        places: int = PLACES,
    ) -> None:
        self.listener, self.session, self.places = listener, session, places
        self.done = 0  # runs that have ended
        self._say, self._said, self._unsaid = say, [0.0] * LINES, 0
        self._most: int | None = None  # runs in all
        self._closed = False
        self._strangers: dict[socket.socket, SocketTransport | None] = {}  # oldest first
        self._served: set[SocketTransport] = set()
        self._changed = threading.Condition()

    def run(self, runs: int = 0) -> None:
        """Serve until so many runs have ended; 0 goes on until Ctrl-C."""
        self._most = runs or None
        while self._most is None or self.done < self._most:
            if not self.listener.wait(LOOK):
                continue
            try:
                caller, peer = self.listener.knock()
            except PeerError as error:  # no room for another connection, as a rule: there may be soon
                self._tell(f"refused: {error}")
                time.sleep(LOOK)
                continue
            with self._changed:
                if len(self._strangers) >= STRANGERS:
                    self._let_go(next(iter(self._strangers)))
                self._strangers[caller] = None
            threading.Thread(target=self._meet, args=(caller, peer), daemon=True).start()

    def close(self) -> None:
        """Let everybody go."""
        with self._changed:
            self._closed = True
            for caller in list(self._strangers):
                self._let_go(caller)
            for transport in self._served:
                transport.interrupt()
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._served, FAREWELL)

    def _let_go(self, caller: socket.socket) -> None:
        transport = self._strangers.pop(caller)
        if transport is not None:
            transport.interrupt()
        else:
            with suppress(OSError):
                socket.socket.shutdown(caller, socket.SHUT_RDWR)

    def _meet(self, caller: socket.socket, peer: str) -> None:
        """One caller, from its knock to its end."""
        transport = None
        try:
            transport = self.listener.greet(caller, peer)
            with self._changed:
                if caller not in self._strangers:
                    raise PeerError(peer, "others came while it was greeted")
                self._strangers[caller] = transport
            if not transport.wait(GREETING_TIME):
                raise PeerError(peer, f"asked nothing within {GREETING_TIME:g} s")
            self._take_place(transport)
        except Exception as error:
            self._tell(
                f"refused: {error}" if isinstance(error, PeerError) else f"refused: {peer}: {describe_exception(error)}"
            )
            if transport is not None:
                transport.close()
            return
        finally:
            with self._changed:
                self._strangers.pop(caller, None)
        self._serve(transport)

    def _serve(self, transport: SocketTransport) -> None:
        session = self.session(transport)
        try:
            session.run()
        except PeerError as error:
            self._tell(f"the whole was lost: {error}" if session.asked else f"refused: {error}")
        except Exception as error:  # the whole has been told; the next one may fare better
            ours = isinstance(error, (ModelError, OptionError, RunError))
            self._tell(f"a run failed: {one_line(str(error)) if ours else describe_exception(error)}")
        finally:
            with self._changed:
                self._served.discard(transport)
                self.done += session.asked
                self._changed.notify_all()

    def _take_place(self, transport: SocketTransport) -> None:
        """Wait for a place among those that are served; the most silent one makes room where it has to."""
        end = time.monotonic() + GREETING_TIME
        with self._changed:
            while not self._closed and len(self._served) >= self._room():
                now = time.monotonic()
                if now >= end:
                    with suppress(PeerError):
                        transport.send_failure(f"it serves {len(self._served)} others already; try again later")
                    raise PeerError(transport.peer, f"all {len(self._served)} places are taken")
                silent = min(self._served, key=lambda each: each.heard, default=None)
                if silent is not None and now - silent.heard > GREETING_TIME:
                    silent.interrupt()
                self._changed.wait(min(LOOK, end - now))
            if self._closed:
                raise PeerError(transport.peer, "the server ends")
            transport.heard = time.monotonic()
            self._served.add(transport)

    def _room(self) -> int:
        return self.places if self._most is None else min(self.places, self._most - self.done)

    def _tell(self, text: str) -> None:
        """Say it, unless so much was said lately that strangers could fill a disk."""
        with self._changed:
            now = time.monotonic()
            if now - self._said[0] < MOMENT:
                self._unsaid += 1
                return
            self._said = [*self._said[1:], now]
            more, self._unsaid = self._unsaid, 0
        if self._closed:
            return
        self._say(f"{text} (and {more} more before it)" if more else text)
