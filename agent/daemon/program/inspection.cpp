#include "agent/daemon/program/inspection.h"

#include <fmt/format.h>

#include "agent/daemon/program/round.h"
#include "oracle/finding/tool_reports.h"

namespace parityd::agent {
namespace {

std::string ended_by(const executor::Death& death) {
  if (death.hung) return "its time limit";
  return death.signal != 0 ? fmt::format("signal {}", death.signal) : fmt::format("exit status {}", death.exit_status);
}

std::string last_words(const executor::Death& death) {
  const oracle::Outcome outcome = outcome_of(death);
  const std::string frame = outcome.native_frame.empty() ? "" : " in " + outcome.native_frame;
  return fmt::format("\n== {} ended in step {} by {}{}\n{}\n", name(death.mode), name(death.step), ended_by(death),
                     frame, death.output);
}

}  // namespace

Inspection inspection_of(const store::FindingRow& finding, std::string tool) {
  return {.finding = finding.id,
          .file_name = fmt::format("finding_{}.py", finding.id),
          .program = finding.reduced,
          .tool = std::move(tool)};
}

Inspection script_inspection(store::Id finding, std::string script) {
  return {.finding = finding,
          .file_name = fmt::format("finding_{}.py", finding),
          .program = std::move(script),
          .tool = std::string(oracle::kScriptTool)};
}

Inspection inspection_of(const Look& look) {
  return {.hypothesis = look.hypothesis,
          .file_name = fmt::format("hypothesis_{}.py", look.hypothesis),
          .program = look.program,
          .tool = "place",
          .place = look.place};
}

executor::Job inspection_job(const Inspection& inspection, executor::JobId id, std::uint64_t seed) {
  executor::Job job;
  job.id = id;
  job.group = inspection.group;
  job.subject = inspection.finding;
  job.program = inspection.program;
  job.seed = seed;
  job.tool = inspection.tool;
  job.file_name = inspection.file_name;
  job.place = inspection.place;
  job.arguments = inspection.arguments;
  return job;
}

tl::expected<std::string, std::string> inspection_text(const Inspection& inspection,
                                                       const executor::JobResult& result) {
  if (!result.harness_failure.empty()) return tl::unexpected(result.harness_failure);
  if (!result.tool_failure.empty()) {
    return tl::unexpected(fmt::format("tool {} failed: {}", inspection.tool, result.tool_failure));
  }
  if (inspection.tool == oracle::kScriptTool && result.death) {  // not the script's, which has a process of its own
    return tl::unexpected(fmt::format("its parent process was ended by {}", ended_by(*result.death)));
  }
  const std::string heading =
      result.text.empty() ? fmt::format("== {} of {}\n", inspection.tool, inspection.file_name) : "";
  return heading + result.text + (result.death ? last_words(*result.death) : "");
}

}  // namespace parityd::agent
