#include "grader/worker/worker.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "grader/worker/device/device.h"
#include "grader/worker/guard.h"
#include "grader/worker/symbols.h"
#include "grader/worker/worker_peaks.h"
#include "grader/worker/worker_signals.h"

namespace ladder {
namespace {

using nlohmann::json;

int attribute(cudaDeviceAttr which) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, 0) != cudaSuccess) (void)cudaGetLastError();
  return value;
}

json describe_device() {
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
  static cudaDeviceProp properties;
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, 0);
  if (error == cudaSuccess)
    error = cudaFree(nullptr);  // creates the context, which is where a broken driver shows
  if (error != cudaSuccess) return {{"failed", "device"}, {"message", cudaGetErrorString(error)}};
  DeviceInfo info;
  info.count = count;
  info.name = properties.name;
  info.major = properties.major;
  info.minor = properties.minor;
  info.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  info.clock_ghz = attribute(cudaDevAttrClockRate) / 1e6;
  info.l2_bytes = attribute(cudaDevAttrL2CacheSize);
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  // Two transfers a clock, eight bits a byte.
  info.datasheet_gbs = 2.0 * attribute(cudaDevAttrMemoryClockRate) * 1e3 *
                       attribute(cudaDevAttrGlobalMemoryBusWidth) / 8 / 1e9;
  return {{"device", info}};
}

/// The lesson object of the plugin, or what to say when it cannot be had.
struct Loaded {
  std::unique_ptr<Lesson> lesson;
  json failure;
};

json missing(const char* what, const std::string& message, const std::string& module) {
  json failure = {{"failed", what}, {"message", message}, {"symbol", ""}, {"instead", json::array()}};
  const std::string symbol = undefined_symbol(message);
  if (symbol.empty()) return failure;
  const std::string wanted = demangled(symbol);
  failure["symbol"] = wanted;
  for (const std::string& name : defined_functions(module))
    if (const std::string other = demangled(name); base_name(other) == base_name(wanted))
      failure["instead"].push_back(other);
  return failure;
}

