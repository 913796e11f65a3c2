// Requests of other processes to the daemon, one type each. They are rows of the table `requests`: a command with JSON
// arguments, written by the page and the command line, read by the daemon. Pure; any thread.
#pragma once

#include <tl/expected.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "store/store.h"

namespace parityd::agent::requests {

/// Stop, as on a signal.
struct Stop {};

/// A program to queue.
struct Import {
  std::string file;  // its source: a file name without folders, with the line number for a line
  std::string text;
  bool line = false;  // from JSON Lines: an unmodified program; otherwise any text that may contain one
  std::optional<std::string> options_json;  // the options of a line; nullopt: it has none
};

/// Known issues from an import or a synchronisation.
struct TakeKnown {
  std::vector<store::KnownIssue> issues;
  store::KnownSource source = store::KnownSource::facts;
  std::optional<store::Millis> as_of;  // nullopt: the table keeps its age
};

struct Triage {
  store::TriageRow row;  // all but `who` and `at`
};

struct Merge {
  store::Id finding = 0, into = 0;
  std::string note;
};

struct Split {
  store::Id finding = 0;
  std::vector<store::Id> programs;
  std::string note;
};

struct Undo {
  std::optional<store::Id> change;  // nullopt: the newest
};

/// Output of a tool that `parityd inspect` ran itself.
struct KeepInspection {
  store::InspectionRow row;  // all but `hash` and `at`
};

/// Result of `parityd recheck`.
struct KeepRecheck {
  store::RecheckRow row;  // all but `who`
};

/// A change that a model is asked for, before it is asked and whenever more is known of it.
struct KeepFix {
  store::FixTry row;
};

/// Result of `parityd backup`, as text: where it was made, or why it failed; the other field is empty.
struct NoteBackup {
  std::string done, failed;
};

using Request =
    std::variant<Stop, Import, TakeKnown, Triage, Merge, Split, Undo, KeepInspection, KeepRecheck, KeepFix, NoteBackup>;

/// "stop", "import", "known", …
[[nodiscard]] std::string_view command_of(const Request& request);
/// The row that carries the request.
[[nodiscard]] store::RequestRow row_of(const Request& request, std::string who, store::Millis now);
/// The request in a row, including rows written by older versions. The error becomes the row's result.
[[nodiscard]] tl::expected<Request, std::string> read(const store::RequestRow& row);

}  // namespace parityd::agent::requests
