#include "executor/launcher/seccomp.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "executor/confine/descriptor.h"

namespace parityd::launcher {
namespace {

/// By name, because an older kernel's headers lack some numbers.
constexpr std::array kDenied{
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp",
    "pidfd_send_signal",  // a folder of /proc is such a descriptor, too
    // the kernel's programmable and observing parts, often used to attack it
    "bpf", "perf_event_open", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "fanotify_init",
    "lookup_dcookie", "syslog", "uselib", "vm86", "vm86old", "modify_ldt", "iopl", "ioperm",
    // mounts
    "umount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr", "move_mount", "fsopen", "fsconfig",
    "fsmount", "fspick", "mount_setattr", "listmount", "statmount",
    // file handles bypass paths
    "open_by_handle_at", "name_to_handle_at",
    // key rings outlive processes
    "add_key", "request_key", "keyctl",
    // the machine
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "create_module", "query_module",
    "get_kernel_syms", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "settimeofday", "stime",
    "clock_settime", "clock_settime64", "clock_adjtime", "clock_adjtime64", "adjtimex", "sethostname", "setdomainname",
    "vhangup", "nfsservctl", "_sysctl", "ustat", "sysfs", "migrate_pages",
    // a scheduling class that starves the others; the policy is behind a pointer, which no filter can read
    "sched_setattr"};

/// Calls that build a room for a child; a fork parent has no privilege over any other namespace.
constexpr std::array kOfRooms{"unshare", "setns", "mount"};

/// Calls that act on a process, each with the argument that is the process's number.
constexpr std::array<std::pair<const char*, unsigned>, 13> kActOnProcess{{{"kill", 0},
                                                                          {"tkill", 0},
                                                                          {"tgkill", 0},
                                                                          {"rt_sigqueueinfo", 0},
                                                                          {"rt_tgsigqueueinfo", 0},
                                                                          {"pidfd_open", 0},
                                                                          {"prlimit64", 0},
                                                                          {"sched_setaffinity", 0},
                                                                          {"sched_setparam", 0},
                                                                          {"sched_setscheduler", 0},
                                                                          {"move_pages", 0},
                                                                          {"setpriority", 1},
                                                                          {"ioprio_set", 1}}};

constexpr int kTypeMask = 0xF;                     // for socket's second argument; the higher bits are flags
constexpr std::uint32_t kTerminalInput = 0x5412;   // TIOCSTI
constexpr std::uint32_t kTerminalSelect = 0x541C;  // TIOCLINUX
constexpr std::array<std::uint64_t, 2> kOwnerRequests{0x8901, 0x8902};  // FIOSETOWN, SIOCSPGRP
constexpr std::uint64_t kSetOwnerByKind = 15;                           // F_SETOWN_EX
constexpr std::uint64_t kPriorityOfUser = 3;                            // IOPRIO_WHO_USER
constexpr std::uint32_t kLow = 0xFFFFFFFF;  // the part of an int argument that the kernel reads

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release) {}

  void deny(const char* name, int error = EPERM) { add(name, error, {}); }
  /// Denies the call when all comparisons hold.
  void deny_if(const char* name, std::initializer_list<scmp_arg_cmp> comparisons) { add(name, EPERM, comparisons); }

  std::string load() {
    settle();
    note(seccomp_load(context_.get()));
    return failed_ == 0 ? "" : std::strerror(failed_);
  }