Loaded load(const std::string& lesson_path, const std::string& module_path) {
  last_words().step = WorkerStep::loading;
  // The module first and globally: it defines the function that the lesson calls.
  if (dlopen(module_path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
    return {nullptr, missing("module", dlerror(), module_path)};
  device().opened(module_path);
  void* plugin = dlopen(lesson_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) return {nullptr, missing("lesson", dlerror(), module_path)};
  auto* make = reinterpret_cast<Lesson* (*)()>(dlsym(plugin, "ladder_make_lesson"));
  if (make == nullptr)
    return {nullptr, {{"failed", "lesson"}, {"message", "LADDER_LESSON is missing"}, {"symbol", ""}}};
  return {std::unique_ptr<Lesson>(make()), {}};
}

class Worker {
 public:
  Worker(std::unique_ptr<Lesson> lesson) : lesson_(std::move(lesson)) {}

  json answer(const json& message, std::vector<UniqueFd> fds) {
    const auto what = message.at("do").get<std::string>();
    try {
      if (what == "case") return begin_case(message, std::move(fds));
      if (what == "release") return release();
      if (what == "peaks") return measure_peaks(message.at("module").get<std::string>());
      if (what == "run")
        return run(message.at("poison").get<int>(), message.at("order").get<std::uint64_t>(),
                   message.at("failing").get<std::uint64_t>(), message.at("closely").get<bool>());
      if (what == "prepare") return prepare(message.at("poison").get<int>());
      if (what == "launch" || what == "finish") return Phase(*lesson_, at()).go_through(what);
      if (what == "host_arrays") return download_host_arrays();
      if (what == "sample")
        return run_sample(message.at("seed").get<std::uint64_t>(), message.at("filled").get<bool>());
      if (what == "batch") return batch(message);
      if (what == "download") return download(message.at("set").get<std::size_t>());
    } catch (...) {
      return answer_to_exception();
    }
    return {{"failed", "exception"}, {"message", "unknown command"}};
  }

 private:
  WorkerCase& at() {
    if (!case_) throw std::logic_error("no case has been sent");
    return *case_;
  }

  json begin_case(const json& message, std::vector<UniqueFd> fds) {
    last_words().step = WorkerStep::allocating;
    case_.reset();
    auto next = std::make_unique<WorkerCase>();
    next->which = case_from_json(message.at("case"));
    const auto seed = message.at("guard").get<std::uint64_t>();
    next->pattern = guard_pattern(seed, std::max(kHostGuard, guard_bytes(Buffer::Location::device)));
    std::size_t taken = 0;
    // Where the simulator is another process, arrays on the device are its own.
    std::vector<void*> elsewhere;
    if (message.contains("pointers"))
      for (const json& pointer : message.at("pointers"))
        elsewhere.push_back(reinterpret_cast<void*>(pointer.get<std::uint64_t>()));
    const bool apart = !elsewhere.empty();
    for (const json& described : message.at("buffers")) {
      const Buffer buffer = buffer_from_json(described);
      if (apart && buffer.location == Buffer::Location::device) {
        next->initial.emplace_back();
        next->results.emplace_back();
        next->buffers.push_back(buffer);
        continue;
      }
      next->add(buffer, fds, taken);
    }
    const auto wanted = std::max<std::size_t>(1, message.at("sets").get<std::size_t>());
    next->sets.push_back(std::make_unique<ArgumentSet>(next->buffers, next->pattern, elsewhere));
    case_ = std::move(next);
    // More sets only while most of the device's memory stays free: the baseline's process needs some, too.
    for (std::size_t free = 0, total = 0; case_->sets.size() < wanted;) {
      if (cudaMemGetInfo(&free, &total) != cudaSuccess || free / 4 < case_->bytes_per_set()) break;
      auto set = std::make_unique<ArgumentSet>(case_->buffers, case_->pattern);
      for (std::size_t i = 0; i < case_->buffers.size(); ++i)
        set->arrays()[i]->reset(case_->initial[i].span(), 0);
      case_->sets.push_back(std::move(set));
    }
    note_arrays(*case_->sets.front());
    return {{"sets", case_->sets.size()}};
  }

  json run(int poison, std::uint64_t order, std::uint64_t failing, bool closely) {
    device().order_by(order);
    device().fill_new_memory(kNewMemory);
    device().look_closely(closely);
    const auto arrays = at().sets.front()->arrays();
    for (std::size_t i = 0; i < arrays.size(); ++i) arrays[i]->reset(case_->initial[i].span(), poison);
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    (void)device().take_kernels();  // what the harness itself did is nobody's business
    at().clean_up.begin();
    CaseRun timed(*lesson_, at());
    device().fail_call(failing);
    // Device memory in the default stream's order, as a caller would; what the host is to read when all is
    // done.
    WorkerReply reply = timed.once(0, {}, [this] {
      if (!at().clean_up.was_reset()) download(0, Buffer::Location::device);
    });
    const auto left = at().clean_up.end(came_to_its_end(reply));
    reply.findings.insert(reply.findings.end(), left.begin(), left.end());
    device().order_by(0);
    device().fill_new_memory(-1);
    device().fail_call(0);
    if (succeeded(reply)) download(0, Buffer::Location::host);
    return reply;
  }

  /// @param filled  whether pages that a sample of the blocks touched get their data first, and are handed
  /// over; without, what was touched is told of a kernel that fails, too
  json run_sample(std::uint64_t seed, bool filled) {
    if (filled) at().fill_touched();
    device().sample_launches(seed);
    const WorkerReply reply = CaseRun(*lesson_, at()).once(0, {});
    device().sample_launches(0);
    json answered = reply;
    if (succeeded(reply) || !filled) answered["touched"] = at().touched(filled);
    return answered;
  }

  /// The phases of a run, one at a time, where the judge keeps the clock and the device's arrays elsewhere.
  json prepare(int poison) {
    const auto arrays = at().sets.front()->arrays();
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (!arrays[i]->on_device()) arrays[i]->reset(case_->initial[i].span(), poison);
    return Phase(*lesson_, at()).go_through("prepare");
  }

  json download_host_arrays() {
    const auto arrays = at().sets.front()->arrays();
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (!arrays[i]->on_device()) arrays[i]->download(case_->results[i].span());
    return WorkerReply{};
  }

  json batch(const json& message) {
    at().clean_up = {};  // timing makes copies of arrays
    json reply = run_batch(*lesson_, at(), message.at("poison").get<int>(),
                           message.at("seconds").get<double>(), message.at("least").get<int>());
    // At once, before whatever else runs in this process can do what the launch left undone.
    if (message.at("download").get<bool>() && reply.contains("set"))
      (void)download(reply.at("set").get<std::size_t>());
    return reply;
  }

  json download(std::size_t set) {
    download(set, Buffer::Location::device);
    download(set, Buffer::Location::host);
    return WorkerReply{};
  }

  void download(std::size_t set, Buffer::Location location) {
    const auto arrays = at().sets.at(set)->arrays();
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i]->buffer().location == location) arrays[i]->download(case_->results[i].span());
  }

  json release() {
    case_.reset();
    last_words().arrays_used = 0;
    return {{"ok", true}};
  }

  std::unique_ptr<Lesson> lesson_;
  std::unique_ptr<WorkerCase> case_;
};

}  // namespace

json answer_to_exception() {
  try {
    throw;
  } catch (const CudaFailure& failure) {
    (void)cudaGetLastError();
    WorkerReply reply;
    reply.step = WorkerStep::harness;
    reply.harness = status_of(failure.error);
    reply.findings = device().take_findings();
    json answered = reply;
    if (failure.error == cudaErrorMemoryAllocation) answered["failed"] = "memory";
    return answered;
  } catch (const std::bad_alloc&) {
    return {{"failed", "memory"}, {"message", "host memory"}};
  } catch (const std::exception& error) {
    return {{"failed", "exception"}, {"message", error.what()}};
  }
}

int worker_main(const std::string& lesson_path, const std::string& module_path) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // no rung outlives its judge
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what was printed before a crash is worth showing
  note_fatal_signals();
  leave_quickly_on_exit();
  Channel channel{UniqueFd(kChannelFd)};
  device().set_up();

  const json device_words = describe_device();
  if (!channel.send(device_words) || device_words.contains("failed")) return 0;
  std::unique_ptr<Lesson> lesson;
  if (!module_path.empty()) {
    Loaded loaded = load(lesson_path, module_path);
    if (!loaded.lesson) {
      channel.send(loaded.failure);
      return 0;
    }
    lesson = std::move(loaded.lesson);
    channel.send({{"ready", true}});
  }
  Worker worker(std::move(lesson));
  for (;;) {
    last_words().step = WorkerStep::harness;
    std::vector<UniqueFd> fds;
    const auto message = channel.receive(&fds);
    if (!message) break;
    if (!channel.send(worker.answer(*message, std::move(fds)))) break;
  }
  // The student's destructors and atexit handlers have nothing more to say.
  std::fflush(nullptr);
  _exit(0);
}

}  // namespace ladder
