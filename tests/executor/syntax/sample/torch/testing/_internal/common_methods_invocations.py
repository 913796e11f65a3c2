"""Operators, and the inputs that they are tested with."""

OpInfo = PythonRefInfo = UnaryUfuncInfo = list


def sample_inputs_double_up(op_info, device):
    """Two sizes."""
    sizes = ((3,), (2, 0))
    for size in sizes:
        yield device, size


op_db = [
    OpInfo(
        "double_up",
        dtypes=("float32", "int64"),
        sample_inputs_func=sample_inputs_double_up,
    ),
    UnaryUfuncInfo("special.halve", sample_inputs_func=sample_inputs_double_up, dtypes=("float32",)),
]
python_ref_db = [PythonRefInfo("_refs.double_up", torch_opinfo_name="double_up")]
