#include <chrono>
#include <cstdio>
#include <exception>

#include "common/cuda_check.h"
#include "grader/worker/device/device.h"
#include "grader/worker/guard.h"
#include "grader/worker/worker.h"
#include "grader/worker/worker_signals.h"
#include "language/catalogue.h"

namespace ladder {
namespace {

constexpr double kHiddenWorkNs = 50'000;  // an idle cudaDeviceSynchronize() takes a few microseconds

double steady_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

bool succeeded(const WorkerReply& reply) {
  return reply.returned.code == 0 && reply.left_behind.code == 0 && reply.synchronize.code == 0 &&
         reply.harness.code == 0 && reply.exception.empty();
}

void note_exception(WorkerReply& reply) {
  try {
    throw;
  } catch (const CudaError& error) {  // of CUDA_CHECK: as good as a returned error, and it knows the line
    reply.returned = status_of(error.code());
    reply.exception = error.what();
  } catch (const Objection& objection) {
    reply.exception = objection.what();
    reply.objection = true;
    reply.reported = objection.reported();
  } catch (const std::exception& error) {
    reply.exception = error.what();
    if (reply.exception.empty()) reply.exception = tr("without words");
  } catch (...) {
    reply.exception = tr("of a type that is no std::exception");
  }
}

WorkerReply Phase::go_through(const std::string& phase) {
  const ArgumentSet& arguments = *at_.sets.front();
  WorkerReply reply;
  try {
    if (phase == "prepare") {
      last_words().step = reply.step = WorkerStep::prepare;
      reply.returned = status_of(lesson_.prepare(at_.which, arguments));
      reply.left_behind = status_of(cudaGetLastError());
    } else if (phase == "launch") {
      last_words().step = reply.step = WorkerStep::launch;
      reply.returned = status_of(lesson_.launch(at_.which, arguments));
      reply.left_behind = status_of(cudaGetLastError());
    } else {
      last_words().step = reply.step = WorkerStep::finish;
      reply.returned = status_of(lesson_.arrange(at_.which, arguments));
      if (succeeded(reply)) reply.returned = status_of(lesson_.finish(at_.which, arguments));
    }
  } catch (...) {
    note_exception(reply);
  }
  last_words().step = WorkerStep::harness;
  std::fflush(nullptr);
  return reply;
}

std::size_t WorkerCase::bytes_per_set() const {
  std::size_t bytes = 0;
  for (const Buffer& buffer : buffers) bytes += buffer.size_bytes() + 2 * kHostGuard;
  return bytes;
}

void WorkerCase::add(const Buffer& buffer, std::vector<UniqueFd>& fds, std::size_t& taken) {
  if (buffer.role == Buffer::Role::output)
    initial.emplace_back();
  else
    initial.emplace_back(std::move(fds.at(taken++)), buffer.size_bytes(), false);
  results.emplace_back(std::move(fds.at(taken++)), guarded_bytes(buffer), true);
  buffers.push_back(buffer);
}

void WorkerCase::fill_touched() {
  const auto arrays = sets.front()->arrays();
  for (std::size_t i = 0; i < arrays.size(); ++i)
    arrays[i]->reset_pages(initial[i].span(), device().touched_pages(arrays[i]->data()));
}

nlohmann::json WorkerCase::touched(bool download) {
  constexpr std::size_t kMostRanges = 200'000;  // a message has limits
  auto all = nlohmann::json::array();
  std::size_t count = 0;
  const auto arrays = sets.front()->arrays();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    auto ranges = nlohmann::json::array();
    for (const sim::ByteRange& range : device().touched_pages(arrays[i]->data())) {
      if (++count > kMostRanges) return nullptr;
      ranges.push_back({range.first, range.bytes});
      if (download) arrays[i]->download_pages(results[i].span(), range);
    }
    all.push_back(std::move(ranges));
  }
  return all;
}

CaseRun::CaseRun(Lesson& lesson, WorkerCase& at) : lesson_(lesson), at_(at) {
  require(cudaEventCreate(&start_), "cudaEventCreate");
  require(cudaEventCreate(&stop_), "cudaEventCreate");
}

CaseRun::~CaseRun() {
  (void)cudaEventDestroy(start_);
  (void)cudaEventDestroy(stop_);
}

void CaseRun::launch(const ArgumentSet& arguments, WorkerReply& reply, const std::function<void()>& collect) {
  const bool on_device = lesson_.timing_scope() == TimingScope::device;
  (void)cudaEventRecord(start_, nullptr);
  const double host_start = device().host_clock_ns();
  last_words().step = reply.step = WorkerStep::launch;
  (void)device().take_api_calls();
  reply.returned = status_of(lesson_.launch(at_.which, arguments));
  for (const auto& [name, count] : device().take_api_calls()) reply.calls[name] += count;
  reply.failed_call += device().take_failed_call();
  reply.left_behind = status_of(cudaGetLastError());
  const auto early = device().work_not_waited_for(lesson_.timing_scope() == TimingScope::end_to_end);
  if (early) reply.findings.push_back(*early);
  if (succeeded(reply)) lesson_.returned(at_.which);  // behind the above: who asks a stream has waited for it
  (void)cudaEventRecord(stop_, nullptr);

  last_words().step = reply.step = WorkerStep::synchronize;
  cudaError_t waited = cudaEventSynchronize(stop_);
  const double stop_seen = steady_ns();
  if (waited == cudaSuccess && collect && succeeded(reply)) {
    reply.returned = status_of(lesson_.arrange(at_.which, arguments));
    if (succeeded(reply)) collect();
  }
  if (waited == cudaSuccess) waited = cudaDeviceSynchronize();
  reply.synchronize = status_of(waited);
  if (!on_device) {
    reply.elapsed_ms = (device().host_clock_ns() - host_start) / 1e6;
    return;
  }
  float between = 0;
  if (waited == cudaSuccess && cudaEventElapsedTime(&between, start_, stop_) == cudaSuccess)
    reply.elapsed_ms = static_cast<double>(between);
  // Work on a stream that does not wait for the default one ends after the event: it counts all the same.
  const double later = steady_ns() - stop_seen;
  if (!device().modelled() && later > kHiddenWorkNs) reply.elapsed_ms += later / 1e6;
}

WorkerReply CaseRun::once(std::size_t set, std::span<std::byte> scratch,
                          const std::function<void()>& collect) {
  const ArgumentSet& arguments = *at_.sets[set];
  WorkerReply reply;
  (void)cudaGetLastError();  // what an earlier call of the harness may have left is not the rung's
  try {
    last_words().step = reply.step = WorkerStep::prepare;
    (void)device().take_api_calls();
    reply.returned = status_of(lesson_.prepare(at_.which, arguments));
    reply.calls = device().take_api_calls();
    reply.failed_call += device().take_failed_call();
    reply.left_behind = status_of(cudaGetLastError());
    (void)device().take_kernels();  // what prepares the data is neither timed nor shown
    if (succeeded(reply)) {
      if (!scratch.empty()) {
        device().chill_caches(scratch.data(), scratch.size());
        // The device's clock starts behind this in the stream, which hides the cost of enqueuing the
        // launch; the host's must not start before it is done.
        if (lesson_.timing_scope() == TimingScope::end_to_end) (void)cudaDeviceSynchronize();
      }
      launch(arguments, reply, collect);
    }
    if (succeeded(reply)) {
      last_words().step = reply.step = WorkerStep::finish;
      reply.returned = status_of(lesson_.finish(at_.which, arguments));
      reply.left_behind = status_of(cudaGetLastError());
      reply.synchronize = status_of(cudaDeviceSynchronize());
    }
  } catch (const CudaFailure&) {  // of the harness's own calls
    throw;
  } catch (...) {
    note_exception(reply);
  }
  last_words().step = WorkerStep::harness;
  reply.failed_call += device().take_failed_call();  // an exception has passed by the above
  const auto seen = device().take_findings();
  reply.findings.insert(reply.findings.begin(), seen.begin(), seen.end());
  reply.kernels = device().take_kernels();
  if (reply.findings.size() > kMostFindings) reply.findings.resize(kMostFindings);
  if (reply.kernels.size() > kMostKernels) reply.kernels.resize(kMostKernels);
  std::fflush(nullptr);
  return reply;
}

nlohmann::json run_batch(Lesson& lesson, WorkerCase& at, int poison, double seconds, int least) {
  // Gone through before every launch: more than twice the L2, so that neither inputs nor outputs are left in
  // it.
  static std::span<std::byte> scratch;
  if (scratch.empty() && !device().modelled()) {
    int l2 = 0;
    require(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0), "size of the L2 cache");
    const std::size_t bytes = static_cast<std::size_t>(l2) / 2 * 5 + (std::size_t{16} << 20);
    void* memory = nullptr;
    require(cudaMalloc(&memory, bytes), "cudaMalloc");
    require(cudaMemset(memory, 0, bytes), "cudaMemset");
    scratch = {static_cast<std::byte*>(memory), bytes};
  }
  CaseRun run(lesson, at);
  std::vector<double> samples;
  static std::size_t turn = 0;
  std::size_t set = 0;
  const double begin = steady_ns();
  while (static_cast<int>(samples.size()) < least || steady_ns() - begin < seconds * 1e9) {
    set = turn++ % at.sets.size();
    const auto arrays = at.sets[set]->arrays();
    for (std::size_t i = 0; i < arrays.size(); ++i) arrays[i]->reset_quickly(at.initial[i].span(), poison);
    const WorkerReply reply = run.once(set, scratch);
    if (!succeeded(reply)) return reply;
    samples.push_back(reply.elapsed_ms);
  }
  return {{"samples", samples}, {"set", set}};
}

}  // namespace ladder
