// Hostile submissions: graded all together by `grade`, then looked at one by one by `check NAME`. Each has to
// be contained and to earn nothing, for the reason that its file states, and to take nothing from the honest
// student who is graded beside it; benign twins earn everything. `loaded` grades
// honest students on a machine under load, `besieged` all of them.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/protocol/protocol.h"
#include "tests/grader/grade/class_folder.h"

namespace {

using namespace grading;
using ladder::cli::read_file;
using ladder::cli::write_file;
using nlohmann::json;

constexpr int kSkipped = 77;                // as CTest is told
constexpr const char* kBeside = "_beside";  // behind an adversary's name: the honest student beside it
const fs::path kFolder = LADDER_ADVERSARIES_OUT;
const fs::path kSubmissions = kFolder / "submissions", kResults = kFolder / "results";

constexpr const char* kPolicy = R"(title = "Adversaries"
lessons = ["03"]
cases = "quick"
hidden_cases = 4
seed = 20261121
device = "sim"
[points]
"03" = 0
"03.1" = 10
[limits]
call_seconds = 4
rung_seconds = 7
compile_seconds = 20
memory_mb = 400
file_mb = 16
processes = 32
)";

std::string replaced(std::string text, const std::string& name, const std::string& by) {
  for (std::size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, name.size(), by);
  return text;
}

/// What a student of that name hands in.
void hand_in(const std::string& student, const std::string& source, const fs::path& into = kSubmissions) {
  write_file(into / student / "03_rgb_to_gray" / "1_one_row.cu", source);
}

std::string with_prelude(const std::string& source) {
  return replaced(source, "#include \"adversary.h\"\n",
                  read_file(fs::path(LADDER_ADVERSARIES) / "adversary.h"));
}

/// The adversaries' files; benign twins are not among them.
std::vector<fs::path> adversary_files() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(LADDER_ADVERSARIES))
    if (entry.path().extension() == ".cu" && entry.path().parent_path().filename() != "benign")
      files.push_back(entry.path());
  return files;
}

/// What the adversary's file holds, as it lies in the corpus.
std::string source_of(const std::string& name) {
  for (const fs::path& file : adversary_files())
    if (file.stem() == name) return read_file(file);
  throw std::runtime_error("no adversary is called " + name);
}

/// What a worker says of a run that went well, in the words of today: a forgery that is out of date is
/// refused for its form.
std::string good_reply() {
  ladder::WorkerReply reply;
  reply.elapsed_ms = 0.001;
  return json(reply).dump();
}

std::string adversary(const std::string& name) {
  std::string source = with_prelude(source_of(name));
  source = replaced(source, "@GOOD_REPLY@", good_reply());
  source = replaced(source, "@CHECKOUT@", LADDER_SOURCE_DIR);
  source = replaced(source, "@SUBMISSIONS@", kSubmissions.string());
  return replaced(source, "@RESULTS@", kResults.string());
}

/// The solution, in a file of its own: equal ones are judged once.
std::string honest(const std::string& whose) {
  return solution("03_rgb_to_gray", "1_one_row") + "// beside " + whose + "\n";
}

/// A listener that nobody may reach.
struct Listener {
  int fd = -1, port = 0;
  Listener() {
    fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 && ::listen(fd, 8) == 0 &&
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0)
      port = ntohs(address.sin_port);
  }
  ~Listener() { ::close(fd); }
  bool was_reached() const {
    pollfd waiting{fd, POLLIN, 0};
    return ::poll(&waiting, 1, 0) > 0;
  }
};

/// Names of processes that call themselves what our daemon does.
bool escapee_lives() {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    std::ifstream comm(entry.path() / "comm");
    std::string name;
    if (std::getline(comm, name) && name == "ladder-escapee") return true;
  }
  return false;
}

