#include "agent/reading/reading_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/reading/chapter_choice.h"

namespace parityd::agent {

using prompts::Reads;

namespace {

constexpr std::size_t kFewestKnown = 4;  // known bugs a chapter needs to be read beside them

/// Returns whether the scan has ended.
bool go_on_with(SourceScan& scan, store::Millis wall) {
  if (!scan.begun()) scan.begin(wall);
  return scan.advance(wall);
}

}  // namespace

ReadingRoom::ReadingRoom(executor::Sources& sources, executor::Sources* previous, store::Store& store,
                         store::ConversationLimits limits, bool gpus)
    : sources_(sources),
      previous_sources_(previous),
      store_(store),
      limits_(limits),
      gpus_(gpus),
      scan_(sources, store) {
  if (previous_sources_ != nullptr) previous_.emplace(*previous_sources_, store);
}

void ReadingRoom::append_interests(std::vector<executor::Interest>& interests) const {
  sources_.append_interests(interests);
  if (previous_sources_ != nullptr) previous_sources_->append_interests(interests);
}

void ReadingRoom::continue_scan(store::Millis wall) {
  if (filled_) return;
  if (previous_ && !previous_->done() && !go_on_with(*previous_, wall)) return;
  if (!go_on_with(scan_, wall)) return;
  filled_ = true;
  problem_ = scan_.problem();
  if (previous_ && !previous_->problem().empty()) problem_ += (problem_.empty() ? "" : "; ") + previous_->problem();
  if (scan_.torch()) fill();
}

void ReadingRoom::fill() {
  shelf_ = {.torch = *scan_.torch(), .version = scan_.version(), .units = store_.sources.units(*scan_.torch())};
  for (Chapter& chapter : chapters(shelf_.units)) {
    if (!may_be_read(chapter)) continue;
    const Reads what = chapter.area == store::kDocumentation ? Reads::promises
                       : chapter.area == store::kSamples     ? Reads::samples
                                                             : Reads::chapter;
    chapters_[what].push_back(std::move(chapter));
  }
  const auto issues = store_.known.issues();
  std::ranges::copy_if(
      chapters_[Reads::chapter], std::back_inserter(chapters_[Reads::kin]),
      [&](const Chapter& chapter) { return known_bugs(issues, shelf_, chapter).size() >= kFewestKnown; });
  const auto before = torch_before();
  store_.sources.set_in_use(shelf_.torch, before ? std::optional(before->id) : std::nullopt);
  if (before) fill_changes(*before);
}

void ReadingRoom::fill_changes(const store::SourceTorchRow& before) {
  shelf_.version_before = before.torch;
  shelf_.units_before = store_.sources.units(before.id);
  auto changed = change_chapters(shelf_.units_before, shelf_.units, differences(shelf_.units_before, shelf_.units));
  std::erase_if(changed, [this](const Chapter& chapter) {
    return !store::is_of_compiler(chapter.area) || !may_be_read(chapter);
  });
  chapters_[Reads::change] = std::move(changed);
}

bool ReadingRoom::may_be_read(const Chapter& chapter) const { return gpus_ || chapter.area != store::kGpuCode; }

std::optional<store::SourceTorchRow> ReadingRoom::torch_before() const {
  const auto known = store_.sources.torches();
  if (!previous_) return store::last_read(known, shelf_.torch);
  const auto found = std::ranges::find_if(known, [&](const auto& each) { return each.id == previous_->torch(); });
  return found == known.end() || found->id == shelf_.torch ? std::nullopt : std::optional(*found);
}

bool ReadingRoom::has(Reads what) const {
  if (what == Reads::outcomes) {
    const auto reading = open() ? store_.readings.to_follow(shelf_.version, limits_) : std::nullopt;
    return reading && !wants_looks(store_, *reading);
  }
  return chapters_.contains(what) && !chapters_of(what).empty();
}

std::optional<ReadingRoom::Loan> ReadingRoom::lend(Reads what, std::uint64_t seed) const {
  const bool change = what == Reads::change;
  const ReadingHistory history(store_.readings.unit_readings());
  std::vector<ChapterStanding> standings;
  for (const Chapter& chapter : chapters_of(what)) {
    auto found = standing(chapter, change, shelf_.units, history);
    // Bugs of the change itself were already looked for; the whole chapter is read again in its turn.
    if (change && found.rank != ReadingRank::changed) found.rank = ReadingRank::rests;
    standings.push_back(found);
  }
  const auto chosen = choose_chapter(standings, seed);
  if (!chosen) return std::nullopt;
  const Chapter& chapter = chapters_of(what)[*chosen];
  Loan loan{.reading = {.kind = change ? "change" : "chapter",
                        .chapter = chapter.key,
                        .torch = shelf_.version,
                        .torch_before = change ? shelf_.version_before : "",
                        .units = units_read(shelf_, chapter)},
            .facts = reading_facts(store_, shelf_, chapter)};
  if (what == Reads::kin) loan.facts.known = known_bugs(store_.known.issues(), shelf_, chapter);
  return loan;
}

std::optional<ReadingRoom::Talk> ReadingRoom::go_on() const {
  auto reading = store_.readings.to_follow(shelf_.version, limits_);
  if (!reading) return std::nullopt;
  Talk talk{.said = store_.readings.conversation(reading->reply), .facts = outcome_facts(store_, *reading)};
  reading->follows = std::exchange(reading->reply, 0);
  reading->round += 1;
  talk.reading = std::move(*reading);
  return talk;
}

std::vector<Look> ReadingRoom::looks() const {
  const auto reading = open() ? store_.readings.to_follow(shelf_.version, limits_) : std::nullopt;
  return reading ? looks_wanted(store_, *reading) : std::vector<Look>();
}

std::string ReadingRoom::in_words() const {
  const auto count = [this](Reads what) { return has(what) ? chapters_of(what).size() : 0; };
  std::string text =
      fmt::format("{} functions and texts of torch {} in {} chapters", shelf_.units.size(), shelf_.version,
                  count(Reads::chapter) + count(Reads::promises) + count(Reads::samples));
  if (has(Reads::change)) {
    text += fmt::format(", what changed since {} in {}", shelf_.version_before, count(Reads::change));
  }
  return text;
}

std::string ReadingRoom::take_problem() { return std::exchange(problem_, {}); }

}  // namespace parityd::agent
