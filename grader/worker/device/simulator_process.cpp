#include "grader/worker/device/simulator_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "grader/worker/device/device.h"
#include "grader/worker/guard.h"
#include "grader/worker/worker.h"
#include "simulator/remote/server/server.h"

namespace ladder {
namespace {

using nlohmann::json;

/// A case's arrays in device memory, and the time and the counters of what the rung does with them. The
/// rung's calls pass only between "open" and "close".
class Simulator {
 public:
  explicit Simulator(sim::remote::Server& server) : server_(server) {
    require(cudaEventCreate(&start_), "cudaEventCreate");
    require(cudaEventCreate(&stop_), "cudaEventCreate");
  }

  json answer(const json& message, std::vector<UniqueFd> fds) {
    const auto what = message.at("do").get<std::string>();
    try {
      if (what == "module") return load(message.at("module").get<std::string>());
      if (what == "case") return begin_case(message, std::move(fds));
      if (what == "reset")
        return reset(message.at("poison").get<int>(), message.at("order").get<std::uint64_t>(),
                     message.at("failing").get<std::uint64_t>(), message.at("closely").get<bool>());
      if (what == "sample")
        return sample(message.at("seed").get<std::uint64_t>(), message.at("filled").get<bool>());
      if (what == "open") return open(message.at("timed").get<bool>());
      if (what == "close") return close(message);
      if (what == "collect") return collect(message.at("download").get<bool>());
      if (what == "release") return release();
    } catch (...) {
      return answer_to_exception();
    }
    return {{"failed", "exception"}, {"message", "unknown command"}};
  }

 private:
  json load(const std::string& module) {
    server_.set_module(module);
    device().opened(module);
    return {{"ok", true}};
  }

  json begin_case(const json& message, std::vector<UniqueFd> fds) {
    case_.reset();
    auto next = std::make_unique<WorkerCase>();
    json pointers = json::array();
    std::size_t taken = 0;
    for (const json& described : message.at("buffers")) {
      const Buffer buffer = buffer_from_json(described);
      if (buffer.location != Buffer::Location::device) continue;
      next->add(buffer, fds, taken);
    }
    next->sets.push_back(std::make_unique<ArgumentSet>(next->buffers, next->pattern));
    case_ = std::move(next);
    for (const auto& array : case_->sets.front()->arrays())
      pointers.push_back(reinterpret_cast<std::uint64_t>(array->data()));
    return {{"pointers", pointers}};
  }

  json reset(int poison, std::uint64_t order, std::uint64_t failing, bool closely) {
    device().order_by(order);
    device().fill_new_memory(kNewMemory);
    device().look_closely(closely);
    poison_ = poison;
    stopped_ = false;
    reply_ = {};
    fill(true);
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    at().clean_up.begin();
    device().fail_call(failing);
    return {{"ok", true}};
  }

  /// Begins a run of a sample of the blocks over giant arrays.
  /// @param filled  whether the pages that an earlier one touched get their data first
  json sample(std::uint64_t seed, bool filled) {
    stopped_ = false;
    reply_ = {};
    if (filled) at().fill_touched();
    device().sample_launches(seed);
    sampled_ = true;
    return {{"ok", true}};
  }

  /// Inputs and poison, or poison alone.
  void fill(bool inputs) {
    const auto arrays = at().sets.front()->arrays();
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (inputs || arrays[i]->buffer().role == Buffer::Role::output)
        arrays[i]->reset(case_->initial[i].span(), poison_);
  }

  json open(bool timed) {
    if (timed) {
      // A launch behind work that is under way still costs the host's time, and not the device's.
      const bool idle = cudaStreamQuery(nullptr) == cudaSuccess;
      if (!sampled_) fill(false);  // what was done before the clock starts does not count
      if (idle) require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      (void)device().take_kernels();
      require(cudaEventRecord(start_, nullptr), "cudaEventRecord");
      host_start_ = device().host_clock_ns();
    }
    (void)device().take_api_calls();
    server_.gate().open();
    return {{"ok", true}};
  }

