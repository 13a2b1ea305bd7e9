// The load: a generated class, graded with `ladder` killed at random moments, and its figures. Not part of
// the suite, which has the same in small: grade_load FOLDER STUDENTS KILLS [SECONDS].
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "tests/grader/grade/class_generator.h"

namespace {

using namespace grading;
using Clock = std::chrono::steady_clock;

/// Five lessons, a rung of each: every student's file is compiled and judged by itself.
const std::vector<Homework> kHomework = {{"01_vector_add", {"1_explicit"}},
                                         {"02_thread_indexing", {"1_one_a_thread"}},
                                         {"03_rgb_to_gray", {"2_one_pixel"}},
                                         {"05_transpose", {"1_naive"}},
                                         {"09_reduction", {"2_atomic"}}};
constexpr int kApart = 15;  // of so many students, one is graded apart and without being interrupted

/// Processes below this one, at any depth.
std::set<pid_t> descendants() {
  std::map<pid_t, pid_t> parent_of;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);  // empty where the process has ended since: an iterator would throw
    const std::size_t at = text.rfind(')');  // "12 (a name) S 7 ..."
    if (at != std::string::npos && text.size() > at + 4)
      parent_of[std::stoi(name)] = std::atoi(&text[at + 4]);
  }
  std::set<pid_t> below = {::getpid()};
  for (bool more = true; more;) {
    more = false;
    for (const auto& [process, parent] : parent_of)
      if (below.contains(parent)) more |= below.insert(process).second;
  }
  below.erase(::getpid());
  return below;
}

/// Memory of all processes below this one, in MiB: a page that several share counts once.
double resident_mib() {
  double kib = 0;
  for (const pid_t process : descendants()) {
    std::ifstream file("/proc/" + std::to_string(process) + "/smaps_rollup");
    for (std::string word; file >> word;)
      if (double value = 0; word == "Pss:" && file >> value) {
        kib += value;
        break;
      }
  }
  return kib / 1024;
}

/// Seconds of all cores that ended processes below this one have taken.
double core_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// `ladder grade` of @p folder's class, in the background.
pid_t start(const fs::path& folder, const fs::path& policy) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setenv("LADDER_ROOT", LADDER_SOURCE_DIR, 1);
  ::setenv("LADDER_BUILD_DIR", LADDER_BUILD_DIR, 1);
  const int log = ::open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(log, 1);
  ::dup2(log, 2);
  const std::string program = ladder_binary(), in = folder / "class", out = folder / "out";
  ::execl(program.c_str(), program.c_str(), "grade", in.c_str(), "--out", out.c_str(), "--policy",
          policy.c_str(), nullptr);
  ::_exit(127);
}

/// The text of each unit's result.
std::map<std::string, std::string> results(const fs::path& folder) {
  std::map<std::string, std::string> all;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "out" / ".work" / "results", error))
    all[entry.path().filename()] = ladder::cli::read_file(entry.path());
  return all;
}

/// Those of @p before that are not in @p after as they were.
std::size_t lost(const std::map<std::string, std::string>& before,
                 const std::map<std::string, std::string>& after) {
  return static_cast<std::size_t>(std::count_if(before.begin(), before.end(), [&](const auto& result) {
    const auto same = after.find(result.first);
    return same == after.end() || same->second != result.second;
  }));
}

struct Figures {
  double peak_mib = 0;
  std::size_t lost = 0;
  int killed = 0;
};

/// Grades, and kills the grader after at most @p seconds, until it was killed @p kills times.
Figures grade(const fs::path& folder, const fs::path& policy, int kills, double seconds) {
  Figures figures;
  std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<double> moment(0.5, seconds);
  for (bool ended = false; !ended;) {
    const auto before = results(folder);
    const double cpu = core_seconds();
    const auto begin = Clock::now();
    const double limit = figures.killed < kills ? moment(random) : 1e9;
    const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    const pid_t child = start(folder, policy);
    int status = 0;
    for (unsigned tick = 0; ::waitpid(child, &status, WNOHANG) == 0; ++tick) {
      if (tick % 10 == 0) figures.peak_mib = std::max(figures.peak_mib, resident_mib());
      if (passed() > limit) ::kill(child, SIGKILL);
      ::usleep(100'000);
    }
    while (::waitpid(-1, nullptr, 0) > 0) {  // what a killed grader leaves comes to us, and has to end
    }
    const auto after = results(folder);
    figures.lost += lost(before, after);
    figures.killed += WIFSIGNALED(status) ? 1 : 0;
    ended = !WIFSIGNALED(status);
    std::printf("%s after %.1f s, %.1f core-seconds: %zu units done, %zu of them now\n",
                ended ? "ended" : "killed", passed(), core_seconds() - cpu, after.size(),
                after.size() - before.size());
    std::fflush(stdout);
  }
  return figures;
}

/// Grades some of the students apart. @return how many of them have another result there than in @p folder
std::size_t differ_from_apart(const fs::path& folder, const fs::path& policy, int students) {
  const fs::path apart = folder / "apart";
  int count = 0;
  for (int student = 0; student < students; student += kApart, ++count)
    make_student(apart / "class", student, kHomework);
  grade(apart, policy, 0, 0);
  std::size_t different = 0;
  for (int student = 0; student < students; student += kApart) {
    const fs::path file = fs::path("out") / "students" / (student_name(student) + ".json");
    const auto result = [&](const fs::path& all) {
      nlohmann::json json = fs::exists(all / file) ? read_json(all / file) : nlohmann::json();
      if (json.is_object()) json.erase("source");  // the folder it lay in
      return json;
    };
    if (result(apart).is_null() || result(apart) != result(folder)) {
      std::printf("%s was graded differently apart\n", file.c_str());
      ++different;
    }
  }
  std::printf("%d students graded apart, without interruption: %zu have another result\n", count, different);
  return different;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) return std::puts("usage: grade_load FOLDER STUDENTS KILLS [SECONDS]"), 2;
  const fs::path folder = argv[1], policy = folder / "policy.toml";
  const int students = std::atoi(argv[2]), kills = std::atoi(argv[3]);
  const double seconds = argc == 5 ? std::atof(argv[4]) : 20;  // to the next kill, at most
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that nothing escapes from the sums when the grader is killed
  fs::create_directories(folder);
  for (int student = 0; student < students; ++student) make_student(folder / "class", student, kHomework);
  ladder::cli::write_file(policy,
                          "lessons = [\"01\", \"02\", \"03\", \"05\", \"09\"]\nseed = 20261121\n"
                          "cases = \"quick\"\ndevice = \"sim\"\n[limits]\ncall_seconds = 4\n");
  const auto begin = Clock::now();
  const Figures figures = grade(folder, policy, kills, seconds);
  const double wall = std::chrono::duration<double>(Clock::now() - begin).count(), cpu = core_seconds();
  const std::string wrong = difference(folder / "out", students, kHomework);
  const std::size_t twice = done_twice(folder / "out");
  std::printf(
      "%d students, %zu units: %.0f s, %.0f core-seconds, peak %.0f MiB; killed %d times; results lost %zu, "
      "units done twice %zu, %s\n",
      students, results(folder).size(), wall, cpu, figures.peak_mib, figures.killed, figures.lost, twice,
      wrong.empty() ? "all as expected" : wrong.c_str());
  std::puts("the same command again:");
  std::size_t changed = grade(folder, policy, 0, 0).lost;
  changed += differ_from_apart(folder, policy, students);
  return wrong.empty() && figures.lost + twice + changed == 0 ? 0 : 1;
}
