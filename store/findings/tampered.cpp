// Texts whose hash no longer is what was stored with them: somebody or something changed the file behind our back.
#include <fmt/format.h>

#include "store/base/connection.h"
#include "store/base/content_hash.h"
#include "store/base/rows.h"
#include "store/findings/findings.h"

namespace parityd::store {
namespace {}  // namespace

std::vector<std::string> Findings::tampered(Id finding) const {
  std::vector<std::string> found;
  Rows draft = connection_.query("check a draft",
                                 "SELECT d.hash, d.title || char(10) || d.body || char(10) || d.repro || char(10) || "
                                 "f.reduced FROM drafts d JOIN findings f ON f.id = d.finding WHERE d.finding = ?",
                                 finding);
  if (draft.next()) {
    std::string hash, text;
    draft.read(hash, text);
    if (!hash.empty() && hash != content_hash(text)) found.emplace_back("the draft or its program");
  }
  Rows blobs =
      connection_.query("check a finding's evidence",
                        "SELECT DISTINCT i.tool, b.hash, b.text FROM inspections i JOIN blobs b ON b.hash = i.blob "
                        "WHERE i.finding = ? ORDER BY i.tool",
                        finding);
  while (blobs.next()) {
    std::string tool, hash, text;
    blobs.read(tool, hash, text);
    if (hash != content_hash(text)) found.push_back(fmt::format("what {} told", tool));
  }
  return found;
}

std::vector<Id> Findings::flag_tampered(Id after, int limit, Id& last) {
  const auto ids = ids_from(connection_.query(
      "list findings to check", "SELECT id FROM findings WHERE id > ? ORDER BY id LIMIT ?", after, limit));
  std::vector<Id> flagged;
  connection_.transaction([&] {
    for (const Id id : ids) {
      const auto row = find(id);
      if (tampered(id).empty() || !row || row->disposition.is_held("tampered")) continue;
      set_disposition(id, oracle::held("tampered"),
                      "restore it from a backup, or have its program judged anew: docs/storage.md");
      flagged.push_back(id);
    }
  });
  last = ids.empty() ? 0 : ids.back();
  return flagged;
}

}  // namespace parityd::store
