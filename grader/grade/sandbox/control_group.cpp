#include "grader/grade/sandbox/control_group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "grader/platform/process/run_process.h"
#include "grader/platform/process/unique_fd.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
namespace {

constexpr const char* kWanted[] = {"pids", "memory", "cpu"};
constexpr const char* kPrefix = "ladder-";
constexpr const char* kJudge = "ladder-judge";
constexpr int kWeightOfJudge = 10'000;  // of 1 to 10,000: it is to get its time beside any cell
constexpr int kWeightOfCell = 100;      // however many processes it has
constexpr int kOutermost = 8;           // processes of the sandbox itself, which count as the cell's
constexpr int kMostTries = 200;         // for what was killed to be gone
constexpr useconds_t kBetweenTries = 5'000;

/// Makes a group with limits, moves into it, and becomes the cell: sh GROUP FILE=VALUE... -- PROGRAM
/// ARGUMENT...
constexpr const char* kEnter =
    "g=$1/cell-$$; shift; mkdir \"$g\" || exit 125\n"
    "while [ \"$1\" != -- ]; do echo \"${1#*=}\" >\"$g/${1%%=*}\" || exit 125; shift; done\n"
    "shift; echo 0 >\"$g/cgroup.procs\" || exit 125; exec \"$@\"";

/// What is given to a file of the kernel's counts in one piece.
bool put(const fs::path& file, const std::string& text) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::vector<std::string> words_in(const fs::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The folder of this process's group: the mount point of `... ROOT MOUNT ... - cgroup2 ...` and what
/// `0::PATH` has below ROOT.
std::optional<fs::path> folder_of(const fs::path& proc) {
  std::string path;
  std::ifstream groups(proc / "cgroup");
  for (std::string line; std::getline(groups, line);)
    if (line.starts_with("0::")) path = line.substr(3);
  std::ifstream mounts(proc / "mountinfo");
  for (std::string line; !path.empty() && std::getline(mounts, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string skipped, root, mount;
    fields >> skipped >> skipped >> skipped >> root >> mount;
    const fs::path below = fs::path(path).lexically_relative(root);
    if (below == ".") return mount;
    if (!below.empty() && *below.begin() != "..") return mount / below;
  }
  return std::nullopt;
}

/// Removes a group, its cells, and the processes in them.
void remove_group(const fs::path& group) {
  put(group / "cgroup.kill", "1");
  for (int tries = 0; tries < kMostTries; ++tries) {
    std::error_code error;
    std::vector<fs::path> cells;
    for (const fs::directory_entry& entry : fs::directory_iterator(group, error))
      if (entry.is_directory(error)) cells.push_back(entry.path());
    for (const fs::path& cell : cells) ::rmdir(cell.c_str());
    if (::rmdir(group.c_str()) == 0 || errno != EBUSY) return;
    ::usleep(kBetweenTries);
  }
}

void remove_those_of_the_dead(const fs::path& base) {
  std::error_code error;
  std::vector<fs::path> dead;
  for (const fs::directory_entry& entry : fs::directory_iterator(base, error)) {
    const std::string name = entry.path().filename();
    const pid_t owner = name.starts_with(kPrefix) ? std::atoi(name.c_str() + std::string(kPrefix).size()) : 0;
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) dead.push_back(entry.path());
  }
  for (const fs::path& group : dead) remove_group(group);
}

}  // namespace

Delegated find_delegated(const fs::path& proc) {
  const std::optional<fs::path> own = folder_of(proc);
  if (!own) return {{}, {}, "no control groups of version 2 are mounted here"};
  const bool moved = own->filename() == kJudge;
  const fs::path base = moved ? own->parent_path() : *own;
  const auto none = [&](const char* why) {
    return Delegated{base, {}, fmt::format("{} {}", base.string(), why)};
  };
  for (const char* file : {"", "cgroup.procs", "cgroup.subtree_control"})
    if (::access((base / file).c_str(), W_OK) != 0) return none("is not ours to divide");
  Delegated found{base, {}, {}};
  const std::vector<std::string> offered = words_in(base / "cgroup.controllers");
  for (const char* controller : kWanted)
    if (holds(offered, controller)) found.controllers.emplace_back(controller);
  if (found.controllers.empty()) return none("has none of the controllers pids, memory and cpu");
  // Only the tree's root, which is the one without a type, may have both processes and groups with limits.
  if (!moved && fs::exists(base / "cgroup.type") && words_in(base / "cgroup.procs").size() > 1)
    return none("has other programs in it, so that it cannot be divided");
  return found;
}

const ControlGroup& ControlGroup::of_this_process() {
  static const ControlGroup group(find_delegated("/proc/self"));
  return group;
}

ControlGroup::ControlGroup(Delegated delegated) : delegated_(std::move(delegated)) {
  if (!why_not().empty()) return;
  const fs::path &base = delegated_.base, judge = base / kJudge;
  remove_those_of_the_dead(base);
  ::mkdir(judge.c_str(), 0755);
  if (!put(judge / "cgroup.procs", "0")) {
    give_up("does not let this process move");
    return;
  }
  group_ = base / (kPrefix + std::to_string(::getpid()));
  ::mkdir(group_.c_str(), 0755);
  std::erase_if(delegated_.controllers, [&](const std::string& controller) {
    const std::string on = "+" + controller;
    return !put(base / "cgroup.subtree_control", on) || !put(group_ / "cgroup.subtree_control", on);
  });
  if (has("cpu")) put(judge / "cpu.weight", std::to_string(kWeightOfJudge));
  std::vector<std::string> trial = enter(1, 64);
  trial.emplace_back("true");
  if (delegated_.controllers.empty() || !capture(trial).status.ok())
    give_up("does not hand its controllers down");
}

ControlGroup::~ControlGroup() {
  if (!group_.empty()) remove_group(group_);
}

void ControlGroup::give_up(const char* why) {
  delegated_.why_not = fmt::format("{} {}", delegated_.base.string(), why);
  delegated_.controllers.clear();
  if (!group_.empty()) remove_group(group_);
  group_.clear();
  put(delegated_.base / "cgroup.procs", "0");
}

bool ControlGroup::has(const std::string& controller) const {
  return holds(delegated_.controllers, controller);
}

std::vector<std::string> ControlGroup::enter(int processes, int memory_mb) const {
  if (group_.empty()) return {};
  std::vector<std::string> words = {"sh", "-c", kEnter, "sh", group_.string()};
  if (has("pids")) words.push_back(fmt::format("pids.max={}", processes + kOutermost));
  if (has("memory") && memory_mb > 0) {
    words.push_back(fmt::format("memory.max={}M", memory_mb));
    // Counted only where the kernel can swap and accounts for it.
    if (fs::exists(group_ / "memory.swap.max")) words.emplace_back("memory.swap.max=0");
  }
  if (has("cpu")) words.push_back(fmt::format("cpu.weight={}", kWeightOfCell));
  words.emplace_back("--");
  return words;
}

}  // namespace ladder::cli::grade
