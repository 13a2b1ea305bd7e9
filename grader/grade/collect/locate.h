// Which rung a file is, by its name and the folders it lies in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "grader/course/course.h"

namespace ladder::cli::grade {

struct Located {
  const LessonInfo* lesson = nullptr;
  const RungInfo* rung = nullptr;
  std::string why;  ///< of a .cu file that is no rung: why not; empty for files that are no concern of ours
};

/// Takes lessons/09_reduction/1_serial.cu, 09/1_serial.cu, lesson-9/1_serial.cu, reduction/1_serial.cu,
/// 09_1_serial.cu, and a rung's name alone where only one lesson has it; also with what learning platforms
/// put around names (smith_17_4711_1_serial-2.cu).
Located locate(const Course& course, std::string_view path);

/// Longer paths, or longer names in one, no file system takes: nothing of a submission needs to be looked for
/// there.
inline constexpr std::size_t kLongestPath = 4096, kLongestName = 255;  // bytes
bool is_too_long(std::string_view path);

/// The parts of a path between slashes.
std::vector<std::string> components(std::string_view path);

/// Who handed in a file or folder of that name, as learning platforms write it, or the name itself.
struct Owner {
  std::string student;
  std::string rest;  ///< what follows the owner in the name; empty where the whole name is the student's
  bool late = false;
};
Owner owner_of(const std::string& name);

}  // namespace ladder::cli::grade
