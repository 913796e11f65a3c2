// Artefact files are written by a process that an untrusted program shares: whatever they hold, reading them gives a
// record that lies inside its bytes, or an error text.
#include "executor/artefact.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "oracle/measure/compare.h"
#include "oracle/measure/layout.h"
#include "tests/catch.h"
#include "tests/files.h"
#include "tests/text.h"

namespace parityd::executor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Folder : public tests::TemporaryFolder {
 public:
  [[nodiscard]] fs::path file(const std::string& name = "inductor.run") const { return path() / name; }
  fs::path write(const std::string& content, const std::string& name = "inductor.run") const {
    return TemporaryFolder::write(name, content);
  }
};

constexpr std::size_t kDataAt = 1024;

json good_header() {
  return {{"mode", "inductor"},
          {"outcome", {{"kind", "ran"}, {"step", "measure"}, {"graphs", 1}}},
          {"leaves",
           {{{"path", "output[0]"},
             {"group", "output"},
             {"is_tensor", true},
             {"type", "Tensor"},
             {"dtype", "float32"},
             {"shape", {2, 3}},
             {"stride", {3, 1}},
             {"storage", 0}},
            {{"path", "output[1]"}, {"group", "output"}, {"type", "int"}, {"value", "7"}}}},
          {"storages", {{{"at", kDataAt}, {"size", 24}}}}};
}

std::string packed(const std::string& header) {
  std::array<char, 32> prefix{};
  std::snprintf(prefix.data(), prefix.size(), "PDRUN1\n%016zx\n", header.size());
  std::string content = prefix.data() + header;
  content.resize(std::max(content.size(), kDataAt));
  const std::array<float, 6> values{0, 1, 2, 3, 4, 5};
  content.append(reinterpret_cast<const char*>(values.data()), sizeof values);
  return content;
}

std::string packed(const json& header) { return packed(header.dump()); }

std::string error_of(const fs::path& file, std::size_t cap = std::size_t{1} << 20) {
  const auto artefact = read_artefact(file, cap);
  return artefact ? "" : artefact.error();
}

using parityd::tests::contains;

}  // namespace

TEST_CASE("a valid artefact gives its record") {
  const Folder folder;
  const auto artefact = read_artefact(folder.write(packed(good_header())));
  REQUIRE(artefact.has_value());
  const oracle::RunRecord& record = artefact->record();
  CHECK(record.mode == oracle::Mode::inductor);
  CHECK(record.outcome.graphs == 1);
  REQUIRE(record.leaves.size() == 2);
  CHECK(record.leaves[1].value == "7");
  const oracle::Measurement measured = oracle::compare(record, record);
  CHECK(measured.leaves[0].unequal == 0);
  CHECK(measured.leaves[0].rms_expected > 3.02);
  CHECK(artefact_name(oracle::Mode::aot_eager) == "aot_eager.run");
}

TEST_CASE("the record stays valid when the artefact moves and the file is removed") {
  const Folder folder;
  auto artefact = read_artefact(folder.write(packed(good_header())));
  REQUIRE(artefact.has_value());
  fs::remove(folder.file());
  const Artefact moved = std::move(*artefact);
  CHECK(oracle::compare(moved.record(), moved.record()).leaves[0].rms_expected > 3.02);
}

TEST_CASE("a run that raised has an outcome and no leaves") {
  const Folder folder;
  json header = good_header();
  header["outcome"] = {{"kind", "raised"}, {"step", "forward"}, {"error", {{"outer_class", "ValueError"}}}};
  const auto artefact = read_artefact(folder.write(packed(header)));
  REQUIRE(artefact.has_value());
  CHECK(artefact->record().outcome.error->outer_class == "ValueError");
  CHECK(artefact->record().leaves.empty());
}

