#include "grader/judge/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "grader/lesson/offset.h"
#include "language/catalogue.h"

namespace ladder {

bool has_no_room(const Bench& bench, const PreparedCase& prepared, CaseResult& result, int sets) {
  if (result.words.outcome != Outcome::not_run || !result.findings.empty()) return false;
  constexpr std::size_t kShare = 16;  // of the device's memory: others may be using the rest
  const std::size_t needed = prepared.bytes() / 2 * static_cast<std::size_t>(sets);
  if (needed >= bench.device_bytes / kShare) return true;
  result.words = {
      Outcome::out_of_memory,
      tr("out of memory: no room was left for {} MiB of arrays on a device of {} MiB", (needed >> 20) + 1,
         bench.device_bytes >> 20),
      result.words.headline,
      tr("Does the rung keep memory that it allocated, from earlier calls or from before the first?")};
  result.worker_lost = true;
  return false;
}

namespace {
/// Of "2_fused.no_guard", a variation of a rung, the rung.
std::string_view rung_of(std::string_view name) { return name.substr(0, name.find('.')); }

bool is_baseline(const Bench& bench, std::string_view name) {
  const auto& all = bench.options.baselines;
  return std::any_of(all.begin(), all.end(), [&](const RungSpec& spec) { return spec.name == name; });
}

std::vector<Case> those_of(const Bench& bench, const std::vector<Case>& all, std::string_view rung) {
  // A library may want more of an address than the contract promises.
  const bool aligned = is_baseline(bench, rung);
  std::vector<Case> mine;
  std::copy_if(all.begin(), all.end(), std::back_inserter(mine), [&](const Case& which) {
    return bench.lesson.applies(which, rung_of(rung)) && !(aligned && has_offset(which));
  });
  return mine;
}
}  // namespace

std::vector<Case> Bench::checks_of(std::string_view rung) const { return those_of(*this, checks, rung); }

std::vector<Case> Bench::giants_of(std::string_view rung) const { return those_of(*this, giants, rung); }

std::optional<Case> Bench::timed_of(std::string_view rung, std::size_t round) const {
  for (const Case& which : timed)
    if (lesson.applies(which, rung_of(rung)) && round-- == 0) return which;
  return std::nullopt;
}

Verdict verdict_of(const Bench& bench, const std::string& rung, const Explanation& words) {
  Verdict verdict;
  verdict.lesson = bench.options.lesson_name;
  verdict.rung = rung;
  verdict.baseline = is_baseline(bench, rung);
  verdict.outcome = words.outcome;
  verdict.headline = words.headline;
  verdict.detail = words.detail;
  verdict.advice = words.advice;
  verdict.diagnosis = words.diagnosis;
  verdict.told_first = words.finding;
  verdict.failed_case = words.failed_case;
  verdict.cases_total = static_cast<int>(bench.checks_of(rung).size() + bench.giants_of(rung).size() +
                                         (bench.timed_of(rung) ? 1 : 0));
  return verdict;
}

}  // namespace ladder
