"""The tables of modes, tools and devices: pages and functions are those of the rows, and a made-up row is all that a
new one takes in C++, for OPTIONS and for the fake worker. What torch is needed for is worker/test_made_up_rows.py."""

import argparse
import ast
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

MODE = {"name": "inductor_made_up", "about": "made up", "look": "chosen", "backend": "inductor", "swept": True}
CONTROL = {"name": "eager_made_up", "about": "made up", "look": "control", "against": "eager", "in_double": True}
TOOL = {"name": "made-up", "about": "made up", "function": "inspect_logs.guards"}
DEVICE = {"name": "made_up", "about": "made up", "words": "MADE UP", "kernels": "triton", "module": "torch.made_up",
          "functions": {"mem_get_info": ""}, "visible": "MADE_UP_DEVICES"}  # fmt: skip
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(made_up LANGUAGES CXX)
include(oracle/mode_rows.cmake)
parityd_rows(${PROJECT_SOURCE_DIR}/executor/shared/tools.json ${PROJECT_BINARY_DIR}/generated/executor/tool_rows.inc
  "name;about;of_daemon")
set(devices ${PROJECT_SOURCE_DIR}/executor/shared/devices.json)
parityd_names(${devices} ${PROJECT_BINARY_DIR}/generated/oracle/device_names.inc)
parityd_rows(${devices} ${PROJECT_BINARY_DIR}/generated/oracle/device_rows.inc
  "name;words;kernels;threads;module;visible")
add_executable(made_up made_up.cpp oracle/mode.cpp executor/tools.cpp)
target_compile_features(made_up PRIVATE cxx_std_20)
target_include_directories(made_up PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
"""
MAIN = """
#include "executor/tools.h"
#include "oracle/device.h"
#include "oracle/mode.h"

using namespace parityd;
using oracle::DeviceKind;
using oracle::Mode;

int main() {
  const bool chosen = is_compiled_choice(Mode::inductor_made_up) && row(Mode::inductor_made_up).swept;
  const auto& control = row(Mode::eager_made_up);
  const bool eager = is_eager(Mode::eager_made_up) && control.against == Mode::eager && control.in_double;
  const bool last = modes_of(oracle::Look::control).back() == Mode::eager_made_up;
  const bool named = oracle::from_name<oracle::Mode>("eager_made_up") == Mode::eager_made_up;
  const bool tool = executor::tools().front().name == "made-up" && executor::is_tool("made-up");
  static_assert(is_gpu(DeviceKind::made_up) && !is_gpu(DeviceKind::cpu) && !row(DeviceKind::made_up).threads);
  static_assert(oracle::device_named("made_up") == DeviceKind::made_up && name(DeviceKind::made_up) == "made_up");
  static_assert(row(DeviceKind::made_up).words == "MADE UP" && row(DeviceKind::made_up).kernels == "triton");
  static_assert(row(DeviceKind::made_up).visible == "MADE_UP_DEVICES");
  return chosen && eager && last && named && tool && !executor::is_tool("script") ? 0 : 1;
}
"""
# In a process of its own: which modules it gets is what it is about. The options of a program, then the fake worker.
PYTHON = """
import ast, sys
sys.path[:0] = [f"{sys.argv[1]}/executor/shared", f"{sys.argv[1]}/executor/syntax", f"{sys.argv[1]}/fake_worker"]
from syntax_path import FOLDERS
sys.path += FOLDERS
import device_table, evidence, option_rules
from directives import Directives
print(option_rules.problem(ast.parse('OPTIONS = {"mode": "inductor_made_up"}')) or "allowed")
print([evidence.outcome(mode, Directives(""))["graphs"] for mode in ("inductor_made_up", "eager_made_up")])
print(list(device_table.ROWS), device_table.ROWS["made_up"].functions)
"""


def rows(root: pathlib.Path, table: str) -> list[dict]:
    return json.loads((root / "executor/shared" / table).read_text(encoding="utf-8"))


def functions(file: pathlib.Path) -> set[str]:
    return {node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)}


class Rows(unittest.TestCase):
    source: pathlib.Path
    compiler: str

    def page(self, name: str) -> str:
        return (self.source / "docs" / name).read_text(encoding="utf-8")

    def test_each_function_named_in_a_row_exists(self):
        worker = self.source / "executor/worker"
        for row in rows(self.source, "modes.json"):
            self.assertIn(row.get("function", "run_drawn"), functions(worker / "running/modes.py"), row["name"])
        for row in rows(self.source, "tools.json"):
            module, _, name = row["function"].partition(".")
            self.assertIn(name, functions(worker / f"inspecting/{module}.py"), row["name"])
        for row in rows(self.source, "devices.json"):
            self.assertIn(row.get("model", "processor"), functions(worker / "device_names.py"), row["name"])

    def test_the_pages_list_the_rows(self):
        modes = rows(self.source, "modes.json")
        told = re.findall(r"^\| `(\w+)` \| (\w+) \| (.*) \|$", self.page("adding-a-mode.md"), re.MULTILINE)
        self.assertEqual(told, [(row["name"], row["look"], row["about"]) for row in modes])
        (chosen,) = re.findall(r"^\| `mode` \| (.*?) \|", self.page("programs.md"), re.MULTILINE)
        self.assertEqual(chosen, ", ".join(f"`{row['name']}`" for row in modes if row["look"] == "chosen"))
        drawn = re.findall(r"^\| `modes\.(\w+)` \| (\d+) \|", self.page("configuration-oracle.md"), re.MULTILINE)
        kinds = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \| (.*) \|$", self.page("adding-a-device.md"), re.MULTILINE)
        keys = ("name", "words", "kernels", "about")
        self.assertEqual(kinds, [tuple(row[key] for key in keys) for row in rows(self.source, "devices.json")])
        self.assertLessEqual({(row["key"], str(row["weight"])) for row in modes if "key" in row}, set(drawn))

    def test_an_added_row_gives_a_mode_a_tool_and_a_device(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for copied in ("executor/shared", "executor/syntax"):
                shutil.copytree(self.source / copied, folder / copied)
            shutil.copytree(self.source / "tests/fake_worker", folder / "fake_worker")
            (folder / "oracle").mkdir()
            for file in ("device.h", "mode.h", "mode.cpp", "names.h", "mode_rows.cmake", "table_rows.cmake"):
                shutil.copy(self.source / "oracle" / file, folder / "oracle")
            for file in ("tools.h", "tools.cpp"):
                shutil.copy(self.source / "executor" / file, folder / "executor")
            modes, tools = rows(folder, "modes.json") + [MODE, CONTROL], [TOOL, *rows(folder, "tools.json")]
            (folder / "executor/shared/modes.json").write_text(json.dumps(modes))
            (folder / "executor/shared/tools.json").write_text(json.dumps(tools))
            (folder / "executor/shared/devices.json").write_text(json.dumps([*rows(folder, "devices.json"), DEVICE]))
            (folder / "CMakeLists.txt").write_text(PROJECT)
            (folder / "made_up.cpp").write_text(MAIN)
            self.ran("cmake", "-S", name, "-B", f"{name}/build", f"-DCMAKE_CXX_COMPILER={self.compiler}")
            self.ran("cmake", "--build", f"{name}/build")
            self.ran(f"{name}/build/made_up")
            told = "allowed\n[1, 0]\n['cpu', 'cuda', 'made_up'] {'mem_get_info': ''}\n"
            self.assertEqual(self.ran(sys.executable, "-c", PYTHON, name), told)

    def ran(self, *command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("compiler")
    Rows.source, Rows.compiler = vars(parser.parse_args()).values()
    unittest.main(argv=sys.argv[:1])
