#include "grader/judge/judge.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/random.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "grader/judge/cases/hidden_cases.h"
#include "grader/judge/check_rung.h"
#include "grader/judge/side_runs.h"
#include "grader/judge/timing/time_rung.h"
#include "grader/lesson/blank_page.h"
#include "grader/lesson/giant.h"
#include "grader/worker/device/device.h"
#include "language/catalogue.h"

namespace ladder {
namespace {

constexpr std::int64_t kQuickElements = 65536;

std::uint64_t fresh_seed() {
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) throw std::runtime_error("no random seed to be had");
  return seed >> 12;  // fits the 53 bits that a JSON reader may keep of a number
}

bool is_quick(const Case& which) {
  std::int64_t product = 1;
  for (const auto& [name, extent] : which.extents)
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(extent, 1), &product)) return false;
  return product <= kQuickElements;
}

Bench make_bench(const RunRequest& options, const EventSink& emit, const Lesson& lesson) {
  const Secret secret(options.seed.value(), options.lesson_name);
  Bench bench{options, emit, lesson, {}, {}, {}, secret, CaseStore(lesson, secret), 0};
  for (const Case& which : lesson.cases(device().kind())) {
    if (which.use == Case::Use::time) {
      if (!options.check_only) bench.timed.push_back(which);
    } else if (!options.quick || is_quick(which)) {
      bench.checks.push_back(which);
    }
  }
  const std::vector<Case> hidden =
      hidden_cases(lesson, bench.checks, options.hidden, secret.number("hidden cases"));
  bench.checks.insert(bench.checks.end(), hidden.begin(), hidden.end());
  if (device().modelled() && !options.quick) bench.giants = giant_cases_of(lesson);
  return bench;
}

/// The cases that can be made ahead, in their order. Nothing is to run beside what is timed by a clock: a
/// rung on a GPU, and the references that a ladder of rungs is compared with.
std::vector<Case> coming(const Bench& bench) {
  const std::vector<RungSpec>& rungs = bench.options.rungs;
  return rungs.size() == 1 && device().modelled() ? bench.checks_of(rungs.front().name) : std::vector<Case>();
}

/// What all rungs are timed at in a round. Where they are timed at different cases, what these have in
/// common: the extents without the variant, or nothing.
std::string time_size(const Bench& bench, std::size_t round) {
  std::set<std::string> labels, sizes;
  for (const RungSpec& rung : bench.options.rungs) {
    std::optional<Case> timed = bench.timed_of(rung.name, round);
    if (!timed) continue;
    labels.insert(timed->label());
    timed->variant.clear();
    sizes.insert(timed->label());
  }
  return labels.size() == 1 ? *labels.begin() : sizes.size() == 1 ? *sizes.begin() : "";
}

/// Check cases that apply to one of the rungs at least.
std::int64_t case_count(const Bench& bench) {
  const auto& rungs = bench.options.rungs;
  return std::count_if(bench.checks.begin(), bench.checks.end(), [&](const Case& which) {
    return std::any_of(rungs.begin(), rungs.end(),
                       [&](const RungSpec& rung) { return bench.lesson.applies(which, rung.name); });
  });
}

bool wants_blank_page(const RunRequest& request) {
  const auto is = [](const RungSpec& rung) { return is_blank_page(rung.name); };
  return std::any_of(request.rungs.begin(), request.rungs.end(), is) ||
         std::any_of(request.baselines.begin(), request.baselines.end(), is);
}

void tell_device(const Bench& bench, const DeviceInfo& info) {
  bench.emit(RunDevice{.name = info.name,
                       .kind = device().kind() == DeviceKind::gpu ? "gpu" : "simulator",
                       .compute_capability = fmt::format("{}.{}", info.major, info.minor),
                       .modelled = device().modelled(),
                       .seed = bench.options.seed.value(),
                       .cases = static_cast<int>(case_count(bench)),
                       .time_size = time_size(bench, 0),
                       .lesson = bench.options.lesson_name});
}

