// ladder-confine: the last step into the sandbox. Sets limits, becomes a user of no rights, gives up
// system calls, and turns into the program it is given. It runs inside bubblewrap, before any of a student's
// code does.
#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "grader/apps/confine/seccomp.h"

namespace {

constexpr rlim_t kSignals = 1024;
constexpr int kCannot = 125;  // as of other programs that run programs
constexpr const char* kUsage =
    "usage: ladder-confine [--init] [--uid N] [--processes N] [--open-files N] [--file-mb N] [--memory-mb "
    "N]\n"
    "                      [--cpu-seconds N] [--driver] -- PROGRAM [ARGUMENT...]\n";

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "ladder-confine: %s: %s\n", what, std::strerror(errno));
  _exit(kCannot);
}

/// Sets a limit, where the one in force is not lower already.
void limit(int resource, rlim_t most, const char* what) {
  const auto which = static_cast<__rlimit_resource_t>(resource);
  rlimit now{};
  if (getrlimit(which, &now) != 0) fail(what);
  const rlimit both{std::min(most, now.rlim_max), std::min(most, now.rlim_max)};
  if (setrlimit(which, &both) != 0) fail(what);
}

/// Calls again what fails because there are too many processes for the moment: those of the cell that had
/// this user before may not all be gone. @return whether it is worth another try
bool too_many_for_now(int tries) {
  constexpr int kTries = 100, kMicroseconds = 20'000;
  if (errno != EAGAIN || tries >= kTries) return false;
  usleep(kMicroseconds);
  return true;
}

struct Wishes {
  std::optional<uid_t> uid;
  std::optional<rlim_t> processes, open_files, file_mb, memory_mb, cpu_seconds;
  bool driver = false;
  bool init = false;
};

/// Stays behind as the first process of the cell's process list, while its child becomes the program: reaps
/// what others leave, and ends as the program did, which ends the cell. It is not confined, so nobody in the
/// cell may look into it or write to it; a cell's processes may have the same user.
void become_init() {
  if (prctl(PR_SET_DUMPABLE, 0) != 0) fail("closing the cell's first process");
  pid_t program = fork();
  for (int tries = 0; program < 0 && too_many_for_now(tries); ++tries) program = fork();
  if (program < 0) fail("starting the program");
  if (program == 0) return;
  for (int fd = 0; fd < 64; ++fd) close(fd);  // whoever reads from the program is to see its end
  for (;;) {
    int status = 0;
    const pid_t ended = wait(&status);
    if (ended < 0 && errno != EINTR) _exit(kCannot);
    if (ended == program) _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  }
}

/// @return index of the program in argv, or 0 where the command line is wrong
int parse(int argc, char** argv, Wishes& wishes) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--") return i + 1 < argc ? i + 1 : 0;
    if (option == "--driver" || option == "--init") {
      (option == "--init" ? wishes.init : wishes.driver) = true;
      continue;
    }
    char* end = nullptr;
    const unsigned long value = i + 1 < argc ? std::strtoul(argv[++i], &end, 10) : 0;
    if (end == nullptr || *end != '\0') return 0;
    if (option == "--uid")
      wishes.uid = static_cast<uid_t>(value);
    else if (option == "--processes")
      wishes.processes = value;
    else if (option == "--open-files")
      wishes.open_files = value;
    else if (option == "--file-mb")
      wishes.file_mb = value;
    else if (option == "--memory-mb")
      wishes.memory_mb = value;
    else if (option == "--cpu-seconds")
      wishes.cpu_seconds = value;
    else
      return 0;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Wishes wishes;
  const int program = parse(argc, argv, wishes);
  if (program == 0) {
    std::fputs(kUsage, stderr);
    return kCannot;
  }
  if (wishes.init) become_init();
  limit(RLIMIT_CORE, 0, "no core files");
  // What the kernel keeps for a user and no process is seen to hold.
  limit(RLIMIT_SIGPENDING, kSignals, "the limit on signals and timers");
  limit(RLIMIT_MSGQUEUE, 0, "no message queues");
  if (wishes.open_files) limit(RLIMIT_NOFILE, *wishes.open_files, "the limit on open files");
  if (wishes.file_mb) limit(RLIMIT_FSIZE, *wishes.file_mb << 20, "the limit on file sizes");
  if (wishes.memory_mb) limit(RLIMIT_AS, *wishes.memory_mb << 20, "the limit on memory");
  if (wishes.cpu_seconds) limit(RLIMIT_CPU, *wishes.cpu_seconds, "the limit on CPU time");
  if (wishes.processes) limit(RLIMIT_NPROC, *wishes.processes, "the limit on processes");
  if (wishes.uid) {  // as root; in a user namespace there is nothing to give up
    if (setgroups(0, nullptr) != 0 || setresgid(*wishes.uid, *wishes.uid, *wishes.uid) != 0 ||
        setresuid(*wishes.uid, *wishes.uid, *wishes.uid) != 0)
      fail("becoming a user of no rights");
    if (setuid(0) == 0) fail("root's rights did not go away");
  }
  if (!ladder::confine::allow_system_calls(wishes.driver)) fail("limiting system calls");
  int tries = 0;
  do execvp(argv[program], argv + program);
  while (too_many_for_now(tries++));
  fail(argv[program]);
}