  /// @param message  "wait": whether what the rung has started is to end first; "timed", "host_clock": the
  /// clock stops
  json close(const json& message) {
    const bool timed = message.value("timed", false), host_clock = message.value("host_clock", false);
    server_.gate().close();
    if (std::string failed = device().take_failed_call(); !failed.empty())
      reply_.failed_call = std::move(failed);
    if (!stopped_)
      for (const auto& [name, count] : device().take_api_calls()) reply_.calls[name] += count;
    stopped_ = stopped_ || timed;
    if (timed) early_ = device().work_not_waited_for(host_clock);
    if (timed) (void)cudaEventRecord(stop_, nullptr);
    if (!timed && !message.value("wait", false)) return WorkerReply{};
    cudaError_t waited = timed ? cudaEventSynchronize(stop_) : cudaSuccess;
    if (waited == cudaSuccess) waited = cudaDeviceSynchronize();
    reply_.synchronize = status_of(waited);
    if (!timed) return reply_;
    float between = 0;
    if (host_clock)
      reply_.elapsed_ms = (device().host_clock_ns() - host_start_) / 1e6;
    else if (waited == cudaSuccess && cudaEventElapsedTime(&between, start_, stop_) == cudaSuccess)
      reply_.elapsed_ms = static_cast<double>(between);
    timed_kernels_ = device().take_kernels();
    return reply_;
  }

  json collect(bool download) {
    device().fail_call(0);
    device().order_by(0);
    device().fill_new_memory(-1);
    reply_.kernels = std::move(timed_kernels_);
    // Kernels behind the clock's end are the rung's doing all the same.
    for (sim::KernelRecord& late : device().take_kernels()) {
      reply_.elapsed_ms += late.modelled_ns / 1e6;
      reply_.kernels.push_back(std::move(late));
    }
    reply_.findings = device().take_findings();
    if (early_) reply_.findings.push_back(*std::exchange(early_, std::nullopt));
    const bool reset = at().clean_up.was_reset();  // then nothing of the arrays is left
    const auto left = at().clean_up.end(download && came_to_its_end(reply_));
    reply_.findings.insert(reply_.findings.end(), left.begin(), left.end());
    if (reply_.findings.size() > kMostFindings) reply_.findings.resize(kMostFindings);
    if (reply_.kernels.size() > kMostKernels) reply_.kernels.resize(kMostKernels);
    std::fflush(nullptr);
    if (std::exchange(sampled_, false)) {
      device().sample_launches(0);
      json answered = reply_;
      answered["touched"] = at().touched(download);
      return answered;
    }
    if (download && !reset) {
      const auto arrays = at().sets.front()->arrays();
      for (std::size_t i = 0; i < arrays.size(); ++i) arrays[i]->download(case_->results[i].span());
    }
    return reply_;
  }

  json release() {
    case_.reset();
    return {{"ok", true}};
  }

  WorkerCase& at() {
    if (!case_) throw std::logic_error("no case has been sent");
    return *case_;
  }

  sim::remote::Server& server_;
  std::unique_ptr<WorkerCase> case_;
  int poison_ = 0;
  bool stopped_ = false;  ///< the clock was: what calls the rung makes from here on is of no interest
  bool sampled_ = false;  ///< until the next "collect", a sample of the blocks runs
  cudaEvent_t start_{}, stop_{};
  double host_start_ = 0;
  std::optional<sim::Finding> early_;  ///< work that nobody waits for, when the launch returned
  std::vector<sim::KernelRecord> timed_kernels_;
  WorkerReply reply_;
};

}  // namespace

int simulator_main() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // kernels print
  Channel channel{UniqueFd(kChannelFd)};
  sim::remote::Server server;  // first: it says where memory is
  device().set_up();
  Simulator simulator(server);
  for (;;) {
    std::vector<UniqueFd> fds;
    const auto message = channel.receive(&fds);
    if (!message || !channel.send(simulator.answer(*message, std::move(fds)))) break;
  }
  std::fflush(nullptr);
  _exit(0);
}

}  // namespace ladder
