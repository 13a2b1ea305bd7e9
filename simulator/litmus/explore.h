// All executions of a program, and what they leave in memory.
#pragma once

#include <compare>
#include <set>
#include <stdexcept>

#include "simulator/litmus/model/model.h"
#include "simulator/litmus/program.h"

namespace sim::litmus {

/// The program is more than can be explored; what() says of what there is too much.
struct TooMuch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Two statements that race for a location.
struct Race {
  int location = 0;
  std::uint32_t one = 0, other = 0;  ///< statements
  auto operator<=>(const Race&) const = default;
};

/// One final state of global memory.
struct Outcome {
  std::vector<std::uint64_t> memory;  ///< by location; the initial value of shared ones
  std::string failure;                ///< what ended the kernel; empty: nothing did
  std::uint64_t allowed = 0;          ///< executions that the model allows
  std::uint64_t forbidden = 0;        ///< candidates that it does not
  Axioms broken = 0;                  ///< where none is allowed: by the candidate that breaks fewest
  Execution example;                  ///< one that is allowed, else that candidate
};

struct Exploration {
  std::vector<Outcome> outcomes;  ///< by failure and memory
  std::set<Race> races;           ///< in executions that are allowed
  std::uint64_t candidates = 0;
};

/// @param most_candidates  to look at
/// @throws TooMuch
Exploration explore(const Program& program, std::uint64_t most_candidates);

}  // namespace sim::litmus
