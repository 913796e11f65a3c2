// Reads a torch's sources with a syntax process of its own: a file takes up to a second, which programs must not wait
// for. One thread (the loop's).
#pragma once

#include "executor/syntax/sources.h"
#include "executor/syntax/syntax_process.h"

namespace parityd::executor {

class SourceClient : public Sources {
 public:
  /// `folder`: of the package torch; empty: that of the Python named.
  explicit SourceClient(SyntaxPlaces places, std::filesystem::path folder = {});

  void files(Done<SourceFiles> done) override;
  void units(const std::string& file, Done<std::vector<SourceUnit>> done) override;
  void promises(const std::vector<std::string>& operators, Done<std::map<std::string, EagerPromise>> done) override;
  void append_interests(std::vector<Interest>& interests) const override { process_.append_interests(interests); }
  void service() override { process_.service(); }
  void rest() override { process_.rest(); }
  /// Blocks until all is answered.
  void wait() { process_.wait(); }

 private:
  SyntaxProcess process_;
  std::filesystem::path folder_;
};

}  // namespace parityd::executor
