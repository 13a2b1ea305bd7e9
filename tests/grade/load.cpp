// The load: a generated class, graded with `ladder` killed at random moments, and its figures. Not part of
// the suite, which has the same in small: grade_load FOLDER STUDENTS KILLS.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/grade/class_generator.h"

namespace {

using namespace grading;
using Clock = std::chrono::steady_clock;

/// Five lessons, a rung of each: every student's file is compiled and judged by itself.
const std::vector<Homework> kHomework = {{"01_vector_add", {"1_explicit"}},
                                         {"02_thread_indexing", {"1_one_a_thread"}},
                                         {"03_rgb_to_gray", {"2_one_pixel"}},
                                         {"05_transpose", {"1_naive"}},
                                         {"09_reduction", {"2_atomic"}}};

/// Memory of all processes whose session is @p session, in MiB.
double resident_mib(pid_t session) {
  double pages = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (::getsid(std::stoi(name)) != session) continue;
    std::ifstream file(entry.path() / "statm");
    double size = 0, resident = 0, shared = 0;
    if (file >> size >> resident >> shared)
      pages += resident - shared;  // programs' own pages once would be fairer
  }
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

pid_t start(const fs::path& folder) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setsid();
  ::setenv("LADDER_ROOT", LADDER_SOURCE_DIR, 1);
  ::setenv("LADDER_BUILD_DIR", LADDER_BUILD_DIR, 1);
  const int log = ::open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(log, 1);
  ::dup2(log, 2);
  const std::string program = ladder_binary(), in = folder / "class", out = folder / "out",
                    policy = folder / "policy.toml";
  ::execl(program.c_str(), program.c_str(), "grade", in.c_str(), "--out", out.c_str(), "--policy",
          policy.c_str(), nullptr);
  ::_exit(127);
}

std::size_t results(const fs::path& folder) {
  std::error_code error;
  return static_cast<std::size_t>(std::distance(
      fs::directory_iterator(folder / "out" / ".work" / "results", error), fs::directory_iterator()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::puts("usage: grade_load FOLDER STUDENTS KILLS"), 2;
  const fs::path folder = argv[1];
  const int students = std::atoi(argv[2]), kills = std::atoi(argv[3]);
  fs::create_directories(folder);
  make_class(folder / "class", students, kHomework);
  ladder::cli::write_file(
      folder / "policy.toml",
      "lessons = [\"01\", \"02\", \"03\", \"05\", \"09\"]\ncases = \"quick\"\ndevice = \"sim\"\n"
      "[limits]\ncall_seconds = 4\n");
  std::mt19937 random(std::random_device{}());
  const auto begin = Clock::now();
  double peak = 0;
  std::size_t lost = 0;
  for (int round = 0; round <= kills; ++round) {
    const std::size_t before = results(folder);
    const pid_t child = start(folder);
    const auto until = Clock::now() + std::chrono::milliseconds(500 + random() % 20'000);
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
      peak = std::max(peak, resident_mib(child));
      if (round < kills && Clock::now() > until) ::kill(child, SIGKILL);
      ::usleep(100'000);
    }
    ::usleep(200'000);
    lost += results(folder) < before ? before - results(folder) : 0;
    std::printf("round %d: %zu units done, %s\n", round, results(folder),
                WIFSIGNALED(status) ? "killed" : "ended");
    std::fflush(stdout);
    if (!WIFSIGNALED(status) && round < kills && WEXITSTATUS(status) == 0) break;
  }
  const std::string different = difference(folder / "out", students, kHomework);
  std::printf("%d students, %zu units, %.0f s, peak %.0f MiB, results lost %zu, units done twice %zu, %s\n",
              students, results(folder), std::chrono::duration<double>(Clock::now() - begin).count(), peak,
              lost, done_twice(folder / "out"), different.empty() ? "all as expected" : different.c_str());
  return different.empty() && lost == 0 && done_twice(folder / "out") == 0 ? 0 : 1;
}
