#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>

#include "grader/grade/collect/answer.h"
#include "grader/grade/collect/locate.h"
#include "grader/grade/collect/submissions.h"
#include "grader/grade/sandbox/sandbox.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "grader/platform/sha256.h"
#include "grader/platform/text.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using namespace ladder::cli::grade;
namespace fs = std::filesystem;

namespace {

/// Two lessons with the same rungs, so that a rung's name alone does not say whose it is, and one with its
/// own.
struct HandedIn {
  sample::Tree tree;
  Course course;
  fs::path folder = tree.project.root / "submissions";
  Grading grading;

  HandedIn() {
    tree.add_lesson("09_reduction");
    tree.add_lesson("12_prefix_sum");
    write_file(tree.project.lessons() / "05_transpose" / "lesson.toml",
               "title = \"T\"\nsummary = \"S\"\npart = \"I\"\n[[rung]]\nname = \"1_naive\"\nsummary = \"s\"\n"
               "hints = [\"h\"]\n");
    course = load_course(tree.project);
    grading.project.root = tree.project.root;
    grading.project.build = LADDER_BUILD_DIR;
    grading.work = tree.project.root / "work";
    grading.sandboxed = why_no_sandbox(grading).empty();  // where there is none, archives are read without
  }
  void put(const std::string& path, const std::string& contents = "// mine\n") const {
    write_file(folder / path, contents);
  }
  std::vector<Submission> read() const { return collect(grading, course, folder); }
};

std::string found(const Submission& submission) {
  std::string all;
  for (const RungFile& file : submission.files)
    all += (all.empty() ? "" : " ") + file.lesson->id() + "/" + file.rung->name;
  return all;
}

}  // namespace

TEST_CASE("a rung's file is known by its folders and its name") {
  const HandedIn c;
  const auto at = [&](const std::string& path) {
    const Located located = locate(c.course, path);
    return located.rung == nullptr ? located.why : located.lesson->id() + "/" + located.rung->name;
  };
  CHECK(at("lessons/09_reduction/1_serial.cu") == "09/1_serial");
  CHECK(at("12/3_interleaved.cu") == "12/3_interleaved");
  CHECK(at("my work/Lesson 9/1_serial.cu") == "09/1_serial");
  CHECK(at("reduction/1_Serial.CU") == "09/1_serial");
  CHECK(at("1_naive.cu") == "05/1_naive");
  CHECK(at("12_1_serial.cu") == "12/1_serial");
  CHECK(at("1_serial.cu").find("lessons 09, 12 have a rung called that") == 0);
  CHECK(at("09_reduction/1_naive.cu") == "no rung of 09_reduction is called that");
  CHECK(at("smithalice_17_4711_1_naive-2.cu") == "05/1_naive");
  CHECK(at("notes.txt").empty());
}

TEST_CASE("names that learning platforms make are taken apart") {
  CHECK(owner_of("Alice Smith_4711_assignsubmission_file_").student == "Alice Smith_4711");
  CHECK(owner_of("Alice Smith_4711_assignsubmission_file_1_naive.cu").rest == "1_naive.cu");
  const Owner late = owner_of("smithalice_LATE_17_4711_homework.zip");
  CHECK(late.student == "smithalice_17");
  CHECK(late.late);
  CHECK(owner_of("bob").student == "bob");
}

TEST_CASE("the usual layouts of a submission are read") {
  const HandedIn c;
  c.put("full/lessons/09_reduction/1_serial.cu");
  c.put("short/09/1_serial.cu");
  c.put("flat/1_naive.cu");
  c.put("nested/homework/12_prefix_sum/3_interleaved.cu");
  c.put("Ann Lee_12_assignsubmission_file_/09_1_serial.cu");
  c.put("leebob_33_4711_1_naive.cu");
  c.put("leebob_33_4712_09_1_serial.cu");
  std::map<std::string, std::string> all;
  for (const Submission& submission : c.read()) all[submission.student] = found(submission);
  CHECK(all == std::map<std::string, std::string>{{"full", "09/1_serial"},
                                                  {"short", "09/1_serial"},
                                                  {"flat", "05/1_naive"},
                                                  {"nested", "12/3_interleaved"},
                                                  {"Ann Lee_12", "09/1_serial"},
                                                  {"leebob_33", "05/1_naive 09/1_serial"}});
}

