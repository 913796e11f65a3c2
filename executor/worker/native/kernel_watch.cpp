#include "kernel_watch.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <functional>

namespace parityd::worker {
namespace {

std::map<std::string, std::size_t> kernels() {
  std::map<std::string, std::size_t> digests;
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (const auto found = dispatcher.findOp(name))
      digests.emplace(c10::toString(name), std::hash<std::string>{}(found->dumpState()));
  }
  return digests;
}

}  // namespace

KernelWatch::KernelWatch() : kernels_(kernels()) {}

std::vector<std::string> KernelWatch::changed(std::size_t most) const {
  std::vector<std::string> found;
  const auto now = kernels();
  for (const auto& [name, digest] : kernels_) {
    const auto there = now.find(name);
    const bool same = there != now.end() && there->second == digest;
    if (!same && found.size() < most) found.push_back("kernels of " + name);
  }
  return found;
}

}  // namespace parityd::worker
