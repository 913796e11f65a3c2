// Artefact files: what one mode left behind, as bytes (docs/protocol.md). Written by the worker, believed only as
// bytes. Layout: "PDRUN1\n", the header's length as 16 hex digits and "\n", the JSON header
//   {"mode": "...", "outcome": {...}, "leaves": [...], "storages": [{"at": byte position in file, "size": bytes}, …]},
// then raw storages, each at a multiple of 64. No pickle. Any thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <memory>
#include <string>

#include "oracle/run_record.h"

namespace parityd::executor {

/// A run record whose storages live in this object's own copy of the file.
class Artefact {
 public:
  [[nodiscard]] const oracle::RunRecord& record() const { return record_; }

 private:
  friend tl::expected<Artefact, std::string> read_artefact(const std::filesystem::path&, std::size_t);
  std::unique_ptr<std::byte[]> bytes_;
  oracle::RunRecord record_;
};

/// The file name of a mode inside an artefacts directory: "inductor.run".
[[nodiscard]] std::string artefact_name(oracle::Mode mode);

/// Opens without following links, insists on a regular file with one link, at most `size_cap` bytes, and copies before
/// parsing. Every malformation is an error text naming what and where; nothing is trusted to lie inside the file
/// unchecked.
[[nodiscard]] tl::expected<Artefact, std::string> read_artefact(const std::filesystem::path& file,
                                                                std::size_t size_cap = std::size_t{512} << 20);

}  // namespace parityd::executor
