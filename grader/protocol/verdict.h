// The judge's word on a rung, as it travels from a runner to `ladder` and into --json.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "simulator/report/json.h"

namespace ladder {

enum class Outcome {
  passed,
  build_failed,   ///< nvcc refused the file, or it lacks the contract's function
  launch_failed,  ///< a CUDA error was returned or left behind
  finding,        ///< the simulator saw something wrong (out of bounds, ...)
  wrong_values,   ///< some element is off, NaN, or was never written
  input_changed,  ///< an input is not what it was
  wrote_outside,  ///< a guard band was overwritten
  crashed,        ///< a signal ended the process
  exited,         ///< the student's code called exit()
  timed_out,
  out_of_memory,
  idea_missing,     ///< right, and without what the rung is about: ladder decides it, not a runner
  impossible_time,  ///< faster than the hardware can be
  not_run,          ///< the machine cannot run this rung; never a pass
  harness_failed,   ///< our fault, said so
};
const char* to_string(Outcome outcome);

/// Time of one rung at the lesson's large size.
struct Timing {
  double median_ms = 0, q1_ms = 0, q3_ms = 0;
  int samples = 0;
  bool stable = true;          ///< standard error below 0.5 % (GPU)
  bool modelled = false;       ///< by the simulator's model, not measured
  std::string size;            ///< label of the case timed
  double gigabytes_per_s = 0;  ///< useful bytes / median
  double gigaflops_per_s = 0;
  double speed_of_light = 0;  ///< least time by the device's peaks over the median; 0 = unknown
  std::string roof;           ///< which peak that is: see Peaks::roof()
  std::string bound;          ///< what bounds it, where known
  /// Of a launch, by the judge's clock and beyond what the rung's process says that it took: the same for
  /// every rung of a lesson, but for one whose times are not true. Median of the batches; 0 = unknown.
  double beside_ms = 0;
};

/// How a rung that is right stands to its idea: the condition of lesson.toml that it misses, or the last of
/// those that it meets.
struct IdeaResult {
  bool works = true;
  std::string metric;  ///< its name: see idea/metric.h
  double value = 0;
  std::optional<double> at_least, at_most;
  std::string says;  ///< what is missing; empty where nothing is
  std::string file;  ///< of the access that the metric is about
  int line = 0;      ///< 0: it is about no line
};

struct Verdict {
  std::string lesson;     ///< "09_reduction"
  std::string rung;       ///< "3_interleaved", or of a baseline "cub"
  bool baseline = false;  ///< a library's version of the contract, timed beside the rungs
  Outcome outcome = Outcome::not_run;
  std::string headline;  ///< one line: "wrong values: every element of the second half is missing"
  std::string detail;    ///< lines that show it: the small failing case, indices, expected, got
  std::string advice;    ///< the likely cause and what to try
  /// The headline for programs: a finding's kind ("race"), of wrong values the pattern (see
  /// diagnose::Cause, "tail_unwritten"); empty where the outcome says it all.
  std::string diagnosis;
  int cases_passed = 0, cases_total = 0;
  std::vector<std::string> printed;  ///< the first lines that the rung's code wrote, controls made visible
  std::optional<Timing> timing;      ///< at the lesson's main size
  std::vector<Timing> more_timings;  ///< at its other sizes
  std::string failed_case;  ///< label of the case that it tells of, the smallest found; empty: passed
  std::vector<sim::Finding> findings;
  std::optional<std::size_t> told_first;   ///< which of them the headline and detail are about
  std::vector<sim::KernelRecord> kernels;  ///< launches of the timed case
  std::map<std::string, std::uint64_t>
      calls;                       ///< of the CUDA runtime in the timed case, its preparation included
  std::optional<IdeaResult> idea;  ///< where the rung was right and lesson.toml says how its idea shows
};

/// The finding that the headline and detail are about; null where they are about something else.
const sim::Finding* leading_finding(const Verdict& verdict);

/// The keys are the members' names; "idea" is absent where it was not looked at, "timing" is absent when the
/// rung was not timed, "failed_case" where it failed none, "told_first" where the headline is about no
/// finding.
void to_json(nlohmann::json& json, const Verdict& verdict);
/// Absent keys keep their defaults. @throws nlohmann::json::exception on a value of the wrong type,
/// std::invalid_argument on an outcome that does not exist
void from_json(const nlohmann::json& json, Verdict& verdict);

/// @throws std::invalid_argument when @p name is none of to_string()'s
Outcome outcome_from(const std::string& name);

}  // namespace ladder
