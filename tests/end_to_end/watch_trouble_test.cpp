// `ladder watch` in trouble: full disks, and a second watch of the same rung.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "grader/platform/files.h"
#include "tests/end_to_end/watched.h"

using namespace ladder::cli;
using end_to_end::Environment;
using end_to_end::OnTerminal;
using end_to_end::Watched;
using end_to_end::watching;
namespace fs = std::filesystem;

namespace {

/// A watch to which one folder is a small disk of its own that is full until `free_disk` is there.
OnTerminal watching_with_full_disk(const Watched& f, const fs::path& folder, const Environment& environment) {
  fs::create_directories(folder);
  const std::string disk = folder.string(), free = (f.tree.project.root / "free_disk").string();
  const std::string script = "mount -t tmpfs -o size=4m none " + disk + " && cat /dev/zero > " + disk +
                             "/fill 2>/dev/null\n(while [ ! -e " + free + " ]; do sleep 0.05; done; rm " +
                             disk + "/fill; touch " + free + "d) &\nexec " + end_to_end::ladder_binary() +
                             " watch 09.1 --device sim\n";
  return {"/usr/bin/unshare", f.tree, {"-Urm", "sh", "-c", script}, environment};
}

bool namespaces() { return capture({"unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt"}).status.ok(); }

void free_disk(const Watched& f) {
  write_file(f.tree.project.root / "free_disk", "");
  for (int i = 0; i < 200 && !fs::exists(f.tree.project.root / "free_diskd"); ++i) ::usleep(50'000);
}

}  // namespace

TEST_CASE("where the disk for temporary files is full, watch says so and goes on when there is room") {
  if (!namespaces()) SKIP("no mount namespace may be made here");
  const Watched f;
  const fs::path disk = f.tree.project.root / "tmp";
  OnTerminal watch = watching_with_full_disk(f, disk, {{"TMPDIR", disk.string()}});
  REQUIRE(watch.wait_for_next("watching"));
  f.save("// right\n");
  CHECK(watch.wait_for_next("lies on is full"));
  CHECK(watch.wait_for_next("not checked"));
  CHECK(f.builds() == 0);
  free_disk(f);
  watch.type("\r");
  CHECK(watch.wait_for_next("passed in "));
  watch.type("q");
  CHECK(watch.finish().code == 0);
}

TEST_CASE(
    "where the disk for the progress is full, a verdict is still one, and nothing of the student's is lost") {
  if (!namespaces()) SKIP("no mount namespace may be made here");
  const Watched f;
  OnTerminal watch = watching_with_full_disk(f, f.tree.project.state(), {{"NO_COLOR", "1"}});
  REQUIRE(watch.wait_for_next("watching"));
  f.save("// right\n");
  CHECK(watch.wait_for_next("passed in 3 cases"));
  CHECK(watch.wait_for_next("this was not noted down"));
  CHECK(watch.wait_for_next("goes on to"));
  watch.type("ry");
  CHECK(watch.wait_for_next("No space left"));
  CHECK(read_file(f.rung()) == "// right\n");
  free_disk(f);
  watch.type("ry");
  CHECK(watch.wait_for_next("Yours was kept"));
  watch.type("q");
  CHECK(watch.finish().code == 0);
}

TEST_CASE("watch says that the progress cannot be read, and keeps it when it first writes") {
  const Watched f;
  write_file(f.tree.project.state() / "progress.json", "{half a file");
  OnTerminal watch = watching(f, {}, {{"NO_COLOR", "1"}});
  REQUIRE(watch.wait_for_next("TODO(2)"));
  CHECK(watch.wait_for_next("note: "));
  REQUIRE(watch.wait_for_next("watching"));
  f.save("// right\n");
  CHECK(watch.wait_for_next("passed in 3 cases"));
  CHECK(watch.wait_for_next("goes on to"));
  watch.type("q");
  CHECK(watch.finish().code == 0);
  CHECK(read_file(f.tree.project.state() / "unreadable" / "progress.1.json") == "{half a file");
}

TEST_CASE("two watches of one rung build it in turn, and both tell the verdict") {
  const Watched f(
      "[ ! -e \"$LADDER_ROOT\"/busy ] || touch \"$LADDER_ROOT\"/both\ntouch \"$LADDER_ROOT\"/busy\nsleep "
      "0.3\n"
      "rm \"$LADDER_ROOT\"/busy\n");
  OnTerminal one = watching(f), two = watching(f);
  REQUIRE(one.wait_for_next("watching"));
  REQUIRE(two.wait_for_next("watching"));
  f.save("// right\n");
  CHECK(one.wait_for_next("passed in "));
  const bool both_told = two.wait_for_next("passed in ");
  INFO(two.text());
  CHECK(both_told);
  CHECK(f.builds() == 2);
  CHECK(!fs::exists(f.tree.project.root / "both"));
}
