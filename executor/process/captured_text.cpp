#include "executor/process/captured_text.h"

#include <algorithm>

namespace parityd::executor {

void CapturedText::append(std::string_view bytes) {
  const std::size_t for_head = std::min(bytes.size(), half_ - head_.size());
  head_.append(bytes.substr(0, for_head));
  tail_.append(bytes.substr(for_head));
  if (tail_.size() > 2 * half_) {  // cut seldom: a cut moves the whole tail
    left_out_ += tail_.size() - half_;
    tail_.erase(0, tail_.size() - half_);
  }
}

std::string CapturedText::text() const {
  const std::size_t cut = tail_.size() - std::min(tail_.size(), half_);
  const std::size_t missing = left_out_ + cut;
  if (missing == 0) {
    return head_ + tail_;
  }
  return head_ + "\n[" + std::to_string(missing) + " bytes left out]\n" + tail_.substr(cut);
}

}  // namespace parityd::executor
