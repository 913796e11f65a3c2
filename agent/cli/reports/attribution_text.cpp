#include "agent/cli/reports/attribution_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace parityd::agent {
std::string attribution_text(const Attributor& attributor) {
  const auto& result = attributor.result();
  std::string text = fmt::format("  stage        {}\n  neutraliser  {} ({})\n", oracle::name(attributor.stage()),
                                 result.neutraliser.empty() ? "none" : oracle::text(result.neutraliser), result.why);
  const auto& workaround = result.workaround;
  text += fmt::format("  workaround   {}{}\n", workaround ? workaround->python : "none",
                      workaround && !workaround->caveat.empty() ? " (" + workaround->caveat + ")" : "");
  for (const auto& tried : result.tried) {
    text += fmt::format("    {:<17}  {}\n", oracle::words(tried.answer), oracle::text(tried.neutralisers));
  }
  return text;
}

nlohmann::json attribution_json(const Attributor& attributor) {
  const auto& result = attributor.result();
  nlohmann::json ablations = nlohmann::json::array();
  for (const auto& tried : result.tried) {
    ablations.push_back({{"neutralisers", oracle::line(tried.neutralisers)}, {"answer", oracle::name(tried.answer)}});
  }
  const auto or_null = [](bool there, const std::string& value) {
    return there ? nlohmann::json(value) : nlohmann::json(nullptr);
  };
  const auto& workaround = result.workaround;
  return {{"stage", oracle::name(attributor.stage())},
          {"neutraliser", or_null(!result.neutraliser.empty(), oracle::line(result.neutraliser))},
          {"workaround", or_null(workaround.has_value(), workaround ? workaround->python : "")},
          {"attribution", result.why},
          {"runs", attributor.runs()},
          {"worker_seconds", attributor.seconds()},
          {"ablations", std::move(ablations)}};
}

}  // namespace parityd::agent
