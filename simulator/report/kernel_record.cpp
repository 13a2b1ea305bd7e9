#include "simulator/report/kernel_record.h"

namespace sim {
namespace {

/// Every counter.
constexpr std::uint64_t Counters::*kCounters[] = {
    &Counters::inst_executed,
    &Counters::thread_inst_executed,
    &Counters::global_load_requests,
    &Counters::global_load_sectors,
    &Counters::global_store_requests,
    &Counters::global_store_sectors,
    &Counters::global_atomic_requests,
    &Counters::global_atomic_sectors,
    &Counters::shared_load_requests,
    &Counters::shared_load_wavefronts,
    &Counters::shared_store_requests,
    &Counters::shared_store_wavefronts,
    &Counters::shared_atomic_requests,
    &Counters::shared_atomic_wavefronts,
    &Counters::local_load_requests,
    &Counters::local_load_sectors,
    &Counters::local_store_requests,
    &Counters::local_store_sectors,
    &Counters::branches,
    &Counters::divergent_branches,
    &Counters::barriers,
};

}  // namespace

Counters& Counters::operator+=(const Counters& other) {
  for (const auto counter : kCounters) this->*counter += other.*counter;
  return *this;
}

void Counters::scale(double factor) {
  for (const auto counter : kCounters)
    this->*counter = static_cast<std::uint64_t>(static_cast<double>(this->*counter) * factor);
}

}  // namespace sim
