#include "simulator/report/json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "simulator/report/wording/words.h"

namespace sim {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    Counters, inst_executed, thread_inst_executed, global_load_requests, global_load_sectors,
    global_store_requests, global_store_sectors, global_atomic_requests, global_atomic_sectors,
    shared_load_requests, shared_load_wavefronts, shared_store_requests, shared_store_wavefronts,
    shared_atomic_requests, shared_atomic_wavefronts, shared_atomic_words, shared_atomic_word_warps,
    local_load_requests, local_load_sectors, local_store_requests, local_store_sectors, branches,
    divergent_branches, barriers)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ModelInputs, registers, shared_bytes, read_footprint,
                                                written_footprint, global_waits, shared_waits, atomic_waits,
                                                arithmetic_waits, sass_instructions, doubles, specials,
                                                textures, tensor_macs, wgmma_macs, wgmma_bytes, bulk_requests,
                                                bulk_load_sectors, bulk_load_lines, bulk_store_bytes,
                                                bulk_phases, bulk_waits, longest_warp, slowest_warp,
                                                same_address_atomics, partial_line_load_sectors,
                                                partial_line_store_sectors, chain_lanes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ArrayShape, name, element_bytes, extents, start)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AccessSample, uses, mask, first, cost, offset)

namespace {

/// A value that is written by its name. @throws nlohmann::json::exception where there is none of that name
template <class T>
T named(std::optional<T> (*value_of)(const std::string&), const nlohmann::json& json, const char* key,
        T absent) {
  const auto at = json.find(key);
  if (at == json.end()) return absent;
  if (const auto value = value_of(at->get<std::string>())) return *value;
  throw nlohmann::json::other_error::create(500, std::string("no ") + key + " is called " + at->dump(),
                                            &json);
}

std::optional<AccessKind> instruction_kind(const std::string& name) {
  for (const AccessKind kind : {AccessKind::read, AccessKind::write, AccessKind::atomic})
    if (name == instruction_name(kind)) return kind;
  return std::nullopt;
}

std::optional<TimelineSpan::Kind> timeline_kind(const std::string& name) {
  for (int kind = 0; kind <= int(TimelineSpan::Kind::load); ++kind)
    if (name == to_string(TimelineSpan::Kind(kind))) return TimelineSpan::Kind(kind);
  return std::nullopt;
}

}  // namespace

void to_json(nlohmann::json& json, const AccessRecord& record) {
  json = {{"space", to_string(record.space)},
          {"access", instruction_name(record.access)},
          {"bytes", record.bytes},
          {"requests", record.requests},
          {"cost", record.cost},
          {"sample", record.sample}};
  if (!record.steps.empty()) json["steps"] = record.steps;
  if (!record.array.name.empty()) json["array"] = record.array;
}

void from_json(const nlohmann::json& json, AccessRecord& record) {
  const AccessRecord absent;
  record.space = named(memory_space, json, "space", absent.space);
  record.access = named(instruction_kind, json, "access", absent.access);
  record.bytes = json.value("bytes", absent.bytes);
  record.requests = json.value("requests", absent.requests);
  record.cost = json.value("cost", absent.cost);
  record.sample = json.value("sample", absent.sample);
  record.steps = json.value("steps", absent.steps);
  record.array = json.value("array", absent.array);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LineRecord, file, line, inst_executed, thread_inst_executed,
                                                accesses)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TraceStep, file, line, mask, instructions)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TileRecord, file, line, name, offset, element_bytes, columns,
                                                rows, pitch, swizzle)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TimelineLine, file, line)

void to_json(nlohmann::json& json, const TimelineSpan& span) {
  json = {{"kind", to_string(span.kind)},
          {"begin_ns", span.begin_ns},
          {"end_ns", span.end_ns},
          {"warp", span.warp},
          {"line", span.line}};
  if (span.stage >= 0) json["stage"] = span.stage;
}

void from_json(const nlohmann::json& json, TimelineSpan& span) {
  const TimelineSpan absent;
  span.kind = named(timeline_kind, json, "kind", absent.kind);
  span.begin_ns = json.value("begin_ns", absent.begin_ns);
  span.end_ns = json.value("end_ns", absent.end_ns);
  span.warp = json.value("warp", absent.warp);
  span.line = json.value("line", absent.line);
  span.stage = json.value("stage", absent.stage);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Timeline, block, resident, warp_end_ns, stages, lines, spans,
                                                cut)

