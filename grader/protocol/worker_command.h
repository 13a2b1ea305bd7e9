// The words that start a rung's process inside something
// else, such as a sandbox; the judge itself stays outside.
#pragma once

#include <string>
#include <vector>

namespace ladder {

/// A command line whose last words start the worker.
struct WorkerCommand {
  /// Words that stand for the rung's module and for the folder that it lies in.
  static constexpr const char* kModule = "{module}";
  static constexpr const char* kFolder = "{folder}";

  /// Words that belong together. A group with kModule or kFolder is left out of the probe, which only asks
  /// for the device and has no module.
  std::vector<std::vector<std::string>> groups = {};
  /// Where it was read from or written to: by that name a request has it.
  std::string file = {};

  /// Whether there is such a command; without one the runner starts itself.
  bool given() const { return !groups.empty(); }
  /// The words for one rung: {module} becomes the module's path, {folder} that of its folder.
  /// @param module  path of the rung's module, or empty
  std::vector<std::string> words(const std::string& module) const;

  /// Adds words, each of which stands by itself.
  void add(const std::vector<std::string>& words);
  /// Keeps it as JSON in a file. @throws std::runtime_error
  void write(const std::string& to);
  /// Reads a JSON array of words and of arrays of words. @throws std::runtime_error
  static WorkerCommand read(const std::string& file);
};

}  // namespace ladder
