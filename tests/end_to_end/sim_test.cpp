// `ladder sim` on small programs, compiled by the real nvcc and run on the real simulator.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "grader/platform/files.h"
#include "tests/end_to_end/ladder_run.h"

using namespace ladder::cli;
using end_to_end::Outcome;

namespace {

/// A course whose build folder is the real one, so that the simulator's library is found.
struct SimFixture {
  sample::Tree tree;
  SimFixture() {
    tree.project.build = LADDER_BUILD_DIR;
    const std::filesystem::path script = "cmake/nvcc.sh", here = tree.project.root / script;
    std::filesystem::create_directories(here.parent_path());
    std::filesystem::create_symlink(std::filesystem::path(LADDER_SOURCE_DIR) / script, here);
  }

  std::string source(const std::string& name) const {
    return std::string(LADDER_SOURCE_DIR) + "/tests/end_to_end/programs/" + name;
  }

  /// `ladder sim WORDS` in a shell, with stderr kept apart.
  Outcome sim(const std::string& words, const std::string& before = "") {
    errors = (tree.project.root / "stderr").string();
    const std::string line =
        before + " '" + end_to_end::ladder_binary() + "' sim " + words + " 2>'" + errors + "'";
    Outcome outcome;
    const auto status =
        run_process({{"sh", "-c", line}, end_to_end::course_environment(tree)},
                    [&](std::string_view text) { outcome.text.append(text).push_back('\n'); });
    outcome.code = status.signal != 0 ? 128 + status.signal : status.code;
    return outcome;
  }
  std::string stderr_text() const { return read_file(errors); }

  std::string errors;
};

}  // namespace

TEST_CASE("a program on the simulator has its own input, output, arguments and exit status") {
  SimFixture f;
  const Outcome run = f.sim(f.source("talks.cu") + " -O2 -- --json x 7", "printf '4 21' |");
  CHECK(run.code == 7);
  CHECK(run.text == "argument --json\nargument x\nargument 7\n8\n42\n");
  CHECK(f.stderr_text() == "to stderr\n");
}

TEST_CASE("a second run takes what the first compiled, until a source changes") {
  SimFixture f;
  const auto copy = f.tree.project.root / "program.cu";
  write_file(copy, "#include <cstdio>\nint main() { std::printf(\"one\\n\"); }\n");
  CHECK(f.sim(copy.string()).text == "one\n");
  const auto cache = f.tree.project.state() / "sim";
  const auto entries = [&] { return std::distance(std::filesystem::directory_iterator(cache), {}); };
  CHECK(entries() == 1);
  CHECK(f.sim(copy.string()).text == "one\n");
  CHECK(entries() == 1);
  write_file(copy, "#include <cstdio>\nint main() { std::printf(\"two\\n\"); }\n");
  CHECK(f.sim(copy.string()).text == "two\n");
}

TEST_CASE("a finding is shown with its source line, and ends with status 3") {
  SimFixture f;
  const Outcome run = f.sim(f.source("past_the_end.cu"));
  CHECK(run.code == 3);
  CHECK(run.text == "an illegal memory access was encountered\n");
  const std::string shown = f.stderr_text();
  CHECK(shown.find("out-of-bounds in global memory at past_the_end.cu:7 (") != std::string::npos);
  CHECK(shown.find("\n  block (0,0,0), thread (100,0,0)\n") != std::string::npos);
  CHECK(shown.ends_with("before the access.\n"));
  CHECK(shown.find("> 7 |   out[i] = 1.0f;") != std::string::npos);
  CHECK(shown.find("|   ^^^^^^\n") != std::string::npos);  // out[i]
  CHECK(f.sim(f.source("past_the_end.cu") + " --findings-exit 9").code == 9);
  CHECK(f.sim(f.source("past_the_end.cu") + " --findings-exit 0").code == 4);
  CHECK(f.sim(f.source("past_the_end.cu") + " --no-findings").code == 4);
  CHECK(f.stderr_text().find("out-of-bounds in global memory at past_the_end.cu:7") != std::string::npos);
}

