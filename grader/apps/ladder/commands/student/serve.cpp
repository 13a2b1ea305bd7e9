// ladder serve, ladder read: the page beside the editor. A program of its own serves it, which is built when
// it is first asked for; here its command line is read.
#include "grader/actions/page_program.h"
#include "grader/apps/ladder/commands/commands.h"

namespace ladder::cli {
namespace {

struct ServeOptions {
  std::string rung, device = "auto";
  int port = 0;
  bool poll = false, no_open = false;
};

struct ReadOptions {
  std::string rung, out;
};

ExitCode serve(Context& context, const ServeOptions& options) {
  std::vector<std::string> words = {"serve", "--device", options.device, "--port",
                                    std::to_string(options.port)};
  if (options.poll) words.emplace_back("--poll");
  if (options.no_open) words.emplace_back("--no-open");
  if (!options.rung.empty()) words.push_back(options.rung);
  return become_page_program(context.project(), words);
}

ExitCode read(Context& context, const ReadOptions& options) {
  std::vector<std::string> words = {"read"};
  if (!options.out.empty()) words.insert(words.end(), {"--out", options.out});
  words.push_back(options.rung);
  return become_page_program(context.project(), words);
}

}  // namespace

void add_serve(Commands& commands) {
  const auto [command, options] = commands.add(
      "serve", "a page beside your editor: lesson, source, and the verdict on each save",
      "  ./ladder serve              the rung to go on with; opens a browser where there is one\n"
      "  ./ladder serve 05.3         this one\n"
      "  ./ladder serve --poll       where saves are not noticed by themselves\n",
      serve);
  command->add_option("rung", options.rung, "a rung such as 09.3, or a lesson such as 09");
  command->add_option("--port", options.port, "of 127.0.0.1; else any that is free")
      ->check(CLI::Range(0, 65535))
      ->type_name("N");
  command->add_option("--device", options.device, "sim, gpu, or auto: the GPU if there is one")
      ->check(CLI::IsMember({"auto", "sim", "gpu"}))
      ->type_name("WHICH");
  command->add_flag("--poll", options.poll, "look at the files once a second: for network file systems");
  command->add_flag("--no-open", options.no_open, "open no browser");

  const auto [once, read_options] =
      commands.add("read", "the same page once, as a file to read or print",
                   "  ./ladder read 05                    writes ladder-05_transpose.html here\n"
                   "  ./ladder read 05.3 --out page.html\n",
                   read);
  once->add_option("rung", read_options.rung, "a lesson such as 05, or a rung such as 05.3")->required();
  once->add_option("-o,--out", read_options.out, "where the page goes")->type_name("FILE");
}

}  // namespace ladder::cli
