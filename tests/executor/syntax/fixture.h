// A syntax client for tests, asked and answered in one call. It runs the script with a bare Python: the sandbox around
// it is tested with the launcher.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "executor/syntax/syntax_client.h"
#include "tests/catch.h"
#include "tests/this_build.h"

namespace parityd::executor::testing {

inline std::filesystem::path test_python() {
  if (auto configured = this_build::python_with_torch(); !configured.empty()) return configured;
  return std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";  // a shim needs its own folders
}

class StartedSyntax {
 public:
  explicit StartedSyntax(const std::filesystem::path& script = PARITYD_SOURCE_DIR "/executor/syntax/syntax.py",
                         const std::filesystem::path& launcher = "",
                         const std::filesystem::path& scratch = std::filesystem::temp_directory_path())
      : client_(launcher, test_python(), script, scratch) {}

  SyntaxClient& client() { return client_; }

  tl::expected<Normalised, SyntaxError> normalise(const std::string& program, bool fix = true, bool truncated = false) {
    tl::expected<Normalised, SyntaxError> result = tl::unexpected(SyntaxError{"no answer"});
    client_.normalise(program, fix, truncated, [&](auto answer) { result = std::move(answer); });
    client_.wait();
    return result;
  }
  tl::expected<Outline, SyntaxError> outline(const std::string& program) {
    tl::expected<Outline, SyntaxError> result = tl::unexpected(SyntaxError{"no answer"});
    client_.outline(program, [&](auto answer) { result = std::move(answer); });
    client_.wait();
    return result;
  }
  tl::expected<std::vector<Mutant>, SyntaxError> mutants(const std::string& program,
                                                         const std::vector<std::string>& others = {},
                                                         std::uint64_t seed = 1, int count = 200,
                                                         const std::string& along = "") {
    tl::expected<std::vector<Mutant>, SyntaxError> result = tl::unexpected(SyntaxError{"no answer"});
    client_.mutants({.program = program, .others = others, .seed = seed, .count = count, .along = along},
                    [&](auto answer) { result = std::move(answer); });
    client_.wait();
    return result;
  }
  tl::expected<Normalised, SyntaxError> with_options(const std::string& program, const std::string& options) {
    tl::expected<Normalised, SyntaxError> result = tl::unexpected(SyntaxError{"no answer"});
    client_.with_options(program, options, StatedOptions::stay, [&](auto answer) { result = std::move(answer); });
    client_.wait();
    return result;
  }
  tl::expected<ReductionEdits, SyntaxError> reductions(const std::string& program, const std::string& values = "[]") {
    tl::expected<ReductionEdits, SyntaxError> result = tl::unexpected(SyntaxError{"no answer"});
    client_.reductions(program, values, [&](auto answer) { result = std::move(answer); });
    client_.wait();
    return result;
  }
  tl::expected<ReducedText, SyntaxError> reduced(const std::string& program, const std::vector<std::string>& edits,
                                                 const std::string& values = "[]",
                                                 UnreadLocals locals = UnreadLocals::go) {
    tl::expected<ReducedText, SyntaxError> result = tl::unexpected(SyntaxError{"no answer"});
    client_.reduced(program, values, edits, locals, [&](auto answer) { result = std::move(answer); });
    client_.wait();
    return result;
  }
  /// Without what nothing uses.
  tl::expected<std::string, SyntaxError> tidied(const std::string& program, UnreadLocals locals = UnreadLocals::go) {
    return reduced(program, {}, "[]", locals).map(&ReducedText::program);
  }
  tl::expected<ReducedText, SyntaxError> plain(const std::string& program, UnreadLocals locals = UnreadLocals::go) {
    tl::expected<ReducedText, SyntaxError> result = tl::unexpected(SyntaxError{"no answer"});
    client_.plain(program, locals, [&](auto answer) { result = std::move(answer); });
    client_.wait();
    return result;
  }
  std::vector<ProgramVariant> sweep(const SweepWishes& wishes) {
    tl::expected<std::vector<ProgramVariant>, SyntaxError> result = tl::unexpected(SyntaxError{"no answer"});
    client_.sweep(wishes, [&](auto answer) { result = std::move(answer); });
    client_.wait();
    REQUIRE(result.has_value());
    return *result;
  }
  std::vector<ProgramVariant> variants(const std::string& program, const std::string& operator_name = "",
                                       const std::vector<std::string>& modes = {}) {
    tl::expected<std::vector<ProgramVariant>, SyntaxError> result = tl::unexpected(SyntaxError{"no answer"});
    client_.variants(program, operator_name, modes, [&](auto answer) { result = std::move(answer); });
    client_.wait();
    REQUIRE(result.has_value());
    return *result;
  }

 private:
  SyntaxClient client_;
};

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A program around the body of forward; each of its lines is indented by eight.
inline std::string program_with(const std::string& body) {
  return "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n" + body +
         "\n\ndef get_inputs():\n    return [torch.ones(2)]\n";
}

/// A small valid program around a forward of one line.
inline std::string program_returning(const std::string& expression) {
  return "import torch\nimport torch.nn.functional as F\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
         "        return " +
         expression + "\n\n\ndef get_inputs():\n    return [torch.randn(2, 3)]\n";
}

}  // namespace parityd::executor::testing
