// Changes that do not let torch import, tried in a real sandbox around a virtual environment with a made-up torch.
#include "agent/cli/fixing/overlay_import.h"

#include <fmt/format.h>

#include <cstdlib>

#include "tests/catch.h"
#include "tests/executor/support.h"

using namespace parityd;
namespace fs = std::filesystem;
namespace test = executor::test;

namespace {

constexpr const char* kLowering = "torch/_inductor/lowering.py";
/// Long enough for an interpreter to start on a busy machine.
constexpr std::chrono::seconds kShort(10);

class MadeUpTorch {
 public:
  MadeUpTorch() {
    fs::permissions(place_.path(), fs::perms(0755));
    const fs::path python = fs::canonical(test::plain_python());
    fs::create_directories(venv() / "bin");
    fs::create_directories(site());
    fs::create_symlink(python, venv() / "bin" / "python");
    place_.write("venv/pyvenv.cfg", fmt::format("home = {}\n", python.parent_path().string()));
    for (int minor = 8; minor < 30; ++minor) {  // whichever it is
      fs::create_directory_symlink("any", venv() / "lib" / fmt::format("python3.{}", minor));
    }
    for (const char* file : {"torch/__init__.py", "torch/_dynamo/__init__.py", "torch/_inductor/__init__.py"}) {
      installed(file, "");
    }
    installed("torch/_inductor/compile_fx.py", "from . import lowering\n");
    installed(kLowering, "right = 1\n");
    fs::create_directories(place_.path() / "module");
  }
  void installed(const std::string& file, const std::string& text) const {
    fs::create_directories((site() / file).parent_path());
    test::write_file(site() / file, text);
  }
  void change(const std::string& file, const std::string& text) const {
    place_.write("overlay" / fs::path(file), text);
  }
  [[nodiscard]] agent::OverlayImport tried(std::chrono::seconds patience = std::chrono::seconds(100)) const {
    const auto overlay = agent::read_overlay(place_.path() / "overlay", site() / "torch").value();
    agent::make_overlay_tree(overlay, site() / "torch", place_.path() / "work" / "tree");
    const executor::BuiltWorker worker{.folder = place_.path() / "module", .python = venv() / "bin" / "python"};
    auto import = agent::import_overlay(overlay, worker, place_.path() / "work", "auto", patience);
    CHECK(std::distance(fs::directory_iterator(place_.path() / "work"), fs::directory_iterator()) == 1);
    return import;
  }
  /// Of a change of one file that must not import, and whose check must be possible.
  [[nodiscard]] std::string failure(const std::string& text,
                                    std::chrono::seconds patience = std::chrono::seconds(100)) const {
    change(kLowering, text);
    const auto import = tried(patience);
    CHECK(import.problem.empty());
    return import.failure;
  }
  [[nodiscard]] fs::path outside() const { return place_.path() / "outside"; }

 private:
  [[nodiscard]] fs::path venv() const { return place_.path() / "venv"; }
  [[nodiscard]] fs::path site() const { return venv() / "lib" / "any" / "site-packages"; }

  test::TemporaryFolder place_;
};

void check_has(const std::string& text, const std::string& words) {
  CAPTURE(text);
  CHECK(text.find(words) != std::string::npos);
}

}  // namespace

TEST_CASE("a change with which torch imports passes") {
  const MadeUpTorch torch;
  torch.change(kLowering, "right = 2\n");
  torch.change("torch/_inductor/fresh.py", "from .lowering import right\nassert right == 2\n");
  const auto import = torch.tried();
  CHECK(import.failure.empty());
  CHECK(import.problem.empty());
}

TEST_CASE("a change that raises at import fails with its last lines, in paths as in site-packages") {
  const auto failure = MadeUpTorch().failure("right = 1\nraise ValueError('boom')\n");
  CHECK(failure.starts_with("torch._inductor.compile_fx: Traceback"));
  check_has(failure, "File \"torch/_inductor/lowering.py\", line 2");
  CHECK(failure.ends_with("ValueError: boom"));
  check_has(MadeUpTorch().failure("def right(:\n"), "SyntaxError");
  check_has(MadeUpTorch().failure("raise SystemExit(0)\n"), "SystemExit: 0");
}

TEST_CASE("a changed module that no compile imports is imported, too") {
  const MadeUpTorch torch;
  torch.installed("torch/_inductor/rare.py", "");
  torch.change("torch/_inductor/rare.py", "nothing.here\n");
  const auto import = torch.tried();
  CHECK(import.failure.starts_with("torch._inductor.rare: "));
  check_has(import.failure, "NameError");
}

TEST_CASE("a changed module that needs a package that is not installed is no failure") {
  const MadeUpTorch torch;
  torch.installed("torch/_inductor/rare.py", "import package_of_nobody\n");
  torch.change("torch/_inductor/rare.py", "import package_of_nobody\nright = 2\n");
  const auto import = torch.tried();
  CHECK(import.failure.empty());
  CHECK(import.problem.empty());
}

