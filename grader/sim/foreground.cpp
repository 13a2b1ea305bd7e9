#include "grader/sim/foreground.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>

#include "grader/platform/process/signals.h"

namespace ladder::cli {
namespace {

volatile pid_t g_program = -1;

void pass_on(int number) {
  if (g_program > 0) ::kill(g_program, number);
}

}  // namespace

ExitStatus run_in_foreground(const std::string& executable, const std::vector<std::string>& argv,
                             const std::vector<std::pair<std::string, std::string>>& environment) {
  // The terminal's signals reach the program without us, the others are handed on.
  SignalGuard signals;
  signals.ignore({SIGINT, SIGQUIT});
  signals.handle(std::array{SIGTERM, SIGHUP}, pass_on);
  SubprocessOptions options;
  options.argv = argv;
  options.program = executable;
  options.environment = environment;
  options.empty_input = false;
  options.death_signal = SIGKILL;  // the program never outlives a killed `ladder`
  options.before = &signals;
  SignalGuard starting;  // what comes meanwhile is handed on afterwards
  starting.block({SIGTERM, SIGHUP});
  options.mask = starting.mask_before();
  Subprocess program(options);
  g_program = program.pid();
  starting.restore();
  const ExitStatus status = program.wait();
  g_program = -1;
  return status;
}

void die_by(int signal) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // the program has left its own
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace ladder::cli
