// Reads a torch's sources with a syntax process of its own: a file takes up to a second, which programs must not wait
// for. One thread (the loop's).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "executor/process/interest.h"
#include "executor/syntax/syntax.h"
#include "executor/syntax/syntax_process.h"

namespace parityd::executor {

// What a torch's own source files say, read as text: units (functions, methods, registrations) and what eager promises
// of operators. Answers come to a function, at once or while service() runs. One thread (the loop's).

struct SourceFiles {
  std::filesystem::path folder;    // of the package
  std::string torch;               // its version
  std::string fingerprint;         // another one where a file changed, or another folder was read
  std::vector<std::string> files;  // relative to the folder
};

/// Where a function stands: a file of torch and its qualified name there.
struct SourcePlace {
  std::string file, name;
  auto operator<=>(const SourcePlace&) const = default;
};

struct SourceUnit {
  SourcePlace place;
  std::string area;                    // "lowerings": executor/syntax/sources/areas.py
  int first_line = 0, last_line = 0;   // decorators included
  std::string code;                    // hash of what makes it behave: not of comments, docstrings, layout
  std::vector<std::string> registers;  // "register_lowering(aten.amax)"
  std::vector<std::string> operators;  // those it is registered for: "aten.amax"
  std::vector<SourcePlace> calls;      // helpers among what is read
  bool trivial = false;                // nothing to think about
  std::string text;
};

struct EagerPromise {
  std::vector<std::string> schemas;
  std::string signature, docstring;  // of the public function
  std::string samples;               // the beginning of what makes the inputs of PyTorch's own tests
};

class Sources {
 public:
  virtual ~Sources() = default;

  template <class T>
  using Done = std::function<void(tl::expected<T, SyntaxError>)>;

  virtual void files(Done<SourceFiles> done) = 0;
  virtual void units(const std::string& file, Done<std::vector<SourceUnit>> done) = 0;
  /// By operator, as it was asked for; those of which nothing is known are left out.
  virtual void promises(const std::vector<std::string>& operators, Done<std::map<std::string, EagerPromise>> done) = 0;

  virtual void append_interests(std::vector<Interest>& interests) const = 0;
  virtual void service() = 0;  // non-blocking; calls what is done
  virtual void rest() = 0;     // nothing is asked for a while
};

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