Verdict time_again(Bench& bench, Timer& timer, const RungSpec& rung) {
  Verdict verdict = verdict_of(bench, rung.name, {});
  verdict.headline = "passed";
  try {
    RungProcess process(bench.options, rung);
    if (bench.beside == nullptr) {
      const Explanation words = process.start();
      if (words.outcome != Outcome::passed) return verdict_of(bench, rung.name, words);
    }
    timer.time(process, verdict);
  } catch (const std::exception& error) {
    verdict.outcome = Outcome::harness_failed;
    verdict.headline = tr("the grader failed: {}", error.what());
  }
  return verdict;
}

/// The ladder at the lesson's further sizes, of the rungs that passed and have one; a rung that is wrong
/// there has not passed after all, and is taken out.
void time_further_rounds(Bench& bench, Timer& timer, std::vector<const RungSpec*>& passed) {
  for (std::size_t round = 1;; ++round) {
    const auto has_size = [&](const RungSpec* rung) { return bench.timed_of(rung->name, round).has_value(); };
    if (std::none_of(passed.begin(), passed.end(), has_size)) return;
    timer.next_round();
    bench.emit(event::NextSize{time_size(bench, round)});
    std::erase_if(passed, [&](const RungSpec* rung) {
      if (!has_size(rung)) return false;
      const Verdict verdict = time_again(bench, timer, *rung);
      bench.emit(event::Timed{verdict});
      return verdict.outcome != Outcome::passed;
    });
    for (const Verdict& verdict : timer.baselines())
      if (verdict.timing || verdict.outcome != Outcome::passed) bench.emit(event::Timed{verdict});
  }
}

}  // namespace

int judge(const RunRequest& request, const EventSink& emit) {
  // Neither the judge's memory, where the expected values are, nor its descriptors can be reached through
  // /proc or ptrace by another process of this user.
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const LessonPlugin plugin(request.lesson_path, wants_blank_page(request));
  RunRequest options = request;
  if (!options.seed) options.seed = fresh_seed();
  options.apart.timing_scope = plugin.lesson().timing_scope();
  options.apart.devices = plugin.lesson().devices(device().kind());
  Bench bench = make_bench(options, emit, plugin.lesson());
  bench.store.make_ahead(coming(bench));
  {
    RungProcess probe(options, RungSpec{});
    if (const Explanation words = probe.start(); words.outcome != Outcome::passed) {
      emit(event::Error{words.headline});
      return 3;
    }
    tell_device(bench, *probe.device());
    bench.device_bytes = static_cast<std::size_t>(std::max<std::int64_t>(probe.device()->memory_bytes, 0));
  }
  Timer timer(bench);
  std::optional<SideRuns> beside;
  if (SideRuns::possible(bench)) bench.beside = &beside.emplace(bench, options.rungs.front());
  std::vector<const RungSpec*> passed;
  for (const RungSpec& rung : options.rungs) {
    Verdict verdict = verdict_of(bench, rung.name, {});
    emit(event::RungStarted{rung.name, verdict.cases_total});
    try {
      RungProcess process(options, rung);
      verdict = check_rung(bench, process, rung.name);
      timer.time(process, verdict);
    } catch (const std::exception& error) {  // the next rung may fare better
      verdict.outcome = Outcome::harness_failed;
      verdict.headline = tr("the grader failed: {}", error.what());
    }
    if (verdict.outcome == Outcome::passed) passed.push_back(&rung);
    emit(event::Judged{std::move(verdict)});
  }
  for (const Verdict& verdict : timer.baselines()) emit(event::Judged{verdict});
  time_further_rounds(bench, timer, passed);
  emit(event::Done{static_cast<int>(options.rungs.size()), static_cast<int>(passed.size())});
  return 0;
}

}  // namespace ladder
