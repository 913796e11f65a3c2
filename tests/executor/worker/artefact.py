"""Reads an artefact file the way docs/protocol.md says, on its own: no code of the worker takes part."""

import json
import pathlib

# Leaf fields that are false, zero or empty may be left out.
LEFT_OUT = {
    "is_tensor": False,
    "value": "",
    "shape": [],
    "stride": [],
    "offset": 0,
    "storage": -1,
    "requires_grad": False,
    "conjugate": False,
    "negative": False,
}


def read(path):
    """The header, and a function that gives a storage's bytes by number."""
    data = pathlib.Path(path).read_bytes()
    assert data[:7] == b"PDRUN1\n" and data[23:24] == b"\n", data[:24]
    size = int(data[7:23], 16)
    header = json.loads(data[24 : 24 + size])
    header["leaves"] = [{**LEFT_OUT, **leaf} for leaf in header["leaves"]]
    for place in header["storages"]:
        assert place["at"] % 64 == 0 and place["at"] >= 24 + size, place
        assert place["at"] + place["size"] <= len(data), place

    def storage(number):
        place = header["storages"][number]
        return data[place["at"] : place["at"] + place["size"]]

    return header, storage
