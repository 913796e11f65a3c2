#include "agent/daemon/findings/known.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;

constexpr const char* kShipped = "known_shipped";  // date of the shipped file imported last

std::string span_words(std::chrono::seconds span) {
  return span < 48h ? fmt::format("{} hours", span / 1h) : fmt::format("{} days", span / 24h);
}

std::string day(store::Millis at) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(at / 1000)));
}

}  // namespace

std::optional<std::chrono::seconds> known_age(std::optional<store::Millis> as_of, store::Millis now) {
  constexpr auto kClocksDiffer = 24h;
  if (!as_of) return std::nullopt;
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::milliseconds(now - *as_of));
  return age < -kClocksDiffer ? std::nullopt : std::optional(age);
}

bool known_is_stale(const store::Store& store, store::Millis now, std::chrono::seconds max_age) {
  return known_age(store.known.gathered_at(), now).value_or(std::chrono::seconds::max()) > max_age;
}

std::string known_sentence(const store::Store& store, store::Millis now, std::chrono::seconds max_age) {
  const auto as_of = store.known.gathered_at();
  std::string what =
      fmt::format("{} known issues {}", store.known.issues().size(), as_of ? "as of " + day(*as_of) : "of unknown age");
  if (!known_is_stale(store, now, max_age)) return what;
  return fmt::format(
      "{}, more than {} ago: findings that would be ready are held(stale) until `parityd known sync` or "
      "`parityd known import FILE`",
      what, span_words(max_age));
}

tl::expected<void, std::string> load_shipped_known(store::Store& store, const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) return tl::unexpected(fmt::format("{}: cannot be read; reinstall parityd", file.string()));
  const auto parsed = store::parse_known_issues(text);
  if (!parsed) return tl::unexpected(fmt::format("{}: {}; reinstall parityd", file.string(), parsed.error().front()));
  const std::string version = std::to_string(parsed->as_of.value_or(0));
  if (store.values.find(kShipped) == version) return {};
  store.transaction([&] {
    store.known.put(parsed->issues, store::KnownSource::facts, parsed->as_of);
    store.values.set(kShipped, version);
  });
  return {};
}

}  // namespace parityd::agent