int grade() {
  std::error_code ignored;
  fs::remove_all(kFolder, ignored);
  const Listener listener;
  for (const fs::path& file : adversary_files()) {
    const std::string name = file.stem();
    hand_in(name, replaced(adversary(name), "@PORT@", std::to_string(listener.port)));
    hand_in(name + kBeside, honest(name));  // the next in line: both are graded at the same time
  }
  hand_in("benign_twin", solution("03_rgb_to_gray", "1_one_row"));
  hand_in("benign_busy_twin",
          with_prelude(read_file(fs::path(LADDER_ADVERSARIES) / "benign/benign_busy_twin.cu")));
  // Files that are not what they seem.
  for (const char* name : {"is_a_link", "is_no_text", "is_too_long", "is_a_pipe"})
    fs::create_directories(kSubmissions / name);
  fs::create_symlink("/etc/passwd", kSubmissions / "is_a_link" / "03_1_one_row.cu");
  write_file(kSubmissions / "is_no_text" / "03_1_one_row.cu", std::string("\x7f"
                                                                          "ELF\0\xff",
                                                                          6));
  write_file(kSubmissions / "is_too_long" / "03_1_one_row.cu", std::string(3 << 20, '/'));
  if (::mkfifo((kSubmissions / "is_a_pipe" / "03_1_one_row.cu").c_str(), 0600) != 0) return 1;
  write_file(kFolder / "policy.toml", kPolicy);

  const auto begin = std::chrono::steady_clock::now();
  const Graded graded =
      run_ladder({"grade", kSubmissions, "--out", kResults, "--policy", kFolder / "policy.toml"});
  const std::string no_sandbox = why_no_sandbox(graded);
  if (!no_sandbox.empty()) {
    write_file(kFolder / "skipped", no_sandbox);
    std::cout << "SKIPPED: " << no_sandbox << '\n';
    return kSkipped;
  }
  std::cout << graded.text << std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()
            << " s\n";
  if (listener.was_reached()) std::cout << "somebody reached the listener outside\n";
  if (escapee_lives()) std::cout << "a submission's process is still there\n";
  const bool whole =
      read_file(fs::path(LADDER_SOURCE_DIR) / "solutions/03_rgb_to_gray/1_one_row.cu").size() > 100;
  return graded.code == 0 && !listener.was_reached() && !escapee_lives() && whole ? 0 : 1;
}

/// The value of `// KEY: ...` at the head of an adversary's file.
std::string stated(const std::string& source, const std::string& key) {
  std::smatch match;
  return std::regex_search(source, match, std::regex("// " + key + ": (.*)")) ? match[1].str() : "";
}

bool complain(const std::string& what, const json& rung) {
  std::cout << what << "\n" << rung.dump(1) << '\n';
  return false;
}

bool earned_nothing(const json& student, const json& rung) {
  if (student.at("points") != 0.0) return complain("it earned points", rung);
  if (rung.dump().find("ESCAPED") != std::string::npos) return complain("it escaped", rung);
  if (rung.dump().find("root:x:0") != std::string::npos) return complain("a file of the system shows", rung);
  if (rung.dump().find("BEGIN SOLUTION") != std::string::npos) return complain("the solution shows", rung);
  if (rung.dump().find("\\u001b") != std::string::npos) return complain("it commands the terminal", rung);
  if (student.at("needs_attention") != false) return complain("it makes work for the instructor", rung);
  return true;
}

bool earned_all(const json& student) {
  const json rung = rung_of(student, "1_one_row");
  return (student.at("points") == 10.0 && rung.at("outcome") == "passed" &&
          student.at("needs_attention") == false) ||
         complain("it is right, and lost points", rung);
}

