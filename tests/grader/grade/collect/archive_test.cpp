// Archives of students, friendly and hostile. What cannot be taken is said, and costs that student only.
#include <catch2/catch_test_macros.hpp>
#include <map>

#include "grader/grade/collect/submissions.h"
#include "grader/grade/sandbox/sandbox.h"
#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "tests/grader/grade/collect/zip_file.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using namespace ladder::cli::grade;
using grading::ZipFile;
namespace fs = std::filesystem;

namespace {

/// A class of archives beside one honest student.
struct Class {
  sample::Tree tree;
  Course course;
  fs::path folder = tree.project.root / "class";
  Grading grading;

  Class() {
    tree.add_lesson("09_reduction");
    course = load_course(tree.project);
    grading.project.root = tree.project.root;
    grading.project.build = LADDER_BUILD_DIR;
    grading.work = tree.project.root / "work";
    if (const std::string reason = why_no_sandbox(grading); !reason.empty()) SKIP(reason);
    write_file(folder / "honest" / "09" / "1_serial.cu", "// honest\n");
  }
  void put(const std::string& name, const ZipFile& zip) const { write_file(folder / name, zip.text()); }

  /// Reads the class. @return the named student's; the honest one's is as it should be
  Submission read(const std::string& student) const {
    std::map<std::string, Submission> all;
    for (Submission& one : collect(grading, course, folder)) all.emplace(one.student, one);
    REQUIRE(all.at("honest").files.size() == 1);
    CHECK(all.at("honest").problem.empty());
    CHECK((!fs::exists(grading.work / "unpack") || fs::is_empty(grading.work / "unpack")));
    return all.at(student);
  }
  /// Of a student whose archive is refused: why.
  std::string refusal(const std::string& student) const {
    const Submission submission = read(student);
    CHECK(submission.files.empty());
    CHECK(submission.problem.ends_with("; nothing of it was taken"));
    return submission.problem;
  }
};

std::string path_and_text(const Submission& submission) {
  std::string all = submission.problem;
  for (const RungFile& file : submission.files) all += file.path + ": " + file.contents;
  return all;
}

}  // namespace

TEST_CASE("names in an archive may have blanks, letters of all languages, and the slashes of Windows") {
  const Class c;
  ZipFile zip;
  zip.add("Übung 1/läb – 09/1_serial.cu", "// mine\n");
  zip.add("__MACOSX/Übung 1/läb – 09/._1_serial.cu", "\1\2");
  c.put("Zoë Müller.zip", zip);
  CHECK(path_and_text(c.read("Zoë Müller")) == "Übung 1/läb – 09/1_serial.cu: // mine\n");
  ZipFile windows;
  windows.add("Abgabe 1\\09_reduction\\1_serial.cu", "// by Windows\r\n", {.made_by = 0});
  c.put("windows.zip", windows);
  CHECK(path_and_text(c.read("windows")) == "Abgabe 1/09_reduction/1_serial.cu: // by Windows\r\n");
}

TEST_CASE("an archive in a folder in an archive is read") {
  const Class c;
  ZipFile inner, outer;
  inner.add("09/1_serial.cu", "// deep\n");
  outer.add("to hand in/homework.zip", inner.text());
  outer.add("to hand in/readme.txt", "hello");
  c.put("alice.zip", outer);
  CHECK(path_and_text(c.read("alice")) == "09/1_serial.cu: // deep\n");
}

TEST_CASE("archives in archives without end are given up, and the instructor is told") {
  const Class c;
  ZipFile zip;
  zip.add("09/1_serial.cu", "// at the bottom\n");
  for (int depth = 0; depth < 6; ++depth) {
    ZipFile outer;
    outer.add("inner.zip", zip.text());
    zip = outer;
  }
  c.put("alice.zip", zip);
  const Submission alice = c.read("alice");
  CHECK(alice.files.empty());
  CHECK(alice.problem == "inner.zip was not looked into: archives in archives, or too many");
}

