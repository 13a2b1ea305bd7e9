// What another machine needs to run rungs that were built here:
// runners, modules, and the libraries they are linked to.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/build/build.h"
#include "grader/course/names.h"
#include "grader/course/project.h"
#include "grader/platform/files.h"

namespace ladder::cli {

/// Where things lie below a package, and on the machine it is unpacked on.
struct PackagePlaces {
  static std::filesystem::path binary(const std::string& name) {
    return std::filesystem::path("build/bin") / name;
  }
  static std::filesystem::path libraries() { return "lib"; }
  static std::filesystem::path modules() { return "build/modules"; }
};

/// A folder of links to files of this machine, to be packed
/// with `tar --dereference`; vanishes with the object.
class Package {
 public:
  Package();
  Package(const Package&) = delete;
  Package& operator=(const Package&) = delete;

  const std::filesystem::path& folder() const { return folder_.path(); }
  /// Adds a file. @throws Failure (environment) where it is missing
  void link(const std::filesystem::path& file, const std::filesystem::path& place);
  /// Adds a file with these contents.
  void write(const std::filesystem::path& place, const std::string& text, bool executable);
  /// Adds a program of this build, with the libraries it needs that are not the C library's or the driver's.
  void program(const Project& project, const std::string& name);
  /// Adds a lesson's plugin, and of its rungs the modules with their check builds.
  void rungs(const Project& project, const Selection& selection, Side side);

 private:
  void libraries_of(const std::filesystem::path& file);
  TemporaryFolder folder_;
};

}  // namespace ladder::cli
