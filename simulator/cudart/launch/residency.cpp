#include "simulator/cudart/launch/residency.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/settings.h"
#include "simulator/cudart/memory/unshare.h"
#include "simulator/engine/grid/selection.h"
#include "simulator/report/json.h"

namespace sim::cudart {
namespace {

/// Warp instructions of one block, after which it counts as waiting, and how many times fewer the whole
/// launch must have taken: then it is no long work that goes on there.
constexpr std::uint64_t kInstructionsOfPatience = std::uint64_t{1} << 22, kTimesFewer = 16;
constexpr int kLooksAtShape = 2, kShapes = 16;  ///< of a kernel
constexpr double kMostThreads = 1 << 17;

bool is_due(const exec::KernelFacts& facts, const exec::Launch& what) {
  static auto& looks = *new std::map<std::string, std::map<std::string, int>>;  // by kernel and shape
  double threads = 1;
  std::string shape;
  for (const Index3& extent : {what.grid, what.block})
    for (const auto n : extent) threads *= n, shape += fmt::format("{} ", n);
  auto& mine = looks[facts.name];
  if (threads > kMostThreads || (mine.size() >= kShapes && !mine.contains(shape))) return false;
  return ++mine[shape] <= kLooksAtShape;
}

class Copy : public Residency {
 public:
  Copy(const exec::LoadedModule::Program& program, const exec::Launch& what) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    pid_ = fork();
    if (pid_ == 0) look(program, what, ends[1]);
    ::close(ends[1]);
    from_ = ends[0];
  }
  ~Copy() override {
    if (from_ >= 0) ::close(from_);
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  std::vector<Finding> finish(std::uint64_t issued) override {
    if (pid_ <= 0 || issued > kInstructionsOfPatience / kTimesFewer) return {};
    std::string text;
    char buffer[1 << 12];
    for (ssize_t n; (n = ::read(from_, buffer, sizeof buffer)) != 0;) {
      if (n < 0 && errno != EINTR) break;
      if (n > 0) text.append(buffer, std::size_t(n));
    }
    std::optional<std::vector<Finding>> reply = findings_from(text);
    if (!reply || reply->empty()) return {};
    Finding& waits = reply->front();
    waits.message = Message(
        "Block ({},{},{}) waits here for a block that starts after it. Where the GPU has room for few "
        "blocks, because it "
        "is small or busy, that one starts only when this one has ended: the kernel hangs.",
        waits.block[0], waits.block[1], waits.block[2]);
    waits.cure = Cure::two_launches;
    return *std::move(reply);
  }

 private:
  /// The copy's life: no output of the kernel's, no exit handlers.
  [[noreturn]] static void look(const exec::LoadedModule::Program& program, exec::Launch what, int to) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    unshare_registered(device().space);
    const exec::ScopedBlockSelection few({.chosen = {}, .most_resident = settings().resident_blocks});
    what.instruction_limit = kInstructionsOfPatience;
    what.schedule_seed = 0;
    what.host_threads = 1;
    what.may_wait = false;
    what.trace = false;
    std::string text;
    try {
      exec::launch(program, what, device().space);
    } catch (const exec::Fault& fault) {
      if (fault.finding.kind == FindingKind::hang) text = findings_text({fault.finding});
    } catch (const std::exception&) {  // what cannot be run cannot be judged
    }
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t n = ::write(to, text.data() + at, text.size() - at);
      if (n < 0 && errno != EINTR) break;
      if (n > 0) at += std::size_t(n);
    }
    _exit(0);
  }

  pid_t pid_ = -1;
  int from_ = -1;
};

}  // namespace

std::unique_ptr<Residency> start_residency(const exec::LoadedModule::Program& program,
                                           const exec::KernelFacts& facts, const exec::Launch& what) {
  const auto blocks = std::uint64_t(what.grid[0]) * what.grid[1] * what.grid[2];
  if (!facts.polls_memory || what.cooperative || settings().resident_blocks == 0 ||
      blocks <= settings().resident_blocks)
    return nullptr;
  if (!is_due(facts, what)) return nullptr;
  return std::make_unique<Copy>(program, what);
}

}  // namespace sim::cudart
