// What is wrong with bytes that a worker wrote (protocol, artefacts): thrown while they are read, an error text at the
// border of the file that reads them.
#pragma once

#include <stdexcept>
#include <string>

namespace parityd::executor {

class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `reason` as logs, terminals and the database may have it: at most 500 characters, printable ASCII, `?` for the rest.
[[nodiscard]] std::string printable(std::string reason);

}  // namespace parityd::executor
