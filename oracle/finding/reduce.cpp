#include "oracle/finding/reduce.h"

#include <algorithm>
#include <utility>

namespace parityd::oracle {
namespace {

/// A later pass finds what an earlier one made possible; more passes than this never did.
constexpr int kMostPasses = 4;

}  // namespace

void Reduction::offered(const std::vector<ReductionOffer>& offers) {
  families_.clear();
  for (const ReductionOffer& offer : offers) {
    auto family =
        std::find_if(families_.begin(), families_.end(), [&](const Family& one) { return one.name == offer.family; });
    if (family == families_.end()) family = families_.insert(families_.end(), {offer.family, offer.style, {}});
    family->ids.push_back(offer.id);
  }
  wants_offers_ = false;
  begin_family();
}

void Reduction::begin_family() {
  trials_.clear();
  const auto next = std::find_if(families_.begin(), families_.end(),
                                 [&](const Family& family) { return !searched_.contains(family.name); });
  if (next == families_.end()) {
    family_.reset();
    done_ = !changed_ || passes_ >= kMostPasses;
    if (!done_) {
      passes_ += 1;
      changed_ = false;
      searched_.clear();
      begin_family();
    }
    return;
  }
  family_ = static_cast<std::size_t>(next - families_.begin());
  const std::size_t count = next->ids.size();
  low_ = 0;
  high_ = count;
  if (std::exchange(goes_on_, {}) == next->name) return;
  cursor_ = 0;
  chunk_ = next->style == ReductionStyle::subset ? std::max<std::size_t>(1, (count + 1) / 2) : 1;
}

int Reduction::in_flight() const {
  return static_cast<int>(
      std::count_if(trials_.begin(), trials_.end(), [](const auto& entry) { return !entry.second.shows; }));
}

std::vector<Reduction::Candidate> Reduction::next(int room) {
  std::vector<Candidate> candidates;
  while (!done_ && !wants_offers_ && in_flight() < room) {
    const auto range = families_[*family_].style == ReductionStyle::nested ? next_probe() : next_range();
    if (!range && !trials_.empty()) break;
    if (!range) {  // nothing to try and nothing to wait for
      finish_family();
      continue;
    }
    const auto& ids = families_[*family_].ids;
    const auto first = ids.begin() + static_cast<std::ptrdiff_t>(range->first);
    trials_[next_number_] = {.first = range->first, .count = range->second, .shows = std::nullopt, .text = {}};
    candidates.push_back({next_number_++, {first, first + static_cast<std::ptrdiff_t>(range->second)}});
  }
  return candidates;
}

std::optional<std::pair<std::size_t, std::size_t>> Reduction::next_range() {
  const std::size_t count = families_[*family_].ids.size();
  while (cursor_ >= count) {
    if (chunk_ <= 1 || in_flight() > 0) return std::nullopt;
    chunk_ /= 2;
    cursor_ = 0;
  }
  const std::size_t first = cursor_;
  cursor_ += chunk_;
  return std::pair{first, std::min(chunk_, count - first)};
}

/// The middle of the widest range of which nothing is known or in flight.
std::optional<std::pair<std::size_t, std::size_t>> Reduction::next_probe() const {
  std::vector<std::size_t> asked{low_};
  for (const auto& [number, trial] : trials_) {
    if (!trial.shows && trial.first >= low_ && trial.first < high_) {
      asked.push_back(trial.first);
      asked.push_back(trial.first + 1);
    }
  }
  asked.push_back(high_);
  std::sort(asked.begin(), asked.end());
  std::size_t begin = 0, widest = 0;
  for (std::size_t at = 0; at + 1 < asked.size(); at += 2) {
    if (asked[at + 1] - asked[at] > widest) {
      widest = asked[at + 1] - asked[at];
      begin = asked[at];
    }
  }
  if (widest == 0) return std::nullopt;
  return std::pair{begin + widest / 2, std::size_t{1}};
}

void Reduction::told(int number, bool shows, const std::string& text) {
  const auto found = trials_.find(number);
  if (found == trials_.end()) return;  // of a text that is no longer the best
  shows = shows && !taken_.contains(text);
  found->second.shows = shows;
  if (families_[*family_].style == ReductionStyle::nested) {
    const std::size_t at = found->second.first;
    if (shows && at < high_) {
      high_ = at;
      high_text_ = text;
    } else if (!shows) {
      low_ = std::min(std::max(low_, at + 1), high_);
    }
    trials_.erase(found);
    if (low_ >= high_) {
      if (high_ < families_[*family_].ids.size()) {
        adopt(std::move(high_text_));
      } else {
        finish_family();
      }
    }
    return;
  }
  found->second.text = shows ? text : "";
  settle();
}

/// Adopts the first that shows the finding, once all before it are known not to.
void Reduction::settle() {
  while (!trials_.empty() && trials_.begin()->second.shows) {
    Trial first = std::move(trials_.begin()->second);
    trials_.erase(trials_.begin());
    if (*first.shows) {
      goes_on_ = families_[*family_].name;
      cursor_ = first.first;
      adopt(std::move(first.text));
      return;
    }
  }
  if (trials_.empty() && cursor_ >= families_[*family_].ids.size() && chunk_ <= 1) finish_family();
}

void Reduction::adopt(std::string text) {
  best_ = std::move(text);
  taken_.insert(best_);
  changed_ = true;
  wants_offers_ = true;
  trials_.clear();
}

void Reduction::finish_family() {
  searched_.insert(families_[*family_].name);
  begin_family();
}

}  // namespace parityd::oracle