/// By name, those that there are.
void to_json(nlohmann::json& json, const InstructionMix& mix) {
  json = nlohmann::json::object();
  for (std::size_t i = 0; i < mix.counts.size(); ++i)
    if (mix.counts[i] != 0) json[to_string(static_cast<InstructionClass>(i))] = mix.counts[i];
}

void from_json(const nlohmann::json& json, InstructionMix& mix) {
  for (std::size_t i = 0; i < mix.counts.size(); ++i)
    mix.counts[i] = json.value(to_string(static_cast<InstructionClass>(i)), std::uint64_t{0});
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SourceLine, file, line)

void to_json(nlohmann::json& json, const OtherParty& other) {
  json = {{"access", to_string(other.access)},
          {"line", other.line},
          {"block", other.block},
          {"thread", other.thread}};
  if (!other.host_frames.empty()) json["host_frames"] = other.host_frames;
  if (!other.file.empty()) json["file"] = other.file;
  if (other.inside.line > 0) json["inside"] = other.inside;
}

void from_json(const nlohmann::json& json, OtherParty& other) {
  const OtherParty absent;
  other.access = named(access_kind, json, "access", absent.access);
  other.line = json.value("line", absent.line);
  other.block = json.value("block", absent.block);
  other.thread = json.value("thread", absent.thread);
  other.host_frames = json.value("host_frames", absent.host_frames);
  other.file = json.value("file", absent.file);
  other.inside = json.value("inside", absent.inside);
}

void to_json(nlohmann::json& json, const StuckThreads& group) {
  json = {{"who", group.who}, {"does", to_string(group.does)}, {"file", group.file}, {"line", group.line}};
  if (!group.wanted.empty()) json["wanted"] = group.wanted;
}

void from_json(const nlohmann::json& json, StuckThreads& group) {
  const StuckThreads absent;
  group.who = json.value("who", absent.who);
  group.does = named(access_kind, json, "does", absent.does);
  group.file = json.value("file", absent.file);
  group.line = json.value("line", absent.line);
  group.wanted = json.value("wanted", absent.wanted);
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
          {"instructions", record.instructions},
          {"places", record.places},
          {"lines", record.lines}};
  if (!record.trace.empty()) json["trace"] = record.trace;
  if (!record.timeline.empty()) json["timeline"] = record.timeline;
  if (!record.tiles.empty()) json["tiles"] = record.tiles;
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
  record.instructions = json.value("instructions", absent.instructions);
  record.places = json.value("places", absent.places);
  record.lines = json.value("lines", absent.lines);
  record.trace = json.value("trace", absent.trace);
  record.timeline = json.value("timeline", absent.timeline);
  record.tiles = json.value("tiles", absent.tiles);
}

namespace {

void put_operand(nlohmann::json& all, const std::string& words) { all.push_back(words); }
void put_operand(nlohmann::json& all, std::int64_t number) { all.push_back(number); }
void put_operand(nlohmann::json& all, const ApiCall& call) { all.push_back({{"call", call.name}}); }
void put_operand(nlohmann::json& all, OtherLine) { all.push_back({{"other", "line"}}); }
void put_operand(nlohmann::json& all, OtherThread) { all.push_back({{"other", "thread"}}); }
nlohmann::json name_json(const AllocationName& a) {
  nlohmann::json name = {{"origin", a.origin}, {"base", a.base}, {"size", a.size}};
  if (!a.host_frames.empty()) name["host_frames"] = a.host_frames;
  if (a.line > 0) name.update({{"file", a.file}, {"line", a.line}});
  if (!a.variable.empty()) name["variable"] = a.variable;
  return name;
}

AllocationName name_from(const nlohmann::json& name) {
  AllocationName a;
  a.origin = name.value("origin", a.origin);
  a.base = name.value("base", a.base);
  a.size = name.value("size", a.size);
  a.host_frames = name.value("host_frames", a.host_frames);
  a.file = name.value("file", a.file);
  a.line = name.value("line", a.line);
  a.variable = name.value("variable", a.variable);
  return a;
}

void put_operand(nlohmann::json& all, const AllocationName& a) {
  all.push_back({{"allocation", name_json(a)}});
}

nlohmann::json operands_json(const Message& message) {
  nlohmann::json all = nlohmann::json::array();
  for (const Message::Operand& operand : message.operands())
    std::visit([&](const auto& o) { put_operand(all, o); }, operand);
  return all;
}

Message::Operand operand_from(const nlohmann::json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.contains("other")) {
    if (json["other"] == "line") return OtherLine{};
    return OtherThread{};
  }
  if (json.contains("call")) return ApiCall{json["call"].get<std::string>()};
  return name_from(json.at("allocation"));
}

