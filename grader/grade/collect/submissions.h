// Finds students and their rung files in what a class handed in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/course/course.h"
#include "grader/grade/engines/grading.h"

namespace ladder::cli::grade {

/// A rung's file as a student handed it in.
struct RungFile {
  const LessonInfo* lesson = nullptr;
  const RungInfo* rung = nullptr;
  std::string path;      ///< in the submission
  std::string contents;  ///< UTF-8
  std::string hash;      ///< sha256 of the contents
};

/// A file that was not taken, and why.
struct Ignored {
  std::string path;
  std::string why;
};

struct Submission {
  std::string student;           ///< as the folder, archive or list names them
  std::string source;            ///< path, or remote without its password
  std::string origin;            ///< the commit and its date, where it came by git
  bool marked_late = false;      ///< the file names say so (Canvas)
  std::string problem;           ///< why nothing could be read; empty when all is well
  std::vector<RungFile> files;   ///< at most one for each rung, in the course's order
  std::vector<Ignored> ignored;  ///< those that look as if they were meant; the rest are only counted
  std::size_t others = 0;        ///< files that are no concern of ours
};

/// Reads everything. Archives and repositories are taken apart in cells.
/// @param grading   says what cells are like and where the work folder is
/// @param from  a folder or an archive of submissions, or a text file of git remotes, `name remote` a line
/// @param notes  set to what an instructor should know of @p from as a whole, where it is not null
/// @return submissions whose students have printable names, no two the same
/// @throws Failure (usage, environment) where @p from itself is none of these or holds no submission
std::vector<Submission> collect(const Grading& grading, const Course& course,
                                const std::filesystem::path& from, std::vector<std::string>* notes = nullptr);

}  // namespace ladder::cli::grade