TEST_CASE("findings are reported however the program ends") {
  SimFixture f;
  CHECK(f.sim(f.source("past_the_end.cu") + " -- abort").code == 3);
  CHECK(f.sim(f.source("past_the_end.cu") + " -- quick").code == 3);
  CHECK(f.sim(f.source("past_the_end.cu") + " --no-findings -- abort").code == 128 + SIGABRT);
  CHECK(f.sim(f.source("past_the_end.cu") + " --no-findings -- quick").code == 5);
}

TEST_CASE("the report in JSON has findings and the counters of every launch") {
  SimFixture f;
  const std::string file = (f.tree.project.root / "report.json").string();
  CHECK(f.sim(f.source("past_the_end.cu") + " --json '" + file + "' --gpu T4").code == 3);
  const auto report = nlohmann::json::parse(read_file(file));
  CHECK(report["schema"] == 1);
  REQUIRE(report["findings"].size() >= 1);
  CHECK(report["findings"][0]["kind"] == "out-of-bounds");
  CHECK(report["findings"][0]["file"] == "past_the_end.cu");
  CHECK(report["findings"][0]["line"] == 7);

  const Outcome plain = f.sim(f.source("talks.cu") + " --json -", "echo 4 |");
  CHECK(plain.code == 0);
  const auto printed = nlohmann::json::parse(plain.text.substr(plain.text.find('{')));
  REQUIRE(printed["kernels"].size() == 1);
  const auto& kernel = printed["kernels"][0];
  CHECK(kernel["name"] == "doubled");
  CHECK(kernel["launch"] == 1);
  CHECK(kernel["block"] == nlohmann::json::array({32, 1, 1}));
  CHECK(kernel["counters"]["global_load_requests"] == 1);
  CHECK(kernel["modelled_ns"] > 0);
}

TEST_CASE("of thousands of launches alike some are looked at, and the report says how many") {
  SimFixture f;
  const auto file = (f.tree.project.root / "report.json").string();
  CHECK(f.sim(f.source("many_launches.cu") + " --json " + file).text == "3000\n");
  const auto report = nlohmann::json::parse(read_file(file));
  CHECK(report["kernels"].size() == 3000);
  CHECK(report["checked"]["launches"] == 3000);
  const auto looked_at = report["checked"]["looked_at"].get<int>();
  CHECK(looked_at >= 64);
  CHECK(looked_at < 200);
  CHECK(!report["kernels"].front()["lines"].empty());
  CHECK(report["kernels"].back()["lines"].empty());
  CHECK(f.sim(f.source("many_launches.cu") + " --no-findings --json " + file).text == "3000\n");
  CHECK(!nlohmann::json::parse(read_file(file)).contains("checked"));
}

TEST_CASE("device code in several files is linked by name") {
  SimFixture f;
  const Outcome run = f.sim("-rdc=true " + f.source("first_half.cu") + " " + f.source("second_half.cu"));
  CHECK(run.text == "1122 1000\n");
  CHECK(run.code == 0);
}

TEST_CASE("a forgotten -rdc=true is told as that") {
  SimFixture f;
  CHECK(f.sim(f.source("first_half.cu") + " " + f.source("second_half.cu")).code == 1);
  CHECK(f.stderr_text().find("hint: without -rdc=true every file has device variables of its own") !=
        std::string::npos);
  const Outcome run = f.sim(f.source("body_elsewhere.cu"));
  CHECK(run.code == 3);
  CHECK(run.text == "cudaErrorNotSupported\n");
  const std::string told = f.stderr_text();
  CHECK(told.find("unsupported at body_elsewhere.cu:6") != std::string::npos);
  CHECK(told.find("shifted(int) is called, and no device code with its body") != std::string::npos);
  CHECK(told.find("-rdc=true") != std::string::npos);
}

