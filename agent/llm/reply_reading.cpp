// Extracts all programs of a reply to a reading, each with its hypothesis.
#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "agent/llm/reply.h"
#include "agent/llm/reply_blocks.h"
#include "oracle/rules/message.h"

namespace parityd::agent {
namespace {

constexpr std::size_t kMostHypotheses = 40;
constexpr std::size_t kLongestHypothesis = 1000;

/// Matches "hypothesis: …" with any decoration: "**Hypothesis 2 (check):** …", "# hypothesis: …", "3. hypothesis - …".
bool begins_hypothesis(const std::string& line, HypothesisProgram& found) {
  static const RE2 kLabel(
      R"((?i)^[\s>*_#\-.)\d`]*hypothesis[\s*_]*\d*[\s*_]*(\(check\))?[\s*_`]*(?::|\.|-|–|—)[\s*]*(.*)$)");
  std::string check;
  std::string rest;
  if (!RE2::FullMatch(line, kLabel, &check, &rest)) return false;
  found = {.hypothesis = std::string(oracle::trimmed(rest)), .check = !check.empty()};
  return true;
}

/// Cuts the text to its limit, not inside a character.
void shorten(std::string& text) {
  if (text.size() <= kLongestHypothesis) return;
  std::size_t end = kLongestHypothesis;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
}

/// Collects hypotheses in order; the current one stays open until its program, the next hypothesis or the end.
class Collecting {
 public:
  void take_line(const std::string& line) {
    HypothesisProgram next;
    if (begins_hypothesis(line, next)) {
      close();
      open_ = std::move(next);
      wrapped_ = true;
    } else if (const auto more = oracle::trimmed(line); open_ && wrapped_ && !more.empty()) {
      open_->hypothesis += (open_->hypothesis.empty() ? "" : " ") + std::string(more);
    } else {
      wrapped_ = wrapped_ && open_ && open_->hypothesis.empty();  // a blank line ends a hypothesis that has begun
    }
  }

  void take_program(const Block& block) {
    if (!open_) {
      open_.emplace();
      for (const std::string& line : reply_lines(block.text)) {
        if (begins_hypothesis(line, *open_)) break;
      }
    }
    open_->program = plain_source(block.text);
    open_->truncated = !block.closed;
    close();
  }

  [[nodiscard]] std::vector<HypothesisProgram> all() {
    close();
    return std::move(all_);
  }

 private:
  void close() {
    wrapped_ = false;
    if (!open_ || (open_->hypothesis.empty() && open_->program.empty()) || all_.size() >= kMostHypotheses) {
      open_.reset();
      return;
    }
    open_->place = static_cast<int>(all_.size()) + 1;
    shorten(open_->hypothesis);
    all_.push_back(*std::exchange(open_, std::nullopt));
  }

  std::vector<HypothesisProgram> all_;
  std::optional<HypothesisProgram> open_;
  bool wrapped_ = false;  // the next line may continue it
};

bool has_program(const HypothesisProgram& each) { return !each.program.empty(); }

/// A cut-off program is not what the model meant; dropped unless it is the only one.
void drop_cut(std::vector<HypothesisProgram>& all) {
  if (std::count_if(all.begin(), all.end(), has_program) < 2) return;
  for (HypothesisProgram& each : all) {
    if (each.truncated) each.program.clear();
  }
}

void drop_checks(std::vector<HypothesisProgram>& all, int checks) {
  for (HypothesisProgram& each : all) {
    if (each.check && has_program(each) && checks-- <= 0) each.program.clear();
  }
}

std::vector<HypothesisProgram> collected(const std::string& text) {
  const auto lines = reply_lines(text);
  const auto blocks = fenced_blocks(lines);
  Collecting collecting;
  auto block = blocks.begin();
  for (std::size_t at = 0; at < lines.size();) {
    if (block != blocks.end() && at == block->begin) {
      if (is_python(*block) && has_module(block->text) && has_inputs(block->text)) collecting.take_program(*block);
      at = (block++)->end;
    } else {
      collecting.take_line(lines[at++]);
    }
  }
  return collecting.all();
}

}  // namespace

ExtractedReading extract_reading(std::string_view reply, Finish finish, int checks) {
  // The reply's class, and programs found by other means.
  const ExtractedProgram single = extract_program(reply, finish);
  if (single.klass == ReplyClass::refusal || single.klass == ReplyClass::empty) return {.klass = single.klass};
  ExtractedReading reading{.klass = ReplyClass::program, .hypotheses = collected(without_thinking(reply))};
  auto& all = reading.hypotheses;
  const bool labelled = std::any_of(all.begin(), all.end(), has_program);
  if (finish == Finish::length) drop_cut(all);
  drop_checks(all, checks);
  if (std::any_of(all.begin(), all.end(), has_program)) return reading;
  if (single.klass == ReplyClass::program && !labelled && all.size() < 2) {
    all.resize(1);
    all.front().place = 1;
    all.front().program = single.program;
    all.front().truncated = single.truncated;
  } else {
    reading.klass = single.klass == ReplyClass::program ? ReplyClass::no_code : single.klass;
  }
  return reading;
}

}  // namespace parityd::agent
