#include "agent/llm/builtin/builtin.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "agent/llm/builtin/composer.h"
#include "agent/llm/builtin/random.h"

namespace parityd::agent {

namespace {

constexpr std::size_t kCapacity = 8;
constexpr int kMutantsInHundred = 60;
constexpr std::size_t kMostEdits = 3;

std::string fenced(const std::string& program) { return "```python\n" + program + "```\n"; }

/// One stream of random numbers for each place in the sequence.
Random random_at(std::uint64_t seed, std::uint64_t position) {
  Random mixer(seed ^ (position * 0xD1342543DE82EF95U));
  return Random(mixer.next());
}

/// Edits for one mutant. Kinds are drawn first: there are far more places to change a layout than operators to replace.
std::vector<std::string> draw_edits(Random& random, const std::vector<executor::Edit>& edits) {
  std::map<std::string, std::vector<std::string>> by_kind;
  for (const executor::Edit& edit : edits) by_kind[edit.kind].push_back(edit.id);
  std::vector<std::string> chosen;
  const std::size_t count = 1 + random.below(kMostEdits);
  for (std::size_t drawn = 0; drawn < count && !by_kind.empty(); ++drawn) {
    const auto kind = std::next(by_kind.begin(), static_cast<std::ptrdiff_t>(random.below(by_kind.size())));
    const std::string edit = random.pick(kind->second);
    if (std::find(chosen.begin(), chosen.end(), edit) == chosen.end()) chosen.push_back(edit);
  }
  return chosen;
}

Reply composed_reply(Random& random) {
  Reply reply;
  reply.text = fenced(compose(random.next()));
  reply.origin = "composed";
  reply.model = "builtin/composed";
  return reply;
}

}  // namespace

struct BuiltinProvider::Link {
  BuiltinProvider* provider = nullptr;
};

BuiltinProvider::BuiltinProvider(const std::filesystem::path& corpus, executor::SyntaxClient& syntax,
                                 std::uint64_t seed)
    : syntax_(syntax), seed_(seed), link_(std::make_shared<Link>()) {
  auto items = load_corpus(corpus);
  if (!items) throw std::runtime_error(items.error());
  if (items->empty()) throw std::runtime_error("no corpus program in " + corpus.string());
  corpus_ = std::move(*items);
  replay_order_.resize(corpus_.size());
  std::iota(replay_order_.begin(), replay_order_.end(), std::size_t{0});
  Random random(seed);
  random.shuffle(replay_order_);
  link_->provider = this;
}

BuiltinProvider::~BuiltinProvider() { link_->provider = nullptr; }

int BuiltinProvider::capacity(TimePoint) const {
  const std::size_t busy = waiting_.size() + answers_.size();
  return static_cast<int>(kCapacity - std::min(kCapacity, busy));
}

void BuiltinProvider::submit(RequestId id, Prompt prompt, TimePoint) {
  if (prompt.purpose != Purpose::generate) {
    answers_.push_back(
        {id, tl::unexpected(ReplyError{ReplyErrorKind::configuration, 0, "builtin has no model to repair with"})});
    return;
  }
  const std::uint64_t position = prompt.seed;
  Random random = random_at(seed_, position);
  if (position < replay_length() && position % 2 == 0) {
    const CorpusItem& item = corpus_[replay_order_[position / 2]];
    Reply reply;
    reply.text = item.text;
    reply.origin = "corpus";
    reply.model = "builtin/corpus/" + item.name;
    answer(id, std::move(reply));
  } else if (position < replay_length() || !random.chance(kMutantsInHundred)) {
    answer(id, composed_reply(random));
  } else {
    mutate(id, position);
  }
}

void BuiltinProvider::mutate(RequestId id, std::uint64_t position) {
  waiting_.insert(id);
  Random random = random_at(seed_, position);
  (void)random.next();  // spent on the choice between mutant and composed
  const CorpusItem& parent = random.pick(corpus_);
  const auto finish = [this, id](Random dice, const std::string& program, const std::string& parent_name) {
    if (program.empty()) {  // nothing to edit, or the syntax process is gone: something else instead
      answer(id, composed_reply(dice));
      return;
    }
    Reply reply;
    reply.text = fenced(program);
    reply.origin = "mutant";
    reply.model = "builtin/mutant/" + parent_name;
    answer(id, std::move(reply));
  };
  syntax_.outline(parent.program, [this, link = link_, finish, random, name = parent.name, program = parent.program](
                                      const tl::expected<executor::Outline, executor::SyntaxError>& outline) mutable {
    if (link->provider == nullptr) return;
    const std::vector<std::string> edits = outline ? draw_edits(random, outline->edits) : std::vector<std::string>{};
    if (edits.empty()) {
      finish(random, "", name);
      return;
    }
    syntax_.apply(program, edits,
                  [link, finish, random, name](const tl::expected<std::string, executor::SyntaxError>& edited) {
                    if (link->provider != nullptr) finish(random, edited ? *edited : "", name);
                  });
  });
}

void BuiltinProvider::answer(RequestId id, Reply reply) {
  waiting_.erase(id);
  answers_.push_back({id, std::move(reply)});
}

std::vector<Answer> BuiltinProvider::take_answers(TimePoint) { return std::exchange(answers_, {}); }

std::optional<TimePoint> BuiltinProvider::next_deadline() const {
  if (answers_.empty()) return std::nullopt;
  return TimePoint::min();  // answers wait already
}

std::string corpus_strategy(const Reply& reply) {
  for (const std::string head : {"builtin/corpus/", "builtin/mutant/"}) {
    if (reply.model.rfind(head, 0) == 0) {
      const std::string name = reply.model.substr(head.size());
      return name.substr(0, name.find('-'));
    }
  }
  return "";
}

}  // namespace parityd::agent
