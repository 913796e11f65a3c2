// Texts that are stored once, by content. Internal to store/. One thread.
#pragma once

#include <string>

#include "store/base/ids.h"

namespace parityd::store {

class Connection;

/// Returns the text's hash. `at`: retention deletes a text that nothing refers to an hour later.
std::string keep_blob(Connection& connection, const std::string& text, Millis at);

}  // namespace parityd::store
