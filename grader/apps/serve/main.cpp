// ladder-serve: the page of `ladder serve`, `ladder read` and `ladder watch --page`, and the site of `ladder
// dev site`. These read the user's words and hand them on in one form: --ladder PROGRAM serve|read|site,
// options, and the rung or the folder last.
#include <unistd.h>

#include <cstdio>

#include "grader/course/rung_files.h"
#include "grader/platform/environment.h"
#include "grader/platform/files.h"
#include "grader/platform/process/open_files.h"
#include "grader/present/map_view.h"
#include "grader/serve/book/book.h"
#include "grader/serve/session.h"

namespace ladder::cli {
namespace {

struct Words {
  std::string verb, rung, out, ladder;  ///< of `site`, the rung is the folder
  serve::ServeOptions serve;
  bool open = true;     ///< a browser, where there is one
  bool follow = false;  ///< watch checks; it opens no browser either
};

/// Where this runs beside a screen; through ssh the student's browser is on another machine.
void open_browser(const std::string& address) {
  if (environment("DISPLAY").empty() && environment("WAYLAND_DISPLAY").empty()) return;
  if (!environment("SSH_CONNECTION").empty()) return;
  SubprocessOptions options;
  options.argv = {"/bin/sh", "-c",
                  "command -v xdg-open >/dev/null && setsid xdg-open \"$1\" >/dev/null 2>&1 &", "sh",
                  address};
  Subprocess(options).wait();
}

ExitCode serve_page(Context& context, Words& words) {
  words.serve.ladder = words.ladder;
  words.serve.checks = !words.follow;
  const Selection start = rung_to_work_on(context.course(), context.progress(), words.rung);
  serve::Session session(context, start, words.serve);
  context.line("{}", context.out.paint(Tone::code, session.address()));
  if (!words.follow) context.line("The page follows the rungs that you save. Ctrl-C ends it.");
  if (!environment("SSH_CONNECTION").empty())
    context.line("Your browser is on another machine: there, first  ssh -L {0}:127.0.0.1:{0} THIS-MACHINE",
                 session.port());
  std::fflush(stdout);
  if (words.open && !words.follow) open_browser(session.address());
  session.run();
  return ExitCode::passed;
}

ExitCode read_page(Context& context, const Words& words) {
  const Selection at = rung_to_work_on(context.course(), context.progress(), words.rung);
  const std::filesystem::path file = words.out.empty() ? "ladder-" + at.lesson->name + ".html" : words.out;
  write_file(file, serve::page({context, *at.lesson, at.rung(), false}));
  context.line("written: {}", context.out.paint(Tone::code, context.shown(std::filesystem::absolute(file))));
  return ExitCode::passed;
}

ExitCode write_site(Context& context, const std::filesystem::path& folder) {
  const serve::BookSize size = serve::write_book(context, folder);
  context.line("written: {}, {} pages, the largest of {} KB",
               context.out.paint(Tone::code, context.shown(std::filesystem::absolute(folder / "index.html"))),
               size.pages, (size.largest + 1023) / 1024);
  return ExitCode::passed;
}

/// @throws Failure (usage) where it is not the form that `ladder` writes
Words read_words(const std::vector<std::string>& argv) {
  Words words;
  for (auto at = argv.begin(); at != argv.end(); ++at) {
    const auto value = [&] {
      if (++at == argv.end())
        throw Failure(ExitCode::usage, "a value is missing", "ladder serve starts this.");
      return *at;
    };
    if (*at == "--ladder")
      words.ladder = value();
    else if (*at == "--device")
      words.serve.device = value();
    else if (*at == "--out")
      words.out = value();
    else if (*at == "--port")
      words.serve.port = std::stoi(value());
    else if (*at == "--poll")
      words.serve.poll = true;
    else if (*at == "--no-open")
      words.open = false;
    else if (*at == "--follow")
      words.follow = true;
    else if (words.verb.empty())
      words.verb = *at;
    else
      words.rung = *at;
  }
  if (words.ladder.empty() || (words.verb != "serve" && words.verb != "read" && words.verb != "site"))
    throw Failure(ExitCode::usage, "this is a part of ladder", "ladder serve and ladder read start it.");
  return words;
}

int run(int argc, char** argv) {
  Context context;
  try {
    Words words = read_words({argv + 1, argv + argc});
    const ExitCode code = words.verb == "serve"  ? serve_page(context, words)
                          : words.verb == "read" ? read_page(context, words)
                                                 : write_site(context, words.rung);
    return static_cast<int>(code);
  } catch (const Failure& failure) {
    std::fprintf(stderr, "ladder: %s\n%s", failure.what(),
                 failure.advice().empty() ? "" : context.as_typed(failure.advice() + "\n").c_str());
    return static_cast<int>(failure.code());
  }
}

}  // namespace
}  // namespace ladder::cli

int main(int argc, char** argv) {
  ladder::cli::allow_open_files();
  return ladder::cli::run(argc, argv);
}
