// Everything that is watched in a warm worker, checked without running Python code: a program could have replaced that.
// Needs the interpreter lock; only in the thread that runs programs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "contents_watch.h"
#include "kernel_watch.h"
#include "namespace_watch.h"
#include "native_state.h"

namespace parityd::worker {

struct Watched {
  std::shared_ptr<const NamespaceWatch> names;
  std::shared_ptr<const ContentsWatch> contents;
};

class Guard {
 public:
  /// Records the present kernels.
  Guard(Watched near, Watched far, std::shared_ptr<const NativeState> native)
      : near_(std::move(near)), far_(std::move(far)), native_(std::move(native)) {}

  /// Changes in what nearly every program uses, in words, at most `most` of each kind. Takes a few milliseconds.
  [[nodiscard]] std::vector<std::string> near(std::size_t most) const {
    std::vector<std::string> found = native_->changed();
    append(found, near_, most);
    return found;
  }

  /// Changes anywhere, including the dispatcher's kernels. Takes a tenth of a second.
  [[nodiscard]] std::vector<std::string> everywhere(std::size_t most) const {
    std::vector<std::string> found = near(most);
    append(found, far_, most);
    const auto kernels = kernels_.changed(most);
    found.insert(found.end(), kernels.begin(), kernels.end());
    return found;
  }

 private:
  static void append(std::vector<std::string>& found, const Watched& watched, std::size_t most) {
    for (const auto& changes : {watched.names->changed(most), watched.contents->changed(most)})
      std::ranges::copy_if(changes, std::back_inserter(found),
                           [&](const std::string& each) { return std::ranges::find(found, each) == found.end(); });
  }

  Watched near_, far_;
  std::shared_ptr<const NativeState> native_;
  KernelWatch kernels_;
};

}  // namespace parityd::worker
