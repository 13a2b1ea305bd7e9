// Tab in a real bash, and what the other shells' scripts are told.
#include <catch2/catch_test_macros.hpp>

#include "grader/platform/files.h"
#include "tests/end_to_end/ladder_run.h"

using namespace ladder::cli;

namespace {

using Words = std::vector<std::string>;

/// What fits after these words, the last of which is being typed.
Words fitting(const sample::Tree& tree, Words words) {
  words.insert(words.begin(), {"__complete", "--"});
  return split_lines(end_to_end::ladder(tree, words).text);
}

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("commands, options, lessons and rungs are completed, and nothing hidden is") {
  sample::Tree tree;
  tree.add_lesson("09_reduction");
  tree.add_lesson("05_transpose");
  CHECK(contains(fitting(tree, {""}), "watch"));
  CHECK(!contains(fitting(tree, {""}), "__complete"));
  CHECK(fitting(tree, {"wat"}) == Words{"watch"});
  CHECK(fitting(tree, {"run", "0"}) == Words{"05", "09"});
  CHECK(fitting(tree, {"run", "09."}) == Words{"09.1", "09.3", "09.10"});
  CHECK(fitting(tree, {"run", "reduction.3"}) == Words{"reduction.3_interleaved"});
  CHECK(fitting(tree, {"run", "09.1", "--check"}) == Words{"--check-only"});
  CHECK(fitting(tree, {"run", "--device", ""}) == Words{"auto", "sim", "gpu"});
  CHECK(contains(fitting(tree, {"dev", ""}), "sync"));
  CHECK(fitting(tree, {"completion", "z"}) == Words{"zsh"});
  CHECK(fitting(tree, {"doctor", "x"}).empty());
  CHECK(fitting(tree, {"no-such-command", "x"}).empty());
}

namespace {

/// Types in a shell with nothing of its owner's settings.
void completes(const std::string& shell_name, const Words& plain, const std::string& load) {
  std::string shell_file;
  for (const char* folder : {"/bin/", "/usr/bin/", "/usr/local/bin/"})
    if (shell_file.empty() && std::filesystem::exists(folder + shell_name)) shell_file = folder + shell_name;
  if (shell_file.empty()) SKIP(shell_name << " is not installed");
  sample::Tree tree;
  tree.add_lesson("09_reduction");
  const std::string home = tree.project.root.string();  // zsh and fish write there
  end_to_end::OnTerminal shell(
      shell_file, tree, plain,
      {{"PS1", "prompt> "}, {"HOME", home}, {"XDG_DATA_HOME", home}, {"ZDOTDIR", home}});
  const std::filesystem::path folder = std::filesystem::path(end_to_end::ladder_binary()).parent_path();
  shell.type("cd " + folder.string() + "; " + load + "; echo rea''dy\n");
  REQUIRE(shell.wait_for_next("ready"));
  // A shell draws what it completes in its own way; what it then runs tells whether it did.
  shell.type("./ladder prog\t--js\t\n");
  REQUIRE(shell.wait_for_next("\"points_total\""));
  shell.type("./ladder hint reduction.3_i\t\n");
  CHECK(shell.wait_for_next("Hint 1 of 3 for 09.3 interleaved"));
}

}  // namespace

TEST_CASE("bash completes commands, options and rungs with the Tab key") {
  completes("bash", {"--norc", "--noprofile", "-i"}, "source <(./ladder completion bash)");
}

TEST_CASE("zsh completes commands, options and rungs with the Tab key") {
  completes("zsh", {"-f", "-i"}, "source <(./ladder completion zsh)");
}

TEST_CASE("fish completes commands, options and rungs with the Tab key") {
  completes("fish", {"--no-config", "-i"}, "./ladder completion fish | source");
}

TEST_CASE("each shell is given a script of its own") {
  sample::Tree tree;
  CHECK(end_to_end::ladder(tree, {"completion", "bash"}).has("complete -o default -F _ladder ladder"));
  CHECK(end_to_end::ladder(tree, {"completion", "zsh"}).has("compdef _ladder ladder"));
  CHECK(end_to_end::ladder(tree, {"completion", "fish"}).has("complete -c ladder"));
  CHECK(end_to_end::ladder(tree, {"completion", "tcsh"}).code == 2);
}
