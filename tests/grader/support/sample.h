// A small course in a temporary folder, for the tests of the command line.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "grader/course/project.h"
#include "grader/course/text/skeleton.h"
#include "grader/platform/files.h"

namespace sample {

inline constexpr std::string_view kLesson = R"toml(title = "Reduction"
summary = "Many numbers into one."
part = "II Patterns"
prerequisites = ["05_transpose"]
[[rung]]
name = "1_serial"
summary = "One thread adds everything"
hints = ["A loop.", "A loop over n."]
[[rung]]
name = "3_interleaved"
summary = "Pairs, neighbours first"
points = 2.5
hints = ["Halve.", "Halve each time.", "for (int s = 1; s < n; s *= 2)"]
[[rung]]
name = "10_warp_shuffle"
summary = "Registers talk to registers"
compute_capability = "9.0"
)toml";

inline constexpr std::string_view kSolution = R"(// Rung: one idea.
__global__ void kernel(float* out, const float* in, int n) {
  // TODO(1): add every element
  // into a register (2 lines).
  // BEGIN SOLUTION
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  // END SOLUTION

  // TODO(2): store it (1 line).
  // BEGIN SOLUTION
  *out = sum;
  // END SOLUTION
}
)";

/// A checkout in a folder of its own that vanishes with it.
struct Tree {
  ladder::cli::Project project;

  Tree() {
    std::string name = (std::filesystem::temp_directory_path() / "ladder-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    project.root = name;
    project.build = project.root / "build";
    ladder::cli::write_file(project.root / "CMakeLists.txt", "");
    std::filesystem::create_directories(project.lessons());
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() {
    std::error_code ignored;
    std::filesystem::remove_all(project.root, ignored);
  }

  /// A lesson with the sample's three rungs, skeletons and solutions.
  void add_lesson(const std::string& name) const {
    ladder::cli::write_file(project.lessons() / name / "lesson.toml", kLesson);
    for (const char* rung : {"1_serial.cu", "3_interleaved.cu", "10_warp_shuffle.cu"}) {
      ladder::cli::write_file(project.solutions() / name / rung, kSolution);
      ladder::cli::write_file(project.lessons() / name / rung, ladder::cli::make_skeleton(kSolution).text);
    }
  }
};

}  // namespace sample
