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
    &Counters::shared_atomic_words,
    &Counters::shared_atomic_word_warps,
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

const char* to_string(InstructionClass which) {
  switch (which) {
    case InstructionClass::shuffle:
      return "shuffle";
    case InstructionClass::vote:
      return "vote";
    case InstructionClass::match:
      return "match";
    case InstructionClass::warp_reduction:
      return "warp_reduction";
    case InstructionClass::warp_barrier:
      return "warp_barrier";
    case InstructionClass::fence:
      return "fence";
    case InstructionClass::atomic_store:
      return "atomic_store";
    case InstructionClass::async_copy:
      return "async_copy";
    case InstructionClass::matrix_load:
      return "matrix_load";
    case InstructionClass::fragment_load:
      return "fragment_load";
    case InstructionClass::fragment_product:
      return "fragment_product";
    case InstructionClass::matrix_product:
      return "matrix_product";
    case InstructionClass::constant_load:
      return "constant_load";
    case InstructionClass::read_only_load:
      return "read_only_load";
    case InstructionClass::half_operation:
      return "half_operation";
    case InstructionClass::packed_operation:
      return "packed_operation";
    case InstructionClass::float_operation:
      return "float_operation";
    case InstructionClass::extremum:
      return "extremum";
    case InstructionClass::division:
      return "division";
    case InstructionClass::dot_product:
      return "dot_product";
    case InstructionClass::partial_wait:
      return "partial_wait";
    case InstructionClass::acquire:
      return "acquire";
    case InstructionClass::release:
      return "release";
    case InstructionClass::count:
      break;
  }
  return "?";
}

}  // namespace sim
