#include "simulator/runtime/report_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "simulator/report_json.h"

namespace sim::runtime {
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

void add(std::string& text, const char* key, const nlohmann::json& value) {
  text += nlohmann::json{{key, value}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text += '\n';
}

}  // namespace

bool writes_report() { return file().open(); }

void write_report(Device& device) {
  if (device.findings.empty() && device.records.empty()) return;
  std::string text;
  for (const Finding& finding : device.findings) add(text, "finding", finding);
  if (file().kernels())
    for (const KernelRecord& record : device.records) add(text, "kernel", record);
  device.findings.clear();
  device.records.clear();
  file().write(text);
}

}  // namespace sim::runtime