TEST_CASE("a finding in another file's device function names that file, and the array") {
  SimFixture f;
  const auto one = f.tree.project.root / "one.cu", two = f.tree.project.root / "two.cu";
  write_file(
      one,
      "__device__ int put(int i);\n__global__ void k(int* out) { out[threadIdx.x] = put(threadIdx.x); }\n"
      "int main() {\n  int* out;\n  cudaMalloc(&out, 128);\n  k<<<1, 8>>>(out);\n"
      "  return cudaDeviceSynchronize();\n}\n");
  write_file(two,
             "__device__ int put(int i) {\n  int own[4] = {}, other[4] = {};\n  own[i] = i;\n"
             "  return own[0] + other[0];\n}\n");
  const auto file = f.tree.project.root / "report.json";
  CHECK(f.sim("-rdc=true " + one.string() + " " + two.string() + " --json " + file.string()).code == 3);
  const auto findings = nlohmann::json::parse(read_file(file))["findings"];
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0]["kind"] == "out-of-bounds");
  CHECK(findings[0]["space"] == "local");
  CHECK(findings[0]["file"] == "two.cu");
  CHECK(findings[0]["line"] == 3);
  CHECK(findings[0]["kernel"] == "k");
  CHECK(findings[0]["symbol"] == "own[4]");
}

TEST_CASE("kernels in headers, of templates and with lambdas are told by name, file and line") {
  SimFixture f;
  const auto file = f.tree.project.root / "report.json";
  const auto found = [&](const std::string& arguments) {
    f.sim(f.source("all_sorts.cu") + " --extended-lambda --json " + file.string() + " -- " + arguments);
    return nlohmann::json::parse(read_file(file)).at("findings").at(0);
  };
  const auto header = found(""), instance = found("1"), lambda = found("1 2");
  CHECK(header["file"] == "scale.h");
  CHECK(header["line"] == 5);
  CHECK(header["kernel"] == "clear");
  CHECK(header["allocation"]["file"] == "all_sorts.cu");
  CHECK(header["allocation"]["line"] == 11);
  CHECK(header["allocation"]["size"] == 32);
  CHECK(instance["line"] == 10);
  CHECK(instance["kernel"] == "scale<int, 3>");
  CHECK(lambda["file"] == "all_sorts.cu");
  CHECK(lambda["line"] == 6);
  CHECK(lambda["kernel"].get<std::string>().find("lambda") != std::string::npos);
  CHECK(lambda["kernel"].get<std::string>().starts_with("apply<"));
}

TEST_CASE("a finding in a source that is not there is told without its line's text") {
  SimFixture f;
  const auto copy = f.tree.project.root / "made.cu";
  write_file(copy,
             "#line 40 \"made/by_a_tool.cu\"\n__global__ void k(int* out) {\n  out[threadIdx.x] = 1;\n}\n"
             "int main() {\n  int* out;\n  cudaMalloc(&out, 4);\n  k<<<1, 8>>>(out);\n"
             "  return cudaDeviceSynchronize();\n}\n");
  CHECK(f.sim(copy.string()).code == 3);
  const std::string shown = f.stderr_text();
  CHECK(shown.find("by_a_tool.cu:41") != std::string::npos);
  CHECK(shown.find('^') == std::string::npos);
  CHECK(shown.find("Usual cure:") != std::string::npos);
}

TEST_CASE("findings are in colour on a terminal, and without where NO_COLOR asks for it") {
  SimFixture f;
  const auto painted = [](const std::string& text) {
    return std::regex_search(text, std::regex("\033\\[[0-9;]*m"));
  };
  const std::vector<std::string> words = {"sim", f.source("past_the_end.cu")};
  const Outcome plain = end_to_end::OnTerminal(f.tree, words, {{"NO_COLOR", "1"}}).finish();
  CHECK(plain.code == 3);
  CHECK(plain.has("out-of-bounds in global memory"));
  CHECK_FALSE(painted(plain.text));
  CHECK(painted(end_to_end::OnTerminal(f.tree, words).finish().text));
}

TEST_CASE("a program that does not compile shows the compiler's words and its status") {
  SimFixture f;
  const Outcome run = f.sim(f.source("does_not_compile.cu"));
  CHECK(run.code == 2);
  CHECK(f.stderr_text().find("undeclared") != std::string::npos);
}

TEST_CASE("a missing library function is named when it is called, and only then") {
  SimFixture f;
  CHECK(f.sim(f.source("needs_fft.cu")).code == 0);
  const Outcome run = f.sim(f.source("needs_fft.cu") + " -lcufft -- call");
  CHECK(run.text == "begun\n");
  CHECK(run.code == 3);
  std::string shown = f.stderr_text();
  for (char& c : shown)
    if (c == '\n') c = ' ';
  CHECK(shown.find("this program uses cufftPlan1d (library cuFFT), which the simulator does") !=
        std::string::npos);
}

