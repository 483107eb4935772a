"""Names of other formats in a model: what a name may not be here is changed, and the receipt says so."""

from __future__ import annotations

from linkwork.formats.receipt import Receipt
from linkwork.model import names
from linkwork.model.container import Container, takes_name

SOON = 30  # numbers behind a name that are tried one by one


def fitting(container: Container, wanted: str, kind: str, receipt: Receipt, place: str = "") -> str:
    """The wanted name of a new part in a container, or the nearest one that it can have.

    `kind` is "body", "joint", or another word for a part whose name no other may have.

    >>> model, receipt = lw.Model("arm"), Receipt("arm.urdf")
    >>> fitting(model, "ground", "body", receipt, "line 3")
    'ground 2'
    >>> print(receipt.approximated[0])
    body 'ground' (line 3): called 'ground 2' here
    """
    clean = "".join(letter if letter.isprintable() else " " for letter in wanted).strip()[: names.LONGEST - 8].strip()
    clean = clean.replace("'", "") if names.needs_quotes(clean) else clean
    for each in names.KINDS:
        clean = clean.replace(f"{each}:", f"{each} ")
    clean = clean.strip() or kind
    found, number = clean, 2
    while not takes_name(container, found, kind):
        found, number = f"{clean} {number}", number + 1
        if number == SOON:  # many of one name: go on behind all of them
            number += sum(len(table) for table in (container.bodies, container.joints, container.drives))
            number += len(container.colliders) + len(container.visuals) + len(container.subsystems)
    if found != wanted:
        receipt.approximate(f"{kind} '{wanted[:80]}'", place, f"called '{found}' here")
    return found
