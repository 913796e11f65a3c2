#include "agent/llm/budget.h"

#include <fmt/format.h>

#include <cmath>

namespace parityd::agent {
namespace {

std::optional<std::int64_t> cap(double dollars) {
  return dollars > 0 ? std::optional(static_cast<std::int64_t>(std::llround(dollars * 1e9))) : std::nullopt;
}

std::optional<std::string> over(std::optional<std::int64_t> most, std::int64_t spent, std::int64_t reservation,
                                std::string_view table, const char* key) {
  if (!most || spent + reservation <= *most) return std::nullopt;
  return fmt::format("{}: {} = {:g}, ${:.4f} of it is spent or reserved and this request may cost ${:.4f}", table, key,
                     static_cast<double>(*most) / 1e9, static_cast<double>(spent) / 1e9,
                     static_cast<double>(reservation) / 1e9);
}

}  // namespace

Caps caps_of(const Config& config) {
  return {.hour = cap(config.dollars_per_hour), .day = cap(config.dollars_per_day), .total = cap(config.dollars_total)};
}

Caps caps_of(const FixConfig& config) {
  return {.hour = {}, .day = cap(config.dollars_per_day), .total = {}, .table = "fix"};
}

std::optional<std::string> refuse_reservation(const Caps& caps, const Spent& spent, std::int64_t reservation) {
  if (reservation == 0) {
    return std::nullopt;  // free: a local model or the builtin generator
  }
  auto refused = over(caps.total, spent.total, reservation, caps.table, "dollars_total");
  if (!refused) refused = over(caps.day, spent.day, reservation, caps.table, "dollars_per_day");
  return refused ? refused : over(caps.hour, spent.hour, reservation, caps.table, "dollars_per_hour");
}

}  // namespace parityd::agent
