#include "agent/cli/reports/alarms_text.h"

#include <algorithm>
#include <vector>

#include "agent/cli/json.h"
#include "agent/cli/reading.h"

namespace parityd::agent {
namespace {

store::Severity severity_of(const store::AlarmRow& row) { return description(row.kind).severity; }

std::vector<store::AlarmRow> current_alarms(const store::Store& store, store::Millis now) {
  auto rows = store.alarms.all();
  std::erase_if(rows, [&](const auto& row) { return !is_current(row, now); });
  std::ranges::stable_sort(rows, [](const auto& left, const auto& right) {
    return severity_of(left) != severity_of(right) ? severity_of(left) > severity_of(right)
                                                   : left.last_at > right.last_at;
  });
  return rows;
}

}  // namespace

std::string condition(bool running, const store::Store* store) {
  if (!running) return "stopped";
  const auto rows = store != nullptr ? store->alarms.all() : std::vector<store::AlarmRow>{};
  const bool degraded = std::ranges::any_of(rows, [](const auto& row) {
    return description(row.kind).lasts && !row.over_at && severity_of(row) == store::Severity::error;
  });
  return degraded ? "degraded" : "running";
}

nlohmann::json alarms_json(const store::Store& store, store::Millis now) {
  return json_array(current_alarms(store, now), [](const auto& row) -> nlohmann::json {
    return {{"kind", description(row.kind).name},
            {"subject", row.subject},
            {"level", severity_of(row)},
            {"times", row.times},
            {"first", utc(row.first_at)},
            {"last", utc(row.last_at)},
            {"text", row.text}};
  });
}

nlohmann::json alarm_counters_json(const store::Store& store) {
  auto json = nlohmann::json::object();
  for (const auto& kind : store::event_kinds()) json[std::string(kind.name)] = 0;
  for (const auto& row : store.alarms.all()) {
    auto& times = json[std::string(description(row.kind).name)];
    times = times.get<std::int64_t>() + row.times;
  }
  return json;
}

void print_labelled(Context& context, std::string_view label, const std::string& text, Colour colour) {
  constexpr std::size_t kLabel = 11;
  context.out << fmt::format("{:<{}}{}\n", label, kLabel,
                             coloured(wrapped(text, kLabel, context.screen), colour, context.screen.colour));
}

void print_alarms(Context& context, const store::Store& store, store::Millis now) {
  const char* label = "alarms";
  for (const auto& row : current_alarms(store, now)) {
    const auto& kind = description(row.kind);
    const auto colour = kind.severity == store::Severity::error ? Colour::red : Colour::yellow;
    const std::string text =
        fmt::format("{} since {}, {} times: {}", kind.name, utc(row.first_at), row.times, row.text);
    print_labelled(context, label, text, colour);
    label = "";
  }
}

void print_health(Context& context, const Health& health, store::Millis now) {
  std::string text;
  for (const auto& rate : health.rates) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", rate.name, in_words(rate));
  }
  for (const auto& path : health.paths) text += fmt::format("; {}: {}", path.last.path, in_words(path, now));
  print_labelled(context, "health", text);
}

void print_alarm_counters(Context& context, const store::Store& store) {
  Table table({"what", "of", "level", "times", "last (UTC)"});
  table.align_right({3});
  for (const auto& row : store.alarms.all()) {
    const auto& kind = description(row.kind);
    table.add(cells(kind.name, row.subject, kind.severity, row.times, utc(row.last_at)));
  }
  if (!table.empty()) context.out << table.text(context.screen);
}

}  // namespace parityd::agent
