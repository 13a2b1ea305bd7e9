// Which exercises of `ladder hunt` a student has found and mended: .ladder/hunts.json.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "grader/hunt/exercise.h"

namespace ladder::hunt {

/// What is kept of one exercise.
struct Hunted {
  bool found = false;   ///< line and kind were said
  bool mended = false;  ///< the file passed
  int guesses = 0;      ///< that were wrong
};

class HuntLog {
 public:
  /// An unreadable file is kept beside under another name when the log is next written.
  explicit HuntLog(const cli::Project& project);
  Hunted of(const Exercise& exercise) const;
  /// @throws cli::Failure (environment) where it cannot be written
  void note(const Exercise& exercise, const Hunted& hunted);

 private:
  std::filesystem::path file_;
  bool unreadable_ = false;
  nlohmann::json all_;
};

}  // namespace ladder::hunt
