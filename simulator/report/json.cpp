#include "simulator/report/json.h"

#include <nlohmann/json.hpp>

namespace sim {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    Counters, inst_executed, thread_inst_executed, global_load_requests, global_load_sectors,
    global_store_requests, global_store_sectors, global_atomic_requests, global_atomic_sectors,
    shared_load_requests, shared_load_wavefronts, shared_store_requests, shared_store_wavefronts,
    shared_atomic_requests, shared_atomic_wavefronts, local_load_requests, local_load_sectors,
    local_store_requests, local_store_sectors, branches, divergent_branches, barriers)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ModelInputs, registers, shared_bytes, read_footprint,
                                                written_footprint, global_waits, shared_waits, atomic_waits,
                                                arithmetic_waits, sass_instructions, doubles, specials,
                                                textures, tensor_macs, longest_warp, slowest_warp,
                                                same_address_atomics, partial_line_load_sectors,
                                                partial_line_store_sectors, chain_lanes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AccessSample, uses, mask, first, cost, offset)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AccessRecord, space, access, bytes, requests, cost, sample)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LineRecord, file, line, inst_executed, thread_inst_executed,
                                                accesses)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TraceStep, file, line, mask, instructions)

void to_json(nlohmann::json& json, const OtherParty& other) {
  json = {{"access", other.access}, {"line", other.line}, {"block", other.block}, {"thread", other.thread}};
  if (!other.host_frames.empty()) json["host_frames"] = other.host_frames;
  if (!other.file.empty()) json["file"] = other.file;
}

void from_json(const nlohmann::json& json, OtherParty& other) {
  const OtherParty absent;
  other.access = json.value("access", absent.access);
  other.line = json.value("line", absent.line);
  other.block = json.value("block", absent.block);
  other.thread = json.value("thread", absent.thread);
  other.host_frames = json.value("host_frames", absent.host_frames);
  other.file = json.value("file", absent.file);
}

void to_json(nlohmann::json& json, const KernelRecord& record) {
  json = {{"name", record.name},
          {"launch", record.launch},
          {"grid", record.grid},
          {"block", record.block},
          {"dynamic_shared_bytes", record.dynamic_shared_bytes},
          {"model", record.model},
          {"modelled_ns", record.modelled_ns},
          {"bound", record.bound},
          {"counters", record.counters},
          {"lines", record.lines}};
  if (!record.trace.empty()) json["trace"] = record.trace;
}

void from_json(const nlohmann::json& json, KernelRecord& record) {
  const KernelRecord absent;
  record.name = json.value("name", absent.name);
  record.launch = json.value("launch", absent.launch);
  record.grid = json.value("grid", absent.grid);
  record.block = json.value("block", absent.block);
  record.dynamic_shared_bytes = json.value("dynamic_shared_bytes", absent.dynamic_shared_bytes);
  record.model = json.value("model", absent.model);
  record.modelled_ns = json.value("modelled_ns", absent.modelled_ns);
  record.bound = json.value("bound", absent.bound);
  record.counters = json.value("counters", absent.counters);
  record.lines = json.value("lines", absent.lines);
  record.trace = json.value("trace", absent.trace);
}

namespace {

FindingKind kind_from(const nlohmann::json& json) {
  const auto name = json.get<std::string>();
  if (const auto kind = finding_kind(name)) return *kind;
  throw nlohmann::json::other_error::create(500, "no kind of finding is called '" + name + "'", &json);
}

}  // namespace

void to_json(nlohmann::json& json, const Finding& finding) {
  json = {{"kind", to_string(finding.kind)},
          {"space", finding.space},
          {"access", finding.access},
          {"size", finding.size},
          {"severity", to_string(finding.severity)},
          {"kernel", finding.kernel},
          {"file", finding.file},
          {"line", finding.line},
          {"block", finding.block},
          {"thread", finding.thread},
          {"count", finding.count},
          {"message", finding.message}};
  if (!finding.symbol.empty()) json["symbol"] = finding.symbol;
  if (finding.column > 0) json["column"] = finding.column;
  if (finding.of > 0) json["nth"] = finding.nth, json["of"] = finding.of;
  if (!finding.cure.empty()) json["cure"] = finding.cure;
  if (!finding.host_frames.empty()) json["host_frames"] = finding.host_frames;
  if (finding.other) json["other"] = *finding.other;
}

void from_json(const nlohmann::json& json, Finding& finding) {
  const Finding absent;
  finding.kind = json.contains("kind") ? kind_from(json["kind"]) : absent.kind;
  finding.space = json.value("space", absent.space);
  finding.access = json.value("access", absent.access);
  finding.size = json.value("size", absent.size);
  finding.severity =
      json.value("severity", "error") == to_string(Severity::note) ? Severity::note : Severity::error;
  finding.kernel = json.value("kernel", absent.kernel);
  finding.file = json.value("file", absent.file);
  finding.line = json.value("line", absent.line);
  finding.block = json.value("block", absent.block);
  finding.thread = json.value("thread", absent.thread);
  finding.count = json.value("count", absent.count);
  finding.message = json.value("message", absent.message);
  finding.symbol = json.value("symbol", absent.symbol);
  finding.column = json.value("column", absent.column);
  finding.nth = json.value("nth", absent.nth);
  finding.of = json.value("of", absent.of);
  finding.cure = json.value("cure", absent.cure);
  finding.host_frames = json.value("host_frames", absent.host_frames);
  finding.other.reset();
  if (const auto at = json.find("other"); at != json.end() && at->is_object())
    finding.other = at->get<OtherParty>();
}

}  // namespace sim
