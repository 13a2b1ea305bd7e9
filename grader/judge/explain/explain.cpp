#include "grader/judge/explain/explain.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "grader/worker/symbols.h"
#include "language/catalogue.h"
#include "simulator/report/wording/words.h"

namespace ladder {
namespace {

std::string where(const LastWords& words) { return describe(words.step); }

const LastWords::Array* array_at(const LastWords& words, std::uint64_t address) {
  for (std::uint32_t i = 0; i < words.arrays_used; ++i)
    if (address >= words.arrays[i].begin && address < words.arrays[i].end) return &words.arrays[i];
  return nullptr;
}

Explanation explain_segfault(const Ending& ending) {
  Explanation words{Outcome::crashed, "", "", ""};
  const std::uint64_t address = ending.words.address;
  const LastWords::Array* array = array_at(ending.words, address);
  words.headline = tr("crashed: segmentation fault {}", where(ending.words));
  if (array != nullptr && array->on_device != 0) {
    words.headline = tr("crashed: host code dereferenced the device pointer '{}'", array->name);
    words.detail =
        tr("The address {:#x} belongs to '{}', {} bytes into it, and that array is in device memory.",
           address, array->name, address - array->begin);
    words.advice =
        tr("Only kernels may follow a pointer to device memory. Copy the values with cudaMemcpy first, or do "
           "the work in a kernel.");
  } else if (ending.words.signal == SIGSEGV && ending.words.signal_code > 0 && address < 4096 &&
             ending.words.signal_code != 128) {
    words.detail = tr("The host code followed a null pointer (address {:#x}).", address);
    words.advice =
        tr("Check that every pointer was set before it is used, and that each allocation succeeded.");
  } else {
    if (ending.words.signal_code != 128) words.detail = tr("The address was {:#x}.", address);
    words.advice = tr(
        "The host code went outside its memory, dereferenced a device pointer, which only a kernel may do, "
        "or gave memory of CUDA's back by delete or free().");
  }
  return words;
}

Explanation explain_signal(const Ending& ending) {
  Explanation words{Outcome::crashed, "", "", ""};
  switch (ending.number) {
    case SIGSEGV:
    case SIGBUS:
      return explain_segfault(ending);
    case SIGFPE:
      words.headline = tr("crashed: arithmetic exception {}", where(ending.words));
      words.advice = tr(
          "An integer was divided by zero in host code. Does the grid size divide by something that is 0 for "
          "small inputs?");
      return words;
    case SIGABRT:
      words.headline = tr("crashed: abort() was called {}", where(ending.words));
      words.advice = tr(
          "A failed assert, an exception that nobody caught, or memory freed twice ends like this; what was "
          "printed may say which.");
      return words;
    case SIGILL:
    case SIGTRAP:
      words.headline = tr("crashed: illegal instruction {}", where(ending.words));
      words.advice =
          tr("A function that promises a value and returns none ends like this, as does __builtin_trap().");
      return words;
    case SIGKILL:
      words = {Outcome::out_of_memory, tr("killed by the system {}", where(ending.words)), "",
               tr("The usual reason is that the machine ran out of memory. How much does your function "
                  "allocate?")};
      return words;
    default:
      words.headline =
          tr("crashed: signal {} ({}) {}", ending.number, strsignal(ending.number), where(ending.words));
      return words;
  }
}

/// What a student should know about the errors that learners meet.
const char* advice_for(const std::string& name) {
  static constexpr std::pair<const char*, const char*> kAdvice[] = {
      {"cudaErrorInvalidConfiguration",
       tr_noop("The launch asked for a shape that the device refuses, so the "
               "kernel did not run. A block may have at "
               "most 1024 "
               "threads (x * y * z), 64 of them in z; no extent may be 0; a grid "
               "may have at most 65535 blocks in y "
               "and in z. "
               "Is a zero-sized case launched?")},
      {"cudaErrorLaunchOutOfResources",
       tr_noop("One block of this kernel needs more registers or shared memory "
               "than a multiprocessor has. Use fewer "
               "threads a "
               "block, or less shared memory.")},
      {"cudaErrorIllegalAddress", tr_noop("A kernel accessed memory that is not its own. Check the guard (if "
                                          "(i < n)), and what the index is "
                                          "for the last "
                                          "block and the smallest sizes.")},
      {"cudaErrorMisalignedAddress", tr_noop("A wide access (float2, float4) needs an address that is a "
                                             "multiple of its size: 8 or 16 bytes. An "
                                             "odd offset or "
                                             "an odd row length breaks that.")},
      {"cudaErrorInvalidValue",
       tr_noop(
           "An argument is out of range. Of a launch (since CUDA 13; before, that was "
           "cudaErrorInvalidConfiguration): a block has 1 to 1024 threads (x * y * z), at most 64 in z; no "
           "extent "
           "is 0; a grid has at most 65535 blocks in y and in z; shared memory beyond 48 KiB is asked for "
           "first. "
           "Is a zero-sized case launched? Of another call: a null or host pointer where a device pointer "
           "belongs, "
           "a size beyond the allocation, or the wrong direction of a copy.")},
      {"cudaErrorInvalidDevicePointer",
       tr_noop("A pointer that is no device memory was given to a CUDA call. Was it freed already?")},
      {"cudaErrorInvalidPitchValue", tr_noop("The pitch of a 2-D copy is smaller than its width in bytes.")},
      {"cudaErrorMemoryAllocation",
       tr_noop("More memory was asked for than there is. Is a size in bytes multiplied twice, or an "
               "allocation never freed?")},
      {"cudaErrorNoKernelImageForDevice", tr_noop("The module holds no code that this device can run.")},
      {"cudaErrorUnsupportedPtxVersion",
       tr_noop("The driver is older than the compiler that made this module.")},
      {"cudaErrorLaunchTimeout",
       tr_noop("The kernel ran longer than this device allows. Does every loop end?")},
      {"cudaErrorAssert", tr_noop("A device-side assert failed; its text is among what was printed.")},
      {"cudaErrorNotSupported", tr_noop("This device does not support the operation.")},
      {"cudaErrorCooperativeLaunchTooLarge",
       tr_noop("A cooperative launch may have no more blocks than fit on the device at once.")},
  };
  for (const auto& [error, advice] : kAdvice)
    if (name == error) return tr(advice);
  return "";
}

/// @param what  failed, when it was not a want of memory
Explanation explain_status(const CudaStatus& status, const std::string& how,
                           const char* what = tr("launch failed")) {
  Explanation words;
  const bool memory = status.name == "cudaErrorMemoryAllocation";
  words.outcome = memory ? Outcome::out_of_memory : Outcome::launch_failed;
  words.headline = memory ? tr("out of memory ({})", status.name)
                          : fmt::format("{}: {} ({})", what, status.text, status.name);
  words.detail = how;
  words.status = memory ? words.headline : fmt::format("{} ({})", status.text, status.name);
  words.advice = advice_for(status.name);
  return words;
}

/// What the simulator noted of a call that failed, which a program may take for an answer, tells why.
Explanation with_reason(Explanation words, const std::vector<sim::Finding>& findings) {
  const auto at = std::find_if(findings.begin(), findings.end(),
                               [](const auto& f) { return f.kind == sim::FindingKind::texture; });
  if (at == findings.end()) return words;
  words.detail += "\n" + sim::finding_headline(*at) + "\n" + sim::finding_detail(*at);
  words.advice = sim::finding_cure(*at);
  words.finding = static_cast<std::size_t>(at - findings.begin());
  return words;
}

/// Whether an error is that of a launch: what the simulator noted tells, or which errors a launch alone can
/// have.
bool is_of_launch(const CudaStatus& status, const std::vector<sim::Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const auto& f) { return f.kind == sim::FindingKind::launch; }) ||
         status.name == "cudaErrorInvalidConfiguration" || status.name == "cudaErrorLaunchOutOfResources" ||
         status.name == "cudaErrorInvalidDeviceFunction" ||
         status.name == "cudaErrorNoKernelImageForDevice" ||
         status.name == "cudaErrorCooperativeLaunchTooLarge";
}

