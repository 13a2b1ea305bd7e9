// Another machine, reached by ssh, that runs what was built here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/build/architecture.h"
#include "grader/platform/process/unique_fd.h"
#include "grader/remote/package.h"

namespace ladder::cli {

/// One connection, used for all that follows. What is copied lies in a folder of its own over there, which
/// goes when the run ends, however it ends. ssh is the user's, with their keys and ~/.ssh/config; LADDER_SSH
/// may name another command, such as `ssh -F file`.
class Remote {
 public:
  /// Connects, asking on the terminal for what ssh needs to know.
  /// @param target  USER\@HOST, or a name of ~/.ssh/config
  /// @throws Failure (environment) where there is no ssh, the machine cannot be reached, or is of another
  /// architecture
  explicit Remote(std::string target);
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;
  ~Remote();

  const std::string& target() const { return target_; }
  bool has_gpu() const { return gpu_; }
  /// What its GPU is compiled for.
  const Architecture& architecture() const { return architecture_; }

  /// Copies what was staged and tries whether the runner starts over there.
  /// @throws Failure (environment), in particular where the C library there is too old
  void upload(Package& package, const std::string& runner);

  /// Where a file of the package lies over there.
  std::filesystem::path at(const std::filesystem::path& place) const {
    return std::filesystem::path(scratch_) / place;
  }

  /// The command to run here so that @p words run there, with what they write to descriptor 3 on
  /// "{result-fd}" of run_process(). They end when this object, or this process, does.
  std::vector<std::string> command(const std::vector<std::string>& words) const;

 private:
  std::vector<std::string> ssh(const std::string& command) const;
  void connect();
  void probe();

  std::string target_, scratch_;
  TemporaryFolder control_;  ///< folder of the connection's socket
  bool gpu_ = false;
  Architecture architecture_ = kPortableArchitecture;
  Pipe stdin_;  ///< the remote run's stdin: open as long as this lives
};

/// @p words as one line for a POSIX shell.
std::string quoted(const std::vector<std::string>& words);

}  // namespace ladder::cli
