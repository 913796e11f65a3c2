#include "agent/fixing/source_request.h"

#include <re2/re2.h>

#include "agent/fixing/line_diff.h"
#include "oracle/rules/message.h"

namespace parityd::agent {
namespace {

using Kind = SourceRequest::Kind;

/// A definition without a name: the line is no request.
SourceRequest request_in(std::string_view line) {
  static const RE2 kLines(R"(SHOW `?([\w/.-]+\.py):(\d{1,6})(?:\s*-\s*(\d{1,6}))?`?)");
  static const RE2 kDefinition(R"(SHOW `?(?:([\w/.-]+\.py):)?([A-Za-z_][\w.]*)`?(?:\(\))?`?)");
  static const RE2 kText(R"(FIND `?(.+?)`?)");
  SourceRequest request{.asked = std::string(line), .file = {}, .name = {}};
  std::string last;
  if (RE2::FullMatch(line, kLines, &request.file, &request.first, &last)) {
    request.kind = Kind::lines;
    request.last = last.empty() ? request.first : std::stoi(last);
    return request;
  }
  if (RE2::FullMatch(line, kDefinition, &request.file, &request.name)) return request;
  request.file.clear();
  if (RE2::FullMatch(line, kText, &request.name)) request.kind = Kind::text;
  return request;
}

}  // namespace

std::vector<SourceRequest> source_requests(std::string_view reply) {
  std::vector<SourceRequest> requests;
  for (const auto whole : lines_of(reply)) {
    auto line = oracle::trimmed(whole);
    if (line.starts_with("<<<<<<<") || line.starts_with("NO PATCH")) return {};
    if (line.starts_with("- ")) line.remove_prefix(2);
    auto request = request_in(line);
    const bool asks = request.kind == Kind::lines || !request.name.empty();
    if (asks && requests.size() < kMostRequests) requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace parityd::agent
