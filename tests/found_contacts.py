"""One way into the search for contacts: tests share it, so that it is compiled once."""

from __future__ import annotations

from linkwork._jit import entry
from linkwork.contact.broad_phase import find_contacts


@entry
def find(colliders, work, ahead_v, meeting, contacts, h):  # type: ignore[no-untyped-def]
    find_contacts(colliders, work, ahead_v, meeting, contacts, h)
