// What other processes ask of the daemon, a type each. Rows of the table `requests` carry them as a command with JSON
// arguments; the page and the command line write such rows, the daemon reads them. Pure; any thread.
#pragma once

#include <tl/expected.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "store/store.h"

namespace parityd::agent::requests {

/// End as a signal would.
struct Stop {};

/// A program to queue.
struct Import {
  std::string file;  // its source: a name without folders, and of a line its number
  std::string text;
  bool line = false;                        // of JSON Lines: a program as it stands; else any text that may hold one
  std::optional<std::string> options_json;  // a line's options; nullopt: it has none
};

/// What an import or a synchronisation of known issues brings.
struct TakeKnown {
  std::vector<store::KnownIssue> issues;
  store::KnownSource source = store::KnownSource::facts;
  std::optional<store::Millis> as_of;  // nullopt: the table stays as old as it was
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

/// What `parityd inspect` was told by a tool that it ran itself.
struct KeepInspection {
  store::InspectionRow row;  // all but `hash` and `at`
};

/// What `parityd recheck` saw.
struct KeepRecheck {
  store::RecheckRow row;  // all but `who`
};

/// `parityd backup` made one, or failed to: in words, the other one empty.
struct NoteBackup {
  std::string done, failed;
};

using Request =
    std::variant<Stop, Import, TakeKnown, Triage, Merge, Split, Undo, KeepInspection, KeepRecheck, NoteBackup>;

/// "stop", "import", "known", …
[[nodiscard]] std::string_view command_of(const Request& request);
/// The row that carries it.
[[nodiscard]] store::RequestRow row_of(const Request& request, std::string who, store::Millis now);
/// What the row carries, rows written by older versions among them. The error is the row's result.
[[nodiscard]] tl::expected<Request, std::string> read(const store::RequestRow& row);

}  // namespace parityd::agent::requests
