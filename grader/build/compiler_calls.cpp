#include "grader/build/compiler_calls.h"

#include <deque>

#include "grader/platform/failure.h"
#include "grader/platform/process/signals.h"

namespace ladder::cli {
namespace {

Subprocess start(const CompilerCall& call) {
  const UniqueFd log = open_log(call.log);
  SubprocessOptions options;
  options.argv = call.argv;
  options.output = log.get();
  options.default_signals = {SIGINT};
  return Subprocess(options);
}

/// The calls that run now; waits for them on every way out.
class Running {
 public:
  Running() = default;
  Running(const Running&) = delete;
  ~Running() {
    while (!calls_.empty()) wait();
  }
  std::size_t size() const { return calls_.size(); }
  void add(CompilerCall& call) { calls_.emplace_back(start(call), &call); }
  /// Waits for the oldest of them; those that end before it are reaped in their turn.
  void wait() {
    auto& [process, call] = calls_.front();
    call->status = process.wait();
    calls_.pop_front();
  }

 private:
  std::deque<std::pair<Subprocess, CompilerCall*>> calls_;
};

}  // namespace

void run_compiler_calls(std::vector<CompilerCall>& calls, unsigned at_once) {
  // Ctrl-C reaches the compilers, which clean up and end; this process then learns it from their status.
  SignalGuard signals;
  signals.ignore({SIGINT});
  Running running;
  for (CompilerCall& call : calls) {
    if (running.size() >= at_once) running.wait();
    running.add(call);
  }
  while (running.size() > 0) running.wait();
  for (const CompilerCall& call : calls)
    if (call.status.signal == SIGINT || call.status.signal == SIGTERM || call.status.code == 128 + SIGINT)
      throw Failure(ExitCode::interrupted, "interrupted");
}

}  // namespace ladder::cli