TEST_CASE("of a clone of the course only the rungs in lessons are the student's") {
  const HandedIn c;
  for (const char* file :
       {"lessons/CMakeLists.txt", "lessons/05_transpose/1_naive.cu", "solutions/05_transpose/1_naive.cu",
        "solutions/09_reduction/1_serial.cu", "ladder"})
    c.put("alice/course/" + std::string(file));
  const std::vector<Submission> submissions = c.read();
  REQUIRE(submissions.size() == 1);
  CHECK(found(submissions[0]) == "05/1_naive");
  CHECK(submissions[0].files[0].path == "course/lessons/05_transpose/1_naive.cu");
  CHECK(submissions[0].others == 4);
}

TEST_CASE("links, pipes, long files and what is no text are not taken, and it is said why") {
  const HandedIn c;
  fs::create_directories(c.folder / "mallory" / "09");
  fs::create_symlink("/etc/passwd", c.folder / "mallory" / "09" / "1_serial.cu");
  fs::create_directory_symlink("/", c.folder / "mallory" / "12");
  REQUIRE(::mkfifo((c.folder / "mallory" / "09" / "3_interleaved.cu").c_str(), 0600) == 0);
  c.put("mallory/09/10_warp_shuffle.cu", std::string(2 << 20, 'x'));
  c.put("mallory/1_naive.cu", std::string("\xff\xfa\0", 3));
  const std::vector<Submission> submissions = c.read();
  REQUIRE(submissions.size() == 1);
  CHECK(submissions[0].files.empty());
  std::map<std::string, std::string> why;
  for (const Ignored& ignored : submissions[0].ignored) why[ignored.path] = ignored.why;
  CHECK(why["09/1_serial.cu"] == "not a regular file (a link, perhaps)");
  CHECK(why["09/3_interleaved.cu"] == "not a regular file (a link, perhaps)");
  CHECK(why["09/10_warp_shuffle.cu"] == "cannot be read, or is longer than 1 MiB");
  CHECK(why["1_naive.cu"] == "is no UTF-8 text");
}

TEST_CASE("a submission that cannot be read, or not in time, costs one student") {
  const HandedIn c;
  c.put("alice/09/1_serial.cu");
  c.put("bob/09/1_serial.cu");
  std::string deep = (c.folder / "mallory").string();
  fs::create_directories(deep);
  for (int level = 0; level < 60; ++level) fs::create_directory(deep += "/d");
  write_file(fs::path(deep) / "1_naive.cu", "// deep\n");
  fs::create_directories(c.folder / "loop");
  fs::create_directory_symlink("../loop", c.folder / "loop" / "again");
  fs::create_symlink("1_naive.cu", c.folder / "loop" / "1_naive.cu");
  fs::create_directories(c.folder / "sparse" / "09");
  write_file(c.folder / "sparse" / "09" / "1_serial.cu", "");
  fs::resize_file(c.folder / "sparse" / "09" / "1_serial.cu", std::uintmax_t{1} << 40);
  c.put("names/09/1_serial.cu\n.cu");
  c.put("names/12/\xff\xfe\x1b[2J.cu");
  std::map<std::string, Submission> all;
  for (const Submission& one : c.read()) all.emplace(one.student, one);
  REQUIRE(all.size() == 6);
  for (const char* honest : {"alice", "bob"}) {
    CHECK(found(all.at(honest)) == "09/1_serial");
    CHECK(all.at(honest).problem.empty());
  }
  CHECK(all.at("mallory").problem.find("lies too deep to be looked into") != std::string::npos);
  for (const char* student : {"mallory", "loop", "sparse", "names"}) CHECK(all.at(student).files.empty());
  CHECK(all.at("names").ignored.size() == 2);
}

