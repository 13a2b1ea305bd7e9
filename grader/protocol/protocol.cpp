#include "grader/protocol/protocol.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/protocol/verdict.h"
#include "language/catalogue.h"
#include "simulator/report/wording/words.h"

namespace ladder {
const char* describe(WorkerStep step) {
  switch (step) {
    case WorkerStep::starting:
      return tr("before anything of yours ran");
    case WorkerStep::loading:
      return tr("while your file was being loaded (constructors of global objects run then)");
    case WorkerStep::allocating:
      return tr("while the arrays were being allocated");
    case WorkerStep::prepare:
      return tr("while the lesson prepared its data");
    case WorkerStep::launch:
      return tr("in your function");
    case WorkerStep::synchronize:
      return tr("while your kernels were running");
    case WorkerStep::finish:
      return tr("after your function had returned");
    case WorkerStep::harness:
      return tr("while the grader was copying results");
  }
  return tr("at an unknown moment");
}

void to_json(nlohmann::json& json, const DeviceInfo& info) {
  json = {{"name", info.name},
          {"major", info.major},
          {"minor", info.minor},
          {"multiprocessors", info.multiprocessors},
          {"clock_ghz", info.clock_ghz},
          {"l2_bytes", info.l2_bytes},
          {"memory_bytes", info.memory_bytes},
          {"datasheet_gbs", info.datasheet_gbs},
          {"count", info.count}};
}

void from_json(const nlohmann::json& json, DeviceInfo& info) {
  json.at("name").get_to(info.name);
  json.at("major").get_to(info.major);
  json.at("minor").get_to(info.minor);
  json.at("multiprocessors").get_to(info.multiprocessors);
  json.at("clock_ghz").get_to(info.clock_ghz);
  json.at("l2_bytes").get_to(info.l2_bytes);
  json.at("memory_bytes").get_to(info.memory_bytes);
  json.at("datasheet_gbs").get_to(info.datasheet_gbs);
  json.at("count").get_to(info.count);
}

void to_json(nlohmann::json& json, const CudaStatus& status) {
  json = {{"code", status.code}, {"name", status.name}, {"text", status.text}};
}

void from_json(const nlohmann::json& json, CudaStatus& status) {
  json.at("code").get_to(status.code);
  json.at("name").get_to(status.name);
  json.at("text").get_to(status.text);
}

namespace {

/// What findings claim goes beside them: their own JSON, which is printed, has the whole sentence only.
std::vector<std::string> claims_of(const std::vector<sim::Finding>& findings) {
  std::vector<std::string> claims;
  for (const sim::Finding& finding : findings) claims.push_back(sim::claim_in_words(finding));
  return claims;
}

void take_claims(const std::vector<std::string>& claims, std::vector<sim::Finding>& findings) {
  for (std::size_t i = 0; i < std::min(claims.size(), findings.size()); ++i) findings[i].claim = claims[i];
}

}  // namespace

void to_json(nlohmann::json& json, const WorkerReply& reply) {
  json = {{"returned", reply.returned},
          {"left_behind", reply.left_behind},
          {"synchronize", reply.synchronize},
          {"harness", reply.harness},
          {"step", reply.step},
          {"exception", reply.exception},
          {"objection", reply.objection},
          {"reported", reply.reported},
          {"elapsed_ms", reply.elapsed_ms},
          {"findings", reply.findings},
          {"claims", claims_of(reply.findings)},
          {"kernels", reply.kernels},
          {"calls", reply.calls},
          {"failed_call", reply.failed_call}};
}

void from_json(const nlohmann::json& json, WorkerReply& reply) {
  json.at("returned").get_to(reply.returned);
  json.at("left_behind").get_to(reply.left_behind);
  json.at("synchronize").get_to(reply.synchronize);
  json.at("harness").get_to(reply.harness);
  json.at("step").get_to(reply.step);
  json.at("exception").get_to(reply.exception);
  json.at("objection").get_to(reply.objection);
  json.at("reported").get_to(reply.reported);
  json.at("elapsed_ms").get_to(reply.elapsed_ms);
  json.at("findings").get_to(reply.findings);
  if (reply.findings.size() > kMostFindings) reply.findings.resize(kMostFindings);
  take_claims(json.value("claims", std::vector<std::string>()), reply.findings);
  json.at("kernels").get_to(reply.kernels);
  json.at("calls").get_to(reply.calls);
  json.at("failed_call").get_to(reply.failed_call);
}

nlohmann::json case_to_json(const Case& which) {
  return {{"extents", which.extents},
          {"variant", which.variant},
          {"use", which.use},
          {"blank_page", which.blank_page}};
}

Case case_from_json(const nlohmann::json& json) {
  Case which;
  json.at("extents").get_to(which.extents);
  json.at("variant").get_to(which.variant);
  json.at("use").get_to(which.use);
  json.at("blank_page").get_to(which.blank_page);
  return which;
}

nlohmann::json buffer_to_json(const Buffer& buffer) {
  return {{"name", buffer.name}, {"role", buffer.role},   {"location", buffer.location},
          {"type", buffer.type}, {"shape", buffer.shape}, {"offset", buffer.offset}};
}

Buffer buffer_from_json(const nlohmann::json& json) {
  Buffer buffer;
  json.at("name").get_to(buffer.name);
  json.at("role").get_to(buffer.role);
  json.at("location").get_to(buffer.location);
  json.at("type").get_to(buffer.type);
  json.at("shape").get_to(buffer.shape);
  json.at("offset").get_to(buffer.offset);
  return buffer;
}

}  // namespace ladder