/// An error that the lesson's call of the rung returned: of a launch, of another call, or made up.
Explanation explain_returned(const CudaStatus& status, const std::vector<sim::Finding>& findings) {
  if (is_of_launch(status, findings)) return explain_status(status, tr("Your function returned this error."));
  return explain_status(status,
                        tr("A call in it failed, or a kernel that it waited for; or it is an error that your "
                           "code makes itself, from arguments that it does not take."),
                        tr("your function returned an error"));
}

/// An error that the rung did not pass on.
Explanation explain_left_behind(const CudaStatus& status, const std::vector<sim::Finding>& findings) {
  if (is_of_launch(status, findings))
    return explain_status(status,
                          tr("Your function returned cudaSuccess, but a launch in it had failed and nobody "
                             "looked: a kernel launch returns nothing, so ask cudaGetLastError() after it."));
  if (status.name == "cudaErrorMemoryAllocation")
    return explain_status(
        status, tr("Your function returned cudaSuccess, but an allocation in it had failed and nobody "
                   "looked: cudaMalloc() returns an error, so return that, or CUDA_CHECK() it."));
  return explain_status(
      status, tr("Your function returned cudaSuccess, but a call or a launch in it had failed and nobody "
                 "looked. Check what every call returns, and cudaGetLastError() after every launch."));
}

}  // namespace

