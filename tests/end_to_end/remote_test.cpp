// `ladder run --on`: a real sshd on this machine's loopback,
// and a stand-in for ssh where another machine is wanted.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <catch2/catch_test_macros.hpp>

#include "grader/platform/files.h"
#include "tests/end_to_end/ladder_run.h"

using namespace ladder::cli;
namespace fs = std::filesystem;

namespace {

/// A course that was built: its modules and plugin are files with nothing in them.
struct Built {
  sample::Tree tree;
  sample::FakeCmake cmake;
  explicit Built(const std::string& events) : cmake(prepare(), "exit 0\n") {
    // Told nothing, a runner ends with 2.
    sample::add_runner(tree, "[ $# -gt 0 ] || exit 2\n" + events);
    const fs::path modules = tree.project.build / "modules" / "09_reduction";
    write_file(modules / "lesson.so", "");
    write_file(modules / "1_serial.student.so", "module");
    fs::create_directories(there());
  }
  fs::path there() const { return tree.project.root / "there"; }
  std::size_t left_there() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(there()), fs::directory_iterator()));
  }

 private:
  const sample::Tree& prepare() const {
    tree.add_lesson("09_reduction");
    return tree;
  }
};

struct Variable {
  std::string name;
  Variable(std::string name_, const std::string& value) : name(std::move(name_)) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name.c_str()); }
};

/// A command in ssh's place that runs what it is told here, as if it were another machine.
std::string stand_in(const Built& f, const std::string& uname, const std::string& more = "") {
  const fs::path folder = f.tree.project.root / "machine";
  sample::FakeCmake::write_program(folder / "uname", "#!/bin/sh\necho " + uname + "\n");
  sample::FakeCmake::write_program(
      folder / "ssh", "#!/bin/sh\n" + more +
                          "for word; do last=$word; done\n[ \"$last\" != nobody@nowhere ] || exit 0\n"
                          "PATH=" +
                          folder.string() + ":$PATH TMPDIR=" + f.there().string() +
                          " exec sh -c \"$last\"\n");
  return (folder / "ssh").string();
}

std::string machine() {
  const std::string name = capture({"uname", "-m"}).output;
  return name.substr(0, name.find('\n'));
}

