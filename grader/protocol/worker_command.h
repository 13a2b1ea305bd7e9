// The words that start a rung's process inside something
// else, such as a sandbox; the judge itself stays outside.
#pragma once

#include <string>
#include <vector>

namespace ladder {

/// A command line whose last words start the worker.
struct WorkerCommand {
  /// Words that belong together. A group with the word {module} or {folder} is left out of the probe, which
  /// only asks for the device and has no module.
  std::vector<std::vector<std::string>> groups;

  /// Whether there is such a command; without one the runner starts itself.
  bool given() const { return !groups.empty(); }
  /// The words for one rung: {module} becomes the module's path, {folder} that of its folder.
  /// @param module  path of the rung's module, or empty
  std::vector<std::string> words(const std::string& module) const;

  /// Reads a JSON array of words and of arrays of words. @throws std::runtime_error
  static WorkerCommand read(const std::string& file);
};

}  // namespace ladder
