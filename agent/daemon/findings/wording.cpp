#include "agent/daemon/findings/wording.h"

#include <utility>

#include "agent/daemon/supply/booking.h"
#include "store/report/draft.h"
#include "store/report/wording.h"

namespace parityd::agent {

Wording::Wording(const Config& config, const prompts::PromptSet& prompts, Provider& writer, HttpClient& http,
                 store::Store& store)
    : config_(config), prompts_(prompts), writer_(writer), http_(http), store_(store) {}

void Wording::ask(std::uint64_t seed, executor::TimePoint now, store::Millis wall, Outbox& outbox) {
  if (!look_ || asked_ || writer_.stopped() || writer_.capacity(now) == 0) {
    return;
  }
  const auto findings = store_.drafts.without_words(1);
  if (findings.empty()) {
    look_ = false;
    return;
  }
  const auto finding = store_.findings.find(findings.front()).value();
  std::string facts = store::wording_facts(store::draft_facts(store_, finding, seed));
  Prompt prompt{.purpose = Purpose::draft, .strategy = {}, .messages = {}, .seed = seed};
  prompt.messages = {{Message::Role::user, prompts::render_draft(prompts_, facts)}};
  auto booked = book(config_, store_, writer_, prompt, {.purpose = "draft"}, wall);
  if (!booked) {
    return;  // the budget: asked again later
  }
  const RequestId id = booked->id;
  asked_ = Asked{.row = std::move(*booked), .finding = finding.id, .facts = std::move(facts)};
  outbox.push_back(
      [this, id, prompt = std::move(prompt), now]() mutable { writer_.submit(id, std::move(prompt), now); });
}

std::optional<store::DraftWords> Wording::take(executor::TimePoint now, store::Millis wall) {
  if (!asked_) {
    return std::nullopt;
  }
  http_.service(now);
  for (const auto& answer : writer_.take_answers(now)) {
    if (answer.id != asked_->row.id) {
      continue;
    }
    const Asked asked = std::exchange(asked_, std::nullopt).value();
    const store::ReplyRow row = settled(store_, asked.row, answer.reply, wall);
    store_.replies.mark_processed(row.id, "draft");  // it is no program
    store::DraftWords words{.finding = asked.finding,
                            .title = {},
                            .summary = {},
                            .writer = row.provider + ", " + row.model,
                            .why = {},
                            .at = wall};
    if (!answer.reply) {
      words.why = "the request failed: " + row.error;
    } else if (auto checked = store::checked_wording(row.text, asked.facts)) {
      words.title = std::move(checked->title);
      words.summary = std::move(checked->summary);
    } else {
      words.why = checked.error();
    }
    store_.drafts.set_words(words);
    return words;
  }
  return std::nullopt;
}

}  // namespace parityd::agent
