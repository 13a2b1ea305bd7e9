// A check of a rung as a process of its own: `ladder run`, which notes down what came of it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "grader/platform/process/subprocess.h"
#include "grader/serve/http/loop.h"

namespace ladder::cli::serve {

class Check {
 public:
  /// @param ladder  the program
  /// @param then    called at its end with its exit status and the last of what it printed; not where it was
  /// cancelled
  Check(const Loop& loop, const std::filesystem::path& ladder, const std::string& rung,
        const std::string& device, std::function<void(int code, const std::string& output)> then);

  /// Asks it to end; `then` is not called any more.
  void cancel();
  /// Whether it has ended, cancelled or not.
  bool ended() const { return !child_.running(); }
  /// Called when a cancelled one has ended.
  void when_ended(std::function<void()> then) { cancelled_then_ = std::move(then); }

 private:
  void read();

  Pipe pipe_;
  Subprocess child_;
  std::string output_;
  std::function<void(int, const std::string&)> then_;
  std::function<void()> cancelled_then_;
  bool cancelled_ = false;
  std::optional<Waiting> waiting_;
};

}  // namespace ladder::cli::serve
