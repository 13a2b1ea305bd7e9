// What `ladder serve` does: shows a rung, notices saves, has them checked, tells the pages that are open.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "grader/course/names.h"
#include "grader/serve/changes.h"
#include "grader/serve/check.h"
#include "grader/serve/http/server.h"
#include "grader/serve/page.h"

namespace ladder::cli::serve {

struct ServeOptions {
  std::filesystem::path ladder;  ///< the command line's program
  std::string device = "auto";   ///< as `ladder run` takes it
  int port = 0;                  ///< 0: any that is free
  bool checks = true;            ///< else somebody else checks, and the page follows
  bool poll = false;             ///< looks once a second, where the file system tells nothing
};

class Session {
 public:
  /// @throws Failure (environment)
  Session(Context& context, Selection start, ServeOptions options);

  std::string address() const { return server_->address(); }
  int port() const { return server_->port(); }
  /// Serves until a signal ends it.
  void run();

 private:
  Reply answer(const Request& request);
  Reply command(const Request& request);
  Reply open_editor(const std::string& line);
  Reply next_hint();
  Reply predict(const Request& request);
  View view();

  void look();
  void saved(const Selection& rung);
  void go_to(const Selection& rung);
  void check();
  void checked(int code, const std::string& output);
  void tell(std::string_view panels) { server_->send("panels", panels); }

  Context& context_;
  ServeOptions options_;
  Selection at_;
  Loop loop_;
  std::unique_ptr<Server> server_;
  std::map<std::filesystem::path, Selection> sources_,
      verdicts_;  ///< files that are watched, and whose they are
  std::optional<Changes> changes_;
  std::optional<Waiting> noticed_, settled_, interrupted_, terminated_;
  std::unique_ptr<Check> check_;
  std::string checking_, trouble_;
  bool restart_ = false;  ///< a check was cancelled, and the next one may begin
};

}  // namespace ladder::cli::serve
