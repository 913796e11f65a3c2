#include "agent/cli/running/fix_model.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "agent/cli/watched_signals.h"

namespace parityd::agent {
namespace {

using executor::Clock;

Prompt prompt_of(std::vector<Message> messages, std::size_t said, const std::string& provider) {
  return {
      .purpose = Purpose::fix, .strategy = "fix", .messages = std::move(messages), .said = said, .provider = provider};
}

}  // namespace

std::vector<std::string> fix_providers(const Config& config) {
  std::vector<std::string> names;
  for (const auto& share : config.run_providers) names.push_back(share.name);
  if (!config.fix.provider.empty()) names = {config.fix.provider};
  std::erase_if(names, [&](const auto& name) {
    const auto found = config.providers.find(name);
    return name == "none" || (found != config.providers.end() && !found->second.asks_a_model());
  });
  return names;
}

tl::expected<std::unique_ptr<FixModel>, std::string> FixModel::open(const Config& config) {
  const auto names = fix_providers(config);
  if (names.empty()) {
    return tl::unexpected(std::string(
        "builtin and bred write no changes of torch: name a model's [provider.NAME] in [fix] provider or --provider, "
        "or ask a model elsewhere with --prompt and --reply"));
  }
  Config own = config;
  choose_providers(own, names);
  for (auto& [name, provider] : own.providers) provider.max_output_tokens = config.fix.max_output_tokens;
  std::unique_ptr<FixModel> model(new FixModel);
  auto opened = open_providers(own, model->http_, model->ring_, {});
  if (!opened) return tl::unexpected(opened.error());
  model->opened_ = std::move(*opened);
  return model;
}

tl::expected<std::int64_t, std::string> FixModel::reserve(const std::vector<Message>& messages, const Refuse& refuse) {
  const auto able =
      chosen_ != nullptr ? std::vector<Provider*>{chosen_} : opened_.provider->candidates(Purpose::fix, Clock::now());
  std::string why = "no provider can answer";
  for (Provider* const each : able) {
    reserved_ = each->reserve_nano_dollars(prompt_of(messages, 0, each->name()));
    const auto refused = refuse(reserved_);
    if (!refused) {
      chosen_ = each;
      return reserved_;
    }
    why = *refused;
  }
  return tl::unexpected(why);
}

tl::expected<Reply, ReplyError> FixModel::ask(const std::vector<Message>& messages, std::size_t said,
                                              const std::function<void(const std::string&)>& told) {
  constexpr std::chrono::milliseconds kLongestWait{1000};
  const WatchedSignals signals;
  Provider& provider = *opened_.provider;
  provider.submit(++last_, prompt_of(messages, said, chosen_->name()), Clock::now());
  while (signals.wait(std::chrono::milliseconds(0))) {
    for (auto& answer : provider.take_answers(Clock::now())) {
      if (answer.id == last_) return std::move(answer.reply);
    }
    for (const auto& notice : provider.take_notices()) told(notice.text);
    auto wait = kLongestWait;
    if (const auto due = provider.next_deadline()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - Clock::now());
      wait = std::clamp(left, std::chrono::milliseconds(0), kLongestWait);
    }
    loop_.wait({signals.interest()}, wait);
  }
  return tl::unexpected(ReplyError{.kind = ReplyErrorKind::cancelled,
                                   .message = "stopped while the model was asked",
                                   .outcome_unknown = true,
                                   .cost_nano_dollars = reserved_});
}

}  // namespace parityd::agent