TEST_CASE("a torch that does not import without the change is a problem, not a failure of the change") {
  const MadeUpTorch torch;
  torch.installed("torch/_dynamo/__init__.py", "raise OSError('no library')\n");
  torch.change(kLowering, "right = 2\n");
  const auto import = torch.tried();
  CHECK(import.failure.empty());
  check_has(import.problem, "torch does not import without the change: torch._dynamo: ");
  check_has(import.problem, "no library");
}

TEST_CASE("a change that ends the process at import fails", "[attacks]") {
  check_has(MadeUpTorch().failure("import os\nos._exit(0)\n"), "ended the process with exit status 0");
  check_has(MadeUpTorch().failure("import os\nos.kill(os.getpid(), 11)\n"), "ended the process by signal 11");
}

TEST_CASE("a change that hangs at import costs one deadline, and the place is told", "[attacks]") {
  const auto failure = MadeUpTorch().failure("right = 1\nwhile True:\n    pass\n", kShort);
  check_has(failure, "did not end within 10 s");
  check_has(failure, "File \"torch/_inductor/lowering.py\", line ");
}

TEST_CASE("a change that ignores every signal and all timers is killed with what it started", "[attacks]") {
  const MadeUpTorch torch;
  const std::string own = torch.outside().string();
  const auto failure = torch.failure(fmt::format("import faulthandler, os, signal, time\n"
                                                 "faulthandler.cancel_dump_traceback_later()\n"
                                                 "for number in range(1, 65):\n"
                                                 "    try:\n"
                                                 "        signal.signal(number, signal.SIG_IGN)\n"
                                                 "    except (OSError, ValueError):\n"
                                                 "        pass\n"
                                                 "if os.fork() == 0:\n"
                                                 "    os.setsid()\n"
                                                 "    os.execv('/bin/sh', ['sh', '-c', 'sleep 1000; : {}'])\n"
                                                 "while True:\n"
                                                 "    time.sleep(1)\n",
                                                 own),
                                     kShort);
  check_has(failure, "did not end within 10 s");
  CHECK_FALSE(test::survivor_with(own));
}

TEST_CASE("a change that writes 50 MB at import is not kept in memory", "[attacks]") {
  const auto failure = MadeUpTorch().failure(
      "import os\nfor n in range(50):\n    os.write(2, b'x' * (1 << 20))\nraise ValueError('end')\n");
  CHECK(failure.size() < 10'000);
  const auto forged = MadeUpTorch().failure(
      "import os\nfor n in range(50 << 4):\n    os.write(4, b'x' * (1 << 16))\nos.write(4, b'\\n')\nos._exit(0)\n");
  CHECK_FALSE(forged.empty());
  CHECK(forged.size() < 10'000);
}

TEST_CASE("what a change says of itself is cleaned", "[attacks]") {
  const auto failure = MadeUpTorch().failure("raise ValueError('\\x1b[2J\\u202e' + 'x' * 100000)\n");
  CHECK(failure.size() < 10'000);
  CHECK(failure.find('\x1b') == std::string::npos);
}

TEST_CASE("a change finds no key and writes nothing outside at import", "[attacks]") {
  const MadeUpTorch torch;
  setenv("PARITYD_ATTACKED_KEY", "sk-attacked", 1);
  fs::create_directories(torch.outside());
  test::write_file(torch.outside() / "key", "sk-attacked");
  const auto failure = torch.failure(
      fmt::format("import glob, os\n"
                  "found = [name for name in os.environ if 'KEY' in name]\n"
                  "for file in ['{0}/key', *glob.glob('/proc/[0-9]*/environ')]:\n"
                  "    try:\n"
                  "        found += [file] if 'sk-attacked' in open(file, errors='replace').read() else []\n"
                  "    except OSError:\n"
                  "        pass\n"
                  "for file in ('{0}/key', '{0}/new', __file__, os.path.dirname(os.__file__) + '/os.py'):\n"
                  "    try:\n"
                  "        open(file, 'a').write('')\n"
                  "        found.append('writes ' + file)\n"
                  "    except OSError:\n"
                  "        pass\n"
                  "raise ValueError('found: ' + repr(found))\n",
                  torch.outside().string()));
  unsetenv("PARITYD_ATTACKED_KEY");
  check_has(failure, "found: []");
  CHECK(test::read_file(torch.outside() / "key") == "sk-attacked");
}

TEST_CASE("a module is named after its file") {
  CHECK(agent::module_of("torch/_inductor/lowering.py") == "torch._inductor.lowering");
  CHECK(agent::module_of("torch/_inductor/fx_passes/__init__.py") == "torch._inductor.fx_passes");
}
