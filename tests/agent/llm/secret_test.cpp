// Keys: where they may come from, and that they stay where they are.
#include "agent/llm/secret.h"

#include <sys/stat.h>

#include <cstdlib>
#include <type_traits>

#include "tests/agent/llm/builders.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

template <class T>
concept Printable = requires(std::ostream& stream, const T& value) {
  stream << value;
};

const std::string kKey = "sk-test-0123456789abcdef";

}  // namespace

TEST_CASE("a key cannot be printed, copied or turned into JSON by accident") {
  STATIC_REQUIRE_FALSE(Printable<Secret>);
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Secret>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<Secret, std::string>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<nlohmann::json, const Secret&>);
}

TEST_CASE("a key that was moved exists in one place only") {
  for (const auto& value : {std::string("short"), std::string(200, 'k')}) {
    Secret first(value);
    Secret second(std::move(first));
    CHECK(second.reveal() == value);
    CHECK(first.empty());  // NOLINT: what a moved-from key holds is the point
    Secret third("other");
    third = std::move(second);
    CHECK(third.reveal() == value);
    CHECK(second.empty());  // NOLINT
  }
}

TEST_CASE("the environment variable is removed once it was read") {
  setenv("PARITYD_TEST_KEY", (kKey + "\n").c_str(), 1);
  const auto key = secret_from_environment("PARITYD_TEST_KEY");
  REQUIRE(key);
  CHECK(key->reveal() == kKey);
  CHECK(std::getenv("PARITYD_TEST_KEY") == nullptr);
}

TEST_CASE("a variable without a key is named but its value is not shown") {
  unsetenv("PARITYD_TEST_KEY");
  CHECK(secret_from_environment("PARITYD_TEST_KEY").error().find("PARITYD_TEST_KEY") != std::string::npos);
  for (const char* value : {"", "  ", "two words", "line\nX-Header: 1", "caf\xc3\xa9"}) {
    CAPTURE(value);
    setenv("PARITYD_TEST_KEY", value, 1);
    const auto key = secret_from_environment("PARITYD_TEST_KEY");
    REQUIRE_FALSE(key.has_value());
    CHECK(key.error().find("PARITYD_TEST_KEY") != std::string::npos);
    CHECK(key.error().find("words") == std::string::npos);
    CHECK(key.error().find("X-Header") == std::string::npos);
  }
  unsetenv("PARITYD_TEST_KEY");
}

TEST_CASE("a key file must be a regular file that only its owner can read") {
  const testing::Folder folder;
  const auto file = folder.write("key", kKey + "\nsecond line\n");
  for (const mode_t mode : {0600U, 0400U}) {
    chmod(file.c_str(), mode);
    const auto key = secret_from_file(file);
    REQUIRE(key);
    CHECK(key->reveal() == kKey);
  }
  for (const mode_t mode : {0640U, 0604U, 0644U, 0620U, 0601U}) {
    CAPTURE(mode);
    chmod(file.c_str(), mode);
    const auto key = secret_from_file(file);
    REQUIRE_FALSE(key.has_value());
    CHECK(key.error().find("chmod 600 " + file.string()) != std::string::npos);
    CHECK(key.error().find(kKey) == std::string::npos);
  }
  CHECK_FALSE(secret_from_file(folder.path()));
  CHECK_FALSE(secret_from_file(folder.path() / "absent"));
  CHECK_FALSE(secret_from_file("/dev/null"));
  const auto empty = folder.write("empty", "\n");
  chmod(empty.c_str(), 0600);
  CHECK(secret_from_file(empty).error().find("empty") != std::string::npos);
}

TEST_CASE("redaction removes the key, recognisable parts of it and text that looks like a key") {
  const Secret key(kKey);
  const auto hidden = GENERATE(as<std::string>{}, kKey, "x" + kKey + "y" + kKey, kKey.substr(0, 10), kKey.substr(9),
                               "sk-other-AAAA1111BBBB", "Bearer abcdefgh", "AIzaSyA1234567890", "sk-te***cdef");
  CAPTURE(hidden);
  const std::string text = key.redact("before " + hidden + " after");
  CHECK(text.starts_with("before "));
  CHECK(text.ends_with(" after"));
  CHECK(text.find("***") != std::string::npos);
  CHECK(text.find(hidden) == std::string::npos);
  for (std::size_t at = 0; at + 6 <= kKey.size(); ++at) {
    CHECK(text.find(kKey.substr(at, 6)) == std::string::npos);
  }
}

TEST_CASE("redaction leaves other text unchanged") {
  const std::string text = "Rate limit reached for small in organization org on tokens per min (TPM): Limit 200000";
  CHECK(Secret(kKey).redact(text) == text);
  CHECK(Secret().redact(text) == text);
  CHECK(Secret("ab").redact("the cabin") == "the ***");
}

}  // namespace parityd::agent