TEST_CASE("only a regular file without other links is opened") {
  const Folder folder;
  const std::string good = packed(good_header());
  SECTION("missing") { CHECK(contains(error_of(folder.file()), "cannot be opened")); }
  SECTION("symbolic link") {
    folder.write(good, "target");
    fs::create_symlink("target", folder.file());
    CHECK(contains(error_of(folder.file()), "symbolic link"));
  }
  SECTION("hard link") {
    folder.write(good, "target");
    fs::create_hard_link(folder.file("target"), folder.file());
    CHECK(contains(error_of(folder.file()), "2 links"));
  }
  SECTION("a pipe, without waiting for its writer") {
    REQUIRE(mkfifo(folder.file().c_str(), 0600) == 0);
    CHECK(contains(error_of(folder.file()), "not a regular file"));
  }
  SECTION("folder") {
    fs::create_directory(folder.file());
    CHECK(contains(error_of(folder.file()), "not a regular file"));
  }
  SECTION("folder that is a link") {
    fs::create_directory(folder.file("real"));
    folder.write(good, "real/inductor.run");
    fs::create_directory_symlink("real", folder.file("linked"));
    CHECK(error_of(folder.file("real/inductor.run")).empty());
    CHECK(contains(error_of(folder.file("linked/inductor.run")), "folder cannot be opened"));
  }
  SECTION("too large") { CHECK(contains(error_of(folder.write(good), good.size() - 1), "more than")); }
  SECTION("just large enough") { CHECK(error_of(folder.write(good), good.size()).empty()); }
  SECTION("huge and sparse") {
    folder.write(good);
    fs::resize_file(folder.file(), std::uintmax_t{1} << 40);
    CHECK(contains(error_of(folder.file()), "more than"));
  }
}

TEST_CASE("no prefix of a valid file is taken for a valid file") {
  const Folder folder;
  const std::string good = packed(good_header());
  for (std::size_t length = 0; length < good.size(); ++length) {
    CAPTURE(length);
    REQUIRE(!error_of(folder.write(good.substr(0, length))).empty());
  }
}

TEST_CASE("false statements in a header are reported with their place") {
  const Folder folder;
  struct Row {
    const char* what;
    void (*change)(json&);
    const char* error;
  };
  const std::vector<Row> rows{
      {"duplicated path", [](json& h) { h["leaves"][1]["path"] = "output[0]"; }, "output[0] appears twice"},
      {"storage past the end", [](json& h) { h["storages"][0]["size"] = 25; }, "storage 0 goes past the end"},
      {"storage far past the end", [](json& h) { h["storages"][0]["at"] = std::uint64_t{1} << 62; }, "past the end"},
      {"sum overflows", [](json& h) { h["storages"][0]["size"] = ~std::uint64_t{0}; }, "past the end"},
      {"storage in the header", [](json& h) { h["storages"][0]["at"] = 64; }, "storage 0 lies in the header"},
      {"storage not aligned", [](json& h) { h["storages"][0]["at"] = kDataAt + 4; }, "multiple of 64"},
      {"negative position", [](json& h) { h["storages"][0]["at"] = -64; }, "too large"},
      {"position is a float", [](json& h) { h["storages"][0]["at"] = 1024.0; }, "must be an integer"},
      {"overlapping storages", [](json& h) { h["storages"].push_back(h["storages"][0]); }, "overlap at byte 1024"},
      {"leaf past its storage", [](json& h) { h["leaves"][0]["offset"] = 1; }, "output[0]: points outside"},
      {"leaf without such a storage", [](json& h) { h["leaves"][0]["storage"] = 1; }, "output[0]: no such storage"},
      {"negative storage number", [](json& h) { h["leaves"][0]["storage"] = -2; }, "output[0]: negative storage"},
      {"negative stride",
       [](json& h) {
         h["leaves"][0]["stride"] = {-3, 1};
       },
       "output[0]: negative stride"},
      {"endless",
       [](json& h) {
         h["leaves"][0]["shape"] = {1LL << 40, 3}, h["leaves"][0]["stride"] = {0, 1};
       },
       "too many elements"},
      {"ranks", [](json& h) { h["leaves"][0]["stride"] = {1}; }, "different lengths"},
      {"dimensions", [](json& h) { h["leaves"][0]["shape"] = h["leaves"][0]["stride"] = std::vector<int>(65, 1); },
       "too many dimensions"},
      {"unknown dtype", [](json& h) { h["leaves"][0]["dtype"] = "float7"; }, "float7"},
      {"unknown mode", [](json& h) { h["mode"] = "magic"; }, "magic"},
      {"another mode", [](json& h) { h["mode"] = "eager"; }, "of mode eager"},
      {"no mode", [](json& h) { h.erase("mode"); }, "'mode' is missing"},
      {"no outcome", [](json& h) { h.erase("outcome"); }, "'outcome' is missing"},
      {"death by its own word", [](json& h) { h["outcome"]["kind"] = "died"; }, "writes no file"},
      {"leaves are an object", [](json& h) { h["leaves"] = json::object(); }, "must be an array"},
      {"storages are a number", [](json& h) { h["storages"] = 1; }, "must be an array"},
      {"a header that is no object", [](json& h) { h = json::array(); }, "must be a field of an object"},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    json header = good_header();
    row.change(header);
    const std::string error = error_of(folder.write(packed(header)));
    CAPTURE(error);
    CHECK(contains(error, row.error));
    CHECK(contains(error, "inductor.run: "));
  }
}

