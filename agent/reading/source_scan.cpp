#include "agent/reading/source_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace parityd::agent {
namespace {

constexpr std::size_t kOperatorsAtOnce = 200;

store::SourceUnitRow row_of(const executor::SourceUnit& unit) {
  store::SourceUnitRow row{.file = unit.place.file,
                           .name = unit.place.name,
                           .area = unit.area,
                           .first_line = unit.first_line,
                           .code = unit.code,
                           .registers = unit.registers,
                           .operators = unit.operators,
                           .trivial = unit.trivial,
                           .text = unit.text};
  for (const auto& call : unit.calls) row.calls.emplace_back(call.file, call.name);
  return row;
}

std::string told(const executor::EagerPromise& promise) {
  std::string text = fmt::format("{}", fmt::join(promise.schemas, "\n"));
  for (const std::string& each : {promise.signature, promise.docstring, promise.samples}) {
    if (!each.empty()) text += (text.empty() ? "" : "\n") + each;
  }
  return text;
}

}  // namespace

std::optional<store::Id> SourceScan::torch() const {
  return done() && torch_ != 0 ? std::optional(torch_) : std::nullopt;
}

void SourceScan::begin(store::Millis wall) {
  wall_ = wall;
  step_ = Step::files;
  ask();
}

bool SourceScan::advance(store::Millis wall) {
  wall_ = wall;
  if (step_ == Step::none || step_ == Step::done) return done();
  sources_.poll();
  ask();
  return done();
}

/// Only one question is pending: answers arrive in the loop's turns, and each is stored in that turn's transaction.
void SourceScan::ask() {
  if (asked_ || done()) return;
  const auto answered = [this, alive = std::weak_ptr(alive_)](auto take) {
    return [this, alive, take = std::move(take)](auto answer) {
      if (alive.expired()) return;
      asked_ = false;
      take(std::move(answer));
    };
  };
  asked_ = true;
  if (step_ == Step::files) {
    sources_.files(
        answered([this](auto files) { files ? take_files(std::move(*files)) : fail(files.error().message); }));
  } else if (step_ == Step::units) {
    const std::string file = files_.files[file_++];
    sources_.units(file, answered([this, file](auto units) {
                     if (!units) problem_ = fmt::format("torch/{}: {}", file, units.error().message);
                     take_units(file, units ? *units : std::vector<executor::SourceUnit>{});
                   }));
  } else {
    std::vector<std::string> some;
    while (!operators_.empty() && some.size() < kOperatorsAtOnce) {
      some.push_back(std::move(operators_.extract(operators_.begin()).value()));
    }
    sources_.promises(
        some, answered([this](auto promises) {
          if (!promises) problem_ = promises.error().message;
          for (const auto& [name, promise] : promises ? *promises : std::map<std::string, executor::EagerPromise>{}) {
            store_.sources.put_promise(torch_, name, told(promise));
          }
          if (operators_.empty()) end();
        }));
  }
}

void SourceScan::take_files(executor::SourceFiles files) {
  files_ = std::move(files);
  if (files_.files.empty()) return fail("there is nothing to read in " + files_.folder.string());
  torch_ = store_.sources.torch_id(files_.torch, wall_);
  const auto known = store_.sources.torches();
  const auto found = std::ranges::find(known, torch_, &store::SourceTorchRow::id);
  if (found != known.end() && found->fingerprint == files_.fingerprint) {
    step_ = Step::done;
    sources_.rest();
    return;
  }
  step_ = Step::units;
}

void SourceScan::take_units(const std::string& file, const std::vector<executor::SourceUnit>& units) {
  std::vector<store::SourceUnitRow> rows;
  std::ranges::transform(units, std::back_inserter(rows), row_of);
  store_.sources.put_file(torch_, file, rows);
  for (const auto& unit : units) operators_.insert(unit.operators.begin(), unit.operators.end());
  if (file_ < files_.files.size()) return;
  step_ = Step::promises;
}

void SourceScan::fail(const std::string& problem) {
  problem_ = problem;
  torch_ = 0;
  step_ = Step::done;
}

void SourceScan::end() {
  store_.sources.end_reading(torch_, files_.fingerprint, files_.files, wall_);
  step_ = Step::done;
  sources_.rest();
}

}  // namespace parityd::agent
