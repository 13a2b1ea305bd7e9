// Cases of more elements than 32 bits can count, which nobody
// stores, or of more blocks than are simulated in good time.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "grader/lesson/lesson.h"

namespace ladder {

/// What a lesson whose arrays may pass 2^31 elements, or whose grids are large, has besides the rest: its
/// class derives from both. On the simulator giant arrays take up no memory until they are touched, and a
/// sample of the blocks of each launch runs. So an element of a result must be computable by itself, and by a
/// block that waits for no other; where it is not, what the blocks access is looked at all the same.
class Giant {
 public:
  /// An element of an input. Floating-point ones are multiples
  /// of 1/64 from -1 to 1, signed integers lie within +-1000.
  using Input = std::function<double(std::string_view name, std::int64_t index)>;

  virtual ~Giant() = default;
  virtual std::vector<Case> giant_cases() const = 0;
  /// Declares the arrays, as Lesson::declare() does, all on the device, and fills none: they are too large.
  virtual void outline(Problem& problem) const = 0;
  /// What stands in @p input in place of a value that was drawn for it, where not every value may.
  virtual double adapt(std::string_view input, double drawn) const { return (void)input, drawn; }
  /// What element @p index of @p output is to be.
  virtual double element(const Case& which, std::string_view output, std::int64_t index,
                         const Input& in) const {
    return (void)which, (void)output, (void)index, (void)in, 0;
  }
  virtual Tolerance tolerance(const Case&) const { return {}; }
  /// Whether elements are compared: not where a result is a sum over all of an array, nor where prepare()
  /// launches kernels, which work on a sample, too. Then only accesses count, and nobody asks for element().
  virtual bool compares() const { return true; }
  /// Whether every result depends on every element of the inputs: then some of each 2^31 have to be read.
  virtual bool reads_all() const { return false; }
};

/// The giant cases of a lesson, and of its blank page.
std::vector<Case> giant_cases_of(const Lesson& lesson);

/// Who has made a giant case: the lesson, or its blank page.
/// @param which  one of giant_cases_of(lesson)
const Giant& giant_of(const Lesson& lesson, const Case& which);

}  // namespace ladder
