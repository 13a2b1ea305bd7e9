#include "grader/judge/timing/time_rung.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "grader/judge/check_rung.h"
#include "grader/judge/explain/explain_failure.h"
#include "grader/judge/side_runs.h"
#include "grader/worker/device/device.h"
#include "language/catalogue.h"

namespace ladder {
namespace {

constexpr int kSets = 3;  // copies of the arrays, so that no launch finds the last one's addresses
constexpr double kBatchSeconds = 0.06;  // between changes from the rung to its baselines
constexpr double kBaselineShare =
    0.5;  // baselines collect samples during every rung, so they need fewer each time

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void turn_around(Verdict& verdict, const Explanation& words) {
  verdict.outcome = words.outcome;
  verdict.headline = words.headline;
  verdict.detail = words.detail;
  verdict.advice = words.advice;
}

}  // namespace

Timer::Timer(Bench& bench) : bench_(bench) {}

void Timer::next_round() {
  ++round_;
  if (bench_.beside == nullptr) bench_.store.forget();
  reference_told_ = baselines_readied_ = false;
  for (Baseline& baseline : baselines_) {
    baseline.samples.clear();
    baseline.ready = false;
    baseline.verdict.timing.reset();
  }
}

/// Only for rungs that have one in this round.
Case Timer::timed_case(const std::string& rung) const { return *bench_.timed_of(rung, round_); }

void Timer::know_peaks(const DeviceInfo& info) {
  if (peaks_) return;
  peaks_ = find_peaks(bench_, info);
  bench_.emit(static_cast<const PeakRates&>(*peaks_));
}

bool Timer::verify(RungProcess& process, Verdict& verdict, int sets) {
  const Case timed = timed_case(verdict.rung);
  const auto prepared = bench_.store.get(timed);
  if (!reference_told_) {
    reference_told_ = true;
    bench_.emit(event::Reference{timed.label(), prepared->reference_ms});
  }
  // In a model, one run gives the time, and the small cases have already been run with both poisons.
  const std::vector<int> poisons =
      device().modelled() ? std::vector{kPoisonNan} : std::vector{kPoisonNan, kPoisonHuge};
  std::optional<CaseResult> beside;
  if (bench_.beside != nullptr) beside = bench_.beside->passed(timed);
  verified_ = beside ? std::move(*beside) : process.run(*prepared, poisons, sets);
  const bool no_room = has_no_room(bench_, *prepared, verified_, sets);
  const Explanation& words = verified_.words;
  bench_.emit(event::CaseDone{verdict.rung, timed.label(), verdict.cases_total, verdict.cases_total,
                              verified_.passed() || no_room});
  if (no_room) {
    verdict.detail = tr("Not timed: ") + words.headline + ".";
    return false;
  }
  if (verified_.passed()) {
    ++verdict.cases_passed;
    return true;
  }
  explain_failure(bench_, process, verdict, prepared, std::move(verified_));
  return false;
}

Timing Timer::timing_of(const Summary& summary, const Case& timed) const {
  Timing timing;
  timing.median_ms = summary.median;
  timing.q1_ms = summary.q1;
  timing.q3_ms = summary.q3;
  timing.samples = summary.samples;
  timing.modelled = device().modelled();
  timing.stable = timing.modelled || summary.relative_error < StoppingRule{}.wanted_error;
  timing.size = timed.label();
  if (!(summary.median > 0)) return timing;
  const Work work = bench_.lesson.work(timed);
  timing.gigabytes_per_s = (work.bytes_read + work.bytes_written) / summary.median / 1e6;
  timing.gigaflops_per_s = work.flops / summary.median / 1e6;
  if (peaks_) {
    timing.speed_of_light = peaks_->floor_ms(work, bench_.lesson.timing_scope()) / summary.median;
    timing.roof = peaks_->roof(work, bench_.lesson.timing_scope());
  }
  return timing;
}

void Timer::time_in_model(const CaseResult& result, Verdict& verdict) const {
  Summary summary;
  summary.median = summary.q1 = summary.q3 = result.elapsed_ms;
  summary.samples = 1;
  verdict.timing = timing_of(summary, timed_case(verdict.rung));
  const auto longest =
      std::max_element(result.kernels.begin(), result.kernels.end(),
                       [](const auto& a, const auto& b) { return a.modelled_ns < b.modelled_ns; });
  if (longest == result.kernels.end()) return;
  const bool elsewhere = bench_.lesson.timing_scope() == TimingScope::end_to_end &&
                         longest->modelled_ns < 0.5e6 * result.elapsed_ms;
  const bool copies = std::any_of(result.calls.begin(), result.calls.end(),
                                  [](const auto& call) { return call.first.starts_with("cudaMemcpy"); });
  verdict.timing->bound = !elsewhere ? longest->bound : copies ? "copies" : "calls";
}

std::optional<CaseResult> Timer::batch(RungProcess& process, double seconds, int least,
                                       std::vector<double>& samples, bool download) {
  auto answer = process.call({{"do", "batch"},
                              {"poison", kPoisonHuge},
                              {"seconds", seconds},
                              {"least", least},
                              {"download", download}});
  if (const auto* message = std::get_if<nlohmann::json>(&answer);
      message != nullptr && message->contains("samples")) {
    try {
      for (const double sample : message->at("samples").get<std::vector<double>>())
        if (std::isfinite(sample)) samples.push_back(sample);
      return std::nullopt;
    } catch (const nlohmann::json::exception&) {
      answer = Ending{.how = Ending::How::broken_channel};
    }
  }
  CaseResult failed;
  failed.worker_lost = true;
  failed.words = explain_answer(std::move(answer));
  failed.words.detail += (failed.words.detail.empty() ? "" : "\n") +
                         std::string(tr("It happened while the rung was timed, at ")) +
                         timed_case(process.rung().name).label() + ".";
  return failed;
}

namespace {

/// Judges what a timed launch has left.
CaseResult judge_timed(const PreparedCase& prepared) {
  CaseResult result = judge_results(prepared, kPoisonHuge);
  if (result.words.outcome == Outcome::wrong_values)
    result.words = {
        Outcome::wrong_values, tr("wrong values: the timed launches gave other results than the first"),
        tr("{} of {} elements are wrong, with {}.", result.wrong.count, result.wrong.elements,
           prepared.which().label()),
        tr("Does the function depend on state that an earlier call left behind, such as a counter "
           "that is not set back, or an output kept for the same input?")};
  return result;
}

}  // namespace

CaseResult Timer::verify_timed_sets(RungProcess& process, std::vector<double>& samples) {
  const auto prepared = bench_.store.get(timed_case(process.rung().name));
  // First one more launch, which a rung cannot tell from those before it, and whose results are taken at
  // once: a thread of its own would have time to fill in the others' between two batches.
  if (auto failed = batch(process, 0, 1, samples, true)) return std::move(*failed);
  CaseResult result = judge_timed(*prepared);
  for (std::size_t set = 0; set < sets_ && result.passed(); ++set) {
    result.words = explain_answer(process.call({{"do", "download"}, {"set", set}}));
    if (result.passed()) result = judge_timed(*prepared);
  }
  return result;
}

void Timer::time_baselines_beside(double seconds, int least) {
  for (Baseline& baseline : baselines_) {
    if (!baseline.ready) continue;
    if (auto failed = batch(*baseline.process, seconds, least, baseline.samples)) {
      baseline.ready = false;
      turn_around(baseline.verdict, failed->words);
      baseline.process->stop();
    }
  }
}

void Timer::time_on_gpu(RungProcess& process, Verdict& verdict) {
  const Case timed = timed_case(verdict.rung);
  Sampling sampling;
  const auto next_batch = [&](int least, auto note) {
    std::vector<double> samples;
    const auto begin = std::chrono::steady_clock::now();
    std::optional<CaseResult> failed = batch(process, kBatchSeconds, least, samples);
    note(samples, seconds_since(begin));
    return failed;
  };
  std::optional<CaseResult> failed =
      next_batch(1, [&](const auto& samples, double seconds) { sampling.warm_up(samples, seconds); });
  while (!failed && !sampling.done()) {
    failed = next_batch(sampling.least(),
                        [&](const auto& samples, double seconds) { sampling.add(samples, seconds); });
    const Summary& summary = sampling.summary();
    bench_.emit(event::Sampling{verdict.rung, timed.label(), summary.samples, summary.median,
                                std::isfinite(summary.relative_error) ? summary.relative_error : 1.0});
    if (!failed) time_baselines_beside(kBatchSeconds * kBaselineShare, 1);
  }
  if (!failed) {
    std::vector<double> last;
    CaseResult checked = verify_timed_sets(process, last);
    sampling.verified(last);
    if (!checked.passed()) failed = std::move(checked);
  }
  if (failed) return turn_around(verdict, failed->words);
  const Summary& summary = sampling.summary();
  verdict.timing = timing_of(summary, timed);
  verdict.timing->beside_ms = sampling.beside_ms();
  const Work work = bench_.lesson.work(timed);
  if (!peaks_ || !impossible(summary.median, work, bench_.lesson.timing_scope(), *peaks_, *process.device()))
    return;
  const double floor = peaks_->bytes_ms(work, bench_.lesson.timing_scope());
  turn_around(
      verdict,
      {Outcome::impossible_time,
       tr("impossible time: {:.4g} ms, where this device needs {:.4g} ms", summary.median, floor),
       tr("Moving the bytes of {} takes that long at the fastest this device was seen to do.", timed.label()),
       tr("The work was not all done inside the timed call, or not all of it was done.")});
}

void Timer::time(RungProcess& process, Verdict& verdict) {
  if (!bench_.timed_of(verdict.rung, round_) || verdict.outcome != Outcome::passed) return;
  if (device().modelled()) {
    if (!verify(process, verdict, 1)) return;
    if (!peaks_) know_peaks(*process.device());
    verdict.kernels = verified_.kernels;
    verdict.calls = verified_.calls;
    return time_in_model(verified_, verdict);
  }
  if (process.device()) know_peaks(*process.device());
  ready_baselines();
  if (!verify(process, verdict, kSets)) return;
  sets_ = verified_.sets;
  time_on_gpu(process, verdict);
}

/// Checks the baselines, once; they are timed along with the rungs.
void Timer::start_baselines() {
  if (baselines_started_) return;
  baselines_started_ = true;
  for (const RungSpec& spec : bench_.options.baselines) {
    Baseline& baseline = baselines_.emplace_back();
    baseline.name = spec.name;
    if (device().modelled() || bench_.options.check_only) {
      baseline.verdict = verdict_of(
          bench_, baseline.name,
          {Outcome::not_run, tr("the library's version runs on a GPU, and only when timing"), "", ""});
      continue;
    }
    baseline.process = std::make_unique<RungProcess>(bench_.options, spec);
    baseline.verdict = check_rung(bench_, *baseline.process, baseline.name);
  }
}

/// Brings the baselines that are right to this round's case.
void Timer::ready_baselines() {
  start_baselines();
  if (baselines_readied_) return;
  baselines_readied_ = true;
  for (Baseline& baseline : baselines_) {
    if (baseline.verdict.outcome != Outcome::passed || !bench_.timed_of(baseline.name, round_)) continue;
    baseline.ready = verify(*baseline.process, baseline.verdict, kSets);
    std::vector<double> warm_up;
    if (!baseline.ready) continue;
    if (auto failed = batch(*baseline.process, kBatchSeconds, 2, warm_up)) {
      baseline.ready = false;
      turn_around(baseline.verdict, failed->words);
    }
  }
}

std::vector<Verdict> Timer::baselines() {
  ready_baselines();
  std::vector<Verdict> verdicts;
  for (Baseline& baseline : baselines_) {
    // Where no rung passed, the baseline has had nobody to be timed beside.
    const auto begin = std::chrono::steady_clock::now();
    while (baseline.ready && !StoppingRule{}.done(summarize(baseline.samples), 2 * seconds_since(begin)) &&
           !(baseline.samples.size() > 200)) {
      if (auto failed = batch(*baseline.process, kBatchSeconds, 2, baseline.samples)) {
        baseline.ready = false;
        turn_around(baseline.verdict, failed->words);
      }
    }
    if (baseline.ready)
      baseline.verdict.timing = timing_of(summarize(baseline.samples), timed_case(baseline.name));
    verdicts.push_back(baseline.verdict);
  }
  return verdicts;
}

}  // namespace ladder
