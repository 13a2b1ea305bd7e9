#include "grader/judge/cases/check_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "grader/lesson/element.h"
#include "grader/worker/guard.h"
#include "language/catalogue.h"

namespace ladder {
namespace {

using nlohmann::json;

Explanation wrote_outside(const Buffer& buffer, bool after, std::size_t distance) {
  const auto size = static_cast<std::int64_t>(size_of(buffer.type));
  const auto bytes = static_cast<std::int64_t>(distance);
  Explanation words{Outcome::wrote_outside, "", "", ""};
  words.headline =
      tr("wrote outside: memory {} '{}' was overwritten", after ? tr("after") : tr("before"), buffer.name);
  if (after) {
    words.detail = tr("The first byte overwritten is that of {}[{}], but '{}' has {} elements.", buffer.name,
                      buffer.elements() + bytes / size, buffer.name, buffer.elements());
    words.advice =
        tr("The last block usually has more threads than there are elements left. Guard the access, as in "
           "if (i < n), and mind < against <=.");
  } else {
    words.detail = tr("Index {} of '{}' was written.", -(bytes + size - 1) / size, buffer.name);
    words.advice = tr("An index became negative. Is 1 subtracted at the left edge, or does an int overflow?");
  }
  return words;
}

/// Looks at both guard bands of array @p index.
Explanation check_guards(const PreparedCase& prepared, std::size_t index) {
  const Buffer& buffer = prepared.problem.buffers()[index];
  const std::size_t guard = guard_bytes(buffer.location);
  const auto pattern = guard_pattern(prepared.guard_seed, guard);
  const auto all = prepared.results[index].span();
  if (const auto at = first_damage(all.last(guard), pattern)) return wrote_outside(buffer, true, *at);
  auto before = pattern;
  before.resize(guard + buffer.offset_bytes(), kBeforeOffset);
  if (const auto at = first_damage(all.first(before.size()), before))
    return wrote_outside(buffer, false, before.size() - *at);
  return {};
}

Explanation check_input(const PreparedCase& prepared, std::size_t index) {
  const Buffer& buffer = prepared.problem.buffers()[index];
  const auto got = prepared.got(index);
  if (buffer.role != Buffer::Role::input || same_bytes(buffer.bytes, got)) return {};
  const auto at = *first_damage(got, buffer.bytes);
  const auto element = static_cast<std::int64_t>(at / size_of(buffer.type));
  Explanation words{Outcome::input_changed, tr("input changed: '{}' is not what it was", buffer.name), "",
                    ""};
  words.detail =
      tr("{}[{}] was {} and is now {}.", buffer.name, element,
         element_at(buffer.type, buffer.bytes.data(), element), element_at(buffer.type, got.data(), element));
  words.advice = tr(
      "The contract calls this array an input: callers keep using it. Work on a copy, in shared memory or in "
      "an array of your own.");
  return words;
}

/// The worker's answer to a run, or the words for its failing to answer.
std::variant<WorkerReply, CaseResult> understand(std::variant<json, Ending> answer) {
  CaseResult result;
  if (const auto* ending = std::get_if<Ending>(&answer)) {
    result.worker_lost = true;
    result.words = explain_ending(*ending);
    return result;
  }
  const json& message = std::get<json>(answer);
  try {  // what a student's code may have sent can be of any shape
    const std::string failed = message.value("failed", "");
    if (failed == "memory") {
      result.words = {Outcome::not_run, tr("this device has no room for the case"),
                      message.value("message", ""), ""};
      return result;
    }
    if (failed == "exception") {
      result.words = {Outcome::harness_failed,
                      tr("the lesson or the grader failed: ") + message.value("message", ""), "", ""};
      return result;
    }
    return message.get<WorkerReply>();
  } catch (const json::exception&) {
    Ending ending;
    ending.how = Ending::How::broken_channel;
    result.worker_lost = true;
    result.words = explain_ending(ending);
    return result;
  }
}

std::vector<std::byte> copy(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

std::size_t PreparedCase::bytes() const {
  std::size_t bytes = 0;
  for (const Buffer& buffer : problem.buffers()) bytes += 2 * buffer.size_bytes() + 2 * kHostGuard;
  return bytes;
}

std::size_t PreparedCase::files() const {
  const auto& buffers = problem.buffers();
  return results.size() +
         static_cast<std::size_t>(std::count_if(
             buffers.begin(), buffers.end(), [](const Buffer& buffer) { return buffer.storage != nullptr; }));
}

std::span<const std::byte> PreparedCase::got(std::size_t index) const {
  const Buffer& buffer = problem.buffers()[index];
  const std::size_t before = guard_bytes(buffer.location) + buffer.offset_bytes();
  return results[index].span().subspan(before, buffer.size_bytes());
}

std::string key_of(const Case& which) {
  return std::string(which.blank_page ? "blank page " : "") +
         (which.use == Case::Use::time ? "time " : "check ") + which.label();
}

std::unique_ptr<PreparedCase> prepare_case(const Lesson& lesson, const Case& which, const Secret& secret,
                                           std::string_view values) {
  const std::string key = key_of(which);
  auto prepared = std::make_unique<PreparedCase>(PreparedCase{.problem = Problem(which), .results = {}});
  prepared->guard_seed = secret.number("guard", key);
  prepared->order_seed = secret.number("order", key) | 1;  // 0 is the usual order
  prepared->poison_seed = secret.number("poison", key);
  Random random(secret.number(values, key));
  lesson.declare(prepared->problem, random);
  for (Buffer& buffer : prepared->problem.buffers()) {
    if (buffer.storage) buffer.storage->seal_against_writing();
    prepared->results.emplace_back(guarded_bytes(buffer));
  }
  const auto begin = std::chrono::steady_clock::now();
  lesson.reference(prepared->problem);
  prepared->reference_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return prepared;
}

CaseResult send_case(RemoteWorker& worker, PreparedCase& prepared, int sets) {
  json buffers = json::array();
  std::vector<int> fds;
  for (std::size_t i = 0; i < prepared.results.size(); ++i) {
    const Buffer& buffer = prepared.problem.buffers()[i];
    buffers.push_back(buffer_to_json(buffer));
    if (buffer.storage) fds.push_back(buffer.storage->fd());
    fds.push_back(prepared.results[i].fd());
  }
  const json message = {{"do", "case"},
                        {"case", case_to_json(prepared.which())},
                        {"buffers", buffers},
                        {"guard", prepared.guard_seed},
                        {"sets", sets}};
  // The arrays themselves, their copies on a simulated
  // device, and the shared files, are not the rung's doing.
  auto answer = worker.call(message, fds, prepared.bytes() * (2 + static_cast<std::size_t>(sets)));
  if (const auto* said = std::get_if<json>(&answer); said != nullptr && said->contains("sets")) {
    CaseResult sent;
    sent.sets = said->at("sets").is_number_unsigned() ? std::clamp<std::size_t>(said->at("sets"), 1, 16) : 1;
    return sent;
  }
  auto understood = understand(std::move(answer));
  if (auto* result = std::get_if<CaseResult>(&understood)) return std::move(*result);
  CaseResult result;
  result.worker_lost = true;
  result.words = explain_errors(std::get<WorkerReply>(understood));
  return result;
}

Explanation explain_answer(std::variant<json, Ending> answer) {
  auto understood = understand(std::move(answer));
  if (const auto* failed = std::get_if<CaseResult>(&understood)) return failed->words;
  return explain_reply(std::get<WorkerReply>(understood));
}

CaseResult judge_results(const PreparedCase& prepared, int poison) {
  CaseResult result;
  const auto buffers = prepared.problem.buffers();
  for (std::size_t i = 0; i < buffers.size() && result.passed(); ++i)
    result.words = check_guards(prepared, i);
  for (std::size_t i = 0; i < buffers.size() && result.passed(); ++i) result.words = check_input(prepared, i);
  for (std::size_t i = 0; i < buffers.size() && result.passed(); ++i) {
    if (buffers[i].role == Buffer::Role::input) continue;
    const int filled = buffers[i].role == Buffer::Role::output ? poison : -1;
    Mismatches wrong = compare(buffers[i], prepared.got(i), filled);
    if (wrong.count == 0) continue;
    result.words.outcome = Outcome::wrong_values;
    result.buffer = i;
    result.poison = filled;
    result.wrong = std::move(wrong);
    result.got = copy(prepared.got(i));
  }
  return result;
}

std::vector<int> poisons_for(const PreparedCase& prepared) {
  constexpr int kOthers[] = {kPoisonHuge, kPoisonNegative, kPoisonSmall};
  return {kPoisonNan, kOthers[prepared.poison_seed % 3]};
}

namespace {

/// @param failing  number of the launch or allocation that fails; 0: none
std::variant<WorkerReply, CaseResult> ask_run(RemoteWorker& worker, PreparedCase& prepared, int poison,
                                              std::uint64_t order, int failing) {
  for (SharedBytes& result : prepared.results)
    if (result.size() > 0) std::memset(result.data(), 0, result.size());
  return understand(worker.call({{"do", "run"},
                                 {"poison", poison},
                                 {"order", order},
                                 {"failing", failing},
                                 {"closely", prepared.closely}}));
}

CaseResult run_once(RemoteWorker& worker, PreparedCase& prepared, int poison, std::uint64_t order = 0) {
  auto understood = ask_run(worker, prepared, poison, order, 0);
  if (auto* failed = std::get_if<CaseResult>(&understood)) return std::move(*failed);
  const WorkerReply& reply = std::get<WorkerReply>(understood);
  CaseResult result;
  Explanation words = explain_reply(reply);
  if (words.outcome == Outcome::passed) {
    result = judge_results(prepared, poison);
  } else {
    result.words = std::move(words);
    result.worker_lost = true;  // a CUDA context does not survive most errors
  }
  result.findings = reply.findings;
  result.kernels = reply.kernels;
  result.calls = reply.calls;
  result.elapsed_ms = reply.elapsed_ms;
  return result;
}

/// Exchanges what inputs hold, in the memory that the worker reads, and what is expected.
void swap_values(PreparedCase& one, PreparedCase& other) {
  const auto ours = one.problem.buffers(), theirs = other.problem.buffers();
  for (std::size_t i = 0; i < ours.size(); ++i) {
    std::swap_ranges(ours[i].bytes.begin(), ours[i].bytes.end(), theirs[i].bytes.begin());
    std::swap(ours[i].expected, theirs[i].expected);
  }
}

}  // namespace

CaseResult run_with_other_values(RemoteWorker& worker, PreparedCase& prepared, PreparedCase& other) {
  swap_values(prepared, other);
  CaseResult result = run_once(worker, prepared, kPoisonNan);
  swap_values(prepared, other);
  return result;
}

CaseResult run_failing(RemoteWorker& worker, PreparedCase& prepared) {
  constexpr int kMost = 12;  // calls of one run; the mistake is the same at each of them
  CaseResult result;
  for (int number = 1; number <= kMost; ++number) {
    const auto understood = ask_run(worker, prepared, kPoisonNan, 0, number);
    const auto* reply = std::get_if<WorkerReply>(&understood);
    if (reply == nullptr || reply->failed_call.empty()) return result;
    const bool thrown = !reply->exception.empty() && (!reply->objection || reply->reported);
    const bool told = reply->returned.code != 0 || thrown;
    if (told || reply->synchronize.code != 0 || reply->harness.code != 0) continue;
    if (reply->left_behind.code == 0 && judge_results(prepared, kPoisonNan).passed()) continue;
    const bool of_api = reply->failed_call.starts_with("cuda");
    result.words = {
        Outcome::finding,
        of_api
            ? tr("an error is lost: {}() failed, and your function returned cudaSuccess", reply->failed_call)
            : tr("an error is lost: the launch of {} failed, and your function returned cudaSuccess",
                 reply->failed_call),
        tr("The grader made it fail on purpose, as {}. The caller is told that all is well, and has no "
           "results.",
           of_api ? tr("it does when there is no memory left")
                  : tr("a kernel does that needs more registers than there are")),
        tr("Return the first error: what each call returns, and behind a launch what cudaGetLastError() "
           "says."),
        "error_lost"};
    return result;
  }
  return result;
}

namespace {

/// Whether a case is so much work for the simulator that one run has to do: it is there for its extents, and
/// what poison and another order of blocks show, smaller cases show.
bool is_long(const CaseResult& result) {
  constexpr std::uint64_t kLong = std::uint64_t{1} << 20;  // warp instructions: some tenths of a second
  std::uint64_t executed = 0;
  for (const sim::KernelRecord& kernel : result.kernels) executed += kernel.counters.inst_executed;
  return executed > kLong;
}

}  // namespace

CaseResult run_case(RemoteWorker& worker, PreparedCase& prepared, const std::vector<int>& poisons,
                    std::size_t from) {
  CaseResult result;
  std::vector<std::vector<std::byte>>
      earlier;  // what the run before left, to hold a wrong second run against
  for (std::size_t i = from; i < poisons.size(); ++i) {
    // The first run in the usual order, which is easier to follow; the second in another, which it must bear.
    result = run_once(worker, prepared, poisons[i], i == 0 ? 0 : prepared.order_seed);
    result.run = i;
    if (!result.passed()) {
      if (result.words.outcome == Outcome::wrong_values && !earlier.empty()) {
        result.other = std::move(earlier[result.buffer]);
        result.other_poison = poisons[i - 1];
      }
      break;
    }
    if (is_long(result)) break;
    if (i + 1 == poisons.size() || prepared.bytes() > (std::size_t{256} << 20)) continue;
    for (std::size_t b = 0; b < prepared.results.size(); ++b) earlier.push_back(copy(prepared.got(b)));
  }
  if (result.words.outcome != Outcome::wrong_values || !result.other.empty()) return result;
  const CaseResult again = run_once(worker, prepared, kPoisonSmall);
  result.worker_lost = again.worker_lost;
  if (again.passed() || again.words.outcome == Outcome::wrong_values) {
    result.other = copy(prepared.got(result.buffer));
    result.other_poison = kPoisonSmall;
  }
  return result;
}

}  // namespace ladder