TEST_CASE("a student's files are kept up to a size") {
  const HandedIn c;
  const std::string large(900'000, ' ');
  for (int copy = 1; copy <= 20; ++copy) c.put("mallory/1_naive-" + std::to_string(copy) + ".cu", large);
  const std::vector<Submission> all = c.read();
  REQUIRE(all.size() == 1);
  CHECK(all[0].files.size() == 1);
  CHECK(std::any_of(all[0].ignored.begin(), all[0].ignored.end(), [](const Ignored& one) {
    return one.why == "all rungs together are longer than 16 MiB";
  }));
}

TEST_CASE("an answer of the process that reads a submission is believed as far as it can be true") {
  const HandedIn c;
  Submission submission;
  submission.student = "alice";
  const auto refused = [&](const std::string& answer) {
    try {
      take_answer(answer, c.course, submission);
    } catch (const Failure&) {
      return true;
    }
    return false;
  };
  const std::string file = R"({"lesson":"09_reduction","rung":"1_serial","path":"p","contents":"// mine"})";
  const auto answer = [](const std::string& files, const std::string& more = "\"others\":1") {
    return "{\"files\":[" + files + "],\"ignored\":[],\"origin\":\"\",\"problem\":\"\"," + more + "}";
  };
  for (const std::string& bad :
       {std::string(), std::string("null"), std::string("[]"), std::string(1'000'000, '['),
        answer(file + "," + file), answer(R"({"lesson":"../x","rung":"1_serial","path":"p","contents":""})"),
        answer(R"({"lesson":"09_reduction","rung":"9","path":"p","contents":""})"),
        answer(file, "\"others\":\"many\"")})
    CHECK(refused(bad));
  CHECK(submission.files.empty());
  CHECK_FALSE(refused(answer(file)));
  CHECK(submission.student == "alice");
  CHECK(submission.files.at(0).hash == sha256("// mine"));
}

TEST_CASE("of two files for one rung the later upload is taken, else the one that lies less deep") {
  const HandedIn c;
  c.put("alice/1_naive.cu", "// first\n");
  c.put("alice/1_naive-1.cu", "// second\n");
  c.put("bob/old/1_naive.cu", "// deep\n");
  c.put("bob/1_naive.cu", "// shallow\n");
  const std::vector<Submission> submissions = c.read();
  REQUIRE(submissions.size() == 2);
  CHECK(submissions[0].files.at(0).contents == "// second\n");
  CHECK(submissions[0].files[0].contents.capacity() < 1000);  // a large class's files are kept all at once
  CHECK(submissions[0].ignored.at(0).path == "1_naive.cu");
  CHECK(submissions[1].files.at(0).contents == "// shallow\n");
}

TEST_CASE("archives are read where they lie, and a class's archive is unpacked") {
  const HandedIn c;
  c.put("alice/09/1_serial.cu", "// packed\n");
  fs::create_symlink("/etc/passwd", c.folder / "alice" / "1_naive.cu");
  const fs::path packed = c.tree.project.root / "packed";
  fs::create_directories(packed);
  REQUIRE(capture({"tar", "-C", c.folder / "alice", "-czf", packed / "alice.tar.gz", "."}).status.ok());
  const std::vector<Submission> one = collect(c.grading, c.course, packed);
  REQUIRE(one.size() == 1);
  CHECK(one[0].student == "alice");
  REQUIRE(one[0].files.size() == 1);  // tar gives nothing for a link
  CHECK(one[0].files[0].contents == "// packed\n");
  REQUIRE(capture({"tar", "-C", c.tree.project.root, "-czf", packed / "class.tar.gz", "submissions"})
              .status.ok());
  const std::vector<Submission> all = collect(c.grading, c.course, packed / "class.tar.gz");
  REQUIRE(all.size() == 1);
  CHECK(all[0].student == "alice");
  CHECK(found(all[0]) == "09/1_serial");
}

TEST_CASE("git remotes are fetched without a working tree") {
  const HandedIn c;
  if (capture({"git", "--version"}).status.code == 127) SKIP("git is not installed");
  c.put("alice/09/1_serial.cu", "// committed, and no end of line");
  const std::string repository = (c.folder / "alice").string();
  fs::create_symlink("/etc/passwd", c.folder / "alice" / "1_naive.cu");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"init", "-q"},
           {"add", "-A"},
           {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "m"}}) {
    std::vector<std::string> argv = {"git", "-C", repository};
    argv.insert(argv.end(), words.begin(), words.end());
    REQUIRE(capture(argv).status.ok());
  }
  const fs::path list = c.tree.project.root / "list.txt";
  write_file(list, "# the class\nalice file://" + repository + "\nBob Lee /nowhere/at/all\t# moved\nfile://" +
                       repository + "\neve https://eve:s3cret@localhost:1/eve.git\n");
  const std::vector<Submission> all = collect(c.grading, c.course, list);
  REQUIRE(all.size() == 4);
  CHECK(found(all[0]) == "09/1_serial");
  CHECK(all[0].files[0].contents == "// committed, and no end of line");
  CHECK(all[0].origin.size() > 40);
  CHECK(all[0].ignored.at(0).why == "not a regular file (a link, perhaps)");
  CHECK(all[1].problem.find("cannot be fetched") != std::string::npos);
  CHECK(all[1].student == "Bob Lee");
  CHECK(all[2].student == "alice-2");
  CHECK(all[3].source == "https://localhost:1/eve.git");
  CHECK(all[3].problem.find("cannot be fetched") != std::string::npos);
  CHECK(all[3].problem.find("s3cret") == std::string::npos);
}

