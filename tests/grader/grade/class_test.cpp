// A small class, graded by the real `ladder` from end to end.
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <sstream>

#include "grader/grade/engines/meter.h"
#include "tests/grader/grade/class_generator.h"
#include "tests/grader/grade/publish/json_schema.h"
#include "tests/grader/support/needs.h"

using namespace grading;
using ladder::cli::read_file;
using ladder::cli::write_file;
using nlohmann::json;

namespace {

const std::vector<Homework> kHomework = {{"03_rgb_to_gray", {"1_one_row", "2_one_pixel"}}};
constexpr const char* kPolicy = R"(title = "Homework <1>"
lessons = ["03"]
cases = "quick"
device = "sim"
[late]
per_day = 0.25
[late.days]
student000 = 1
[limits]
call_seconds = 4
)";

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "ladder-{module}-{folder}-{result-fd}-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path = name;
    write_file(path / "policy.toml", kPolicy);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::vector<std::string> command(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"grade",      path / "class", "--out",
                                      path / "out", "--policy",     path / "policy.toml"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

#define NEED_SANDBOX(graded) \
  if (!why_no_sandbox(graded).empty()) SKIP(why_no_sandbox(graded))

std::string fits_schema(const fs::path& schema, const json& value) {
  return violation(read_json(schema), value);
}

/// Starts `ladder` and kills it after a while. @return whether it was still at work
bool start_and_kill(const std::vector<std::string>& args, int milliseconds) {
  Background ladder(args);
  ::usleep(static_cast<useconds_t>(milliseconds) * 1000);
  return ladder.end(SIGKILL);
}

/// What `ladder` writes to a terminal of 80 columns.
std::string on_terminal(const std::vector<std::string>& args) {
  needs::terminal();
  winsize size{24, 80, 0, 0};
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    for (const auto& [name, value] : {std::pair{"LADDER_ROOT", LADDER_SOURCE_DIR},
                                      {"LADDER_BUILD_DIR", LADDER_BUILD_DIR},
                                      {"TERM", "xterm"},
                                      {"LC_ALL", "C.UTF-8"}})
      ::setenv(name, value, 1);
    std::string program = ladder_binary();
    std::vector<char*> argv = {program.data()};
    for (const std::string& word : args) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  std::string text;
  char part[4096];
  for (ssize_t n; (n = ::read(terminal, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(n));
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return text;
}

/// Elements of an XML text with their attributes, in order; checks that it is well-formed as it goes.
struct Element {
  std::string name, parent;
  std::map<std::string, std::string> attributes;
};
std::vector<Element> elements_of(const std::string& xml) {
  std::vector<Element> all;
  std::vector<std::string> open;
  std::size_t at = xml.find("?>") + 2;
  while ((at = xml.find('<', at)) != std::string::npos) {
    const std::size_t end = xml.find('>', at);
    REQUIRE(end != std::string::npos);
    std::string tag = xml.substr(at + 1, end - at - 1);
    at = end;
    if (tag[0] == '/') {
      REQUIRE(!open.empty());
      REQUIRE(open.back() == tag.substr(1));
      open.pop_back();
      continue;
    }
    const bool empty = tag.back() == '/';
    if (empty) tag.pop_back();
    Element element{tag.substr(0, tag.find(' ')), open.empty() ? "" : open.back(), {}};
    for (std::size_t from = element.name.size();
         (from = tag.find_first_not_of(' ', from)) != std::string::npos;) {
      const std::size_t equals = tag.find("=\"", from), close = tag.find('"', equals + 2);
      REQUIRE(close != std::string::npos);
      element.attributes[tag.substr(from, equals - from)] = tag.substr(equals + 2, close - equals - 2);
      from = close + 1;
    }
    if (!empty) open.push_back(element.name);
    all.push_back(element);
  }
  REQUIRE(open.empty());
  return all;
}

}  // namespace

TEST_CASE("a class gets what its work is worth, in every format") {
  const Folder folder;
  constexpr int kStudents = 6;
  make_class(folder.path / "class", kStudents, kHomework);
  write_file(folder.path / "class" / "=1+1 <b>" / "03" / "1_one_row.cu",
             solution("03_rgb_to_gray", "1_one_row"));
  const Graded graded = run_ladder(folder.command({"--format", "csv,html,junit,gradescope,github,autolab"}));
  NEED_SANDBOX(graded);
  INFO(graded.text);
  REQUIRE(graded.code == 0);
  CHECK(difference(folder.path / "out", kStudents, kHomework) == "");

  const fs::path out = folder.path / "out", formats = fs::path(LADDER_TEST_DATA) / "publish" / "formats";
  const fs::path schemas = checkout() / "docs" / "schemas";
  const json all = read_json(out / "class.json");
  CHECK(fits_schema(schemas / "class-result.schema.json", all) == "");
  REQUIRE(all["students"].size() == kStudents + 1);
  for (const json& entry : all["students"]) {
    const json student = read_json(out / entry["file"].get<std::string>());
    CHECK(fits_schema(schemas / "student-result.schema.json", student) == "");
    const std::string name = fs::path(entry["file"].get<std::string>()).stem();
    const json gradescope = read_json(out / "gradescope" / name / "results.json");
    CHECK(fits_schema(formats / "gradescope.schema.json", gradescope) == "");
    CHECK(gradescope["score"] == student["points"]);
    CHECK(fits_schema(formats / "github.schema.json", read_json(out / "github" / (name + ".json"))) == "");
    const json autolab = read_json(out / "autolab" / (name + ".json"));
    CHECK(fits_schema(formats / "autolab.schema.json", autolab) == "");
    CHECK(autolab["scores"]["03_rgb_to_gray"] == student["points"]);
    CHECK(ladder::cli::split_lines(read_file(out / "autolab" / (name + ".json"))).size() == 1);
  }
  const json late = read_json(out / "students" / "student000.json");
  CHECK(late["points"].get<double>() == 0.75 * late["points_before_late"].get<double>());

  const std::string book = read_file(out / "gradebook.csv");
  CHECK(book.find("\n'=1+1 <b>,") != std::string::npos);  // not a formula
  const std::string page = read_file(out / "class.html");
  CHECK(page.find("Homework &lt;1&gt;") != std::string::npos);
  CHECK(page.find("=1+1 &lt;b&gt;") != std::string::npos);
  for (const char* word : {"http://", "https://", "<script", "src="})
    CHECK(page.find(word) == std::string::npos);
}

TEST_CASE("on a terminal there is a bar with the time left, and it goes when all is done") {
  using ladder::cli::grade::time_left;
  CHECK(time_left(0, 10, 5).empty());
  CHECK(time_left(10, 10, 20) == "about 20 s left");
  CHECK(time_left(10, 100, 30) == "about 5 min left");
  CHECK(time_left(10, 10'000, 30) == "about 8.3 h left");
  const Folder folder;
  make_class(folder.path / "class", 3, kHomework);
  const std::string text = on_terminal(folder.command({"-j", "1"}));
  NEED_SANDBOX((Graded{0, text}));
  INFO(text);
  CHECK(text.find("units graded, about ") != std::string::npos);
  CHECK(text.find("\u2588") != std::string::npos);  // of the bar
  CHECK(text.find("3 students graded") > text.rfind("units graded"));
}

// The form is Jenkins' junit-10.xsd, https://github.com/jenkinsci/xunit-plugin (types/model/xsd): elements,
// where they stand, and the attributes they must and may have.
TEST_CASE("JUnit reports have the form that CI services read") {
  const Folder folder;
  make_class(folder.path / "class", 4, kHomework);
  const Graded graded = run_ladder(folder.command({"--format", "junit"}));
  NEED_SANDBOX(graded);
  REQUIRE(graded.code == 0);
  struct Rule {
    std::string parent;
    std::vector<std::string> must, may;
  };
  const std::map<std::string, Rule> rules = {
      {"testsuites", {"", {}, {"name", "time", "tests", "failures", "errors"}}},
      {"testsuite", {"testsuites", {"name", "tests", "failures", "errors"}, {"time", "skipped"}}},
      {"testcase", {"testsuite", {"name"}, {"time", "classname"}}},
      {"skipped", {"testcase", {}, {"type", "message"}}},
      {"failure", {"testcase", {}, {"type", "message"}}},
      {"error", {"testcase", {}, {"type", "message"}}},
  };
  for (const fs::directory_entry& file : fs::directory_iterator(folder.path / "out" / "junit")) {
    const std::vector<Element> elements = elements_of(read_file(file.path()));
    CHECK(elements.size() >= 6);  // the suites, the suite, four rungs
    for (const Element& element : elements) {
      INFO(element.name);
      REQUIRE(rules.contains(element.name));
      const Rule& rule = rules.at(element.name);
      CHECK(element.parent == rule.parent);
      for (const std::string& name : rule.must) CHECK(element.attributes.contains(name));
      for (const auto& [name, value] : element.attributes)
        CHECK((std::find(rule.must.begin(), rule.must.end(), name) != rule.must.end() ||
               std::find(rule.may.begin(), rule.may.end(), name) != rule.may.end()));
    }
  }
}

TEST_CASE("a grading that is killed goes on where it was, with nothing lost and nothing done twice") {
  const Folder folder;
  constexpr int kStudents = 5;
  make_class(folder.path / "class", kStudents, kHomework);
  int kills = 0;
  for (const int milliseconds : {400, 1500, 2500, 3000})
    kills += start_and_kill(folder.command(), milliseconds);
  const Graded graded = run_ladder(folder.command());
  NEED_SANDBOX(graded);
  INFO(graded.text);
  REQUIRE(graded.code == 0);
  CHECK(kills >= 2);
  CHECK(difference(folder.path / "out", kStudents, kHomework) == "");
  CHECK(done_twice(folder.path / "out") == 0);
  // Once more: nothing is left to do, and the results are the same.
  const std::string before = read_file(folder.path / "out" / "students" / "student001.json");
  const Graded again = run_ladder(folder.command());
  CHECK(again.code == 0);
  CHECK(read_file(folder.path / "out" / "students" / "student001.json") == before);
  CHECK(done_twice(folder.path / "out") == 0);
}

TEST_CASE("equal files are judged once, and by the solution's time a slow one earns less") {
  const Folder folder;
  write_file(folder.path / "policy.toml", R"(lessons = ["03"]
cases = "quick"
device = "sim"
[points]
"03" = 0
"03.2" = 10
[performance]
share = 0.5
bands = [{ within = 1.2, credit = 1 }, { within = 1000000, credit = 0.1 }]
)");
  const std::string right = solution("03_rgb_to_gray", "2_one_pixel");
  const auto hand_in = [&](const std::string& student, const std::string& source) {
    write_file(folder.path / "class" / student / "03" / "2_one_pixel.cu", source);
  };
  hand_in("alice", right);
  hand_in("bob", right);
  hand_in("slow", solution("03_rgb_to_gray", "1_one_row"));
  // Escapes the timing: the large picture that is timed is left as it was.
  std::string skips = right;
  skips.insert(skips.rfind("{\n") + 2, "  if (width > 2000) return cudaSuccess;\n");
  hand_in("skips", skips);
  const Graded graded = run_ladder(folder.command());
  NEED_SANDBOX(graded);
  INFO(graded.text);
  REQUIRE(graded.code == 0);
  CHECK(graded.has("of 3 units"));
  const auto rung = [&](const std::string& student) {
    return rung_of(read_json(folder.path / "out" / "students" / (student + ".json")), "2_one_pixel");
  };
  CHECK(rung("alice")["points"] == 10.0);
  CHECK(rung("bob")["points"] == 10.0);
  CHECK(rung("alice")["performance"]["modelled"] == true);
  CHECK(rung("slow")["outcome"] == "idea_missing");
  CHECK(rung("slow")["idea"]["metric"] == "load_sectors");
  CHECK(rung("slow")["performance"]["ratio"].get<double>() > 1.2);
  CHECK(rung("slow")["points"] == 2.75);  // half of 5.5: the rung below works without this one's idea
  CHECK(rung("skips")["outcome"] == "wrong_values");
  CHECK(rung("skips")["points"] == 0.0);
}

TEST_CASE("without bubblewrap nothing is graded, unless it is asked for loudly") {
  const Folder folder;
  make_class(folder.path / "class", 1, {{"03_rgb_to_gray", {"1_one_row"}}});
  write_file(folder.path / "class" / "student000" / "03_rgb_to_gray" / "1_one_row.cu",
             solution("03_rgb_to_gray", "1_one_row"));
  // A PATH with everything but bwrap.
  const fs::path tools = folder.path / "tools";
  fs::create_directories(tools);
  std::istringstream folders(::getenv("PATH"));
  for (std::string one; std::getline(folders, one, ':');) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(one, error))
      if (entry.path().filename() != "bwrap")
        fs::create_symlink(entry.path(), tools / entry.path().filename(), error);
  }
  const auto with_path = [&](std::vector<std::string> more) {
    Graded graded;
    std::vector<std::string> words = folder.command(std::move(more));
    words.insert(words.begin(), ladder_binary());
    graded.code =
        ladder::cli::run_process({words,
                                  {{"PATH", tools.string()},
                                   {"LADDER_ROOT", LADDER_SOURCE_DIR},
                                   {"LADDER_BUILD_DIR", LADDER_BUILD_DIR}}},
                                 [&](std::string_view line) { graded.text.append(line).push_back('\n'); })
            .code;
    return graded;
  };
  const Graded refused = with_path({});
  CHECK(refused.code == 3);
  CHECK(refused.has("bubblewrap is not installed"));
  CHECK_FALSE(fs::exists(folder.path / "out" / "class.json"));
  const Graded loud = with_path({"--unsandboxed"});
  INFO(loud.text);
  CHECK(loud.code == 0);
  CHECK(loud.has("WARNING"));
  CHECK(read_json(folder.path / "out" / "class.json")["sandboxed"] == false);
  CHECK(read_json(folder.path / "out" / "students" / "student000.json")["points"].get<double>() > 0);
}

TEST_CASE("submissions that are alike are listed, however they are renamed and laid out") {
  const Folder folder;
  const auto hand_in = [&](const std::string& student, std::string source) {
    write_file(folder.path / "class" / student / "03" / "1_one_row.cu", source);
  };
  std::string copied = solution("03_rgb_to_gray", "1_one_row");
  hand_in("alice", copied);
  for (std::size_t at; (at = copied.find("first")) != std::string::npos;)
    copied.replace(at, 5, "start_of_row");
  hand_in("bob", "// All my own work.\n\n\n" + copied);
  hand_in("carol", skeleton("03_rgb_to_gray", "1_one_row") + "\n// tried\n");
  std::string padding = "namespace mine {\n";  // in which what was copied hides
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    padding += "inline double f" + n + "(double x, int k) { return k > " + n + " ? x * " + n +
               ".5 - k : x / (k + " + n + "); }\n";
  }
  hand_in("dave", copied + padding + "}\n");
  const Graded graded = run_ladder(folder.command({"--similarity", "95"}));
  if (graded.has("similarity-tester")) SKIP("similarity-tester is not installed");
  NEED_SANDBOX(graded);
  INFO(graded.text);
  REQUIRE(graded.code == 0);
  const std::string pairs = read_file(folder.path / "out" / "similarity.csv");
  CHECK(pairs.find("03_rgb_to_gray,1_one_row,alice,bob,100,") != std::string::npos);
  CHECK(pairs.find("carol") == std::string::npos);
  int in_skeleton = 0;
  const std::size_t dave = pairs.find("03_rgb_to_gray,1_one_row,alice,dave,100,");
  REQUIRE(dave != std::string::npos);
  CHECK(std::sscanf(pairs.c_str() + dave, "03_rgb_to_gray,1_one_row,alice,dave,100,%d", &in_skeleton) == 1);
  CHECK(in_skeleton > 20);
  CHECK(in_skeleton < 95);
}
