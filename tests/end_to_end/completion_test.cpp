// Tab in a real bash, and what the other shells' scripts are told.
#include <catch2/catch_test_macros.hpp>

#include "grader/cli/files.h"
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

TEST_CASE("bash completes a rung with the Tab key") {
  sample::Tree tree;
  tree.add_lesson("09_reduction");
  end_to_end::OnTerminal shell("/bin/bash", tree, {"--norc", "--noprofile", "-i"}, {{"PS1", "prompt> "}});
  REQUIRE(shell.wait_for_next("prompt> "));
  const std::filesystem::path folder = std::filesystem::path(end_to_end::ladder_binary()).parent_path();
  shell.type("cd " + folder.string() + " && source <(./ladder completion bash); echo rea''dy\n");
  REQUIRE(shell.wait_for_next("ready"));
  shell.type("./ladder wat\t 09.3\t --man\t");
  REQUIRE(shell.wait_for_next("watch"));
  REQUIRE(shell.wait_for_next("09.3"));
  CHECK(shell.wait_for_next("--manual"));
}

TEST_CASE("each shell is given a script of its own") {
  sample::Tree tree;
  CHECK(end_to_end::ladder(tree, {"completion", "bash"}).has("complete -o default -F _ladder ladder"));
  CHECK(end_to_end::ladder(tree, {"completion", "zsh"}).has("compdef _ladder ladder"));
  CHECK(end_to_end::ladder(tree, {"completion", "fish"}).has("complete -c ladder"));
  CHECK(end_to_end::ladder(tree, {"completion", "tcsh"}).code == 2);
}
