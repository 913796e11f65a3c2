// Where hostile bytes enter the daemon, as functions that a fuzzer can call: each goes as far with them as the daemon
// would and throws std::logic_error when a promise does not hold. One thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "executor/process/process.h"
#include "oracle/run_record.h"
#include "tests/files.h"

namespace parityd::fuzz {

/// A worker's words: lines that are decoded, judged, explained and written as JSON.
void feed_frames(std::string_view bytes);

/// The line splitter: bytes go through a process that sends them back, and must come out as the same lines.
class Lines {
 public:
  Lines();
  void feed(std::string_view bytes);

 private:
  executor::Process echo_;
};

/// An artefact file: opened, read, compared, judged. Bytes that do not begin as a file does are taken for a header, a
/// NUL and the storages, so that a fuzzer need not keep lengths and alignment right.
class Artefacts {
 public:
  Artefacts();  // the corpus's valid-eager is the side that damaged ones are compared with
  void feed(std::string_view bytes);

 private:
  tests::TemporaryFolder folder_;
  std::filesystem::path eager_;
};

}  // namespace parityd::fuzz
