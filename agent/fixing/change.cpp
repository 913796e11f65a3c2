#include "agent/fixing/change.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>

#include "agent/llm/reply_blocks.h"
#include "oracle/rules/message.h"
#include "store/base/text.h"

namespace parityd::agent {
namespace {

constexpr std::string_view kSearch = "<<<<<<< SEARCH";
constexpr std::string_view kMiddle = "=======";
constexpr std::string_view kReplace = ">>>>>>> REPLACE";
/// In characters: enough for a page of reasons.
constexpr std::size_t kLongestWhy = 4000;

bool is_marker(std::string_view line, std::string_view marker) {
  return line.starts_with(marker) && oracle::trimmed(line) == marker;
}

bool is_fence(std::string_view line) {
  const auto bare = oracle::trimmed(line);
  return bare.starts_with("```") || bare.starts_with("~~~");
}

bool is_package_name(const std::string& text) {
  static const RE2 kDotted(R"(torch(\.[A-Za-z_][A-Za-z0-9_]*)*)");
  return RE2::FullMatch(text, kDotted);
}

/// The line that names a module, without the Markdown around it.
std::string bare_name(std::string_view line) {
  static const RE2 kDecorated(R"(^[#*`>\s-]*(?:(?i:module|file)[`*]*:)?[`*\s]*(.*?)[`*:\s]*$)");
  std::string name;
  return RE2::FullMatch(std::string(line), kDecorated, &name) ? name : std::string(line);
}

/// "" or what in the text no file of torch contains.
std::string unclean(const std::vector<std::string>& lines) {
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (store::clean_text(lines[at]) == lines[at]) continue;
    return fmt::format("line {} contains a control character, an invisible one or bytes that are not UTF-8", at + 1);
  }
  return "";
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

class ReplyReader {
 public:
  explicit ReplyReader(std::string_view reply) : lines_(reply_lines(without_thinking(reply))) {}

  tl::expected<ProposedChange, std::string> read() {
    for (const auto& line : lines_) {
      take(line);
      if (!problem_.empty()) return tl::unexpected(problem_);
    }
    if (place_ != Place::outside) return tl::unexpected(fmt::format("the reply ends within edit {}", number()));
    read_blocks();
    return result();
  }

 private:
  enum class Place { outside, search, replace };

  [[nodiscard]] std::size_t number() const { return change_.edits.size() + 1; }
  void fail(const std::string& what) { problem_ = fmt::format("edit {}: {}", number(), what); }

  void take(const std::string& line) {
    const bool begins = is_marker(line, kSearch);
    const bool ends = is_marker(line, kReplace);
    const bool parts = is_marker(line, kMiddle);
    switch (place_) {
      case Place::outside:
        if (ends) return fail(fmt::format("`{}` without `{}` before it", kReplace, kSearch));
        if (begins) return begin();
        outside_.push_back(line);
        return;
      case Place::search:
        if (begins || ends) return fail(fmt::format("`{}` is missing between SEARCH and REPLACE", kMiddle));
        if (parts) {
          place_ = Place::replace;
        } else {
          search_.push_back(line);
        }
        return;
      case Place::replace:
        if (begins) return fail(fmt::format("`{}` is missing at its end", kReplace));
        if (parts) return fail(fmt::format("there is a second line `{}`; choose other lines", kMiddle));
        if (ends) return end();
        replace_.push_back(line);
    }
  }

  void begin() {
    place_ = Place::search;
    search_.clear();
    replace_.clear();
    auto line = std::find_if(outside_.rbegin(), outside_.rend() - static_cast<std::ptrdiff_t>(after_edit_),
                             [](const auto& each) { return !oracle::trimmed(each).empty() && !is_fence(each); });
    if (line == outside_.rend() - static_cast<std::ptrdiff_t>(after_edit_)) {
      if (change_.edits.empty()) fail("the line before SEARCH must name the module, such as torch._inductor.lowering");
      return;  // the module of the edit before
    }
    const std::string name = bare_name(*line);
    if (name.find('/') != std::string::npos || name.ends_with(".py")) {
      return fail(fmt::format("`{}` is a path; name the module with dots, such as torch._inductor.lowering",
                              store::shortened(store::clean_line(name), 100)));
    }
    if (!is_package_name(name)) {
      return fail(
          fmt::format("the line before SEARCH must name a module of torch, such as torch._inductor.lowering; "
                      "it is `{}`",
                      store::shortened(store::clean_line(*line), 100)));
    }
    module_ = name;
    outside_.erase(std::next(line).base());
  }