TEST_CASE("an archive that says that it unpacks to gigabytes is refused before it is") {
  const Class c;
  ZipFile zip;
  zip.add("09/1_serial.cu", "// small\n", {.claims = 3'000'000'000});
  c.put("mallory.zip", zip);
  CHECK(c.refusal("mallory") ==
        "mallory.zip would unpack to 2861 MiB, and 64 are the most; nothing of it was taken");
}

TEST_CASE("an archive that unpacks to more than it says is stopped by the cell") {
  const Class c;
  const fs::path zeroes = c.tree.project.root / "zeroes.gz";
  REQUIRE(capture({"sh", "-c", "head -c 200000000 /dev/zero | gzip -n > " + zeroes.string()}).status.ok());
  const std::string gzipped = read_file(zeroes);  // ten bytes of header, deflated data, eight of trailer
  ZipFile zip;
  zip.add("09/1_serial.cu", gzipped.substr(10, gzipped.size() - 18), {.method = 8, .claims = 100, .sum = 1});
  c.put("mallory.zip", zip);
  CHECK(c.refusal("mallory").starts_with("mallory.zip cannot be unpacked"));
  REQUIRE(capture({"sh", "-c",
                   "cd " + c.folder.string() +
                       " && rm mallory.zip && mkdir 09 && head -c 200000000 /dev/zero > "
                       "09/1_serial.cu && tar -czf mallory.tar.gz 09 && rm -r 09"})
              .status.ok());
  CHECK(c.refusal("mallory").starts_with("mallory.tar.gz would unpack to 190 MiB"));
}

TEST_CASE("an archive of very many files is refused") {
  const Class c;
  ZipFile zip;
  for (int i = 0; i < 20'001; ++i) zip.add("09/" + std::to_string(i) + ".cu", "");
  c.put("mallory.zip", zip);
  CHECK(c.refusal("mallory") == "mallory.zip holds more than 20000 files; nothing of it was taken");
}

TEST_CASE("an archive that is too large to be copied is refused") {
  const Class c;
  write_file(c.folder / "mallory.zip", "");
  fs::resize_file(c.folder / "mallory.zip", std::uintmax_t{2} << 30);
  CHECK(c.refusal("mallory") == "mallory.zip is larger than 1024 MiB; nothing of it was taken");
}

TEST_CASE("without a sandbox archives are read all the same, within the limits that remain") {
  Class c;
  c.grading.sandboxed = false;
  ZipFile zip, bomb;
  zip.add("09/1_serial.cu", "// mine\n");
  c.put("alice.zip", zip);
  CHECK(path_and_text(c.read("alice")) == "09/1_serial.cu: // mine\n");
  bomb.add("09/1_serial.cu", "// small\n", {.claims = 3'000'000'000});
  c.put("mallory.zip", bomb);
  CHECK(c.refusal("mallory").starts_with("mallory.zip would unpack to"));
}

TEST_CASE("an archive with a path that leads out of it is refused") {
  const Class c;
  for (const char* path :
       {"../../09/1_serial.cu", "09/../../1_serial.cu", "/tmp/09/1_serial.cu", "..\\09\\1_serial.cu"}) {
    ZipFile zip;
    zip.add("09/3_interleaved.cu", "// good\n");
    zip.add(path, "// bad\n");
    c.put("mallory.zip", zip);
    CHECK(c.refusal("mallory").starts_with("mallory.zip holds a file whose path leads out of it"));
  }
  fs::remove(c.folder / "mallory.zip");
  REQUIRE(capture({"sh", "-c",
                   "cd " + (c.folder / "honest").string() + " && tar -cPf ../mallory.tar ../honest/09"})
              .status.ok());
  CHECK(c.refusal("mallory").starts_with("mallory.tar holds a file whose path leads out of it"));
}

TEST_CASE("a name of 100,000 characters in an archive costs its student that file, or that archive") {
  const Class c;
  const std::string name(100'000, 'a');
  // Names beyond 100 characters are a header of their own in a tar; python writes them, unchecked.
  const auto tar = [&](const std::string& path) {
    write_file(c.tree.project.root / "make.py",
               "import io, sys, tarfile\n"
               "with tarfile.open(sys.argv[1], 'w') as tar:\n"
               "  for name in ('09/1_serial.cu', '" +
                   path +
                   "'):\n"
                   "    info = tarfile.TarInfo(name); info.size = 8\n"
                   "    tar.addfile(info, io.BytesIO(b'// mine\\n'))\n");
    const Captured made = capture({"python3", c.tree.project.root / "make.py", c.folder / "mallory.tar"});
    if (made.status.code == 127) SKIP("python3 is not installed");
    REQUIRE(made.status.ok());
  };
  tar(name + ".txt");
  CHECK(path_and_text(c.read("mallory")) == "09/1_serial.cu: // mine\n");
  tar(name + ".cu");
  CHECK(c.refusal("mallory").find("longer than file systems take") != std::string::npos);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "a/";
  tar(deep + "1_serial.txt");
  CHECK_FALSE(path_and_text(c.read("mallory")).empty());  // tar itself may find that too much
  tar(deep.substr(0, 3000) + "1_serial.cu");              // as deep as it can be unpacked
  CHECK(path_and_text(c.read("mallory")).find("too deep to be looked into") != std::string::npos);
}

TEST_CASE("a class's archive is read although one of its names is too long to be unpacked") {
  const Class c;
  ZipFile zip;
  zip.add("alice/09/1_serial.cu", "// mine\n");
  zip.add("bob/09/" + std::string(300, 'x') + ".cu", "// lost\n");
  const fs::path archive = c.tree.project.root / "class.zip";
  write_file(archive, zip.text());
  std::vector<std::string> notes;
  const std::vector<Submission> all = collect(c.grading, c.course, archive, &notes);
  REQUIRE(!all.empty());
  CHECK(all[0].files.size() == 1);
}

TEST_CASE("an archive with one name 19,000 times is read or refused, and ends nothing") {
  const Class c;
  ZipFile zip;
  for (int i = 0; i < 19'000; ++i) zip.add("09/1_serial.cu", "// " + std::to_string(i) + "\n");
  c.put("mallory.zip", zip);
  const Submission mallory = c.read("mallory");
  CHECK(mallory.files.size() + (mallory.problem.empty() ? 0 : 1) == 1);
}

TEST_CASE("hard links and devices in an archive are nobody's files") {
  const Class c;
  write_file(c.tree.project.root / "make.py",
             "import io, sys, tarfile\n"
             "with tarfile.open(sys.argv[1], 'w') as tar:\n"
             "  for name, kind, to in (('09/1_serial.cu', tarfile.LNKTYPE, '/etc/passwd'),\n"
             "                         ('09/3_interleaved.cu', tarfile.CHRTYPE, ''),\n"
             "                         ('09/10_warp_shuffle.cu', tarfile.FIFOTYPE, '')):\n"
             "    info = tarfile.TarInfo(name); info.type = kind; info.linkname = to\n"
             "    info.devmajor, info.devminor = 1, 5\n"
             "    tar.addfile(info)\n");
  const Captured made = capture({"python3", c.tree.project.root / "make.py", c.folder / "mallory.tar"});
  if (made.status.code == 127) SKIP("python3 is not installed");
  REQUIRE(made.status.ok());
  CHECK(c.read("mallory").files.empty());
}

TEST_CASE("links in an archive are not followed, be they to files or to folders") {
  const Class c;
  ZipFile zip;
  zip.add("09/1_serial.cu", "/etc/passwd", {.mode = 0120777});
  zip.add("09/3_interleaved.cu", "// mine\n");
  c.put("mallory.zip", zip);
  Submission mallory = c.read("mallory");
  CHECK(path_and_text(mallory) == "09/3_interleaved.cu: // mine\n");
  REQUIRE(mallory.ignored.size() == 1);
  CHECK(mallory.ignored[0].path == "09/1_serial.cu");
  CHECK(mallory.ignored[0].why == "not a regular file (a link, perhaps)");
  fs::remove(c.folder / "mallory.zip");
  // A folder that is a link, and then a file through it.
  const fs::path target = c.tree.project.root / "target";
  fs::create_directories(target);
  REQUIRE(capture({"sh", "-c",
                   "cd " + c.tree.project.root.string() + " && ln -s " + target.string() +
                       " 09 && tar -cf class/mallory.tar 09 && rm 09 && mkdir 09 && echo bad > "
                       "09/1_serial.cu && tar -rf class/mallory.tar 09/1_serial.cu"})
              .status.ok());
  mallory = c.read("mallory");
  CHECK(path_and_text(mallory).find("root:") == std::string::npos);
  CHECK(fs::is_empty(target));
}

TEST_CASE("what is no archive, or has a password, is refused") {
  const Class c;
  write_file(c.folder / "mallory.zip", "this is no archive");
  CHECK(c.refusal("mallory").starts_with("mallory.zip cannot be read as an archive"));
  ZipFile zip;
  zip.add("09/1_serial.cu", std::string(40, 'x'), {.flags = 0x801});
  c.put("mallory.zip", zip);
  CHECK(c.refusal("mallory").starts_with("mallory.zip cannot be unpacked"));
}

TEST_CASE("a class's archive cannot write outside of its folder, nor unpack to more than there is room for") {
  const Class c;
  ZipFile zip;
  zip.add("alice/09/1_serial.cu", "// mine\n");
  zip.add("../../escaped.txt", "bad");
  const fs::path archive = c.tree.project.root / "class.zip";
  write_file(archive, zip.text());
  CHECK_THROWS(collect(c.grading, c.course, archive));
  ZipFile large;
  for (int i = 0; i < 20; ++i)
    large.add(std::to_string(i) + "/09/1_serial.cu", "x", {.claims = 4'000'000'000});
  write_file(archive, large.text());
  CHECK_THROWS(collect(c.grading, c.course, archive));
}
