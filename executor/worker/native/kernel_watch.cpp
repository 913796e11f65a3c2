#include "kernel_watch.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <Python.h>
#include <sys/prctl.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>

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

// Both registries call back for as long as the process lives.
struct Counts {
  std::atomic<std::uint64_t> operators{0};
  std::atomic<std::uint64_t> audit_hooks{0};
};

Counts& counts() {
  static Counts counted;
  return counted;
}

class Listener final : public c10::OpRegistrationListener {
 public:
  void onOperatorRegistered(const c10::OperatorHandle& /*op*/) override { ++counts().operators; }
  void onOperatorDeregistered(const c10::OperatorHandle& /*op*/) override { ++counts().operators; }
};

int on_event(const char* event, PyObject* /*arguments*/, void* /*data*/) {
  if (std::strcmp(event, "sys.addaudithook") == 0) ++counts().audit_hooks;
  return 0;
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

void watch_registrations() {
  static const bool watching = [] {
    // Never removed: the dispatcher must not outlive it.
    static const auto handle = c10::Dispatcher::singleton().addRegistrationListener(std::make_unique<Listener>());
    PySys_AddAuditHook(&on_event, nullptr);
    counts().operators = 0;  // the dispatcher reports every existing operator to a new listener
    return true;
  }();
  static_cast<void>(watching);
}

std::uint64_t operators_defined() { return counts().operators; }

std::uint64_t audit_hooks_added() { return counts().audit_hooks; }

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

}  // namespace parityd::worker
