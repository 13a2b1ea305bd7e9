#include "grader/apps/confine/seccomp.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <memory>

namespace ladder::confine {
namespace {

// One name a line would be a list that nobody reads.
// clang-format off

/// Calls of compilers and of rungs' processes, with the predecessors and successors of each that one
/// C library or another has. A name that this machine has no call of, such as open() on AArch64, is passed over.
constexpr int kAllowed[] = {
    // Open files.
    SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(openat2), SCMP_SYS(creat), SCMP_SYS(close),
    SCMP_SYS(close_range), SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(preadv),
    SCMP_SYS(preadv2), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(pwrite64), SCMP_SYS(pwritev),
    SCMP_SYS(pwritev2), SCMP_SYS(lseek), SCMP_SYS(sendfile), SCMP_SYS(copy_file_range), SCMP_SYS(ftruncate),
    SCMP_SYS(fallocate), SCMP_SYS(fadvise64), SCMP_SYS(fsync), SCMP_SYS(fdatasync), SCMP_SYS(dup),
    SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(ioctl), SCMP_SYS(flock),
    SCMP_SYS(eventfd2),
    // Names.
    SCMP_SYS(stat), SCMP_SYS(fstat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(statfs),
    SCMP_SYS(fstatfs), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink),
    SCMP_SYS(readlinkat), SCMP_SYS(getdents), SCMP_SYS(getdents64), SCMP_SYS(getxattr), SCMP_SYS(lgetxattr),
    SCMP_SYS(fgetxattr), SCMP_SYS(listxattr), SCMP_SYS(llistxattr), SCMP_SYS(flistxattr), SCMP_SYS(getcwd),
    SCMP_SYS(chdir), SCMP_SYS(fchdir), SCMP_SYS(mkdir), SCMP_SYS(mkdirat), SCMP_SYS(rmdir), SCMP_SYS(unlink),
    SCMP_SYS(unlinkat), SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(link),
    SCMP_SYS(linkat), SCMP_SYS(symlink), SCMP_SYS(symlinkat), SCMP_SYS(truncate), SCMP_SYS(umask),
    SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat), SCMP_SYS(chown), SCMP_SYS(fchown),
    SCMP_SYS(lchown), SCMP_SYS(fchownat), SCMP_SYS(utime), SCMP_SYS(utimes), SCMP_SYS(futimesat),
    SCMP_SYS(utimensat),
    // Memory; mmap() has rules of its own.
    SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(msync),
    SCMP_SYS(mincore), SCMP_SYS(brk), SCMP_SYS(membarrier),
    // Processes and threads; clone() has a rule of its own.
    SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(exit),
    SCMP_SYS(exit_group), SCMP_SYS(wait4), SCMP_SYS(waitid), SCMP_SYS(kill), SCMP_SYS(tkill),
    SCMP_SYS(tgkill), SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_send_signal), SCMP_SYS(getpid), SCMP_SYS(getppid),
    SCMP_SYS(gettid), SCMP_SYS(getpgid), SCMP_SYS(setpgid), SCMP_SYS(getpgrp), SCMP_SYS(getsid),
    SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getresuid),
    SCMP_SYS(getresgid), SCMP_SYS(getgroups), SCMP_SYS(capget), SCMP_SYS(set_tid_address),
    SCMP_SYS(set_robust_list), SCMP_SYS(get_robust_list), SCMP_SYS(rseq), SCMP_SYS(futex),
    SCMP_SYS(futex_waitv), SCMP_SYS(arch_prctl), SCMP_SYS(prctl), SCMP_SYS(prlimit64), SCMP_SYS(getrlimit),
    SCMP_SYS(setrlimit), SCMP_SYS(getrusage), SCMP_SYS(times), SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_getparam), SCMP_SYS(sched_getscheduler),
    SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_get_priority_min), SCMP_SYS(sched_get_priority_max),
    SCMP_SYS(getpriority), SCMP_SYS(getcpu),
    // Signals, time and waiting.
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigpending),
    SCMP_SYS(rt_sigsuspend), SCMP_SYS(rt_sigtimedwait), SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall),
    SCMP_SYS(pause), SCMP_SYS(alarm), SCMP_SYS(getitimer), SCMP_SYS(setitimer), SCMP_SYS(time),
    SCMP_SYS(gettimeofday), SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep),
    SCMP_SYS(nanosleep), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6),
    // The channel to the judge, a socket that was made outside.
    SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(shutdown),
    // The machine.
    SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(getrandom),
};

