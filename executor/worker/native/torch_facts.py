"""Prints what CMakeLists.txt needs to know about the installed torch, one fact per line: NAME=value;value."""

import torch
from torch.utils import cpp_extension


def main() -> None:
    print(f"VERSION={torch.__version__}")
    print(f"CXX11_ABI={int(torch.compiled_with_cxx11_abi())}")
    print(f"CUDA={int(torch.version.cuda is not None)}")
    print("INCLUDES=" + ";".join(cpp_extension.include_paths()))
    print("LIBRARIES=" + ";".join(cpp_extension.library_paths()))


if __name__ == "__main__":
    main()