TEST_CASE("a broken frame is refused") {
  const Folder folder;
  const std::string good = packed(good_header());
  const auto changed = [&](std::size_t at, const std::string& text) {
    std::string content = good;
    content.replace(at, text.size(), text);
    return error_of(folder.write(content));
  };
  CHECK(contains(changed(0, "PDRUN2"), "PDRUN1"));
  CHECK(contains(changed(7, "000000000000000g"), "hexadecimal"));
  CHECK(contains(changed(7, "-000000000000001"), "hexadecimal"));
  CHECK(contains(changed(7, " 00000000000010a"), "hexadecimal"));
  CHECK(contains(changed(7, "ffffffffffffffff"), "past the end"));
  CHECK(contains(changed(23, " "), "hexadecimal"));
  CHECK(!changed(24, "}").empty());
  CHECK(!error_of(folder.write(packed(std::string("\xff\xfe")))).empty());
  CHECK(!error_of(folder.write(packed(std::string(100'000, '[')))).empty());
}

TEST_CASE("an error text contains no control characters") {
  const Folder folder;
  json header = good_header();
  header["leaves"][0]["path"] = header["leaves"][1]["path"] = "\x1b[31m\n";
  const std::string error = error_of(folder.write(packed(header)));
  CHECK(contains(error, "appears twice"));
  CHECK(error.find('\x1b') == std::string::npos);
  CHECK(error.find('\n') == std::string::npos);
}

TEST_CASE("random damage gives an error or a comparable record") {
  const Folder folder;
  const std::string good = packed(good_header());
  const std::size_t header_end = 24 + good_header().dump().size();
  std::mt19937 random(20261121);
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string content = good;
    const auto changes = 1 + random() % 3;
    for (std::size_t i = 0; i < changes; ++i) {
      char& byte = content[random() % (round % 4 == 0 ? content.size() : header_end)];
      // Digits and signs make the better lies.
      byte = round % 2 == 0 ? "0123456789-,"[random() % 12] : static_cast<char>(random());
    }
    const auto artefact = read_artefact(folder.write(content));
    if (!artefact) {
      REQUIRE(!artefact.error().empty());
      ++refused;
      continue;
    }
    ++accepted;
    for (const oracle::Leaf& leaf : artefact->record().leaves) {
      if (leaf.is_tensor) REQUIRE(oracle::layout::fault(leaf, artefact->record().storages).empty());
    }
    REQUIRE(oracle::compare(artefact->record(), artefact->record()).leaves.size() == artefact->record().leaves.size());
  }
  CHECK(accepted > 100);
  CHECK(refused > 1000);
}

}  // namespace parityd::executor
