// What `parityd check` says of each file. One thread.
#pragma once

#include "agent/cli/context.h"
#include "agent/cli/running/checker.h"

namespace parityd::agent {

class CheckReport {
 public:
  enum class Form { text, explained, json };
  /// REQUIRES: `plan` outlives it.
  CheckReport(Context& context, const CheckPlan& plan, Form form) : context_(context), plan_(plan), form_(form) {}

  /// Prints the file, at once. Exit code: 1 where it is inconsistent, 3 where the harness failed.
  void print(const CheckedFile& file);
  /// Of files that are not invalid.
  [[nodiscard]] int judged() const { return judged_; }

 private:
  void print_json(const CheckedFile& file, const std::string& disposition) const;
  void print_text(const CheckedFile& file, const std::string& disposition) const;

  Context& context_;
  const CheckPlan& plan_;
  Form form_;
  int judged_ = 0;
};

}  // namespace parityd::agent
