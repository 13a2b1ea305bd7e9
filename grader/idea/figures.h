// A timed call's launches and API calls, summed up.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "grader/idea/condition.h"
#include "grader/protocol/verdict.h"

namespace ladder::idea {

/// What metrics are made of.
struct Figures {
  std::span<const sim::KernelRecord> kernels;
  const sim::KernelRecord* longest = nullptr;  ///< by modelled time; null: nothing was launched
  sim::Counters counters;                      ///< of all launches together, as the rest
  sim::InstructionMix mix;
  double blocks = 0, threads = 0, warps = 0;
  double global_waits = 0, tensor_macs = 0, doubles = 0, specials = 0, textures = 0, atomic_turns = 0;
  double useful_bytes = 0;  ///< that the contract needs
  double modelled_us = 0;
  const std::map<std::string, std::uint64_t>* calls = nullptr;
};
/// @param verdict  of a rung that was timed on the simulator; has to stay
Figures figures_of(const Verdict& verdict);

/// A metric's value, and where it comes from.
struct Value {
  double value = 0;
  std::string file;            ///< of the access, where the metric is about accesses
  int line = 0;                ///< 0: of no line
  double cost = 0, least = 0;  ///< of a request of the worst access, and what would do
};
/// 0 where nothing of the kind was done.
Value value_of(const Condition& condition, const Figures& figures);

}  // namespace ladder::idea