  void end() {
    place_ = Place::outside;
    if (search_.empty()) return fail("SEARCH is empty; it must hold whole lines of the module");
    if (search_ == replace_) return fail("SEARCH and REPLACE are equal");
    for (const auto* lines : {&search_, &replace_}) {
      const auto why = unclean(*lines);
      if (!why.empty()) return fail(fmt::format("{}: {}", lines == &search_ ? "SEARCH" : "REPLACE", why));
    }
    if (change_.edits.size() == kMostEdits) return fail(fmt::format("a change has at most {} edits", kMostEdits));
    change_.edits.push_back({.module = module_, .search = joined(search_), .replace = joined(replace_)});
    after_edit_ = outside_.size();
  }

  /// Separates the test from the sentences around it.
  void read_blocks() {
    const auto blocks = fenced_blocks(outside_);
    std::vector<bool> in_block(outside_.size());
    for (const auto& block : blocks) {
      std::fill(in_block.begin() + static_cast<std::ptrdiff_t>(block.begin),
                in_block.begin() + static_cast<std::ptrdiff_t>(block.end), true);
      const bool empty = oracle::trimmed(block.text).empty();  // the fences of an edit
      if (!empty && !block.language.empty() && is_python(block)) tests_.push_back(block);
    }
    for (std::size_t at = 0; at < outside_.size(); ++at) {
      if (in_block[at]) continue;
      const auto refusal = no_patch(outside_[at]);
      why_ += (refusal ? *refusal : outside_[at]) + "\n";
    }
    why_ = store::shortened(oracle::trimmed(store::clean_text(why_)), kLongestWhy);
  }

  /// The reason behind NO PATCH. In small letters it also begins an ordinary sentence.
  std::optional<std::string> no_patch(const std::string& line) {
    static const RE2 kNone(R"([\s#*`]*(NO PATCH|(?i:no patch))[*`]*\s*(?:[:.-]\s*(.*)|)$)");
    std::string words, reason;
    if (!RE2::FullMatch(line, kNone, &words, &reason)) return std::nullopt;
    const bool strict = words == "NO PATCH";
    if (!strict && !change_.edits.empty()) return std::nullopt;
    refused_ = true;
    return reason;
  }

  tl::expected<ProposedChange, std::string> result() {
    if (refused_ && !change_.edits.empty()) {
      return tl::unexpected(std::string("the reply says NO PATCH and has edits; decide for one of them"));
    }
    if (refused_ && why_.empty()) return tl::unexpected(std::string("give the reason: NO PATCH: the reason"));
    change_.why = why_;
    if (refused_) return change_;
    if (change_.edits.empty()) {
      return tl::unexpected(fmt::format(
          "the reply has no edit: a line with the module, then `{}`, whole lines of it, `{}`, the lines in their "
          "place, `{}`, all from the first column; or one line `NO PATCH: the reason`",
          kSearch, kMiddle, kReplace));
    }
    if (tests_.size() != 1) {
      return tl::unexpected(
          fmt::format("the reply has {} blocks that begin with ```python; it must have one, which holds the regression "
                      "test",
                      tests_.size()));
    }
    const auto why = unclean(reply_lines(tests_[0].text));
    if (!why.empty()) return tl::unexpected("the regression test: " + why);
    change_.test = tests_[0].text;
    return change_;
  }

  std::vector<std::string> lines_;
  Place place_ = Place::outside;
  std::vector<std::string> outside_, search_, replace_;
  std::size_t after_edit_ = 0;  // how many lines of `outside_` stand before the last edit
  std::string module_, problem_, why_;
  std::vector<Block> tests_;
  bool refused_ = false;
  ProposedChange change_;
};

}  // namespace

tl::expected<ProposedChange, std::string> parse_change(std::string_view reply) {
  if (reply.size() > kLongestReply) {
    return tl::unexpected(fmt::format("the reply has {} bytes; at most {} are read", reply.size(), kLongestReply));
  }
  return ReplyReader(reply).read();
}

}  // namespace parityd::agent
