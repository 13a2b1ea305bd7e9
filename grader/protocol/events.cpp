#include "grader/protocol/events.h"

#include <array>
#include <concepts>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace ladder {
namespace {

using nlohmann::json;

/// In the order of Event.
constexpr std::array kKinds = {"device", "peaks",     "error", "rung_started", "case",  "shrinking",
                               "timing", "reference", "rung",  "size",         "timed", "done"};
static_assert(kKinds.size() == std::variant_size_v<Event>);

template <class Given, class Kind>
concept Is = std::same_as<std::remove_const_t<Given>, Kind>;

// The members of each kind with their keys: what is written, and what is read.
void members(Is<RunDevice> auto& e, const auto& take) {
  take("name", e.name), take("machine", e.kind), take("compute_capability", e.compute_capability);
  take("modelled", e.modelled), take("seed", e.seed), take("lesson", e.lesson);
  take("cases", e.cases), take("time_size", e.time_size);
}
void members(Is<PeakRates> auto& e, const auto& take) {
  take("read_gbs", e.read), take("two_to_one_gbs", e.two_to_one), take("copy_gbs", e.copy);
  take("write_gbs", e.write), take("to_device_gbs", e.to_device), take("from_device_gbs", e.from_device);
  take("fp32_gflops", e.fp32), take("fp64_gflops", e.fp64), take("tensor_gflops", e.tensor);
  take("warpgroup_gflops", e.warpgroup), take("modelled", e.modelled);
}
void members(Is<event::Error> auto& e, const auto& take) { take("message", e.message); }
void members(Is<event::RungStarted> auto& e, const auto& take) {
  take("rung", e.rung), take("cases_total", e.cases_total);
}
void members(Is<event::CaseDone> auto& e, const auto& take) {
  take("rung", e.rung), take("label", e.label), take("index", e.index);
  take("total", e.total), take("passed", e.passed);
}
void members(Is<event::Shrinking> auto& e, const auto& take) { take("rung", e.rung), take("label", e.label); }
void members(Is<event::Sampling> auto& e, const auto& take) {
  take("rung", e.rung), take("size", e.size), take("samples", e.samples);
  take("median_ms", e.median_ms), take("error", e.error);
}
void members(Is<event::Reference> auto& e, const auto& take) {
  take("size", e.size), take("milliseconds", e.milliseconds);
}
void members(Is<event::NextSize> auto& e, const auto& take) { take("size", e.size); }
void members(Is<event::Done> auto& e, const auto& take) { take("rungs", e.rungs), take("passed", e.passed); }

template <class Kind>
constexpr bool kHasVerdict = std::same_as<Kind, event::Judged> || std::same_as<Kind, event::Timed>;

template <class Kind>
json written(const Kind& event) {
  if constexpr (kHasVerdict<Kind>) {
    return event.verdict;
  } else {
    json all;
    members(event, [&](const char* key, const auto& member) { all[key] = member; });
    return all;
  }
}

template <class Kind>
Kind read(const json& all) {
  Kind event;
  if constexpr (kHasVerdict<Kind>)
    event.verdict = all.get<Verdict>();
  else
    members(event, [&](const char* key, auto& member) { member = all.value(key, member); });
  return event;
}

template <std::size_t... kIndex>
std::optional<Event> read_kind(const std::string& kind, const json& all, std::index_sequence<kIndex...>) {
  std::optional<Event> event;
  (void)((kind == kKinds[kIndex] && (event = read<std::variant_alternative_t<kIndex, Event>>(all), true)) ||
         ...);
  return event;
}

}  // namespace

std::string to_line(const Event& event) {
  json all = std::visit([](const auto& kind) { return written(kind); }, event);
  all["event"] = kKinds[event.index()];
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<Event> event_from(std::string_view line) {
  const json all = json::parse(line, nullptr, false);
  if (!all.is_object()) throw std::invalid_argument("a line that is no event: " + std::string(line));
  return read_kind(all.value("event", ""), all, std::make_index_sequence<kKinds.size()>());
}

void to_json(json& json, const RunDevice& device) { json = written(device); }
void to_json(json& json, const PeakRates& peaks) { json = written(peaks); }

}  // namespace ladder
