// What a rung of this lesson is held to. Each does something else, so each has cases of its own.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "grader/lesson/lesson.h"

class Exercise {
 public:
  virtual ~Exercise() = default;
  using Extents = std::vector<std::pair<std::string, std::int64_t>>;
  virtual std::vector<Extents> checked() const = 0;
  /// Extents of the timed case, or none.
  virtual Extents timed(ladder::DeviceKind) const { return {}; }
  virtual bool valid(const ladder::Case&) const { return true; }
  virtual void declare(ladder::Problem& problem, ladder::Random& random) const = 0;
  virtual void reference(ladder::Problem& problem) const = 0;
  virtual ladder::Work work(const ladder::Case&) const { return {}; }
  virtual cudaError_t launch(const ladder::Case& which, const ladder::Arguments& arguments) const = 0;
};

/// A function of the contract that the rung has to define.
/// @param function  null if it does not
/// @throws ladder::Objection that says which
template <class Function>
Function* defined(Function* function, const char* name) {
  if (function == nullptr)
    throw ladder::Objection(std::string("the file defines no ") + name +
                            "() with the parameters that first_program.h gives it");
  return function;
}

/// Runs calls of the check itself.
inline void must(cudaError_t error) {
  if (error != cudaSuccess)
    throw ladder::Objection(std::string("a call of this rung's check failed, behind yours: ") +
                            cudaGetErrorString(error));
}
