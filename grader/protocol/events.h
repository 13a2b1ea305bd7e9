// What a runner tells while it works: one JSON object a line, made and read here alone.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "grader/protocol/verdict.h"

namespace ladder {

/// What a run is made on. Once, first.
struct RunDevice {
  std::string name;  ///< "H200"
  std::string kind;  ///< "gpu" or "simulator"
  std::string compute_capability;
  bool modelled = false;
  std::uint64_t seed = 0;
  int cases = 0;
  std::string time_size;  ///< label of the timed case, or empty
  std::string lesson;
};

/// GB/s, bytes read plus bytes written, and GFLOP/s; 0 = unknown.
struct PeakRates {
  double read = 0, two_to_one = 0, copy = 0, write = 0;  ///< device memory, by mix
  double to_device = 0, from_device = 0;                 ///< the link to the host, from pinned memory
  double fp32 = 0, fp64 = 0, tensor = 0;                 ///< a fused multiply-add is two operations
  double warpgroup = 0;                                  ///< by wgmma, where the device has it
  bool modelled = false;
};

namespace event {

/// The runner cannot go on: the last one.
struct Error {
  std::string message = "the runner gave up";
};
/// A rung's process is about to start.
struct RungStarted {
  std::string rung;
  int cases_total = 0;
};
/// After every case.
struct CaseDone {
  std::string rung, label;
  int index = 0;  ///< from 1
  int total = 0;
  bool passed = false;
};
/// A smaller failing case is looked for.
struct Shrinking {
  std::string rung, label;
};
/// A few times a second while a rung is timed.
struct Sampling {
  std::string rung, size;
  int samples = 0;
  double median_ms = 0;
  double error = 0;  ///< relative standard error
};
/// The CPU reference on a timed case, when it was computed.
struct Reference {
  std::string size;
  double milliseconds = 0;
};
/// The word on a rung or a baseline.
struct Judged {
  Verdict verdict;
};
/// The verdicts are out, and times at another size follow.
struct NextSize {
  std::string size;
};
/// A rung or baseline at that size; an outcome other than passed: it was wrong there.
struct Timed {
  Verdict verdict;
};
/// Once, last.
struct Done {
  int rungs = 0, passed = 0;
};

}  // namespace event

using Event = std::variant<RunDevice, PeakRates, event::Error, event::RungStarted, event::CaseDone,
                           event::Shrinking, event::Sampling, event::Reference, event::Judged,
                           event::NextSize, event::Timed, event::Done>;

/// A line of the stream, without its end. Bytes that are no UTF-8 are replaced.
std::string to_line(const Event& event);
/// @return nothing where the event is of a kind that is not known here
/// @throws nlohmann::json::exception, std::invalid_argument where @p line is no event
std::optional<Event> event_from(std::string_view line);

/// Of `--json`: the events without their names.
void to_json(nlohmann::json& json, const RunDevice& device);
void to_json(nlohmann::json& json, const PeakRates& peaks);

}  // namespace ladder
