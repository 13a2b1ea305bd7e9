#include "simulator/model/timeline/clocks.h"

#include <algorithm>

namespace sim::model {

using exec::Step;

StepClocks::StepClocks(const BoundInputs& in) : gpu_(in.gpu), tuning_(in.tuning), load_(load_clocks(in)) {
  const double bytes = in.traffic.loads + in.traffic.stores;
  const double sms = std::min<double>(in.gpu.sms, in.blocks);
  if (bytes > 0) memory_per_byte_ = memory_bound(in).ns * in.gpu.clock_ghz * sms / bytes;
}

double StepClocks::work(const Step& s) const {
  const double chain = double(s.global) * load_ + double(s.shared) * gpu_.shared_clocks +
                       double(s.atomics) * gpu_.l2_clocks + double(s.arithmetic) * gpu_.dependent_clocks;
  return std::max(chain, double(s.machine_instructions) * tuning_.clocks_per_sass_instruction);
}

double StepClocks::lane_copies(const Step& s) const {
  constexpr double kSectorBytes = 32;
  return double(s.amount) * std::max(1 / (kSectorBytes * gpu_.l1_sectors_per_clock), memory_per_byte_);
}

double StepClocks::bulk_load(const Step& s) const {
  return std::max(double(s.lines) / gpu_.bulk_lines_per_clock, double(s.amount) * memory_per_byte_);
}

double StepClocks::bulk_store(const Step& s) const {
  return double(s.amount) * std::max(1 / gpu_.bulk_store_bytes_per_clock, memory_per_byte_);
}

double StepClocks::product(const Step& s) const {
  constexpr double kPassBytes = 128;
  return kPartitions * std::max(double(s.amount) / gpu_.wgmma_macs_per_clock,
                                double(s.tile_bytes) / kPassBytes / gpu_.wavefronts_per_clock);
}

double StepClocks::multiply(const Step& s) const {
  return kPartitions * double(s.amount) / gpu_.tensor_macs_per_clock;
}

}  // namespace sim::model