Message message_from(const nlohmann::json& finding) {
  const auto operands = finding.find("operands");
  if (operands == finding.end() || !operands->is_array()) return finding.value("message", "");
  Message message;
  for (const nlohmann::json& operand : *operands) message.add(operand_from(operand));
  return message;
}

bool is_text_alone(const Message& message) {
  return message.empty() ||
         (message.operands().size() == 1 && std::holds_alternative<std::string>(message.operands().front()));
}

}  // namespace

void to_json(nlohmann::json& json, const Finding& finding) {
  json = {{"kind", to_string(finding.kind)},
          {"space", to_string(finding.space)},
          {"access", to_string(finding.access)},
          {"size", finding.size},
          {"severity", to_string(finding.severity)},
          {"kernel", finding.kernel},
          {"file", finding.file},
          {"line", finding.line},
          {"block", finding.block},
          {"thread", finding.thread},
          {"count", finding.count},
          {"message", sentence(finding)}};
  if (!is_text_alone(finding.message)) json["operands"] = operands_json(finding.message);
  if (const std::string operand = operand_in_words(finding); !operand.empty()) json["symbol"] = operand;
  if (finding.in_buffer)
    json["in_buffer"] = {{"offset", finding.in_buffer->offset},
                         {"buffer", name_json(finding.in_buffer->buffer)}};
  if (finding.null_pointer) json["null_pointer"] = true;
  if (finding.inside.line > 0) json["inside"] = finding.inside;
  if (finding.column > 0) json["column"] = finding.column;
  if (finding.of > 0) json["nth"] = finding.nth, json["of"] = finding.of;
  if (finding.cure.kind != Cure::none) json["cure"] = to_string(finding.cure);
  if (!finding.host_frames.empty()) json["host_frames"] = finding.host_frames;
  if (finding.other) json["other"] = *finding.other;
  if (!finding.stuck.empty()) json["stuck"] = finding.stuck;
}

void from_json(const nlohmann::json& json, Finding& finding) {
  const Finding absent;
  finding.kind = named(finding_kind, json, "kind", absent.kind);
  finding.space = named(memory_space, json, "space", absent.space);
  finding.access = named(access_kind, json, "access", absent.access);
  finding.size = json.value("size", absent.size);
  finding.severity =
      json.value("severity", "error") == to_string(Severity::note) ? Severity::note : Severity::error;
  finding.kernel = json.value("kernel", absent.kernel);
  finding.file = json.value("file", absent.file);
  finding.line = json.value("line", absent.line);
  finding.block = json.value("block", absent.block);
  finding.thread = json.value("thread", absent.thread);
  finding.count = json.value("count", absent.count);
  finding.message = message_from(json);
  finding.symbol = json.value("symbol", absent.symbol);
  finding.in_buffer.reset();
  if (const auto at = json.find("in_buffer"); at != json.end()) {
    finding.in_buffer = BufferBytes{at->at("offset").get<std::uint64_t>(), name_from(at->at("buffer"))};
    finding.symbol.clear();  // made from that
  }
  finding.null_pointer = json.value("null_pointer", absent.null_pointer);
  finding.inside = json.value("inside", absent.inside);
  finding.column = json.value("column", absent.column);
  finding.nth = json.value("nth", absent.nth);
  finding.of = json.value("of", absent.of);
  finding.cure = cure_named(json.value("cure", ""));
  finding.host_frames = json.value("host_frames", absent.host_frames);
  finding.other.reset();
  if (const auto at = json.find("other"); at != json.end() && at->is_object())
    finding.other = at->get<OtherParty>();
  finding.stuck = json.value("stuck", absent.stuck);
}

namespace {

std::string text_of(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string findings_text(const std::vector<Finding>& findings) { return text_of(findings); }

std::optional<std::vector<Finding>> findings_from(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array()) return std::nullopt;
  return json.get<std::vector<Finding>>();
}

std::string report_line(const char* key, const Finding& finding) { return text_of({{key, finding}}) + '\n'; }

std::string report_line(const char* key, const KernelRecord& record) {
  return text_of({{key, record}}) + '\n';
}

std::string report_line(const char* key, const std::vector<std::pair<std::string, std::uint64_t>>& numbers) {
  nlohmann::json all = nlohmann::json::object();
  for (const auto& [name, number] : numbers) all[name] = number;
  return text_of({{key, all}}) + '\n';
}

}  // namespace sim
