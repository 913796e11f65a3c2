// Artefact files: the results of one mode as raw bytes (docs/protocol.md). The worker writes them; nothing but the
// bytes is trusted. Layout: "PDRUN1\n", the header's length as 16 hex digits and "\n", the JSON header
//   {"mode": "...", "outcome": {...}, "leaves": [...], "storages": [{"at": byte position in file, "size": bytes}, …]},
// then the raw storages, each at a multiple of 64 bytes. No pickle. Any thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <memory>
#include <string>

#include "oracle/run_record.h"

namespace parityd::executor {

/// A run record whose storages point into this object's own copy of the file.
class Artefact {
 public:
  [[nodiscard]] const oracle::RunRecord& record() const { return record_; }

 private:
  friend tl::expected<Artefact, std::string> read_artefact(const std::filesystem::path&, std::size_t);
  std::unique_ptr<std::byte[]> bytes_;
  oracle::RunRecord record_;
};

/// File name of a mode in an artefacts directory: "inductor.run".
[[nodiscard]] std::string artefact_name(oracle::Mode mode);

/// Opens the file without following links, requires a regular file with one link and at most `size_cap` bytes, and
/// copies it before parsing. Every malformation yields an error text that names what is wrong and where; every position
/// is checked to lie inside the file.
[[nodiscard]] tl::expected<Artefact, std::string> read_artefact(const std::filesystem::path& file,
                                                                std::size_t size_cap = std::size_t{512} << 20);

}  // namespace parityd::executor
