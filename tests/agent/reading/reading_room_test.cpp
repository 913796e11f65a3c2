// The reading room: which chapters it lends, one after the other.
#include "agent/reading/reading_room.h"

#include <fstream>
#include <set>

#include "executor/syntax/source_client.h"
#include "tests/catch.h"
#include "tests/executor/syntax/fixture.h"
#include "tests/store/fixture.h"

namespace parityd::agent {
namespace {

namespace fs = std::filesystem;
using prompts::Reads;

const fs::path kSample = PARITYD_SOURCE_DIR "/tests/executor/syntax/sample";

/// A copy of the sample that can be changed.
class Library {
 public:
  Library() : store_(folder_.database(), store::Access::write) {
    fs::copy(kSample, folder_.path() / "site", fs::copy_options::recursive);
  }

  void write(const std::string& file, const std::string& text) const { std::ofstream(torch() / file) << text; }

  /// Torch 9.2.0, in which one function changed.
  void become_next() const {
    write("version.py", "__version__ = \"9.2.0\"\n");
    write("_decomp/decompositions.py", "def doubled(x):\n    total = 2 * x\n    return total\n");
  }

  void add_code_for_gpus() const {
    fs::create_directories(torch() / "_inductor/codegen");
    write("_inductor/codegen/triton.py", "def load(x):\n    total = 2 * x\n    return total\n");
  }

  /// What it is now is the torch that the next one is compared with.
  void keep_as_previous() {
    fs::copy(folder_.path() / "site", folder_.path() / "before", fs::copy_options::recursive);
    previous_.emplace(places("previous"), folder_.path() / "before" / "torch");
  }

