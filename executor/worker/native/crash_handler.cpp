#include "crash_handler.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

namespace parityd::worker {
namespace {

constexpr std::array kFatal{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t kStackBytes = std::size_t{256} << 10;  // unwinding takes tens of kilobytes
constexpr int kMostFrames = 48;

/// Everything the handler may use: it is called on any thread, at any instruction.
struct State {
  std::array<struct sigaction, kFatal.size()> before;
  alignas(16) std::array<std::byte, kStackBytes> stack;
};
State& state() {
  static State the;
  return the;
}

/// A line composed without allocating memory.
class Line {
 public:
  Line& text(std::string_view part) {
    const std::size_t count = std::min(part.size(), buffer_.size() - 1 - used_);
    std::memcpy(buffer_.data() + used_, part.data(), count);
    used_ += count;
    return *this;
  }
  Line& hexadecimal(std::uintptr_t value) {
    std::array<char, 2 * sizeof value> digits{};
    std::size_t first = digits.size();
    do {
      digits[--first] = "0123456789abcdef"[value & 0xF];
      value >>= 4;
    } while (value != 0);
    return text("0x").text({digits.data() + first, digits.size() - first});
  }
  Line& decimal(int value) {
    std::array<char, 12> digits{};
    std::size_t first = digits.size();
    do {
      digits[--first] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    return text({digits.data() + first, digits.size() - first});
  }
  void write() {
    buffer_[used_++] = '\n';
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, buffer_.data(), used_);
  }

 private:
  std::array<char, 1024> buffer_{};
  std::size_t used_ = 0;
};

std::uintptr_t instruction_of(const void* context) {
  const auto* machine = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(machine->uc_mcontext.pc);
#else
  return machine == nullptr ? 0 : 0;
#endif
}

/// "parityd frame: FILE SYMBOL", with "?" for an unknown file or symbol.
void tell_frame(const void* address) {
  Dl_info facts{};
  const bool known = dladdr(address, &facts) != 0;
  const char* const file = known && facts.dli_fname != nullptr ? facts.dli_fname : "?";
  const char* const slash = std::strrchr(file, '/');
  const char* const symbol = known && facts.dli_sname != nullptr ? facts.dli_sname : "?";
  const auto base = reinterpret_cast<std::uintptr_t>(known ? facts.dli_fbase : nullptr);
  Line()
      .text("parityd frame: ")
      .text(slash != nullptr ? slash + 1 : file)
      .text(" ")
      .text(symbol)
      .text(" ")
      .hexadecimal(reinterpret_cast<std::uintptr_t>(address) - base)
      .write();
}

/// After a jump to an address without code: the frame that jumped. The unwinder would read code there and crash.
void tell_caller(const void* context) {
  const auto* machine = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  const auto stack = static_cast<std::uintptr_t>(machine->uc_mcontext.gregs[REG_RSP]);
  if (stack != 0 && stack % sizeof(void*) == 0) tell_frame(*reinterpret_cast<void* const*>(stack));
#elif defined(__aarch64__)
  tell_frame(reinterpret_cast<const void*>(machine->uc_mcontext.regs[30]));
#endif
}

/// The frames from the interrupted one outwards; those before it belong to this handler.
void tell_frames(const void* context) {
  const std::uintptr_t instruction = instruction_of(context);
  Dl_info facts{};
  if (dladdr(reinterpret_cast<const void*>(instruction), &facts) == 0) {
    tell_frame(reinterpret_cast<const void*>(instruction));
    return tell_caller(context);
  }
  std::array<void*, kMostFrames> frames{};
  const int count = backtrace(frames.data(), kMostFrames);
  int first = 0;
  while (first < count && reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(first)]) != instruction) {
    ++first;
  }
  for (int index = first; index < count; ++index) tell_frame(frames[static_cast<std::size_t>(index)]);
}

void on_fatal_signal(int signal, siginfo_t* /*facts*/, void* context) {
  const int saved = errno;
  // First of all: a fault in here must not call this handler again.
  for (std::size_t index = 0; index < kFatal.size(); ++index) sigaction(kFatal[index], &state().before[index], nullptr);
  Line().text("parityd crash: signal ").decimal(signal).write();
  tell_frames(context);
  Line().text("parityd crash: end").write();
  errno = saved;
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, signal);
  pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
  raise(signal);  // to the previous handler, and then the end
  // The first process of a process namespace is not ended by a signal that it sends itself (pid_namespaces(7)).
  _exit(kEndedBySignal + signal);
}

}  // namespace

void install_crash_handler() {
  stack_t stack{};
  stack.ss_sp = state().stack.data();
  stack.ss_size = kStackBytes;
  if (sigaltstack(&stack, nullptr) != 0) throw std::system_error(errno, std::generic_category(), "sigaltstack");
  std::array<void*, 1> nothing{};
  backtrace(nothing.data(), 1);  // loads the unwinder now, which a handler must not do
  struct sigaction action {};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t index = 0; index < kFatal.size(); ++index) {
    if (sigaction(kFatal[index], &action, &state().before[index]) != 0)
      throw std::system_error(errno, std::generic_category(), "sigaction");
  }
}

}  // namespace parityd::worker
