#include "simulator/report/litmus_record.h"

#include <nlohmann/json.hpp>

namespace sim {

NLOHMANN_JSON_SERIALIZE_ENUM(LitmusVerdict,
                             {{LitmusVerdict::holds, "holds"}, {LitmusVerdict::fails, "fails"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LitmusStep, thread, kind, instruction, file, line, location,
                                                value, reads_from)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LitmusOutcome, values, failure, executions, allowed, broken,
                                                verdict, said, steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LitmusRace, location, file, line, other_file, other_line)

void to_json(nlohmann::json& json, const LitmusRecord& r) {
  json = {{"kernel", r.kernel},   {"threads", r.threads},       {"locations", r.locations},
          {"races", r.races},     {"candidates", r.candidates}, {"given_up", r.given_up},
          {"refused", r.refused}, {"outcomes", r.outcomes}};
}

void from_json(const nlohmann::json& json, LitmusRecord& r) {
  const LitmusRecord absent;
  r.kernel = json.value("kernel", absent.kernel);
  r.threads = json.value("threads", absent.threads);
  r.locations = json.value("locations", absent.locations);
  r.races = json.value("races", absent.races);
  r.candidates = json.value("candidates", absent.candidates);
  r.given_up = json.value("given_up", absent.given_up);
  r.refused = json.value("refused", absent.refused);
  r.outcomes = json.value("outcomes", absent.outcomes);
}

}  // namespace sim
