// Reads the sources of a torch with its own syntax process: a file takes up to a second, and programs must not wait
// that long. One thread (the loop's).
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

// Contents of torch's source files, read as text: units (functions, methods, registrations) and what eager promises for
// operators. Answers are passed to a callback, at once or while poll() runs. One thread (the loop's).

struct SourceFiles {
  std::filesystem::path folder;    // of the package
  std::string torch;               // its version
  std::string fingerprint;         // changes when a file changes or another folder is read
  std::vector<std::string> files;  // relative to the folder
};

/// Location of a function: a file of torch and the qualified name in it.
struct SourcePlace {
  std::string file, name;
  auto operator<=>(const SourcePlace&) const = default;
};

struct SourceUnit {
  SourcePlace place;
  std::string area;                    // e.g. "lowerings": executor/syntax/sources/areas.py
  int first_line = 0, last_line = 0;   // including decorators
  std::string code;                    // hash of what affects behaviour: not of comments, docstrings or layout
  std::vector<std::string> registers;  // "register_lowering(aten.amax)"
  std::vector<std::string> operators;  // those it is registered for: "aten.amax"
  std::vector<SourcePlace> calls;      // helpers among the units read
  bool trivial = false;                // contains nothing worth a hypothesis
  std::string text;
};

struct EagerPromise {
  std::vector<std::string> schemas;
  std::string signature, docstring;  // of the public function
  std::string samples;               // the beginning of the function that makes the inputs of PyTorch's own tests
};

class Sources {
 public:
  virtual ~Sources() = default;

  template <class T>
  using Done = std::function<void(tl::expected<T, SyntaxError>)>;

  virtual void files(Done<SourceFiles> done) = 0;
  virtual void units(const std::string& file, Done<std::vector<SourceUnit>> done) = 0;
  /// By operator name as requested; operators of which nothing is known are omitted.
  virtual void promises(const std::vector<std::string>& operators, Done<std::map<std::string, EagerPromise>> done) = 0;

  virtual void append_interests(std::vector<Interest>& interests) const = 0;
  virtual void poll() = 0;  // non-blocking; calls the callbacks of finished requests
  virtual void rest() = 0;  // no requests will follow for a while
};

class SourceClient : public Sources {
 public:
  /// `folder`: of the torch package; empty: the one of the Python in `places`.
  explicit SourceClient(SyntaxPlaces places, std::filesystem::path folder = {});

  void files(Done<SourceFiles> done) override;
  void units(const std::string& file, Done<std::vector<SourceUnit>> done) override;
  void promises(const std::vector<std::string>& operators, Done<std::map<std::string, EagerPromise>> done) override;
  void append_interests(std::vector<Interest>& interests) const override { process_.append_interests(interests); }
  void poll() override { process_.poll(); }
  void rest() override { process_.rest(); }
  /// Blocks until everything is answered.
  void wait() { process_.wait(); }

 private:
  SyntaxProcess process_;
  std::filesystem::path folder_;
};

}  // namespace parityd::executor