TEST_CASE("students' names are printable, and no two are the same") {
  CHECK(printable_name("Zo\xc3\xab M\xc3\xbcller") == "Zo\xc3\xab M\xc3\xbcller");
  CHECK(printable_name("M\xfcller\xff") == "M\uFFFDller\uFFFD");
  CHECK(printable_name("a\x1b[31m\nb\x7f") == "a [31m b");
  CHECK(printable_name("gnp.\u202Eexe\u2066") == "gnp.exe");
  CHECK(printable_name("\x01\x02") == "unnamed");
  CHECK(printable_name("\uFF41lice\U0001D41A") == "<U+FF41>lice<U+1D41A>");
  const HandedIn c;
  for (const char* name : {"a\xffz", "a\xfez", "a\nz", "a z", "a\xffz-2"})
    c.put(name + std::string("/09/1_serial.cu"));
  std::map<std::string, int> names;
  for (const Submission& submission : c.read()) ++names[submission.student];
  CHECK(names.size() == 5);
  CHECK(names.contains("a z"));
}

TEST_CASE("teams with numbers are no lessons, unless rungs of these lie in them") {
  HandedIn c;
  for (const char* team : {"05", "09", "12", "77"}) c.put(team + std::string("/09_reduction/1_serial.cu"));
  CHECK(c.read().size() == 4);
  c.put("09/1_serial.cu");  // the team of the lesson's own number, flat
  CHECK(c.read().size() == 4);
  fs::remove_all(c.folder);
  c.put("09/1_serial.cu");
  c.put("12/1_serial.cu");
  std::vector<std::string> notes;
  const std::vector<Submission> one = collect(c.grading, c.course, c.folder, &notes);
  REQUIRE(one.size() == 1);
  CHECK(found(one[0]) == "09/1_serial 12/1_serial");
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("one student's work") != std::string::npos);
}

TEST_CASE("a folder of solutions beside the students makes them no single student's work") {
  const HandedIn c;
  c.put("alice/09/1_serial.cu");
  c.put("bob/09/1_serial.cu");
  c.put("solutions/09_reduction/1_serial.cu", "// ours\n");
  std::vector<std::string> notes;
  const std::vector<Submission> all = collect(c.grading, c.course, c.folder, &notes);
  REQUIRE(all.size() == 2);
  CHECK(all[0].student == "alice");
  CHECK(all[1].student == "bob");
  CHECK(notes == std::vector<std::string>{"the folder solutions is taken for nobody's work"});
}

TEST_CASE("work beside a clone of the course counts") {
  const HandedIn c;
  c.put("alice/course/lessons/CMakeLists.txt");
  c.put("alice/course/solutions/09_reduction/1_serial.cu", "// ours\n");
  c.put("alice/mine/09/1_serial.cu", "// mine\n");
  const std::vector<Submission> all = c.read();
  REQUIRE(all.at(0).files.size() == 1);
  CHECK(all[0].files[0].contents == "// mine\n");
}

TEST_CASE("what lies among the submissions and is none is told") {
  const HandedIn c;
  c.put("alice/09/1_serial.cu");
  c.put("bob.rar", "Rar!");
  fs::create_directory_symlink("alice", c.folder / "carol");
  std::vector<std::string> notes;
  CHECK(collect(c.grading, c.course, c.folder, &notes).size() == 1);
  std::sort(notes.begin(), notes.end());
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].starts_with("bob.rar is neither a folder nor an archive"));
  CHECK(notes[1].starts_with("carol is neither"));
}

TEST_CASE("what is no class is refused with a word on what is expected") {
  const HandedIn c;
  fs::create_directories(c.folder);
  CHECK_THROWS_AS(c.read(), Failure);
  CHECK_THROWS_AS(collect(c.grading, c.course, "/nowhere"), Failure);
}

TEST_CASE("text is UTF-8 without zeroes") {
  CHECK(is_text("int x = 1;  // \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\n"));
  for (const char* bad : {"\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3"})
    CHECK_FALSE(is_text(bad));
  CHECK_FALSE(is_text(std::string_view("a\0b", 3)));
}

TEST_CASE("sha256 gives the standard's values") {
  // FIPS 180-4's examples.
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
