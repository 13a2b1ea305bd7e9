#include "simulator/cudart/launch/litmus.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/memory/unshare.h"
#include "simulator/litmus/describe.h"
#include "simulator/litmus/threads/record.h"
#include "simulator/report/litmus_record.h"

namespace sim::cudart {
namespace {

constexpr unsigned kSeconds = 20;           ///< of a copy of the program
constexpr std::size_t kMostSaid = 1 << 12;  ///< bytes of what it prints that are kept
constexpr std::uint64_t kCandidates = 1 << 20;

bool explored = false;  ///< a launch was, in this process or the one it is a copy of

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

/// The end of a copy: what it printed, and how it ended.
struct Reply {
  std::string said;
  int status = 0;
};

Reply reply_of(pid_t copy, int from) {
  Reply reply;
  char buffer[1 << 12];
  for (ssize_t n; (n = ::read(from, buffer, sizeof buffer)) != 0;) {
    if (n < 0 && errno != EINTR) break;
    if (n > 0 && reply.said.size() < kMostSaid) reply.said.append(buffer, std::size_t(n));
  }
  ::close(from);
  while (waitpid(copy, &reply.status, 0) < 0 && errno == EINTR) {
  }
  return reply;
}

void put_in_memory(const litmus::Program& program, const litmus::Outcome& outcome) {
  for (std::size_t l = 0; l < program.locations.size(); ++l) {
    const litmus::Location& location = program.locations[l];
    if (location.shared || !location.written) continue;
    const memory::Allocation* const a = device().space.find(location.address);
    std::memcpy(a->host + (location.address - a->base), &outcome.memory[l], location.bytes);
  }
}

/// The life of a copy until it goes on with the program.
void become_copy(int to) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::alarm(kSeconds);
  dup2(to, STDOUT_FILENO);
  dup2(to, STDERR_FILENO);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // so that what it printed is there where it aborts
  ::close(to);
  device().lock.hold_in_copy();
  unshare_registered(device().space);
}

[[noreturn]] void end_with(const LitmusRecord& record) {
  std::ofstream(std::getenv("LADDER_SIM_LITMUS"))
      << nlohmann::json(record).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  _exit(0);
}

[[noreturn]] void end_refused(const CheckedLaunch& launch, const std::string& why) {
  LitmusRecord record;
  record.kernel = launch.shown;
  record.refused = why;
  end_with(record);
}

/// What threads print while they are explored says nothing: they run again and again, with all values.
class Silence {
 public:
  Silence() : before_(dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) return;
    dup2(nowhere, STDOUT_FILENO);
    ::close(nowhere);
  }
  ~Silence() {
    std::fflush(stdout);
    dup2(before_, STDOUT_FILENO);
    ::close(before_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int before_;
};

litmus::Program record_silently(const CheckedLaunch& launch, const exec::Launch& what,
                                const litmus::RecordLimits& limits) {
  const Silence silence;
  return record_threads(*launch.program, what, device().space, limits);
}

void explore_outcomes(const CheckedLaunch& launch, const exec::Launch& what) {
  Device& d = device();
  litmus::RecordLimits limits;
  limits.turns = int(setting("LADDER_SIM_LITMUS_TURNS", std::uint64_t(limits.turns)));
  const litmus::Program program = record_silently(launch, what, limits);
  const litmus::Exploration found =
      litmus::explore(program, setting("LADDER_SIM_LITMUS_CANDIDATES", kCandidates));
  LitmusRecord record = describe(*launch.program, what, d.space, program, found);
  record.kernel = launch.shown;
  std::fflush(nullptr);
  for (std::size_t i = 0; i < found.outcomes.size(); ++i) {
    const litmus::Outcome& outcome = found.outcomes[i];
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
    const pid_t copy = fork();
    if (copy < 0) throw std::runtime_error("the process cannot be copied");
    if (copy == 0) {
      become_copy(ends[1]);
      put_in_memory(program, outcome);
      if (!outcome.failure.empty()) d.pending = cudaErrorLaunchFailure;
      return;
    }
    ::close(ends[1]);
    const Reply reply = reply_of(copy, ends[0]);
    const bool holds = outcome.failure.empty() && WIFEXITED(reply.status) && WEXITSTATUS(reply.status) == 0;
    record.outcomes[i].verdict = holds ? LitmusVerdict::holds : LitmusVerdict::fails;
    if (!holds) record.outcomes[i].said = reply.said;
  }
  end_with(record);
}

}  // namespace

bool explores(const CheckedLaunch& launch) {
  if (explored || std::getenv("LADDER_SIM_LITMUS") == nullptr) return false;
  const char* const kernel = std::getenv("LADDER_SIM_LITMUS_KERNEL");
  return kernel == nullptr || launch.shown == kernel || launch.kernel->name == kernel;
}

void explore(const CheckedLaunch& launch) {
  explored = true;
  exec::Launch what = launch.what;
  what.params = launch.params;
  try {
    explore_outcomes(launch, what);
  } catch (const litmus::Unexplorable& e) {
    end_refused(launch, e.what());
  } catch (const litmus::TooMuch& e) {
    end_refused(launch, std::string("too much to explore: ") + e.what());
  }
}

}  // namespace sim::cudart
