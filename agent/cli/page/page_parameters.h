// What a query of the page asks for. Any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "agent/web/server.h"
#include "store/store.h"

namespace parityd::agent {

/// The request cannot be answered; what() is for the person who made it.
class PageMistake : public std::runtime_error {
 public:
  PageMistake(int code, const std::string& what) : std::runtime_error(what), status(code) {}
  int status;
};

/// The first of that name; empty: there is none. Throws a PageMistake for one that no text can hold.
[[nodiscard]] std::string parameter(const PageRequest& request, const char* name);
/// Throws a PageMistake for what is no number within the bounds.
[[nodiscard]] std::int64_t number_parameter(const PageRequest& request, const char* name, std::int64_t usual,
                                            std::int64_t least, std::int64_t most);
/// The filters of `parityd findings`, by the same names.
[[nodiscard]] store::FindingFilter finding_filter(const PageRequest& request, store::Millis now);
/// What follows `start` in a path, where that is a number: "/api/findings/12".
[[nodiscard]] std::optional<store::Id> id_after(std::string_view start, std::string_view path);

/// Of a document that may hold broken UTF-8.
[[nodiscard]] PageAnswer json_answer(const nlohmann::json& json, int status = 200);

}  // namespace parityd::agent