TEST_CASE("words that are neither files nor options are refused with advice") {
  SimFixture f;
  CHECK(f.sim("").code == 2);
  CHECK(f.sim("no_such_file.cu").code == 2);
  CHECK(f.stderr_text().find("there is no file no_such_file.cu") != std::string::npos);
  CHECK(f.sim(f.source("talks.cu") + " --gpu GTX3").code == 2);
  CHECK(f.stderr_text().find("H200") != std::string::npos);
  CHECK(f.sim(f.source("talks.cu") + " 12").code == 2);
  CHECK(f.stderr_text().find("after --") != std::string::npos);
  CHECK(f.sim("--help").text.find("--schedule-seed") != std::string::npos);
}

TEST_CASE("Ctrl-C is the program's to handle, and ends one that does not") {
  SimFixture f;
  for (const bool handles : {true, false}) {
    std::vector<std::string> words = {"sim", f.source("waits.cu")};
    if (!handles) words.insert(words.end(), {"--", "plainly"});
    end_to_end::OnTerminal terminal(f.tree, words);
    REQUIRE(terminal.wait_for("waiting"));
    terminal.type("\x03");
    const Outcome end = terminal.finish();
    CHECK(end.code == (handles ? 17 : 128 + SIGINT));
    CHECK(end.has("caught") == handles);
  }
}

TEST_CASE("Ctrl-C ends a program inside a kernel at once, as a shell expects, and says what was found") {
  SimFixture f;
  const auto scratch = f.tree.project.root / "scratch";
  std::filesystem::create_directory(scratch);
  end_to_end::OnTerminal terminal(f.tree, {"sim", f.source("waits.cu"), "--", "kernel"},
                                  {{"TMPDIR", scratch.string()}});
  REQUIRE(terminal.wait_for("waiting"));
  terminal.listen(300);
  const auto typed = std::chrono::steady_clock::now();
  terminal.type("\x03");
  const Outcome end = terminal.finish();
  CHECK(std::chrono::steady_clock::now() - typed < std::chrono::seconds(5));
  CHECK(end.code == 128 + SIGINT);
  CHECK(end.has("memcpy at waits.cu:"));
  CHECK(std::filesystem::is_empty(scratch));
}

TEST_CASE("a killed `ladder sim` takes its program with it and leaves no file") {
  SimFixture f;
  const auto scratch = f.tree.project.root / "scratch";
  std::filesystem::create_directory(scratch);
  end_to_end::OnTerminal terminal(f.tree, {"sim", f.source("waits.cu"), "--", "kernel"},
                                  {{"TMPDIR", scratch.string()}});
  REQUIRE(terminal.wait_for("waiting"));
  terminal.send(SIGKILL);
  CHECK(terminal.finish().code == 128 + SIGKILL);  // the terminal closes when its last process has ended
  CHECK(std::filesystem::is_empty(scratch));
}

TEST_CASE("a second place in another file is told with that file's name") {
  SimFixture f;
  const auto file = f.tree.project.root / "report.json";
  const auto found = [&](const std::string& arguments) {
    f.sim(f.source("two_places.cu") + " --json " + file.string() + " -- " + arguments);
    return nlohmann::json::parse(read_file(file)).at("findings").at(0);
  };
  const auto contains = [](const nlohmann::json& finding, const char* words) {
    return finding["message"].get<std::string>().find(words) != std::string::npos;
  };
  const auto race = found(""), barrier = found("1");
  // What is in the header is told by the line that calls it, and where it is.
  CHECK(race["file"] == "two_places.cu");
  CHECK(race["other"]["file"] == "two_places.cu");
  CHECK(contains(race, "at line 8 (two_places.h:4)"));
  CHECK(contains(race, "at line 7"));
  CHECK(barrier["kind"] == "barrier");
  CHECK(barrier["file"] == "two_places.cu");
  CHECK(contains(barrier, "two_places.h:6"));
  CHECK(contains(barrier, "of line 13"));
}

