#include "tests/fuzz/entries.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "executor/artefact.h"
#include "executor/protocol.h"
#include "oracle/finding/json.h"
#include "oracle/rules/explain.h"
#include "tests/files.h"
#include "tests/fuzz/promises.h"

namespace parityd::fuzz {
namespace {

namespace fs = std::filesystem;

/// What happens to evidence whatever it says, in the daemon's order.
void use_evidence(const oracle::Evidence& evidence) {
  const oracle::Verdict screened = oracle::screen(evidence);
  const oracle::Verdict verdict = oracle::judge(evidence);
  for (const auto& one : {screened, verdict}) {
    use_text(one.explanation);
    if (one.verdict == oracle::VerdictKind::inconsistent) {
      use_text(oracle::dispose(one, evidence).disposition.text());
      use_text(oracle::raw_signature(one, evidence, oracle::Stage::inductor, "cpu").text);
    }
  }
  use_text(oracle::explain(evidence));
  const std::string stored = nlohmann::json(evidence).dump();
  const auto again = nlohmann::json::parse(stored).get<oracle::Evidence>();
  require(nlohmann::json(again).dump() == stored, "evidence survives being stored");
}

void use(const executor::Hello& hello) { use_text(executor::description(hello.sandbox)); }
void use(const executor::RunResult& result) { use_evidence(result.evidence); }
template <class Other>
void use(const Other& /*message*/) {}

void feed_line(std::string_view line) {
  const auto message = executor::decode(line);
  if (message) {
    std::visit([](const auto& one) { use(one); }, *message);
  } else {
    use_error(message.error());
  }
}

std::vector<std::string> lines_of(std::string_view bytes) {
  std::vector<std::string> lines;
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    lines.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  return lines;
}

constexpr std::string_view kMark = "PDRUN1\n";
constexpr std::size_t kAlignment = 64;

/// The file that a header and storages make when their lengths are right.
std::string packed(std::string_view bytes) {
  if (bytes.starts_with(kMark)) {
    return std::string(bytes);
  }
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  std::string file = fmt::format("{}{:016x}\n{}", kMark, end, bytes.substr(0, end));
  file.resize((file.size() + kAlignment - 1) / kAlignment * kAlignment);
  return file.append(bytes.substr(std::min(end + 1, bytes.size())));
}

}  // namespace

void feed_frames(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    feed_line(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
}

Lines::Lines() : echo_({.command = {"cat"}, .environment = {{"PATH", "/usr/bin:/bin"}}}) {}

void Lines::feed(std::string_view bytes) {
  const std::string sent = std::string(bytes) + "\n";  // else a rest would begin the next input's first line
  const auto expected = lines_of(sent);
  echo_.write(sent);
  std::vector<std::string> heard;
  while (heard.size() < expected.size()) {
    (void)echo_.wait(std::chrono::milliseconds(-1));
    echo_.poll();
    while (auto line = echo_.take_line()) {
      heard.push_back(std::move(*line));
    }
    require(!echo_.overflowed() && !echo_.output_closed(), "the process sends everything back");
  }
  require(heard == expected, "lines come out as they went in");
  require(!echo_.inside_line(), "nothing is left over");
}

Artefacts::Artefacts() {
  eager_ = folder_.path() / executor::artefact_name(oracle::Mode::eager);
  fs::copy_file(PARITYD_SOURCE_DIR "/tests/fuzz/corpus/artefacts/valid-eager", eager_);
}

void Artefacts::feed(std::string_view bytes) {
  const fs::path file = folder_.path() / executor::artefact_name(oracle::Mode::inductor);
  tests::write_file(file, packed(bytes));
  const auto artefact = executor::read_artefact(file);
  if (!artefact) {
    return use_error(artefact.error());
  }
  const auto eager = executor::read_artefact(eager_);
  require(eager.has_value(), "the good side is read");
  use_evidence(oracle::evidence_from(oracle::Mode::inductor, {eager->record(), artefact->record()}));
  oracle::RunRecord same = artefact->record();
  same.mode = oracle::Mode::eager;
  const auto evidence = oracle::evidence_from(oracle::Mode::inductor, {same, artefact->record()});
  const auto* measurement = evidence.measurement(oracle::Mode::eager, oracle::Mode::inductor);
  for (const auto& leaf : measurement == nullptr ? std::vector<oracle::LeafMeasurement>{} : measurement->leaves) {
    require(!leaf.metadata_differs() && !leaf.values_differ(), "a record does not differ from itself");
  }
}

}  // namespace parityd::fuzz
