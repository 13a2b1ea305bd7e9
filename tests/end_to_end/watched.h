// A course whose build and runner are scripts, and `ladder watch` on it.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "grader/platform/files.h"
#include "tests/end_to_end/ladder_run.h"

namespace end_to_end {

/// A build that takes no time and counts itself; a rung passes when its file says "right".
struct Watched {
  sample::Tree tree;
  explicit Watched(const std::string& build = "exit 0\n")
      : cmake_(prepare(), "echo built >> \"$LADDER_ROOT/builds\"\n" + build) {
    const std::string rung = (folder() / "1_serial.cu").string();
    sample::add_runner(
        tree,
        "echo \"$LADDER_SIM_LENS\" > \"$LADDER_ROOT/lens\"\ncase \"$*\" in *1_serial*)\nif grep -q right " +
            rung + "; then\n" + sample::verdict("1_serial", "passed") + "else\n" +
            sample::verdict("1_serial", "wrong_values") + "fi ;;\n*)\n" +
            sample::verdict("3_interleaved", "wrong_values") + ";;\nesac\n" + sample::kDone);
  }
  std::filesystem::path folder() const { return tree.project.lessons() / "09_reduction"; }
  std::filesystem::path rung() const { return folder() / "1_serial.cu"; }
  std::filesystem::path plugin() const {
    return tree.project.build / "modules" / "09_reduction" / "lesson.so";
  }
  /// As sed, Vim and VS Code's atomic writes do it.
  void save(const std::string& text) const { ladder::cli::write_file(rung(), text); }
  /// As nano does it, with a moment in which the file is empty.
  void save_in_place(const std::string& text) const {
    std::ofstream file(rung(), std::ios::trunc);
    file.flush();
    ::usleep(60'000);
    file << text;
  }
  std::size_t builds() const {
    const std::filesystem::path file = tree.project.root / "builds";
    return std::filesystem::exists(file) ? ladder::cli::split_lines(ladder::cli::read_file(file)).size() : 0;
  }

 private:
  const sample::Tree& prepare() const {
    tree.add_lesson("09_reduction");
    ladder::cli::write_file(plugin(), "");
    return tree;
  }
  sample::FakeCmake cmake_;
};

inline OnTerminal watching(const Watched& f, std::vector<std::string> more = {},
                           const Environment& environment = {}) {
  more.insert(more.begin(), {"watch", "09.1", "--device", "sim"});
  return {f.tree, std::move(more), environment};
}

}  // namespace end_to_end
