#include "agent/daemon/loop/progress.h"

#include <fmt/format.h>

#include <ostream>
#include <vector>

#include "store/base/text.h"

namespace parityd::agent {
namespace {

constexpr std::chrono::milliseconds kRedraw{500};

double seconds(executor::TimePoint from, executor::TimePoint to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string duration(double total) {
  const auto whole = static_cast<long>(total);
  if (whole >= 3600) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  return whole >= 60 ? fmt::format("{}m{:02}s", whole / 60, whole % 60) : fmt::format("{}s", whole);
}

std::string tokens(std::int64_t count) {
  return count < 10'000 ? fmt::format("{}", count) : fmt::format("{}k", count / 1000);
}

/// "running 2, reducing 1"; empty: none.
std::string at_work(const InHand& in_hand) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, int programs) {
    if (programs > 0) parts.push_back(fmt::format("{} {}", what, programs));
  };
  add("running", in_hand.screening);
  add("confirming", in_hand.confirming);
  add("reducing", in_hand.reducing);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Progress::Progress(std::ostream& out, bool terminal, executor::TimePoint start, std::chrono::seconds every)
    : out_(out), terminal_(terminal), every_(terminal ? kRedraw : every), start_(start), next_(start) {}

void Progress::clear_line() {
  if (drawn_) {
    out_ << "\r\x1b[K";
    drawn_ = false;
  }
}

void Progress::line(const std::string& text) {
  clear_line();
  out_ << text << std::endl;
}

void Progress::update(const store::Counts& counts, const executor::PoolCounts& pool, const InHand& in_hand,
                      int replies_in_flight, executor::TimePoint now) {
  if (now < next_) return;
  next_ = now + every_;
  const double elapsed = seconds(start_, now);
  const double rate = elapsed > 0 ? 60.0 * static_cast<double>(counts.programs) / elapsed : 0;
  std::string text =
      fmt::format("{:>6}  programs {}  valid {}  repaired {}  suspects {}  findings {}  tokens {}  {:.0f}/min  ",
                  duration(elapsed), counts.programs, counts.valid, counts.repaired, counts.suspects, counts.findings,
                  tokens(counts.prompt_tokens + counts.completion_tokens), rate);
  if (pool.warm_ready + pool.warm_busy == 0) {
    text += "workers starting";
  } else {
    const std::string programs = at_work(in_hand);
    const bool busy = pool.warm_busy + pool.fork_busy > 0;  // for example with scripts and rechecks
    text += !programs.empty() ? programs : busy ? "working on findings" : "idle";
  }
  if (replies_in_flight > 0) text += fmt::format("  asking {}", replies_in_flight);
  if (terminal_) {
    clear_line();
    const std::size_t columns = columns_ ? columns_() : 0;
    out_ << (columns > 1 ? store::shortened(text, columns - 1) : text) << std::flush;
    drawn_ = true;
  } else {
    out_ << text << std::endl;
  }
}

void Progress::summary(const store::Counts& counts, executor::TimePoint now) {
  clear_line();
  const double elapsed = seconds(start_, now);
  out_ << fmt::format("\n{} programs in {}: {} valid ({} after repair), {} invalid\n", counts.programs,
                      duration(elapsed), counts.valid, counts.repaired, counts.invalid)
       << fmt::format("verdicts: {} consistent, {} excused, {} unstable, {} inconsistent\n", counts.consistent,
                      counts.excused, counts.unstable, counts.inconsistent)
       << fmt::format("{} suspects, {} occurrences of {} new findings\n", counts.suspects, counts.occurrences,
                      counts.findings);
  if (counts.findings > 0) {
    out_ << "read them with `parityd findings` and `parityd show ID`; `parityd draft ID` prints an issue draft\n";
  }
  if (counts.replies > 0) {
    out_ << fmt::format("{} replies, {} + {} tokens, ${:.4f}\n", counts.replies, counts.prompt_tokens,
                        counts.completion_tokens, static_cast<double>(counts.spent_nano_dollars) / 1e9);
  }
  if (counts.harness_failures > 0) {
    out_ << fmt::format("{} failures of parityd itself (never findings); `parityd status` lists the last ones\n",
                        counts.harness_failures);
  }
  out_.flush();
}

}  // namespace parityd::agent