Explanation explain_ending(const Ending& ending) {
  switch (ending.how) {
    case Ending::How::signal:
      return explain_signal(ending);
    case Ending::How::exit:
      return {Outcome::exited,
              tr("your code ended the program: exit status {}, {}", ending.number, where(ending.words)), "",
              tr("A rung returns to its caller; exit() takes the whole program with it. Return an error code "
                 "instead.")};
    case Ending::How::timeout:
      return {Outcome::timed_out, tr("no end after {:g} s: stopped {}", ending.seconds, where(ending.words)),
              "",
              tr("Does every loop end, for every thread? Does a loop wait for something that no other thread "
                 "will do? "
                 "A barrier that not all threads of the block reach hangs, too.")};
    case Ending::How::memory:
      return {Outcome::out_of_memory,
              tr("out of memory: the program held {} MiB of host memory and was stopped {}",
                 ending.bytes >> 20, where(ending.words)),
              "", tr("Is memory allocated in a loop, or an extent multiplied twice?")};
    case Ending::How::broken_channel:
      return {Outcome::crashed, tr("crashed: the rung wrote into the grader's channel, or closed it"), "",
              tr("Descriptors that a program did not open are not its own. The verdict does not come from "
                 "there.")};
  }
  return {Outcome::harness_failed, tr("the rung's process ended in an unknown way"), "", ""};
}

Explanation explain_errors(const WorkerReply& reply) {
  if (!reply.exception.empty() && reply.returned.code != 0)
    return explain_status(reply.returned, reply.exception);
  if (reply.objection) return {Outcome::launch_failed, reply.exception, "", ""};
  if (!reply.exception.empty())
    return {Outcome::launch_failed, tr("an exception left your function: ") + reply.exception, "",
            tr("The contract reports errors by its return value.")};
  if (reply.returned.code != 0) {
    if (reply.step == WorkerStep::prepare)
      return with_reason(explain_status(reply.returned,
                                        tr("What is called before the timed function returned this error: a "
                                           "function of yours, where the contract has one for that."),
                                        tr("failed before the timed function")),
                         reply.findings);
    return with_reason(explain_returned(reply.returned, reply.findings), reply.findings);
  }
  if (reply.left_behind.code != 0 && reply.step == WorkerStep::prepare)
    return explain_status(
        reply.left_behind,
        tr("A call before the timed function had failed, and nobody looked: the error was still there, for "
           "cudaGetLastError() to tell, when your code returned cudaSuccess."));
  if (reply.left_behind.code != 0 && reply.step == WorkerStep::finish)
    return explain_status(
        reply.left_behind,
        tr("A call in the function that gives everything back had failed, and nobody looked: it returned "
           "cudaSuccess."));
  if (reply.left_behind.code != 0) return explain_left_behind(reply.left_behind, reply.findings);
  if (reply.synchronize.code != 0)
    return explain_status(reply.synchronize, tr("The error arose while a kernel was running."));
  if (reply.harness.code != 0) {
    Explanation words = explain_status(reply.harness, tr("It showed when the grader copied the arrays."));
    if (words.outcome == Outcome::out_of_memory) {
      words.outcome = Outcome::not_run;
      return words;
    }
    words.advice =
        tr("The arrays of the contract belong to the caller: do not free them, and do not reset the device.");
    return words;
  }
  return {};
}

Explanation explain_findings(const std::vector<sim::Finding>& findings) {
  const auto at = std::find_if(findings.begin(), findings.end(),
                               [](const auto& f) { return f.severity == sim::Severity::error; });
  if (at == findings.end()) return {};
  Explanation words;
  words.outcome = Outcome::finding;
  if (at->kind == sim::FindingKind::hang) words.outcome = Outcome::timed_out;
  if (at->kind == sim::FindingKind::launch) words.outcome = Outcome::launch_failed;
  if (at->kind == sim::FindingKind::unsupported) words.outcome = Outcome::not_run;
  words.headline = sim::finding_headline(*at);
  if (at->kind == sim::FindingKind::unsupported)
    words.headline = tr("the simulator cannot run this: ") + words.headline;
  words.detail = sim::finding_detail(*at);
  words.advice = sim::finding_cure(*at);
  words.diagnosis = to_string(at->kind);
  words.finding = static_cast<std::size_t>(at - findings.begin());
  return words;
}