/// An sshd of our own: keys, port and settings in a folder; as this user, for this user.
class Sshd {
 public:
  explicit Sshd(const Built& f) : folder_(f.tree.project.root / "sshd") {
    fs::create_directories(folder_);
    fs::permissions(folder_, fs::perms::owner_all);
    for (const char* key : {"host", "user"})
      if (!capture({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", (folder_ / key).string()})
               .status.ok())
        return;
    write_file(folder_ / "authorized", read_file(folder_ / "user.pub"));
    port_ = free_port();
    // The set-up of a machine as its owner wants it; TMPDIR says where the copy goes.
    write_file(
        folder_ / "sshd_config",
        "ListenAddress 127.0.0.1\nPort " + port_ + "\nHostKey " + (folder_ / "host").string() + "\nPidFile " +
            (folder_ / "pid").string() + "\nAuthorizedKeysFile " + (folder_ / "authorized").string() +
            "\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\nSetEnv TMPDIR=" +
            f.there().string() + "\n");
    write_file(folder_ / "config",
               "Host box\n  HostName 127.0.0.1\n  Port " + port_ + "\n  IdentityFile " +
                   (folder_ / "user").string() + "\n  IdentitiesOnly yes\n  UserKnownHostsFile " +
                   (folder_ / "known").string() + "\n  StrictHostKeyChecking accept-new\n");
    for (const char* where : {"/usr/sbin/sshd", "/usr/local/sbin/sshd"})
      if (fs::exists(where)) sshd_ = where;
    if (sshd_.empty()) return;
    std::error_code ignored;
    fs::create_directories("/run/sshd", ignored);  // where root's sshd goes for its unprivileged part
    daemon_ = ::fork();
    if (daemon_ == 0) {
      ::execl(sshd_.c_str(), sshd_.c_str(), "-D", "-f", (folder_ / "sshd_config").c_str(), "-E",
              (folder_ / "log").c_str(), nullptr);
      ::_exit(127);
    }
    for (int i = 0; i < 100 && !works_; ++i, ::usleep(50'000))
      works_ = capture({"ssh", "-F", (folder_ / "config").string(), "box", "true"}).status.ok();
  }
  Sshd(const Sshd&) = delete;
  Sshd& operator=(const Sshd&) = delete;
  ~Sshd() {
    if (daemon_ <= 0) return;
    ::kill(daemon_, SIGTERM);
    ::waitpid(daemon_, nullptr, 0);
  }
  static bool there() {
    return (fs::exists("/usr/sbin/sshd") || fs::exists("/usr/local/sbin/sshd")) &&
           capture({"ssh", "-V"}).status.ok();
  }
  bool works() const { return works_; }
  std::string log() const { return fs::exists(folder_ / "log") ? read_file(folder_ / "log") : ""; }
  std::string ssh() const { return "ssh -F " + (folder_ / "config").string(); }

 private:
  static std::string free_port() {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    ::bind(fd, reinterpret_cast<sockaddr*>(&address), length);
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
    ::close(fd);
    return std::to_string(ntohs(address.sin_port));
  }
  fs::path folder_;
  std::string port_, sshd_;
  bool works_ = false;
  pid_t daemon_ = -1;
};

/// Waits until a folder is empty again.
bool emptied(const Built& f) {
  for (int i = 0; i < 200 && f.left_there() > 0; ++i) ::usleep(50'000);
  return f.left_there() == 0;
}

}  // namespace

TEST_CASE(
    "a rung is built here, run over ssh on another machine's simulator, and printed here; nothing stays "
    "there") {
  if (!Sshd::there()) SKIP("no OpenSSH server is installed");
  const Built f(
      "pwd >&2\nsleep 0.5\n[ -e \"$(dirname "
      "\"$0\")/../modules/09_reduction/1_serial.student.so\" ] || exit 1\n" +
      sample::verdict("1_serial", "passed", "printed by a kernel") + sample::kDone);
  const Sshd sshd(f);
  if (!sshd.works()) SKIP("sshd does not run here: " + sshd.log());
  const Variable ssh("LADDER_SSH", sshd.ssh());
  const end_to_end::Outcome run =
      end_to_end::ladder(f.tree, {"run", "09.1", "--on", "box", "--device", "sim"});
  CAPTURE(run.text);
  CHECK(run.code == 0);
  CHECK(run.has("simulated H200"));
  CHECK(run.has("passed in 3 cases"));
  CHECK(run.has("printed by a kernel"));
  CHECK(emptied(f));
  CHECK(end_to_end::ladder(f.tree, {"list", "09"}).has("●"));
  if (!fs::exists("/dev/nvidiactl") && !fs::exists("/dev/dxg"))
    CHECK(end_to_end::ladder(f.tree, {"run", "09.1", "--on", "box"})
              .has("box has no GPU: its CPU runs the simulator"));
}

TEST_CASE("Ctrl-C ends the run on the other machine, and what was copied goes") {
  if (!Sshd::there()) SKIP("no OpenSSH server is installed");
  const Built f("echo $$ > \"$(dirname \"$0\")/../../../pid\"\nsleep 60\n");
  const Sshd sshd(f);
  if (!sshd.works()) SKIP("sshd does not run here: " + sshd.log());
  const Variable ssh("LADDER_SSH", sshd.ssh());
  end_to_end::OnTerminal run(f.tree, {"run", "09.1", "--on", "box", "--device", "sim"});
  for (int i = 0; i < 400 && !fs::exists(f.there() / "pid"); ++i) run.listen(50);
  REQUIRE(fs::exists(f.there() / "pid"));
  ::usleep(100'000);
  const std::string pid = split_lines(read_file(f.there() / "pid"))[0];
  fs::remove(f.there() / "pid");
  run.type("\003");
  CHECK(run.finish().code == 130);
  CHECK(emptied(f));
  bool alive = true;
  for (int i = 0; i < 200 && alive; ++i, ::usleep(50'000)) alive = fs::exists("/proc/" + pid);
  CHECK(!alive);
}

TEST_CASE("what is wrong with the other machine is said in a sentence") {
  const Built f(sample::verdict("1_serial", "passed") + sample::kDone);
  const auto run = [&](const std::string& ssh, std::vector<std::string> more = {}) {
    const Variable variable("LADDER_SSH", ssh);
    more.insert(more.begin(), {"run", "09.1", "--on", "me@box"});
    return end_to_end::ladder(f.tree, more);
  };
  CHECK(run(stand_in(f, machine()), {"--device", "sim"}).has("passed in 3 cases"));
  CHECK(emptied(f));
  const end_to_end::Outcome other = run(stand_in(f, "riscv64"));
  CHECK(other.code == 3);
  CHECK(other.has("me@box is riscv64"));
  CHECK(emptied(f));
  CHECK(
      run(stand_in(f, machine(), "echo Permission denied >&2; exit 255\n")).has("cannot be reached by ssh"));
  CHECK(run("no-such-ssh").has("there is no no-such-ssh here"));
  if (!fs::exists("/dev/nvidiactl") && !fs::exists("/dev/dxg"))
    CHECK(run(stand_in(f, machine()), {"--device", "gpu"}).has("has no NVIDIA GPU"));
  sample::add_runner(
      f.tree,
      "[ $# -gt 0 ] || { echo \"runner: /lib/libc.so.6: version \\`GLIBC_2.99' not found\"; exit 1; }\n");
  const end_to_end::Outcome old = run(stand_in(f, machine()), {"--device", "sim"});
  CHECK(old.has("the C library on me@box is too old"));
  CHECK(old.has("GLIBC_2.99"));
  CHECK(emptied(f));
  CHECK(end_to_end::ladder(f.tree, {"run", "09.1", "--on", "-oProxyCommand=x"}).code == 2);
}