  /// Opened by a daemon's turns.
  ReadingRoom& open(bool gpus = true) {
    client_.emplace(places("scratch"), torch());
    ReadingRoom& room = room_.emplace(*client_, previous_ ? &*previous_ : nullptr, store_,
                                      store::ConversationLimits{.rounds = 2, .nano_dollars = 1'000'000'000}, gpus);
    for (int turn = 0; turn < 100 && !room.open(); ++turn) {
      room.continue_scan(1'000);
      if (previous_) previous_->wait();
      client_->wait();
    }
    return room;
  }

  store::Store& store() { return store_; }
  /// It goes out, and a reply comes.
  void read(const ReadingRoom::Loan& loan, store::Millis at) {
    auto reading = loan.reading;
    reading.reply = store_.replies.reserve(
        {.provider = "mine", .model = "m", .strategy = "s", .purpose = store::ReplyPurpose::generate});
    reading.at = at;
    store_.readings.add(reading);
  }

 private:
  [[nodiscard]] executor::SyntaxPlaces places(const char* scratch) const {
    return {.launcher = {},
            .python = executor::testing::test_python(),
            .script = PARITYD_SOURCE_DIR "/executor/syntax/syntax.py",
            .scratch = folder_.path() / scratch};
  }
  [[nodiscard]] fs::path torch() const { return folder_.path() / "site" / "torch"; }

  tests::Folder folder_;
  store::Store store_;
  std::optional<executor::SourceClient> client_, previous_;
  std::optional<ReadingRoom> room_;
};

}  // namespace

TEST_CASE("reading room: each chapter is given once, then the oldest again, then none") {
  Library library;
  ReadingRoom& room = library.open();
  CHECK(room.take_problem().empty());
  CHECK(room.has(Reads::chapter));
  CHECK_FALSE(room.has(Reads::change));
  std::set<std::string> read;
  store::Millis at = 1'000;
  for (int each = 0; each < 4; ++each) {
    const auto loan = room.lend(Reads::chapter, 7);
    REQUIRE(loan);
    CHECK(loan->reading.torch == "9.1.0+sample");
    CHECK(read.insert(loan->reading.chapter).second);
    library.read(*loan, at += 1'000);
  }
  for (int again = 0; again < 8; ++again) {
    const auto loan = room.lend(Reads::chapter, 7);
    REQUIRE(loan);
    CHECK(read.contains(loan->reading.chapter));
    library.read(*loan, at += 1'000);
  }
  CHECK_FALSE(room.lend(Reads::chapter, 7));  // each was read three times for nothing
}

TEST_CASE(
    "reading room: documentation and samples are given as such, and a chapter beside known bugs if there are any") {
  Library library;
  std::vector<store::KnownIssue> known;
  for (int number = 1; number <= 4; ++number)
    known.push_back({.number = number, .operators = {"double_up"}, .trait = "t"});
  library.store().known.put(known, store::KnownSource::facts, std::nullopt);
  ReadingRoom& room = library.open();
  CHECK(room.lend(Reads::promises, 7)->facts.area == "documentation");
  CHECK(room.lend(Reads::samples, 7)->facts.area == "samples");
  const auto kin = room.lend(Reads::kin, 7);
  REQUIRE(kin);
  CHECK(kin->reading.chapter.starts_with("_inductor/lowering.py"));
  CHECK(kin->facts.known.size() == 4);
  CHECK(room.lend(Reads::chapter, 7)->facts.known.empty());
}

TEST_CASE("reading room: code for GPUs is read only where there is one") {
  const auto files = [](bool gpus) {
    Library library;
    library.add_code_for_gpus();
    const ReadingRoom& room = library.open(gpus);
    std::set<std::string> read;
    for (store::Millis at = 1'000; at <= 12'000; at += 1'000) {
      const auto loan = room.lend(Reads::chapter, 7);
      if (!loan) break;
      read.insert(loan->reading.chapter.substr(0, loan->reading.chapter.find(".py")));
      library.read(*loan, at);
    }
    return read;
  };
  const std::string code = "_inductor/codegen/triton";
  CHECK(files(true).contains(code));
  const auto without = files(false);
  CHECK(without.size() + 1 == files(true).size());
  CHECK_FALSE(without.contains(code));
}

TEST_CASE("reading room: for the next torch each changed unit is given once with its old text") {
  Library library;
  library.open();
  library.become_next();
  ReadingRoom& room = library.open();
  REQUIRE(room.has(Reads::change));
  CHECK(room.in_words() == "21 functions and texts of torch 9.2.0 in 6 chapters, what changed since 9.1.0+sample in 1");
  const auto loan = room.lend(Reads::change, 7);
  REQUIRE(loan);
  CHECK(loan->reading.torch_before == "9.1.0+sample");
  REQUIRE(loan->facts.units.size() == 1);
  CHECK(loan->facts.units[0].before.find("total + x") != std::string::npos);
  CHECK(loan->facts.units[0].text.find("2 * x") != std::string::npos);
  library.read(*loan, 2'000);
  CHECK_FALSE(room.lend(Reads::change, 7));
}

TEST_CASE("reading room: a new database gets the changes since the named torch") {
  Library library;
  library.keep_as_previous();
  library.become_next();
  ReadingRoom& room = library.open();
  REQUIRE(room.has(Reads::change));
  const auto loan = room.lend(Reads::change, 7);
  REQUIRE(loan);
  CHECK(loan->reading.torch_before == "9.1.0+sample");
  CHECK(library.store().sources.in_use()->torch.torch == "9.2.0");
  CHECK(library.store().sources.in_use()->before->torch == "9.1.0+sample");
}

TEST_CASE("reading room: a torch compared with itself has no changes") {
  Library library;
  library.keep_as_previous();
  ReadingRoom& room = library.open();
  CHECK(room.has(Reads::chapter));
  CHECK_FALSE(room.has(Reads::change));
}

TEST_CASE("reading room: a file that is not Python is reported and the others are read") {
  Library library;
  library.write("_decomp/decompositions.py", "def doubled(x:\n");
  ReadingRoom& room = library.open();
  CHECK(room.open());
  CHECK(room.take_problem().starts_with("torch/_decomp/decompositions.py: line 1:"));
  CHECK(room.take_problem().empty());
}

}  // namespace parityd::agent
