// One call of the compiler on a student's file, in a cell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/course/course.h"
#include "grader/grade/engines/grading.h"
#include "grader/platform/process/run_process.h"

namespace ladder::cli::grade {

/// The fast build, which runs; and the check build, which findings are looked for in.
enum class Build { fast, check };

/// What a call of the compiler came to, as the operating system tells it and not as anything printed does.
struct CompilerCall {
  bool begun = false;  ///< the cell was made and the compiler started in it
  bool timed_out = false;
  ExitStatus status;
  std::vector<std::string> lines;  ///< what it printed; paths in it are those of the course
};

/// A student's file, compiled as lessons/NN_name/RUNG.cu of a course that holds nothing but headers.
class CompilerCell {
 public:
  /// @param folder  an empty folder of the judge's own; products come into its subfolder out
  /// @param source  the student's file, whose contents are copied
  CompilerCell(const Grading& grading, const LessonInfo& lesson, const RungInfo& rung,
               const std::filesystem::path& folder, const std::filesystem::path& source);

  /// @throws Failure (interrupted)
  CompilerCall call(Build build) const;

  std::filesystem::path out() const { return folder_ / "out"; }
  std::filesystem::path product(Build build) const;
  /// The digest of the text that the device compiler read.
  std::filesystem::path text(Build build) const;
  /// The file's name as the compiler's messages have it.
  std::string name() const { return inside_.string(); }

 private:
  std::vector<std::string> compiler(Build build) const;
  std::filesystem::path course() const;  ///< where the course's headers lie for the compiler

  const Grading& grading_;
  const LessonInfo& lesson_;
  const RungInfo& rung_;
  std::filesystem::path folder_, inside_;
};

/// Whether a product is a file of a size that the judge takes.
bool is_product(const std::filesystem::path& file);

}  // namespace ladder::cli::grade
