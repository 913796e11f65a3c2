#include "agent/llm/builtin/builtin.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace parityd::agent {

namespace {

constexpr std::size_t kCapacity = 8;
const std::string kCorpus = "builtin/corpus/";
/// Replayed first: small and quickly confirmed, so a new user sees a first finding early.
constexpr std::string_view kFirst = "source-ldexp-lowering";

}  // namespace

tl::expected<std::vector<CorpusItem>, std::string> load_corpus(const std::filesystem::path& folder) {
  std::error_code failure;
  std::vector<CorpusItem> items;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const std::filesystem::path& file = entry.path();
    const bool program = file.extension() == ".py";
    if (!program && file.extension() != ".md") continue;
    std::ifstream stream(file, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (!stream.good() && !stream.eof()) return tl::unexpected("cannot read " + file.string());
    CorpusItem item;
    item.name = file.stem().string();
    item.strategy = item.name.substr(0, item.name.find('-'));
    item.text = program ? "```python\n" + content + "```\n" : content;
    items.push_back(std::move(item));
  }
  if (failure) return tl::unexpected("cannot read " + folder.string() + ": " + failure.message());
  std::sort(items.begin(), items.end(), [](const CorpusItem& a, const CorpusItem& b) { return a.name < b.name; });
  return items;
}

BuiltinProvider::BuiltinProvider(const std::filesystem::path& corpus, std::uint64_t seed) {
  auto items = load_corpus(corpus);
  if (!items) throw std::runtime_error(items.error());
  if (items->empty()) throw std::runtime_error("no corpus program in " + corpus.string());
  corpus_ = std::move(*items);
  std::mt19937_64 random(seed);
  for (std::size_t left = corpus_.size(); left > 1; --left) {  // std::shuffle draws differently in each library
    std::swap(corpus_[left - 1], corpus_[random() % left]);
  }
  const auto first = std::ranges::find(corpus_, kFirst, &CorpusItem::name);
  if (first != corpus_.end()) std::iter_swap(corpus_.begin(), first);
}

int BuiltinProvider::capacity(TimePoint) const {
  return replayed_ || stopped_ ? 0 : static_cast<int>(kCapacity - std::min(kCapacity, answers_.size()));
}

void BuiltinProvider::submit(RequestId id, Prompt prompt, TimePoint) {
  const auto refuse = [&](ReplyErrorKind kind, const char* why) {
    answers_.push_back({id, tl::unexpected(ReplyError{.kind = kind, .message = why})});
  };
  if (prompt.purpose != Purpose::generate) {
    refuse(ReplyErrorKind::configuration, "builtin has no model for repairs");
    return;
  }
  if (prompt.number >= corpus_.size()) {
    replayed_ = true;
    refuse(ReplyErrorKind::unavailable,
           "the corpus has been replayed; mutants and composed programs are made without requests");
    return;
  }
  const CorpusItem& item = corpus_[prompt.number];
  Reply reply;
  reply.text = item.text;
  reply.from_corpus = true;
  reply.model = kCorpus + item.name;
  answers_.push_back({id, std::move(reply)});
}

std::vector<Answer> BuiltinProvider::take_answers(TimePoint) { return std::exchange(answers_, {}); }

std::optional<TimePoint> BuiltinProvider::next_deadline() const {
  if (answers_.empty()) return std::nullopt;
  return TimePoint{};  // answers are ready; an early time from which now can still be subtracted
}

std::string corpus_strategy(const Reply& reply) {
  if (reply.model.rfind(kCorpus, 0) != 0) return "";
  const std::string name = reply.model.substr(kCorpus.size());
  return name.substr(0, name.find('-'));
}

}  // namespace parityd::agent
