#include "agent/cli/commands/export_lines.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "agent/cli/reports/whole_finding.h"
#include "agent/cli/table.h"
#include "agent/daemon/loop/wall_clock.h"
#include "oracle/json_read.h"
#include "store/upkeep/interchange.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

struct Written {
  std::int64_t programs = 0, findings = 0;
};

void write_line(std::ostream& stream, const nlohmann::json& line) { stream << oracle::compact(line) << '\n'; }

/// The finding whole, and the options that its reduced program stands under: none but those in its text.
nlohmann::json finding_line(const store::Store& store, const store::FindingRow& finding) {
  auto line = whole_finding_json(store, finding);
  line["record"] = "finding";
  line["options"] = nlohmann::json::object();
  return line;
}

std::int64_t write_programs(std::ostream& stream, const store::Store& store,
                            const std::vector<store::FindingRow>& findings, bool named) {
  std::int64_t written = 0;
  const auto write = [&](store::Id id) {
    if (const auto program = store.programs.find(id)) {  // a salvaged database may have gaps
      write_line(stream, store::interchange_program(*program));
      ++written;
    }
  };
  if (!named) {
    const store::Id last = store.programs.last();
    for (store::Id id = 1; id <= last; ++id) write(id);
    return written;
  }
  std::set<store::Id> programs;
  for (const auto& finding : findings) {
    for (const auto& occurrence : store.groups.occurrences_of(finding.id)) programs.insert(occurrence.program.id);
  }
  for (const store::Id id : programs) write(id);
  return written;
}

Written write_all(std::ostream& stream, const store::Store& store, const LinesWanted& wanted,
                  const std::vector<store::FindingRow>& findings, bool named) {
  Written written;
  write_line(stream, store::interchange_header(wall_clock(), PARITYD_VERSION));
  if (wanted.programs) written.programs = write_programs(stream, store, findings, named);
  for (const auto& finding : findings) {
    if (!wanted.findings) break;
    write_line(stream, finding_line(store, finding));
    ++written.findings;
  }
  return written;
}

}  // namespace

void export_lines(Context& context, const store::Store& store, const LinesWanted& wanted,
                  const std::vector<store::FindingRow>& findings, bool named) {
  const auto fail = [&](const std::string& place) {
    context.err << fmt::format("parityd export: {}: cannot be written; name another place\n", printable_line(place));
    context.exit_code = 3;
  };
  if (wanted.file == "-") {
    write_all(context.out, store, wanted, findings, named);
    if (!context.out.flush()) fail("standard output");
    return;
  }
  const fs::path unfinished = wanted.file + ".new";
  Written written;
  std::ofstream stream(unfinished, std::ios::binary);
  if (stream) written = write_all(stream, store, wanted, findings, named);
  stream.close();
  std::error_code error;
  if (stream) fs::rename(unfinished, wanted.file, error);
  if (!stream || error) {
    fs::remove(unfinished, error);
    return fail(wanted.file);
  }
  context.out << fmt::format("{} {}, {} {} in {}\n", written.programs, written.programs == 1 ? "program" : "programs",
                             written.findings, written.findings == 1 ? "finding" : "findings",
                             printable_line(wanted.file));
}

}  // namespace parityd::agent
