#include "agent/web/answer_memory.h"

#include <algorithm>

namespace parityd::agent {
namespace {

/// Zero bytes separate the parts, so that different parameters never yield the same key.
std::string key_of(const PageRequest& request) {
  std::string key = request.path;
  for (const auto& [name, value] : request.parameters) key.append(1, '\0').append(name).append(1, '\0').append(value);
  return key;
}

}  // namespace

std::shared_ptr<AnswerMemory::Entry> AnswerMemory::entry_of(const PageRequest& request) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() > kMostAnswers) entries_.clear();
  auto& entry = entries_[key_of(request)];
  if (!entry) entry = std::make_shared<Entry>();
  return entry;
}

PageAnswer AnswerMemory::answer(const PageRequest& request, const std::function<PageAnswer()>& make) {
  if (request.method != "GET") return make();
  const auto entry = entry_of(request);
  const std::lock_guard lock(entry->making);
  const auto began = now_();
  if (began < entry->until) return entry->answer;
  auto made = make();
  const auto ended = now_();
  if (made.status == 200 && made.body.size() <= kLargest) {
    entry->answer = made;
    entry->until = ended + std::min<Clock::duration>((ended - began) * kTimesItsCost, kLongest);
  }
  return made;
}

}  // namespace parityd::agent
