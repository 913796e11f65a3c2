// Rows 1 to 3: sockets.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "executor/confine/descriptor.h"
#include "tests/attacks/attack.h"
#include "tests/catch.h"

using namespace parityd;
using namespace parityd::attacks;
using nlohmann::json;

namespace {

/// A socket of the host's that somebody listens on; an abstract one where `name` starts with a zero byte.
executor::Descriptor listening(const std::string& name, int kind) {
  executor::Descriptor socket(::socket(AF_UNIX, kind | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX};
  REQUIRE(name.size() < sizeof address.sun_path);
  name.copy(address.sun_path, name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  REQUIRE(bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), size) == 0);
  if (kind == SOCK_STREAM) {
    REQUIRE(listen(socket.number(), 8) == 0);
  }
  return socket;
}

}  // namespace

TEST_CASE("row 01: TCP, UDP and other sockets, the name service") {
  CHECK(Attack("row_01_sockets", {{"port", 9}}).finish().passed().empty());
  const Told open = Attack("row_01_sockets", {{"port", 9}}, {"--sandbox", "none"}).finish();
  CHECK(open.outcome("AF_INET SOCK_STREAM") == "passed");
}

TEST_CASE("row 02: an abstract local socket of the host") {
  const std::string name = "parityd-attack-" + std::to_string(getpid());
  const auto socket = listening('\0' + name, SOCK_STREAM);
  CHECK(Attack("row_02_abstract_socket", {{"abstract", name}}).finish().passed().empty());
  CHECK(Attack("row_02_abstract_socket", {{"abstract", name}}, {"--without", "network"}).finish().passed().empty());
  const Told open = Attack("row_02_abstract_socket", {{"abstract", name}}, {"--sandbox", "none"}).finish();
  CHECK(open.outcome("connect") == "passed");
}

TEST_CASE("row 03: a named local socket of the host") {
  const Outside outside;
  const std::string stream = outside.folder() / "stream";
  const std::string datagrams = outside.folder() / "datagrams";
  const auto one = listening(stream, SOCK_STREAM);
  const auto other = listening(datagrams, SOCK_DGRAM);
  const json given{{"socket", stream}, {"datagrams", datagrams}};
  CHECK(Attack("row_03_named_socket", given).finish().passed().empty());
  CHECK(Attack("row_03_named_socket", given, {"--without", "mount"}).finish().passed().empty());
  const Told open = Attack("row_03_named_socket", given, {"--sandbox", "none"}).finish();
  CHECK(open.attempts().size() == 4);
  for (const auto& way : open.attempts()) {
    CHECK(open.outcome(way) == "passed");
  }
}
