// One of PyTorch's debugging tools on a program: the job for the pool, and what its result tells. Pure; any thread.
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
  store::Id finding = 0;     // 0: of no finding
  store::Id hypothesis = 0;  // whose program it is; 0: of none
  std::string file_name;     // what the tools call the program
  std::string program;
  std::string tool;  // executor/tools.h
  executor::GroupIndex group = 0;
  std::optional<executor::SourceSpan> place;  // of the tool "place"
};

/// Of a finding: its program without unused code.
[[nodiscard]] Inspection inspection_of(const store::FindingRow& finding, std::string tool);
/// Of a finding: its stand-alone script.
[[nodiscard]] Inspection script_inspection(store::Id finding, std::string script);
/// What a hypothesis's program does at the place that it names.
[[nodiscard]] Inspection inspection_of(const Look& look);

[[nodiscard]] executor::Job inspection_job(const Inspection& inspection, executor::JobId id, std::uint64_t seed);

/// The text to keep, also where the program took the process with it. The error: the tool or the harness failed.
[[nodiscard]] tl::expected<std::string, std::string> inspection_text(const Inspection& inspection,
                                                                     const executor::JobResult& result);

}  // namespace parityd::agent
