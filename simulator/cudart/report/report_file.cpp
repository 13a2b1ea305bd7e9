#include "simulator/cudart/report/report_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <tuple>

#include "simulator/cudart/launch/check.h"
#include "simulator/cudart/report/complete.h"
#include "simulator/cudart/report/leaks.h"
#include "simulator/report/json.h"

namespace sim::cudart {
namespace {

/// Lines of several processes and threads do not mix: each batch is one write to the end of the file.
class ReportFile {
 public:
  ReportFile() : kernels_(std::getenv("LADDER_SIM_REPORT_KERNELS") != nullptr) {
    if (const char* path = std::getenv("LADDER_SIM_REPORT"))
      fd_ = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }

  bool open() const { return fd_ >= 0; }
  bool kernels() const { return kernels_; }

  void write(const std::string& text) const {
    std::string_view rest = text;
    while (!rest.empty()) {
      const ssize_t n = ::write(fd_, rest.data(), rest.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return;  // a full disk must not end the program
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
  }

 private:
  int fd_ = -1;
  bool kernels_;
};

const ReportFile& file() {
  static const ReportFile& only = *new ReportFile;
  return only;
}

/// Of a kernel in one shape, after which the report leaves their source lines out: ten thousand launches are
/// as many records.
constexpr int kLaunchesWithLines = 64;
std::map<std::tuple<std::string, Index3, Index3>, int>& alike =
    *new std::map<std::tuple<std::string, Index3, Index3>, int>;

/// A line for every launch would make small launches slow.
constexpr std::uint64_t kLaunchesAtOnce = 1024;

/// Adds how many launches were looked at since the last time, when there were @p least of them or one was.
void add_looked_at(std::string& text, std::uint64_t least) {
  const CheckCoverage& seen = check_coverage();
  if (seen.launches < least && seen.whole == 0) return;
  text += report_line("looked_at", {{"launches", seen.launches},
                                    {"whole", seen.whole},
                                    {"alike", seen.alike},
                                    {"large", seen.large},
                                    {"late", seen.late},
                                    {"unable", seen.unable},
                                    {"stopped", seen.stopped}});
  reset_check_coverage();
}

const pid_t process = ::getpid();  // a child that was forked off has nothing of its own to say

[[gnu::destructor]] void tell_rest() {
  std::string text;
  if (!writes_report() || ::getpid() != process) return;
  add_looked_at(text, 1);
  file().write(text);
}

}  // namespace

bool writes_report() { return file().open(); }

void write_report(Device& device) {
  if (device.findings.empty() && device.records.empty()) return;
  std::string text;
  add_looked_at(text, kLaunchesAtOnce);
  complete(device.findings);
  for (const Finding& finding : device.findings) text += report_line("finding", finding);
  if (file().kernels())
    for (KernelRecord& record : device.records) {
      if (++alike[{record.name, record.grid, record.block}] > kLaunchesWithLines) record.lines.clear();
      text += report_line("kernel", record);
    }
  device.findings.clear();
  device.records.clear();
  file().write(text);
}

}  // namespace sim::cudart
