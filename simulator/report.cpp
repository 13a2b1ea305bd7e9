#include "simulator/report.h"

namespace sim {

Counters& Counters::operator+=(const Counters& other) {
  inst_executed += other.inst_executed;
  thread_inst_executed += other.thread_inst_executed;
  global_load_requests += other.global_load_requests;
  global_load_sectors += other.global_load_sectors;
  global_store_requests += other.global_store_requests;
  global_store_sectors += other.global_store_sectors;
  global_atomic_requests += other.global_atomic_requests;
  global_atomic_sectors += other.global_atomic_sectors;
  shared_load_requests += other.shared_load_requests;
  shared_load_wavefronts += other.shared_load_wavefronts;
  shared_store_requests += other.shared_store_requests;
  shared_store_wavefronts += other.shared_store_wavefronts;
  shared_atomic_requests += other.shared_atomic_requests;
  shared_atomic_wavefronts += other.shared_atomic_wavefronts;
  local_load_requests += other.local_load_requests;
  local_load_sectors += other.local_load_sectors;
  local_store_requests += other.local_store_requests;
  local_store_sectors += other.local_store_sectors;
  branches += other.branches;
  divergent_branches += other.divergent_branches;
  barriers += other.barriers;
  return *this;
}

}  // namespace sim
