// Runs one of PyTorch's debugging tools on a program: the job for the pool and the text of its result. Pure; any
// thread.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "agent/reading/conversation.h"
#include "executor/pool/pool.h"
#include "store/store.h"

namespace parityd::agent {

struct Inspection {
  store::Id finding = 0;     // 0: none
  store::Id hypothesis = 0;  // the hypothesis whose program it is; 0: none
  std::string file_name;     // the program's name for the tools
  std::string program;
  std::string tool;  // executor/tools.h
  executor::GroupIndex group = 0;
  std::optional<executor::SourceSpan> place;  // for the tool "place"
  std::string arguments = {};                 // a JSON object for tools that take one
};

/// A tool on a finding's program without its unused code.
[[nodiscard]] Inspection inspection_of(const store::FindingRow& finding, std::string tool);
/// A run of a finding's stand-alone script.
[[nodiscard]] Inspection script_inspection(store::Id finding, std::string script);
/// What a hypothesis' program does at the place that the hypothesis names.
[[nodiscard]] Inspection inspection_of(const Look& look);

[[nodiscard]] executor::Job inspection_job(const Inspection& inspection, executor::JobId id, std::uint64_t seed);

/// The text to store, even if the program killed the process. The error: the tool or the harness failed.
[[nodiscard]] tl::expected<std::string, std::string> inspection_text(const Inspection& inspection,
                                                                     const executor::JobResult& result);

}  // namespace parityd::agent
