#include "grader/serve/session.h"

#include <signal.h>
#include <stdlib.h>

#include <charconv>

#include "grader/actions/hint.h"
#include "grader/course/rung_files.h"
#include "grader/platform/environment.h"
#include "grader/records/predictions.h"
#include "grader/serve/editor.h"
#include "grader/serve/http/guard.h"
#include "grader/serve/panels.h"
#include "grader/serve/screen.js.h"
#include "grader/serve/text/pictures.h"
#include "language/catalogue.h"

namespace ladder::cli::serve {
namespace {

using namespace std::chrono_literals;
constexpr auto kQuiet = 40ms;  // editors are done within a few milliseconds of their first touch
constexpr auto kPollEvery = 1s;
constexpr std::string_view kAllPanels = "map status lesson source verdict lens timeline ladder hints";

/// A whole number from 0 on.
std::optional<int> index_from(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

Reply plain(int status, std::string text) { return {status, "text/plain; charset=utf-8", std::move(text)}; }

}  // namespace

Session::Session(Context& context, Selection start, ServeOptions options)
    : context_(context), options_(std::move(options)), at_(std::move(start)) {
  server_ = std::make_unique<Server>(loop_.base(), options_.port, new_token(),
                                     [this](const Request& request) { return answer(request); });
  std::vector<std::filesystem::path> files = {context.progress().file()};
  for (const LessonInfo& lesson : context.course().lessons)
    for (const RungInfo& rung : lesson.rungs) {
      const Selection selection{&lesson, {&rung}, true};
      const auto verdict = latest_file(context.project().state(), lesson, rung);
      std::filesystem::create_directories(verdict.parent_path());  // what is not there cannot be watched
      sources_.emplace(lesson.student_file(rung), selection);
      verdicts_.emplace(verdict, selection);
      files.push_back(lesson.student_file(rung));
      files.push_back(verdict);
    }
  changes_.emplace(std::move(files));
  settled_ = Waiting::timer(loop_, [this] { look(); });
  if (changes_->fd() >= 0)
    noticed_ = Waiting::readable(loop_, changes_->fd(), [this] {
      changes_->drain();
      settled_->start(kQuiet);
    });
  if (options_.poll) settled_->start(kPollEvery);
}

void Session::run() {
  ::signal(SIGPIPE, SIG_IGN);  // a page that was closed
  interrupted_ = Waiting::signal(loop_, SIGINT, [this] { loop_.end(); });
  terminated_ = Waiting::signal(loop_, SIGTERM, [this] { loop_.end(); });
  loop_.run();
}

View Session::view() { return {context_, *at_.lesson, at_.rung(), true, checking_, trouble_}; }

Reply Session::answer(const Request& request) {
  if (request.post) return command(request);
  if (request.path == "/") return {200, "text/html; charset=utf-8", page(view())};
  if (request.path == "/screen.js")
    return {200, "text/javascript; charset=utf-8", std::string(embedded::screen_js)};
  if (request.path == "/whatif") {
    constexpr int kMostStep = 65'536;
    const auto step = index_from(request.parameter("step")), bytes = index_from(request.parameter("bytes"));
    if (step && bytes && *step % 4 == 0 && *step <= kMostStep && (*bytes == 4 || *bytes == 8 || *bytes == 16))
      return {200, "text/html; charset=utf-8", what_if(*step, *bytes)};
  } else if (constexpr std::string_view kPanel = "/panel/"; request.path.starts_with(kPanel)) {
    if (auto contents = panel(view(), request.path.substr(kPanel.size())))
      return {200, "text/html; charset=utf-8", std::move(*contents)};
  } else if (constexpr std::string_view kPicture = "/picture/"; request.path.starts_with(kPicture)) {
    if (auto picture = served_picture(context_.course(), request.path.substr(kPicture.size())))
      return {200, std::move(picture->type), std::move(picture->bytes)};
  }
  return plain(404, "There is no such page.\n");
}

Reply Session::command(const Request& request) {
  if (request.path == "/open") return open_editor(request.parameter("line"));
  if (request.path == "/hint") return next_hint();
  if (request.path == "/predict") return predict(request);
  if (request.path == "/go") {
    const std::string wanted = request.parameter("rung");
    for (const auto& [file, selection] : sources_)
      if (selection.lesson->id(selection.rung()) == wanted) {
        go_to(selection);
        return plain(200, "");
      }
    return plain(404, "There is no such rung.");
  }
  return plain(404, "There is no such command.");
}

Reply Session::open_editor(const std::string& line) {
  const std::optional<int> number = index_from(line);
  if (!number || *number == 0) return plain(404, "There is no such line.");
  SubprocessOptions options;
  options.argv = editor_command(at_.lesson->student_file(at_.rung()), *number, environment);
  if (options.argv.empty()) return plain(409, editor_advice());
  try {
    // An editor outlives this: its own child starts it, and is waited for here.
    options.argv.insert(options.argv.begin(), {"/bin/sh", "-c", "setsid \"$@\" >/dev/null 2>&1 &", "sh"});
    Subprocess(options).wait();
    return plain(200, "");
  } catch (const Failure& failure) {
    return plain(409, failure.what());
  }
}

Reply Session::next_hint() {
  const auto next = choose_hint(context_, *at_.lesson, at_.rung());
  if (!next) return plain(409, tr("This rung has no hints."));
  const int todo = next->at.hint->todo;
  if (next->at.stage > context_.progress().hints_shown(*at_.lesson, at_.rung(), todo))
    context_.progress().set_hints_shown(*at_.lesson, at_.rung(), next->at.stage, todo);
  tell("hints");
  return plain(200, "");
}

Reply Session::predict(const Request& request) {
  const std::optional<int> at = index_from(request.parameter("at"));
  const std::optional<double> value = number_from(request.parameter("value"));
  if (!value) return plain(409, tr("That is no number."));
  for (const RungInfo& rung : at_.lesson->rungs) {
    if (at_.lesson->id(rung) != request.parameter("rung")) continue;
    const auto all = predictions_of(context_.project().state(), context_.progress(), *at_.lesson, rung);
    if (!at || static_cast<std::size_t>(*at) >= all.size()) break;
    const Prediction& asked = all[static_cast<std::size_t>(*at)];
    if (asked.answered()) return plain(409, tr("Its answer is known."));
    context_.progress().set_prediction(*at_.lesson, rung, asked.question->key(), *value);
    tell("lesson");
    return plain(200, "");
  }
  return plain(404, "There is no such question.");
}

void Session::look() {
  if (options_.poll) settled_->start(kPollEvery);
  if (std::exchange(restart_, false)) check();
  const std::vector<std::filesystem::path> changed = changes_->look();
  if (changed.empty()) return;
  context_.forget_progress();
  const Selection* judged = nullptr;
  for (const std::filesystem::path& file : changed) {
    if (const auto source = sources_.find(file); source != sources_.end()) return saved(source->second);
    const auto verdict = verdicts_.find(file);
    if (verdict == verdicts_.end()) continue;
    const Selection& of = verdict->second;
    if (judged == nullptr || context_.progress().ran_last(*of.lesson, of.rung())) judged = &of;
  }
  if (judged != nullptr && &judged->rung() != &at_.rung()) return go_to(*judged);
  tell(kAllPanels);
}

void Session::saved(const Selection& rung) {
  if (&rung.rung() != &at_.rung()) go_to(rung);
  trouble_.clear();
  if (options_.checks) check();
  tell(kAllPanels);
}

void Session::go_to(const Selection& rung) {
  at_ = rung;
  trouble_.clear();
  server_->send("rung", rung.lesson->id(rung.rung()) + " " + spoken(rung.rung()));
  tell(kAllPanels);
}

void Session::check() {
  if (check_ && !check_->ended()) {  // what it checks is no longer what was saved
    check_->when_ended([this] {      // not from within what is about to be replaced
      restart_ = true;
      settled_->start(1ms);
    });
    return check_->cancel();
  }
  checking_ = at_.lesson->student_file(at_.rung()).filename().string();
  check_ = std::make_unique<Check>(loop_, options_.ladder, at_.lesson->id(at_.rung()), options_.device,
                                   [this](int code, const std::string& output) { checked(code, output); });
}

void Session::checked(int code, const std::string& output) {
  checking_.clear();
  context_.forget_progress();
  const bool verdict =
      code == static_cast<int>(ExitCode::passed) || code == static_cast<int>(ExitCode::failed);
  trouble_ = verdict ? "" : output;
  changes_->look();  // what it has noted down is what is told now
  tell(kAllPanels);
}

}  // namespace ladder::cli::serve
