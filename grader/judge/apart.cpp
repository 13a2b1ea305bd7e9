#include "grader/judge/apart.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "grader/platform/process/this_program.h"
#include "grader/platform/process/unique_fd.h"
#include "grader/worker/worker.h"
#include "simulator/remote/board.h"

namespace ladder {
namespace {

using nlohmann::json;
using Answer = std::variant<json, Ending>;

/// An anonymous memory file for both processes; what the rung writes into it neither can shrink.
class MemoryFile {
 public:
  MemoryFile(const char* name, std::uint64_t bytes)
      : fd_(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    if (!fd_ || ftruncate(fd(), static_cast<off_t>(bytes)) != 0 ||
        fcntl(fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
      throw std::system_error(errno, std::generic_category(), "memory for a rung and its simulator");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

/// The rung's program, which the build puts beside this one.
std::string rung_program() { return this_program().parent_path() / "runner-apart"; }

constexpr const char* kEnded = "the simulator has ended";

/// What is said of a simulator that has ended.
json ended(Ending::How how) {
  if (how == Ending::How::memory) return {{"failed", "memory"}, {"message", "the simulator's memory"}};
  return {{"failed", "exception"}, {"message", kEnded}};
}

/// What the simulator answers. It is ours: when it does not do as it is told, that is not the rung's doing,
/// or its PTX ended it. Only where time is over, that is the rung's, whose kernels run there.
Answer told(RemoteWorker& simulator, const json& order, std::span<const int> fds = {},
            std::size_t shared = 0) {
  Answer answer = simulator.call(order, fds, shared);
  auto* ending = std::get_if<Ending>(&answer);
  if (ending == nullptr) return answer;
  if (ending->how != Ending::How::timeout) return ended(ending->how);
  ending->words = {};
  ending->words.step = WorkerStep::synchronize;
  return answer;
}

/// Whether it is an answer that has this.
bool says(const Answer& answer, const char* what) {
  const json* said = std::get_if<json>(&answer);
  return said != nullptr && said->contains(what);
}

/// @throws std::runtime_error unless the simulator, which has only begun, did so
void insist(const Answer& answer) {
  if (says(answer, "ok")) return;
  const json* said = std::get_if<json>(&answer);
  throw std::runtime_error(said == nullptr ? "the simulator does not start"
                                           : said->value("message", "the simulator does not start"));
}

/// What the rung says of a phase, and what the simulator says of the device at its end.
WorkerReply merged(WorkerReply rungs, const WorkerReply& simulators) {
  rungs.synchronize = simulators.synchronize;
  rungs.harness = simulators.harness;
  return rungs;
}

}  // namespace

struct ApartWorker::Shared {
  MemoryFile board{"calls", sizeof(sim::remote::Board)};
  MemoryFile host_memory{"host memory", sim::remote::kHostRange};
};

std::unique_ptr<ApartWorker> ApartWorker::start(const std::vector<std::string>& arguments,
                                                const std::string& module, const WorkerLimits& limits,
                                                const ApartOptions& options, TimeLimit& time) {
  auto shared = std::make_unique<Shared>();
  WorkerLimits simulators = limits;
  simulators.command = options.simulator_command;
  const int fds[] = {shared->board.fd(), shared->host_memory.fd()};
  std::vector<std::string> words = options.devices_words();
  words.emplace_back("--simulate");
  auto simulator = std::make_unique<RemoteWorker>(words, module, simulators, time, "", fds);
  if (!module.empty()) {
    insist(told(*simulator, {{"do", "module"}, {"module", module}}));
  }
  insist(told(*simulator, {{"do", "open"}, {"timed", false}}));
  return std::unique_ptr<ApartWorker>(new ApartWorker(std::move(shared), std::move(simulator), arguments,
                                                      module, limits,
                                                      options.timing_scope == TimingScope::end_to_end, time));
}

ApartWorker::ApartWorker(std::unique_ptr<Shared> shared, std::unique_ptr<RemoteWorker> simulator,
                         const std::vector<std::string>& arguments, const std::string& module,
                         const WorkerLimits& limits, bool host_clock, TimeLimit& time)
    : RemoteWorker(arguments, module, limits, time, rung_program(),
                   std::initializer_list<int>{shared->board.fd(), shared->host_memory.fd()}),
      simulator_(std::move(simulator)),
      host_clock_(host_clock) {
  wait_beside(*simulator_);
}

void ApartWorker::loaded() { (void)told(*simulator_, {{"do", "close"}}); }

/// Kernels print where they are simulated.
std::string ApartWorker::printed() const {
  return (RemoteWorker::printed() + simulator_->printed()).substr(0, kMostPrinted);
}
std::size_t ApartWorker::printed_bytes() const {
  return RemoteWorker::printed_bytes() + simulator_->printed_bytes();
}

Answer ApartWorker::call(const json& message, std::span<const int> fds, std::size_t shared_bytes) {
  const auto what = message.at("do").get<std::string>();
  if (what == "case") return begin_case(message, fds, shared_bytes);
  if (what == "run") {
    json reset = message;
    reset["do"] = "reset";
    return run(reset, message.at("poison").get<int>(), true);
  }
  if (what == "sample") return run(message, 0, message.at("filled").get<bool>());
  Answer answer = RemoteWorker::call(message, fds, shared_bytes);
  if (what == "release") (void)told(*simulator_, message);
  return answer;
}

/// Each side gets its own arrays; of the device's the rung gets the addresses.
Answer ApartWorker::begin_case(const json& message, std::span<const int> fds, std::size_t shared_bytes) {
  std::vector<int> simulators, rungs;
  std::size_t taken = 0;
  for (const json& described : message.at("buffers")) {
    const Buffer buffer = buffer_from_json(described);
    auto& side = buffer.location == Buffer::Location::device ? simulators : rungs;
    if (buffer.role != Buffer::Role::output) side.push_back(fds[taken++]);
    side.push_back(fds[taken++]);
  }
  Answer made = told(*simulator_, message, simulators, shared_bytes);
  if (!says(made, "pointers")) return made;
  json mine = message;
  mine["pointers"] = std::get<json>(made).at("pointers");
  return RemoteWorker::call(mine, rungs, shared_bytes);
}

Answer ApartWorker::run(const json& begin, int poison, bool download) {
  if (Answer begun = told(*simulator_, begin); !says(begun, "ok")) return begun;
  WorkerReply reply;
  for (const char* phase : {"prepare", "launch", "finish"}) {
    const bool timed = std::string_view(phase) == "launch";
    if (Answer open = told(*simulator_, {{"do", "open"}, {"timed", timed}}); !says(open, "ok")) return open;
    Answer answer = RemoteWorker::call({{"do", phase}, {"poison", poison}});
    if (std::holds_alternative<Ending>(answer)) {
      if (const auto& simulators = beside_ended()) return ended(simulators->how);
      if (!simulator_->alive()) return ended({});
      return answer;
    }
    Answer closed = told(*simulator_, {{"do", "close"},
                                       {"timed", timed},
                                       {"host_clock", host_clock_},
                                       {"wait", std::string_view(phase) == "finish"}});
    if (std::holds_alternative<Ending>(closed) || says(closed, "failed")) return closed;
    const json& said = std::get<json>(answer);
    if (said.contains("failed")) return answer;
    try {
      reply = merged(said.get<WorkerReply>(), std::get<json>(closed).get<WorkerReply>());
    } catch (const json::exception&) {  // what a student's code may have sent can be of any shape
      return Ending{.how = Ending::How::broken_channel};
    }
    if (!succeeded(reply)) break;
  }
  if (succeeded(reply)) {
    Answer downloaded = RemoteWorker::call({{"do", "host_arrays"}});
    if (std::holds_alternative<Ending>(downloaded)) return downloaded;
  }
  Answer end = told(*simulator_, {{"do", "collect"}, {"download", download && succeeded(reply)}});
  if (std::holds_alternative<Ending>(end) || says(end, "failed")) return end;
  const json& collected = std::get<json>(end);
  const auto known = collected.get<WorkerReply>();
  reply.findings = known.findings;
  reply.kernels = known.kernels;
  reply.calls = known.calls;
  reply.elapsed_ms = known.elapsed_ms;
  reply.failed_call = known.failed_call;
  if (known.harness.code != 0) {
    reply.harness = known.harness;
    reply.step = known.step;
  }
  json answer = reply;
  if (succeeded(reply) && collected.contains("touched")) answer["touched"] = collected.at("touched");
  return answer;
}

}  // namespace ladder