TEST_CASE("the driver API runs PTX that the program brings along") {
  SimFixture f;
  const Outcome run = f.sim(f.source("driver_api.cu") + " -lcuda");
  CHECK(run.text ==
        "cuModuleGetFunction(&missing, module, \"subtract\"): CUDA_ERROR_NOT_FOUND\n15\n120\n110, 1024 "
        "threads\n");
  CHECK(run.code == 0);
}

TEST_CASE("several devices have memory, variables and errors of their own") {
  SimFixture f;
  const Outcome run = f.sim(f.source("two_devices.cu") + " --findings-exit 0", "LADDER_SIM_DEVICES=2");
  CHECK(run.text ==
        "2 devices\ncounter 1\ncounter 2\npeers 1, cudaErrorInvalidDevice\ncudaErrorInvalidResourceHandle\n"
        "3 cudaSuccess\naccess 0, then 3\ncudaSuccess\ncudaErrorIllegalAddress\ncudaSuccess\n");
  CHECK(f.stderr_text().find("cudaDeviceEnablePeerAccess(0, 0) on device 1") != std::string::npos);
}

TEST_CASE("kernels of two devices that answer each other take turns, whatever the order") {
  SimFixture f;
  for (const char* seed : {"0", "1", "7"}) {
    const Outcome run =
        f.sim(f.source("devices_in_turns.cu") + " --schedule-seed " + seed, "LADDER_SIM_DEVICES=2");
    CHECK(run.text == "cudaSuccess\ncudaSuccess\n");
    CHECK(run.code == 0);
  }
}

TEST_CASE(
    "a kernel that waits for a flag which another device's kernel has not set is told, with what it sees") {
  SimFixture f;
  const Outcome run = f.sim(f.source("devices_in_vain.cu"), "LADDER_SIM_DEVICES=2");
  CHECK(run.text == "cudaSuccess\ncudaErrorLaunchTimeout\n");
  CHECK(f.stderr_text().find("line 5 compares 1 with 2") != std::string::npos);
}

TEST_CASE("a fence of one GPU before a flag in another one's memory is told, one of the system is not") {
  SimFixture f;
  f.sim(f.source("fence_of_one_device.cu"), "LADDER_SIM_DEVICES=2");
  const std::string said = f.stderr_text();
  CHECK(said.find("ends at its own GPU") != std::string::npos);
  CHECK(said.find("__threadfence_system()") != std::string::npos);
  CHECK(said.find("(short_fence)") != std::string::npos);
  CHECK(said.find("long") == std::string::npos);
}

TEST_CASE("sm_90a keeps its letter") {
  SimFixture f;
  CHECK(f.sim(f.source("hopper_only.cu") + " -arch=sm_90a").text == "all of sm_90\n");
  CHECK(f.sim(f.source("hopper_only.cu") + " -arch=sm_90 --no-findings").text == "sm_90 at most\n");
}

TEST_CASE("an instruction that is not there loses the device and is never a success") {
  SimFixture f;
  const std::string program = f.source("hopper_only.cu") + " -arch=sm_90 ";
  for (const char* option : {"", "--findings-exit 0", "--no-findings"}) {
    const Outcome run = f.sim(program + option + " -- launch");
    CHECK(run.code == 3);
    CHECK(run.text == "cudaErrorNotSupported\ncudaErrorNotSupported\n");
    CHECK(f.stderr_text().find("multimem.ld_reduce") != std::string::npos);
  }
}

TEST_CASE("memory shared between processes is registered and counted in once, also with findings on") {
  SimFixture f;
  const Outcome run = f.sim(f.source("registered.cu"));
  CHECK(run.text == "the same address\n64 counted\n");
  CHECK(run.code == 0);
  CHECK(f.stderr_text().empty());
}

TEST_CASE("a check build that does not compile, and a driver function that is not there, are told") {
  SimFixture f;
  const Outcome run = f.sim(f.source("unchecked.cu") + " -arch=sm_90a -w");
  CHECK(run.text == "cudaSuccess\nnull\n");
  CHECK(run.code == 0);
  const std::string told = f.stderr_text();
  CHECK(told.find("note: not checked: the check build of ") != std::string::npos);
  CHECK(told.find("no_such_instruction") != std::string::npos);
  CHECK(told.find("the driver's cuTensorMapReplaceAddress") != std::string::npos);
}
