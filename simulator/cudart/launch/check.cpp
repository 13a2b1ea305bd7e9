#include "simulator/cudart/launch/check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/settings.h"
#include "simulator/cudart/memory/unshare.h"
#include "simulator/ptx/link.h"
#include "simulator/ptx/local_redzones.h"
#include "simulator/report/json.h"
#include "simulator/sanitizer/examine.h"
#include "simulator/telemetry.h"

namespace sim::cudart {
namespace {

constexpr int kShapesOfKernel = 64;    ///< that are looked at
constexpr double kLeastSeconds = 0.5;  ///< for a launch
constexpr double kSecondsClosely = 8;  ///< for all launches that are looked at closely
constexpr std::uint64_t kInstructionLimit = std::uint64_t{1} << 26;  ///< warp instructions of one block

/// A kernel to look at: the check build's where there is one, else the program's own.
struct Subject {
  std::unique_ptr<sanitizer::Subject, sanitizer::SubjectDelete> examined;
  /// Beside a check build: the program's own, for the registers of its products. Null where there are none.
  std::unique_ptr<sanitizer::Subject, sanitizer::SubjectDelete> registers;
  std::map<std::string, int> launches;  ///< by shape
  bool hopeless = false;                ///< its check build cannot be run
};

struct CheckBuild {
  ptx::Module module;
  ptx::Locals locals;
  std::map<std::pair<Module*, int>, std::unique_ptr<exec::LoadedModule>> placed;  ///< by module and device
};

struct State {
  std::vector<std::unique_ptr<CheckBuild>> check_builds;
  std::map<std::pair<const Kernel*, int>, Subject> subjects;  ///< by kernel and device
  std::optional<sanitizer::Written> written;
  double seconds = 0;  ///< spent
  bool closely = false;
  CheckCoverage coverage;
  /// Without a check build, the program's own kernels.
  bool own_code = std::getenv("LADDER_SIM_FINDINGS") != nullptr;

  State() {
    const char* paths = std::getenv("LADDER_SIM_CHECK_PTX");
    std::istringstream list(paths == nullptr ? "" : paths);
    for (std::string path; std::getline(list, path, ':');)
      if (!path.empty()) add(path);
    // Files with relocatable device code call each other's functions.
    if (std::getenv("LADDER_SIM_CHECK_LINKED") == nullptr || check_builds.size() < 2) return;
    std::vector<ptx::Module> files;
    for (auto& build : check_builds) {
      files.push_back(std::move(build->module));
      check_builds[0]->locals.merge(build->locals);
    }
    check_builds.resize(1);
    check_builds[0]->module = ptx::link(std::move(files));
  }

  void add(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("the check build " + path + " cannot be read");
    const std::string text(std::istreambuf_iterator<char>(in), {});
    check_builds.push_back(std::make_unique<CheckBuild>());
    check_builds.back()->module = ptx::parse(text);
    check_builds.back()->locals = ptx::read_debug_info(text, check_builds.back()->module);
    ptx::insert_local_redzones(check_builds.back()->module, check_builds.back()->locals);
  }
};

std::atomic<bool> any_state = false;

State& state() {
  static State& only = *new State;
  any_state = true;
  return only;
}

sanitizer::Written& written_on(State& s) {
  if (!s.written) s.written.emplace(device().space);  // one for all devices, as their addresses are
  return *s.written;
}

/// The kernel, of a check build if some has one of that name; null when findings are not wanted.
std::unique_ptr<sanitizer::Subject, sanitizer::SubjectDelete> subject_of(State& s, const Kernel& kernel) {
  exec::LoadedModule& own = kernel.module->load();
  for (auto& build : s.check_builds) {
    const ptx::Function* f = build->module.find(kernel.name);
    if (f == nullptr || !f->is_entry) continue;
    auto& placed = build->placed[{kernel.module, device().ordinal}];
    if (placed == nullptr) placed = std::make_unique<exec::LoadedModule>(build->module, device().space, &own);
    return sanitizer::prepare(placed->kernel(kernel.name), &build->locals, &own.kernel(kernel.name));
  }
  return s.own_code ? sanitizer::prepare(own.kernel(kernel.name)) : nullptr;
}

/// The same of the program's own kernel, where another build is looked at and the two differ in what counts.
std::unique_ptr<sanitizer::Subject, sanitizer::SubjectDelete> registers_of(State& s, const Kernel& kernel) {
  if (s.check_builds.empty()) return nullptr;
  return sanitizer::prepare_registers(kernel.module->load().kernel(kernel.name));
}

/// Every launch at first, then fewer and fewer. Counts why one is left out.
bool is_due(Subject& subject, const exec::Launch& what, State& s) {
  const auto left_out = [](std::uint64_t& reason) {
    ++reason;
    return false;
  };
  if (s.closely) return s.seconds < kSecondsClosely || left_out(s.coverage.late);
  double threads = 1;
  for (const Index3& extent : {what.grid, what.block})
    for (const auto n : extent) threads *= n;
  if (threads > settings().check_threads) return left_out(s.coverage.large);
  std::ostringstream shape;
  for (const Index3& extent : {what.grid, what.block})
    for (const auto n : extent) shape << n << ' ';
  shape << what.dynamic_shared_bytes;
  if (subject.launches.size() >= kShapesOfKernel && !subject.launches.contains(shape.str()))
    return left_out(s.coverage.alike);
  const bool first_of_all = subject.launches.empty();
  const int n = ++subject.launches[shape.str()];
  // From here on only kernels not seen before are looked at.
  if (s.seconds > settings().check_seconds) return first_of_all || left_out(s.coverage.late);
  // Small launches cost little, and the grader's small cases share one shape: what tells them
  // apart is the data.
  const int always = threads <= 1024 ? 64 : 2;
  return n <= always || std::has_single_bit(unsigned(n)) || left_out(s.coverage.alike);
}

void write_all(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(fd, text.data() + at, text.size() - at);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) at += std::size_t(n);
  }
}