namespace {

/// What a sentence says after the words that its headline has already, with a capital.
std::string behind_claim(std::string sentence, const std::string& claim) {
  if (!sentence.starts_with(claim + ": ")) return sentence;
  sentence.erase(0, claim.size() + 2);
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] += 'A' - 'a';
  return sentence;
}

}  // namespace

Explanation explain_reply(const WorkerReply& reply) {
  Explanation seen = explain_findings(reply.findings);
  Explanation said = explain_errors(reply);
  // What the grader's own kernel does goes by what the rung has left.
  if (reply.harness.code != 0 && (seen.diagnosis == to_string(sim::FindingKind::use_after_free) ||
                                  seen.diagnosis == to_string(sim::FindingKind::out_of_bounds))) {
    seen.detail += tr("\nIt showed in the grader's own kernel, which goes by what your code has left.");
    seen.advice =
        seen.diagnosis == to_string(sim::FindingKind::use_after_free)
            ? tr("The memory is that of an earlier call, and its owner has freed it since: each call "
                 "gets memory of its own, and keeps no pointer in a static variable.")
            : tr("The memory that your code allocates is too small for the places that it gives out: "
                 "compare the size asked for with the last place, both in bytes.");
    return seen;
  }
  if (seen.outcome == Outcome::passed || reply.harness.code != 0) return said;  // in the grader's own calls
  // Of a refused launch the simulator knows the numbers, and the runtime's error who ignored it.
  if (seen.outcome == Outcome::launch_failed && said.outcome == Outcome::launch_failed) {
    const std::string claim = sim::claim_in_words(reply.findings[*seen.finding]);
    seen.headline = tr("launch failed: ") + (claim.empty() ? seen.detail : claim);
    seen.detail = (claim.empty() ? "" : behind_claim(seen.detail, claim) + '\n') +
                  (said.status.empty() ? said.headline : said.status) + '.' +
                  (said.detail.empty() ? "" : "\n") + said.detail;
    // What the limits are has just been said.
    if (reply.findings[*seen.finding].cure.kind == sim::Cure::launch_within_limits) {
      seen.advice.clear();
      return seen;
    }
  }
  if (seen.advice.empty() && seen.outcome == said.outcome) seen.advice = said.advice;
  return seen;
}

namespace {

/// cuModuleLoad(), cublasSgemm_v2()
bool of_driver_or_library(const std::string& symbol) {
  return symbol.starts_with("cublas") ||
         (symbol.starts_with("cu") && symbol.size() > 2 && symbol[2] >= 'A' && symbol[2] <= 'Z');
}

}  // namespace

Explanation explain_load(const nlohmann::json& failure, DeviceKind device) {
  const std::string symbol = failure.value("symbol", "");
  const std::string message = failure.value("message", "");
  if (symbol.empty()) return {Outcome::build_failed, tr("the module cannot be loaded"), message, ""};
  const bool of_runtime = symbol.starts_with("cuda") || symbol.starts_with("__cuda");
  if (device == DeviceKind::simulator && (of_runtime || of_driver_or_library(symbol)))
    return {Outcome::not_run, tr("the simulator does not know {}() yet", symbol), "",
            tr("Run this rung on a GPU.")};
  if (of_runtime) return {Outcome::not_run, tr("this machine's CUDA runtime has no {}()", symbol), "", ""};
  if (failure.value("failed", "") == "module")
    return {Outcome::build_failed, tr("your file uses {} but nobody defines it", symbol), "",
            tr("A misspelt name, or a function that is declared and never written?")};
  Explanation words{Outcome::build_failed, tr("your file does not define {}", symbol), "", ""};
  constexpr std::size_t kMostNames = 8;
  auto instead = failure.value("instead", std::vector<std::string>{});
  if (instead.size() > kMostNames) instead.resize(kMostNames);
  for (const std::string& other : instead)
    words.detail += (words.detail.empty() ? tr("It has ") : tr("\nand ")) + other;
  words.advice =
      instead.empty()
          ? tr("The lesson calls {}(...), so keep its name, and do not make it static or put it in a "
               "namespace.",
               base_name(symbol))
          : tr("The name is right, the parameters are not: compare them with the lesson's header.");
  return words;
}

}  // namespace ladder