  std::vector<std::uint8_t> program() {
    settle();
    const executor::Descriptor file(memfd_create("filter", MFD_CLOEXEC));
    note(seccomp_export_bpf(context_.get(), file.number()));
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(std::max<off_t>(0, lseek(file.number(), 0, SEEK_END))));
    const auto size = static_cast<ssize_t>(bytes.size());
    if (failed_ != 0 || size == 0 || pread(file.number(), bytes.data(), bytes.size(), 0) != size) {
      throw std::system_error(failed_ != 0 ? failed_ : errno, std::generic_category(), "a filter of system calls");
    }
    return bytes;
  }

 private:
  void settle() {
    // 32-bit and x32 calls have different numbers, which none of these rules cover.
    note(seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)));
    seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree, not a list; libseccomp 2.5
    seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_NNP, 0);       // no_new_privs is a separate layer
  }
  void add(const char* name, int error, std::initializer_list<scmp_arg_cmp> comparisons) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number >= 0) {  // otherwise not a call of this architecture
      note(seccomp_rule_add_array(context_.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)), number,
                                  static_cast<unsigned>(comparisons.size()), comparisons.begin()));
    }
  }
  void note(int result) { failed_ = failed_ == 0 && result < 0 ? -result : failed_; }

  std::unique_ptr<void, decltype(&seccomp_release)> context_;
  int failed_ = 0;
};

scmp_arg_cmp equals(unsigned argument, std::uint64_t mask, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

void deny_sockets(Filter& filter) {
  for (const char* call : {"socket", "socketpair"}) {
    filter.deny_if(call, {{0, SCMP_CMP_NE, AF_UNIX, 0}});
    filter.deny_if(call, {equals(1, kTypeMask, SOCK_DGRAM)});  // sends to a named socket without connecting
    filter.deny_if(call, {equals(1, kTypeMask, SOCK_RAW)});    // the same, for AF_UNIX
  }
}

void deny_new_namespaces(Filter& filter) {
  for (const std::uint64_t flag : std::initializer_list<std::uint64_t>{
           CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET}) {
    filter.deny_if("clone", {equals(0, flag, flag)});
  }
  filter.deny("clone3", ENOSYS);  // its flags are behind a pointer; the C library falls back to clone
}

/// A process can also be signalled by being made the owner of a descriptor that reports input (fcntl(2), F_SETOWN).
void deny_acts_on(pid_t spared, Filter& filter) {
  constexpr int kEverybody = -1;
  for (const auto& [call, argument] : kActOnProcess) {
    filter.deny_if(call, {equals(argument, kLow, static_cast<std::uint32_t>(spared))});
  }
  for (const int group : {-spared, kEverybody}) {
    filter.deny_if("kill", {equals(0, kLow, static_cast<std::uint32_t>(group))});
  }
  filter.deny_if("setpriority", {equals(0, kLow, PRIO_USER)});
  filter.deny_if("ioprio_set", {equals(0, kLow, kPriorityOfUser)});
}

void add_rules(const CallRules& rules, Filter& filter) {
  for (const char* name : kDenied) filter.deny(name);
  for (const char* name : kOfRooms) {
    if (!rules.builds_rooms) filter.deny(name);
  }
  if (rules.reach == Reach::host) {
    filter.deny("connect");  // CUDA itself listens on local sockets but connects to none
  }
  if (rules.spared) deny_acts_on(*rules.spared, filter);
  deny_sockets(filter);
  deny_new_namespaces(filter);
  for (const std::uint64_t command : std::initializer_list<std::uint64_t>{F_SETOWN, kSetOwnerByKind}) {
    filter.deny_if("fcntl", {equals(1, kLow, command)});
  }
  for (const std::uint64_t request : kOwnerRequests) filter.deny_if("ioctl", {equals(1, kLow, request)});
  for (const std::uint64_t request : {kTerminalInput, kTerminalSelect}) {
    filter.deny_if("ioctl", {equals(1, kLow, request)});
  }
  for (const std::uint64_t policy : std::initializer_list<std::uint64_t>{SCHED_FIFO, SCHED_RR, SCHED_DEADLINE}) {
    filter.deny_if("sched_setscheduler", {equals(1, 0x3FFFFFFF, policy)});
  }
}

}  // namespace

std::string filter_system_calls(const CallRules& rules) {
  Filter filter;
  add_rules(rules, filter);
  return filter.load();
}

std::vector<std::uint8_t> filter_program(const CallRules& rules) {
  Filter filter;
  add_rules(rules, filter);
  return filter.program();
}

}  // namespace parityd::launcher
