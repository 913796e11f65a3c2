#include "native_state.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace parityd::worker {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) entries.emplace_back(*entry);
  std::ranges::sort(entries);
  return entries;
}

/// What the kernel calls, by signal: Python's own table may say something else.
std::vector<void*> handlers() {
  std::vector<void*> found;
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction action {};
    const bool known = sigaction(signal, nullptr, &action) == 0;
    found.push_back(known ? reinterpret_cast<void*>(action.sa_handler) : nullptr);
  }
  return found;
}

/// Signals that this thread blocks.
std::uint64_t blocked() {
  sigset_t set;
  sigemptyset(&set);
  pthread_sigmask(SIG_BLOCK, nullptr, &set);
  std::uint64_t mask = 0;
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    if (sigismember(&set, signal) == 1) mask |= std::uint64_t{1} << (signal - 1);
  }
  return mask;
}

/// Rounding, flushed denormals and trapped exceptions of this thread; not which exceptions have occurred.
std::uint64_t floating_point() {
  auto modes = static_cast<std::uint64_t>(std::fegetround());
#if defined(__x86_64__)
  std::uint16_t x87 = 0;
  asm volatile("fnstcw %0" : "=m"(x87));
  modes |= std::uint64_t{x87} << 32 | (_mm_getcsr() & ~0x3fU) << 16;
#elif defined(__aarch64__)
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  modes |= control << 16;
#endif
  return modes;
}

std::size_t tasks() {
  std::error_code unreadable;
  const auto tasks = fs::directory_iterator("/proc/self/task", unreadable);
  return unreadable ? 0 : static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

using PauseOpenMp = int (*)(int);

/// Null before OpenMP 5.0: then its threads cannot be told from others.
PauseOpenMp pause_openmp() { return reinterpret_cast<PauseOpenMp>(dlsym(RTLD_DEFAULT, "omp_pause_resource_all")); }

/// Does not count threads that OpenMP keeps for its next parallel region: programs request as many as they like. Such
/// threads take a while to end.
std::size_t threads_beyond(std::size_t noted) {
  constexpr int kHard = 2, kTries = 20;
  constexpr std::chrono::milliseconds kPause{1};
  std::size_t count = tasks();
  if (count > noted) pause_openmp()(kHard);
  for (int tried = 0; count > noted && tried < kTries; ++tried) {
    std::this_thread::sleep_for(kPause);
    count = tasks();
  }
  return count > noted ? count - noted : 0;
}

}  // namespace

NativeState::NativeState(bool counts_threads)
    : environment_(environment()),
      handlers_(handlers()),
      blocked_(blocked()),
      floating_point_(floating_point()),
      counts_threads_(counts_threads && pause_openmp() != nullptr),
      threads_(tasks()) {}

std::vector<std::string> NativeState::changed() const {
  std::vector<std::string> found;
  if (environment() != environment_) found.emplace_back("C environment");
  if (handlers() != handlers_) found.emplace_back("native signal handlers");
  if (blocked() != blocked_) found.emplace_back("native signal mask");
  if (floating_point() != floating_point_) found.emplace_back("floating-point modes");
  if (counts_threads_ && threads_beyond(threads_) > 0) found.emplace_back("native threads");
  return found;
}

void NativeState::restore_environment() const {
  std::set<std::string> names;
  for (const std::string& entry : environment()) names.insert(entry.substr(0, entry.find('=')));
  for (const std::string& entry : environment_) names.erase(entry.substr(0, entry.find('=')));
  for (const std::string& name : names) unsetenv(name.c_str());
  for (const std::string& entry : environment_) {
    const auto equals = entry.find('=');
    if (equals != std::string::npos) setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
  }
}

}  // namespace parityd::worker
