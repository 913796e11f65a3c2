// Costs and results of replies; rewards and costs of the scheduler's arms. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/base/table.h"

namespace parityd::store {

/// Costs and results of replies. Repairs count for the program that they repair; mutants are not counted.
struct Yield {
  std::int64_t replies = 0, failed = 0, prompt_tokens = 0, completion_tokens = 0;
  std::int64_t nano_dollars = 0;  // charged
  std::int64_t programs = 0;      // first programs of these replies
  std::int64_t valid = 0;         // of those, ran in the end
  std::int64_t inconsistent = 0;  // of those
  std::int64_t findings = 0;      // that they, or repairs of them, were the first to show
  std::int64_t ready = 0;         // different findings worth filing that they show, first or not
  double worker_seconds = 0;      // of all their runs, as far as the rows are kept (Retention)
};

/// By strategy, by a chapter's file, or in two sums: strategies that read (`reading`) and those that do not (`prompt`).
enum class YieldBy { strategy, file, kind };

struct YieldRow : Yield {
  std::string kind;  // "reading", "prompt"
  std::string name;  // of the strategy or file
};

struct SpendingRow : Yield {
  std::string provider, strategy;
};

struct DaySpending {
  Millis day = 0;  // its start (UTC)
  std::int64_t nano_dollars = 0;
};

/// Costs and results of replies. One thread.
class Spending : public Table {
 public:
  using Table::Table;

  /// Costs and results of replies reserved since `since`, by provider and strategy (repairs count for their program's);
  /// most expensive first.
  [[nodiscard]] std::vector<SpendingRow> since(Millis since) const;
  /// The same over all time, for requests to language models; most expensive first.
  [[nodiscard]] std::vector<YieldRow> yields(YieldBy by) const;
  /// Charges since the start of the day that contains `since`, by day; days without a charge are left out.
  [[nodiscard]] std::vector<DaySpending> by_day(Millis since) const;
};

/// The earnings of one of the scheduler's arms; old pulls count less with each new one.
struct ArmRow {
  std::string name;        // "strategy/dtypes"
  double reward = 0;       // points
  double cost = 0;         // dollars, worker time included
  std::int64_t pulls = 0;  // ever
};

/// The scheduler's arms. One thread.
class Arms : public Table {
 public:
  using Table::Table;

  void set(const ArmRow& arm, Millis at);
  [[nodiscard]] std::vector<ArmRow> all() const;  // by name
};

}  // namespace parityd::store