/// What a copy of the process has seen, on its way to the process. Both are one program: what was touched
/// travels as it lies in memory.
struct ReplyHead {
  bool complete = false;
  std::size_t touched = 0;
};

std::string packed(const sanitizer::Examined& found) {
  static_assert(std::is_trivially_copyable_v<sanitizer::Touched>);
  const ReplyHead head{found.complete, found.touched.size()};
  std::string text(reinterpret_cast<const char*>(&head), sizeof head);
  text.append(reinterpret_cast<const char*>(found.touched.data()), head.touched * sizeof(sanitizer::Touched));
  return text + findings_text(found.findings);
}

/// @return nothing where the copy was ended before it had written all
std::optional<sanitizer::Examined> unpacked(std::string_view text) {
  ReplyHead head;
  if (text.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, text.data(), sizeof head);
  text.remove_prefix(sizeof head);
  const std::size_t bytes = head.touched * sizeof(sanitizer::Touched);
  if (text.size() < bytes) return std::nullopt;
  sanitizer::Examined found;
  found.complete = head.complete;
  found.touched.resize(head.touched);
  if (bytes > 0) std::memcpy(found.touched.data(), text.data(), bytes);
  std::optional<std::vector<Finding>> findings = findings_from(text.substr(bytes));
  if (!findings) return std::nullopt;
  found.findings = *std::move(findings);
  return found;
}

class Child : public Check {
 public:
  Child(sanitizer::Subject& subject, const exec::Launch& what, sanitizer::Written& written, double& seconds,
        double most)
      : seconds_(seconds), written_(written) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    pid_ = fork();
    if (pid_ == 0) ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read what it finds
    if (pid_ == 0) look(subject, what, written, most, ends[1]);
    ::close(ends[1]);
    from_ = ends[0];
    if (pid_ < 0) ::close(from_), from_ = -1;
  }
  ~Child() override {
    if (from_ < 0) return;
    ::close(from_);
    kill(pid_, SIGKILL);
    wait();
  }

  std::vector<Finding> finish() override {
    if (from_ < 0) {
      if (!beside_) ++state().coverage.stopped;
      return {};
    }
    std::string text;
    char buffer[1 << 14];
    for (ssize_t n; (n = ::read(from_, buffer, sizeof buffer)) != 0;) {
      if (n < 0 && errno != EINTR) break;
      if (n > 0) text.append(buffer, std::size_t(n));
    }
    ::close(from_);
    from_ = -1;
    seconds_ += wait();
    const std::optional<sanitizer::Examined> reply = unpacked(text);
    const bool complete = reply && reply->complete;
    const std::vector<Finding> findings = reply ? reply->findings : std::vector<Finding>{};
    // Where an error has ended the launch, that error is what there was to see.
    const bool seen = complete || std::any_of(findings.begin(), findings.end(),
                                              [](const Finding& f) { return f.severity == Severity::error; });
    if (beside_) return findings;
    ++(seen ? state().coverage.whole : state().coverage.stopped);
    if (!complete) written_.note_everything();  // nobody saw what came after
    if (reply)
      for (const sanitizer::Touched& t : reply->touched)
        accesses_.push_back({t.address, t.bytes, t.writes, t.atomic, t.with_host});
    return findings;
  }

  const std::vector<MemoryAccess>& accesses() const override { return accesses_; }

  /// It looks at a launch beside another one, which counts.
  void is_beside() { beside_ = true; }

 private:
  /// The child's life. It ends without a trace: no output of the kernel's, no exit handlers.
  [[noreturn]] static void look(sanitizer::Subject& subject, const exec::Launch& what,
                                sanitizer::Written& written, double seconds, int to) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    unshare_registered(device().space);
    sanitizer::Examined found;
    try {
      found = sanitizer::examine(subject, what, device().space, &written, seconds, may_overlap(),
                                 state().closely);
    } catch (const std::exception&) {  // what cannot be run cannot be judged
    }
    write_all(to, packed(found));
    _exit(0);
  }
  /// @return seconds that it has computed
  double wait() {
    rusage used{};
    while (wait4(pid_, nullptr, 0, &used) < 0 && errno == EINTR) {
    }
    const auto seconds = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) * 1e-6; };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
  }

  std::vector<MemoryAccess> accesses_;
  double& seconds_;
  sanitizer::Written& written_;
  pid_t pid_ = -1;
  int from_ = -1;
  bool beside_ = false;
};