/// What only a GPU's driver may want. Most hold memory of the kernel's, or memory without a process, and the
/// whole machine shares the number of some.
constexpr int kForDrivers[] = {
    SCMP_SYS(memfd_create), SCMP_SYS(fcntl), SCMP_SYS(mmap), SCMP_SYS(mlock), SCMP_SYS(mlock2),
    SCMP_SYS(munlock), SCMP_SYS(mlockall), SCMP_SYS(munlockall), SCMP_SYS(mbind), SCMP_SYS(get_mempolicy),
    SCMP_SYS(set_mempolicy), SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(bind), SCMP_SYS(connect),
    SCMP_SYS(listen), SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(getsockname), SCMP_SYS(getpeername),
    SCMP_SYS(getsockopt), SCMP_SYS(setsockopt), SCMP_SYS(sendmmsg), SCMP_SYS(recvmmsg),
    SCMP_SYS(epoll_create), SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait),
    SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_pwait2), SCMP_SYS(inotify_init), SCMP_SYS(inotify_init1),
    SCMP_SYS(inotify_add_watch), SCMP_SYS(inotify_rm_watch), SCMP_SYS(eventfd), SCMP_SYS(signalfd4),
    SCMP_SYS(timer_create), SCMP_SYS(timer_settime), SCMP_SYS(timer_gettime), SCMP_SYS(timer_getoverrun),
    SCMP_SYS(timer_delete), SCMP_SYS(timerfd_create), SCMP_SYS(timerfd_settime), SCMP_SYS(timerfd_gettime),
    SCMP_SYS(sched_setparam), SCMP_SYS(setpriority),
};

// clang-format on

/// Of fcntl() what is no lock, of which a file has any number, no lease and no notice.
constexpr int kFileCommands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,      F_SETFD,     F_GETFL,
                                 F_SETFL, F_GETLK,         F_GETPIPE_SZ, F_GET_SEALS, F_ADD_SEALS};

constexpr unsigned kNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

/// Calls that no kernel had when this list was made have the numbers from here on, on every machine; x86-64's
/// 512 and on are those of its 32-bit pointers. A C library tries such a call first and takes ENOSYS for an
/// older kernel's answer.
constexpr int kFirstUnknown = 451, kLastUnknown = 511;

/// The bits of an argument that is an int; what a register holds beyond them the kernel does not read.
constexpr scmp_datum_t kInt = 0xffffffff;

}  // namespace

bool allow_system_calls(bool driver) {
  const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)),
                                                                 seccomp_release);
  if (filter == nullptr) return false;
  int error = 0;
  const auto keep = [&](int result) {
    if (error == 0) error = -result;
  };
  const auto answer = [&](std::uint32_t what, int call, std::initializer_list<scmp_arg_cmp> where = {}) {
    keep(
        seccomp_rule_add_array(filter.get(), what, call, static_cast<unsigned>(where.size()), where.begin()));
  };
  const auto where_none = [](unsigned argument, scmp_datum_t bits) {
    return scmp_arg_cmp{argument, SCMP_CMP_MASKED_EQ, bits, 0};
  };

  // Another machine's calls, such as 32-bit ones, have other numbers.
  keep(seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)));
  for (const int call : kAllowed) answer(SCMP_ACT_ALLOW, call);
  answer(SCMP_ACT_ALLOW, SCMP_SYS(clone), {where_none(0, kNamespaces)});
  // The filter cannot see the flags of clone3(); without it the C library goes back to clone().
  answer(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));
  for (int call = kFirstUnknown; call <= kLastUnknown; ++call) answer(SCMP_ACT_ERRNO(ENOSYS), call);
  if (driver) {
    for (const int call : kForDrivers) answer(SCMP_ACT_ALLOW, call);
  } else {
    for (const int command : kFileCommands)
      answer(SCMP_ACT_ALLOW, SCMP_SYS(fcntl),
             {{1, SCMP_CMP_MASKED_EQ, kInt, static_cast<scmp_datum_t>(command)}});
    // No huge pages, and none that are shared without a file, which stay when nobody has them mapped.
    answer(SCMP_ACT_ALLOW, SCMP_SYS(mmap), {where_none(3, MAP_HUGETLB | MAP_SHARED)});
    answer(SCMP_ACT_ALLOW, SCMP_SYS(mmap), {where_none(3, MAP_HUGETLB | MAP_ANONYMOUS)});
  }
  if (error == 0) error = -seccomp_load(filter.get());
  errno = error;
  return error == 0;
}

}  // namespace ladder::confine
