"""What nobody read of an SDF file, for the receipt."""

from __future__ import annotations

from linkwork.formats.receipt import Receipt
from linkwork.formats.sdf.include import SdfFile

# elements that have no part in mechanics, or tell another solver how to compute
OTHERS = {
    "plugin": "a program of another simulator; controls are yours to add",
    "sensor": "a sensor",
    "physics": "settings of another solver",
}
PICTURES = """
    scene light gui actor road audio audio_sink audio_source projector material cast_shadows laser_retro transparency
    visibility_flags meta particle_emitter lighting double_sided script shader emissive specular shininess pbr
    render_order texture
"""
SETTINGS = """
    allow_auto_disable battery magnetic_field atmosphere spherical_coordinates wind max_contacts must_be_base_link
    provide_feedback namespace description author license
"""


def tell_unread(file: SdfFile, receipt: Receipt) -> None:
    """Put everything that was not read into the receipt."""
    for element, attribute in file.root.unread():
        place = file.place(element)
        if attribute:
            custom = ":" in attribute or attribute in ("xmlns", "namespace", "xmlns:xsi")
            receipt.ignore(f"attribute {attribute[:60]} of {element.told}", place, "", matters=not custom)
        elif ":" in element.tag:
            receipt.ignore(element.told, place, "an element of another program", matters=False)
        elif element.tag in OTHERS:
            receipt.ignore(element.told, place, OTHERS[element.tag], matters=False)
        elif element.tag in PICTURES.split():
            receipt.ignore(element.told, place, "pictures and sounds alone", matters=False)
        elif element.tag in SETTINGS.split():
            receipt.ignore(element.told, place, "no part in mechanics", matters=False)
        else:
            receipt.ignore(element.told, place, "")
