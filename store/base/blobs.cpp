#include "store/base/blobs.h"

#include "store/base/connection.h"
#include "store/base/content.h"

namespace parityd::store {

std::string keep_blob(Connection& connection, const std::string& text, Millis at) {
  std::string hash = content_hash(text);
  connection.run("keep a text",
                 "INSERT INTO blobs (hash, text, made_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET text = "
                 "excluded.text, made_at = excluded.made_at",
                 hash, text, at);
  return hash;
}

}  // namespace parityd::store