/// Processes that keep cores busy, as others on the machine may.
class Busy {
 public:
  explicit Busy(int count) {
    for (int i = 0; i < count; ++i) {
      processes_.push_back(::fork());
      if (processes_.back() == 0)
        for (volatile unsigned long n = 0;;) n = n + 1;
    }
  }
  ~Busy() {
    for (const pid_t process : processes_) {
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
  }

 private:
  std::vector<pid_t> processes_;
};

constexpr const char* kTakers[] = {"fork_bomb", "hoards_processes", "takes_the_cores",
                                   "eats_memory_in_children", "fills_the_disk"};

/// What they hand in, and the policy that lets them at it for long.
void hand_in_takers(const fs::path& folder) {
  for (const char* name : kTakers) hand_in(name, adversary(name), folder / "hostile");
  write_file(folder / "hostile.toml", replaced(kPolicy, "rung_seconds = 7", "rung_seconds = 20"));
}

std::vector<std::string> grading_of_takers(const fs::path& folder) {
  return {"grade",    folder / "hostile",      "--out",  folder / "hostile_out",
          "--policy", folder / "hostile.toml", "--jobs", "4"};
}

/// Honest students on a machine that another grading, of those who take what they can get, four at a time,
/// and four busy programs load.
int loaded() {
  const fs::path folder = fs::path(LADDER_ADVERSARIES_OUT).parent_path() / "adversaries_loaded";
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  hand_in_takers(folder);
  std::vector<std::string> names;
  for (int i = 0; i < 6; ++i) {
    names.push_back("honest_" + std::to_string(i));
    hand_in(names.back(), honest(names.back()), folder / "class");
  }
  write_file(folder / "policy.toml", kPolicy);
  const Busy busy(4);
  const Background hostile(grading_of_takers(folder));
  const Graded graded = run_ladder({"grade", folder / "class", "--out", folder / "out", "--policy",
                                    folder / "policy.toml", "--jobs", "2"});
  if (const std::string reason = why_no_sandbox(graded); !reason.empty()) {
    std::cout << "SKIPPED: " << reason << '\n';
    return kSkipped;
  }
  std::cout << graded.text;
  bool good = graded.code == 0;
  for (const std::string& name : names)
    good = earned_all(read_json(folder / "out" / "students" / (name + ".json"))) && good;
  return good ? 0 : 1;
}

int check(const std::string& name) {
  if (fs::exists(kFolder / "skipped")) {
    std::cout << "SKIPPED: " << read_file(kFolder / "skipped") << '\n';
    return kSkipped;
  }
  const json student = read_json(kResults / "students" / (name + ".json"));
  const json rung = rung_of(student, "1_one_row");
  if (name.starts_with("benign")) return earned_all(student) ? 0 : 1;
  if (name.starts_with("is_")) {  // a file that is not taken, and said so
    const bool told = rung.at("outcome") == "not_submitted" && student.at("ignored").size() == 1;
    return told && student.at("points") == 0.0 ? 0 : (complain("it was taken", student), 1);
  }
  if (read_file(fs::path(LADDER_SOURCE_DIR) / "docs/trust.md").find("`" + name + "`") == std::string::npos)
    return complain("docs/trust.md does not say what stands against it", rung) ? 0 : 1;
  const std::string source = source_of(name);
  if (!earned_nothing(student, rung)) return 1;
  if (!earned_all(read_json(kResults / "students" / (name + kBeside + ".json")))) return 1;
  if (!std::regex_match(rung.at("outcome").get<std::string>(), std::regex(stated(source, "outcome"))))
    return complain("another outcome than " + stated(source, "outcome"), rung) ? 0 : 1;
  std::string words = rung.value("headline", "") + "\n" + rung.value("detail", "") + rung.value("advice", "");
  for (const json& line : rung.value("printed", json::array())) words += "\n" + line.get<std::string>();
  if (!std::regex_search(words, std::regex(stated(source, "says"))))
    return complain("it does not say " + stated(source, "says"), rung) ? 0 : 1;
  return 0;
}

/// Grades those who take what they can get, four at a time, again and again.
class Siege {
 public:
  Siege() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    hand_in_takers(folder_);
    std::fflush(nullptr);
    child_ = ::fork();
    if (child_ == 0) ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (int count = 1; child_ == 0; ++count) {
      fs::remove_all(folder_ / "hostile_out", ignored);
      const Graded graded = run_ladder(grading_of_takers(folder_));
      write_file(folder_ / "gradings",
                 std::to_string(count) + ", the last one ended with " + std::to_string(graded.code));
    }
  }
  Siege(const Siege&) = delete;
  Siege& operator=(const Siege&) = delete;
  ~Siege() {
    ::kill(child_, SIGTERM);  // which ends its grading as well
    ::waitpid(child_, nullptr, 0);
    if (fs::exists(folder_ / "gradings"))
      std::cout << "gradings of the besiegers: " << read_file(folder_ / "gradings") << '\n';
  }

 private:
  fs::path folder_ = fs::path(LADDER_ADVERSARIES_OUT).parent_path() / "adversaries_besieged";
  pid_t child_ = -1;
};

/// All adversaries, each beside an honest student, while a siege goes on. Started by hand: it takes long.
int besieged() {
  {
    const Siege siege;
    if (const int status = grade(); status != 0) return status;
  }
  int wrong = 0, all = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kSubmissions)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(kBeside)) continue;
    ++all;
    if (check(name) == 0) continue;
    ++wrong;
    std::cout << "^ " << name << '\n';
  }
  std::cout << all << " submissions, " << wrong << " not as they should be\n";
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "grade") return grade();
    if (what == "loaded") return loaded();
    if (what == "besieged") return besieged();
    if (what == "check" && argc == 3) return check(argv[2]);
  } catch (const std::exception& error) {
    std::cout << error.what() << '\n';
    return 1;
  }
  std::cout << "usage: grade | check NAME | loaded | besieged\n";
  return 2;
}