/// Two builds of one kernel, each in a process of its own: what the second is looked at for is added.
class TwoBuilds : public Check {
 public:
  TwoBuilds(std::unique_ptr<Child> check, std::unique_ptr<Child> own)
      : check_(std::move(check)), own_(std::move(own)) {
    own_->is_beside();
  }
  std::vector<Finding> finish() override {
    std::vector<Finding> all = check_->finish();
    for (Finding& f : own_->finish()) all.push_back(std::move(f));
    return all;
  }
  const std::vector<MemoryAccess>& accesses() const override { return check_->accesses(); }

 private:
  std::unique_ptr<Child> check_, own_;
};

}  // namespace

std::unique_ptr<Check> start_check(const Kernel& kernel, const exec::Launch& what) {
  State& s = state();
  if (s.check_builds.empty() && !s.own_code) return nullptr;
  ++s.coverage.launches;
  Subject& subject = s.subjects[{&kernel, device().ordinal}];
  sanitizer::Written& written = written_on(s);
  if (!is_due(subject, what, s)) {
    written.note_everything();
    return nullptr;
  }
  if (subject.examined == nullptr) {
    const bool tried =
        std::exchange(subject.hopeless, true);  // unless all goes well: what cannot be run cannot be judged
    try {
      if (!tried) subject.examined = subject_of(s, kernel);
      if (!tried) subject.registers = registers_of(s, kernel);
    } catch (const exec::Fault&) {  // the ordinary kernel says so, if it too needs what is missing
    }
    if (subject.examined == nullptr) {
      ++s.coverage.unable;
      written.note_everything();
      return nullptr;
    }
  }
  exec::Launch launch = what;
  if (launch.instruction_limit == 0 || launch.instruction_limit > kInstructionLimit)
    launch.instruction_limit = kInstructionLimit;
  written.follow_all();
  const double seconds = s.closely ? kSecondsClosely : settings().check_seconds;
  const double most = std::max(kLeastSeconds, seconds - s.seconds);
  auto check = std::make_unique<Child>(*subject.examined, launch, written, s.seconds, most);
  if (subject.registers == nullptr) return check;
  auto own = std::make_unique<Child>(*subject.registers, launch, written, s.seconds, most);
  return std::make_unique<TwoBuilds>(std::move(check), std::move(own));
}

bool checks_wanted() {
  const State& s = state();
  return !s.check_builds.empty() || s.own_code;
}

void note_written(std::uint64_t address, std::uint64_t bytes) {
  State& s = state();
  if (!s.check_builds.empty() || s.own_code) written_on(s).note(address, bytes);
}

void note_written_somewhere() {
  State& s = state();
  if (!s.check_builds.empty() || s.own_code) written_on(s).note_everything();
}

const CheckCoverage& check_coverage() {
  static constexpr CheckCoverage kNothing{};
  return any_state ? state().coverage : kNothing;  // asked at the program's end, too late to make a state
}

void reset_check_coverage() { state().coverage = {}; }

void load_check_build(const std::string& path) { state().add(path); }

std::shared_ptr<const ptx::SourceType> type_in_check_build(const Kernel& kernel,
                                                           const std::string& variable) {
  for (const auto& build : state().check_builds) {
    const ptx::Module& module = build->module;
    const ptx::Function* const f = module.find(kernel.name);
    if (f == nullptr) continue;
    for (const std::vector<ptx::Variable>* scope : {&f->variables, &module.variables})
      for (const ptx::Variable& v : *scope)
        if (v.name == variable) return v.type_in_source;
  }
  return nullptr;
}

void look_closely(bool closely) { state().closely = closely; }

void forget_checks() {
  if (!any_state) return;
  State& s = state();
  s.subjects.clear();
  for (auto& build : s.check_builds) build->placed.clear();
}

}  // namespace sim::cudart

void sim::load_check_build(const std::string& path) {
  std::lock_guard hold(cudart::device().lock);
  cudart::load_check_build(path);
}

void sim::look_closely(bool closely) {
  std::lock_guard hold(cudart::device().lock);
  cudart::look_closely(closely);
}
