// What `parityd check` says of each file. One thread.
#pragma once

#include "agent/cli/context.h"
#include "agent/cli/running/checked_file.h"

namespace parityd::agent {

class CheckReport {
 public:
  struct Options {
    bool json = false;
    bool explain = false;
    std::vector<std::string> excuses_off = {};
    oracle::DispositionChoices choices = {};
  };
  CheckReport(Context& context, Options options) : context_(context), options_(std::move(options)) {}

  /// Prints the file, at once. Exit code: 1 where it is inconsistent, 3 where the harness failed.
  void print(const CheckedFile& file);
  /// Of files that are not invalid.
  [[nodiscard]] int judged() const { return judged_; }

 private:
  void print_json(const CheckedFile& file, const std::string& disposition) const;
  void print_text(const CheckedFile& file, const std::string& disposition) const;

  Context& context_;
  Options options_;
  int judged_ = 0;
};

}  // namespace parityd::agent
