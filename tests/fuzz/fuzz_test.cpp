// The fuzzers' entry points without a fuzzer, the worker's side: the corpus, then damage to it, under whatever
// sanitizers the build has.
#include <set>

#include "executor/artefact.h"
#include "executor/protocol.h"
#include "tests/catch.h"
#include "tests/files.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/entries.h"

namespace parityd::fuzz {

TEST_CASE("the corpus has a valid message of every type") {
  std::set<std::size_t> types;
  for (const auto& file : files("frames")) {
    const std::string line = tests::read_file(file);
    feed_frames(line);
    const auto message = executor::decode(line);
    CAPTURE(file, message ? "" : message.error());
    CHECK(message.has_value() == file.filename().string().starts_with("valid-"));
    if (message) {
      types.insert(message->index());
    }
  }
  CHECK(types.size() == std::variant_size_v<executor::FromWorker>);
}

TEST_CASE("the corpus has valid artefacts") {
  Artefacts artefacts;
  feed_corpus("artefacts", [&](std::string_view bytes) { artefacts.feed(bytes); });
}

TEST_CASE("damaged messages are refused or used and nothing else") { feed_mutations("frames", 60'000, feed_frames); }

TEST_CASE("damaged artefacts are refused or compared and nothing else") {
  Artefacts artefacts;
  feed_mutations("artefacts", 10'000, [&](std::string_view bytes) { artefacts.feed(bytes); });
}

TEST_CASE("arbitrary bytes leave a process as the same lines") {
  Lines lines;
  feed_mutations("frames", 30'000, [&](std::string_view bytes) { lines.feed(bytes); });
}

}  // namespace parityd::fuzz
