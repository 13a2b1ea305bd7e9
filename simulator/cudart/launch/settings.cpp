#include "simulator/cudart/launch/settings.h"

#include <cstdlib>

#include "simulator/cudart/device/device.h"

namespace sim::cudart {
namespace {

std::uint64_t count(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? 0 : std::strtoull(value, nullptr, 10);
}

double number(const char* name, double otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtod(value, nullptr);
}

LaunchSettings of_environment() {
  const LaunchSettings otherwise;
  LaunchSettings s;
  s.schedule_seed = count("LADDER_SIM_SEED");
  s.host_threads = static_cast<int>(count("LADDER_SIM_THREADS"));
  s.instruction_limit = count("LADDER_SIM_INSTRUCTION_LIMIT");
  s.sampled_blocks = count("LADDER_SIM_SAMPLED_BLOCKS");
  s.trace = count("LADDER_SIM_LENS") != 0;
  s.check_seconds = number("LADDER_SIM_CHECK_SECONDS", otherwise.check_seconds);
  s.check_threads = number("LADDER_SIM_CHECK_THREADS", otherwise.check_threads);
  s.resident_blocks = count("LADDER_SIM_RESIDENT_BLOCKS");
  s.fill = static_cast<int>(number("LADDER_SIM_FILL", otherwise.fill));
  return s;
}

}  // namespace

LaunchSettings& settings() {
  static LaunchSettings& only = *new LaunchSettings(of_environment());
  return only;
}

}  // namespace sim::cudart

sim::LaunchSettings sim::launch_settings() {
  std::lock_guard hold(cudart::device().lock);
  return cudart::settings();
}

void sim::configure(const LaunchSettings& settings) {
  std::lock_guard hold(cudart::device().lock);
  cudart::settings() = settings;
}
