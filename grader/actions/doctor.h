// Looks at the machine: what is there, what is missing, how to get it.
#pragma once

#include <string>
#include <vector>

#include "grader/course/project.h"

namespace ladder::cli {

struct MachineCheck {
  enum class Status {
    ok,
    absent,  ///< not there, and the course goes on without it
    broken   ///< needed, and missing or unusable
  };
  std::string id;    ///< for programs: "nvcc"
  std::string what;  ///< for people: "CUDA compiler"
  Status status = Status::ok;
  std::string detail;  ///< version and place, or what is the matter
  std::string remedy;  ///< what to do; empty where nothing needs doing
};
const char* to_string(MachineCheck::Status status);

/// Examines tools, toolkit, driver, GPUs and the build; starts a few programs, changes nothing.
std::vector<MachineCheck> examine(const Project& project);

/// The first thing in @p text that looks like a version, "13.0.48"; empty where nothing does.
std::string first_version(const std::string& text);

/// Whether dotted version @p have is at least @p need.
bool at_least(const std::string& have, const std::string& need);

}  // namespace ladder::cli
