#include "grader/build/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "grader/build/toolchain.h"
#include "grader/platform/environment.h"
#include "simulator/model/gpu.h"

namespace ladder::cli {
namespace {

bool is_decimal(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

int number_of(const Architecture& architecture) { return std::atoi(architecture.c_str()); }

/// What a message speaks of: what stands in it in quotes of either kind, first.
std::string subject_of(std::string_view text) {
  const std::size_t from = text.find_first_of("'\"");
  const std::size_t to = from == text.npos ? text.npos : text.find(text[from], from + 1);
  return to == text.npos ? "" : std::string(text.substr(from + 1, to - from - 1));
}

/// Names of CUDA's headers that they leave out below an architecture, by what they begin with.
constexpr std::array<std::pair<std::string_view, const char*>, 12> kSince{{
    {"__reduce_", "80"},
    {"tf32", "80"},
    {"precision", "80"},
    {"cluster_group", "90"},
    {"this_cluster", "90"},
    {"__cluster_dims__", "90"},
    {"__cluster", "90"},
    {"cluster_dims", "90"},
    {"map_shared_rank", "90"},
    {"distributed_shared", "90"},
    {"__nv_fp8", "89"},
    {"barrier_cluster", "90"},
}};

/// What a message's subject needs; empty where it is nothing that depends on the architecture.
Architecture needed_for(std::string_view text) {
  static constexpr std::string_view kPtxas = "requires .target sm_";
  if (const std::size_t at = text.find(kPtxas); at != text.npos) {
    std::string_view rest = text.substr(at + kPtxas.size());
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_decimal);
    std::size_t length = end - rest.begin();
    if (length < rest.size() && rest[length] == 'a') ++length;
    return read_architecture(rest.substr(0, length));
  }
  const bool missing = text.find("undefined") != text.npos || text.find("no member") != text.npos ||
                       text.find("incomplete type") != text.npos;
  const std::string subject = subject_of(text);
  for (const auto& [name, since] : kSince)
    if (missing && subject.starts_with(name)) return since;
  return {};
}

}  // namespace

Architecture read_architecture(std::string_view text) {
  for (const std::string_view prefix : {"compute_", "sm_"})
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  Architecture digits;
  for (const char c : text)
    if (c != '.') digits += c;
  std::string_view number(digits);
  if (number.ends_with('a')) number.remove_suffix(1);
  const bool well_formed =
      (number.size() == 2 || number.size() == 3) && std::all_of(number.begin(), number.end(), is_decimal);
  return well_formed ? digits : Architecture();
}

Architecture higher(const Architecture& a, const Architecture& b) {
  if (number_of(a) != number_of(b)) return number_of(a) > number_of(b) ? a : b;
  return a.size() > b.size() ? a : b;  // 90a has what 90 has
}

Architecture architecture_of(const RungInfo& rung, const Architecture& base) {
  return higher(base, read_architecture(rung.compute_capability));
}

Architecture simulated_architecture() {
  const sim::model::Gpu* gpu = sim::model::find_gpu(environment("LADDER_SIM_GPU"));
  if (gpu == nullptr) gpu = &sim::model::gpus().front();
  return fmt::format("{}{}", gpu->major, gpu->minor);
}

Architecture device_architecture(const Project& project) {
  return toolchain(project).value("device_arch", simulated_architecture());
}

std::string capability(const Architecture& architecture) {
  const std::size_t digits = architecture.find_first_not_of("0123456789");
  const std::size_t point = std::min(digits, architecture.size()) - 1;
  return architecture.substr(0, point) + "." + architecture.substr(point);
}

std::string newer_architecture_hint(const std::vector<CompilerMessage>& messages,
                                    const Architecture& compiled_for) {
  for (const CompilerMessage& message : messages) {
    const Architecture needed = needed_for(message.text);
    if (needed.empty() || compiled_for.empty() || higher(needed, compiled_for) == compiled_for) continue;
    return fmt::format("{} needs compute capability {}; this was compiled for {}.", subject_of(message.text),
                       capability(needed), capability(compiled_for));
  }
  return {};
}

}  // namespace ladder::cli
