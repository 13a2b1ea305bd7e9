#include "grader/apps/confine/seccomp.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

// Numbers that the C library's headers of 2021 lack; they are the same on all 64-bit machines.
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

namespace ladder::confine {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
#error "no list of system calls for this machine"
#endif

constexpr long kForbidden[] = {
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_getfd,
    SYS_process_madvise,
    SYS_kcmp,
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_open_tree,
    SYS_move_mount,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_syslog,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_shmget,
    SYS_shmat,
    SYS_msgget,
    SYS_semget,
    SYS_mq_open,
    SYS_memfd_secret,
    SYS_mknodat,
#ifdef SYS_mknod  // x86-64 has both
    SYS_mknod,
#endif
#ifdef SYS_modify_ldt
    SYS_modify_ldt,
#endif
    SYS_mount_setattr,
    SYS_quotactl_fd,
    SYS_fanotify_init,
    SYS_landlock_create_ruleset,  // a set of rules may be as large as one likes
    SYS_vmsplice,                 // a page that lies in a pipe is held, and no longer the process's
    SYS_splice,
    SYS_tee,
    SYS_io_setup,           // of its rings, the whole machine has a number
    SYS_sched_setaffinity,  // a cell may be bound to a core, and keeps to it
    SYS_setsid,             // a session has a share of the cores; a cell is one
};

/// What only a GPU's driver may want: each holds memory of the kernel's, or memory without a process, and the
/// whole machine shares the number of some.
constexpr long kForDrivers[] = {
    SYS_memfd_create, SYS_socket, SYS_socketpair, SYS_epoll_create1, SYS_inotify_init1, SYS_timer_create,
#ifdef SYS_epoll_create
    SYS_epoll_create,
#endif
#ifdef SYS_inotify_init
    SYS_inotify_init,
#endif
};
constexpr int kLocks[] = {F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW};  // a file has any number of them

/// The first number of no call that this file has an opinion on: those of kernels to come.
constexpr std::uint32_t kFirstUnknown = 451;
constexpr std::uint32_t kX32 = 0x40000000;  // of calls of x86-64's 32-bit pointers

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

class Program {
 public:
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void answer(std::uint32_t what) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, what)); }
  /// Where the loaded value is @p value: @p what.
  void where_equal(long value, std::uint32_t what) { test(BPF_JEQ, static_cast<std::uint32_t>(value), what); }
  void unless_equal(long value, std::uint32_t what) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(value), 1, 0));
    answer(what);
  }
  void where_at_least(std::uint32_t value, std::uint32_t what) { test(BPF_JGE, value, what); }
  void where_any_bit(std::uint32_t bits, std::uint32_t what) { test(BPF_JSET, bits, what); }
  /// Where all of @p bits are set in the loaded value, which is lost: @p what.
  void where_all_bits(std::uint32_t bits, std::uint32_t what) {
    code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits));
    test(BPF_JEQ, bits, what);
  }
  /// The next @p count statements are skipped where the loaded value is not @p value.
  void only_for(long value, std::uint8_t count) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(value), 0, count));
  }
  sock_fprog program() { return {static_cast<unsigned short>(code_.size()), code_.data()}; }

 private:
  void test(std::uint16_t how, std::uint32_t value, std::uint32_t what) {
    code_.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | how | BPF_K), value, 0, 1));
    answer(what);
  }
  std::vector<sock_filter> code_;
};

}  // namespace

namespace {

/// An argument's lower half, which is where flags and commands are.
constexpr std::size_t argument(std::size_t index) {
  return offsetof(seccomp_data, args) + index * sizeof(seccomp_data::args[0]);
}

void forbid_what_drivers_want(Program& rules) {
  for (const long call : kForDrivers) rules.where_equal(call, kRefuse);
  rules.only_for(SYS_mmap, 7);
  rules.load(argument(3));
  rules.where_any_bit(MAP_HUGETLB, kRefuse);
  rules.where_all_bits(MAP_SHARED | MAP_ANONYMOUS, kRefuse);  // it stays when nobody has it mapped
  rules.answer(kAllow);
  rules.only_for(SYS_fcntl, 10);
  rules.load(argument(1));
  for (const int command : kLocks) rules.where_equal(command, kRefuse);
  rules.answer(kAllow);
}

}  // namespace

bool forbid_system_calls(bool driver) {
  Program rules;
  rules.load(offsetof(seccomp_data, arch));
  rules.unless_equal(kMachine, kRefuse);  // another machine's calls, such as 32-bit ones, have other numbers
  rules.load(offsetof(seccomp_data, nr));
  rules.where_at_least(kX32, kRefuse);
  rules.where_at_least(kFirstUnknown, kUnknown);
  for (const long call : kForbidden) rules.where_equal(call, kRefuse);
  // The filter cannot see the flags of clone3(); without it the C library goes back to clone().
  rules.where_equal(SYS_clone3, kUnknown);
  if (!driver) forbid_what_drivers_want(rules);
  rules.only_for(SYS_clone, 3);
  rules.load(argument(0));
  rules.where_any_bit(CLONE_NEWUSER, kRefuse);
  rules.answer(kAllow);

  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  const sock_fprog program = rules.program();
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace ladder::confine
