#include "agent/daemon/findings/grouping.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace parityd::agent {
namespace {

std::string refused(const std::string& why) { return std::string(kRefused) + why; }

std::string merge(store::Store& store, const store::GroupingChange& change) {
  const auto done = store.groups.merge(change);
  if (!done) return refused(done.error());
  return fmt::format("finding {} is merged into finding {} (change {})", change.finding, change.other, *done);
}

std::string split(store::Store& store, Recorder& recorder, store::GroupingChange change,
                  const std::vector<store::Id>& programs) {
  if (const auto why = store.groups.cannot_split(change.finding, programs)) return refused(*why);
  change.other = recorder.add_split_finding(*store.findings.find(change.finding),
                                            *store.programs.find(programs.front()), change.at);
  const auto done = store.groups.split(change, programs);
  if (!done) return refused(done.error());
  return fmt::format("programs {} of finding {} are finding {} now (change {})", fmt::join(programs, ", "),
                     change.finding, change.other, *done);
}

std::string undo(store::Store& store, std::optional<store::Id> change, const std::string& who, store::Millis now) {
  const auto done = store.groups.undo(change, who, now);
  return done ? fmt::format("change {} is undone", *done) : refused(done.error());
}

}  // namespace

bool is_grouping(const std::string& command) { return command == "merge" || command == "split" || command == "undo"; }

std::string apply_grouping(store::Store& store, Recorder& recorder, const store::RequestRow& request,
                           store::Millis now) {
  try {
    const auto asked = nlohmann::json::parse(request.arguments);
    if (request.command == "undo") {
      const auto& change = asked.at("change");
      return undo(store, change.is_null() ? std::nullopt : std::optional(change.get<store::Id>()), request.who, now);
    }
    store::GroupingChange change{.at = now,
                                 .who = request.who,
                                 .note = asked.at("note").get<std::string>(),
                                 .finding = asked.at("finding").get<store::Id>()};
    if (request.command == "split") {
      return split(store, recorder, std::move(change), asked.at("programs").get<std::vector<store::Id>>());
    }
    change.other = asked.at("into").get<store::Id>();
    return merge(store, change);
  } catch (const nlohmann::json::exception& error) {
    return refused(fmt::format("the request cannot be read: {}", error.what()));
  }
}

}  // namespace parityd::agent
