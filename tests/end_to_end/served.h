// `ladder serve` on a small course whose build and runner are scripts, and a client for its page.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "grader/platform/process/subprocess.h"
#include "tests/end_to_end/watched.h"

namespace end_to_end {

/// A connection over which events come.
class Events {
 public:
  explicit Events(ladder::UniqueFd fd) : fd_(std::move(fd)) {}
  /// Whether @p part comes within ten seconds, behind what the last call found.
  bool wait_for(const std::string& part) {
    for (std::size_t at; (at = text_.find(part, seen_)) == std::string::npos;) {
      char bytes[4096];
      const ssize_t n = ::recv(fd_.get(), bytes, sizeof bytes, 0);  // ten seconds at most
      if (n <= 0) return false;
      text_.append(bytes, static_cast<std::size_t>(n));
    }
    seen_ = text_.find(part, seen_) + part.size();
    return true;
  }

 private:
  ladder::UniqueFd fd_;
  std::string text_;
  std::size_t seen_ = 0;
};

/// "http://127.0.0.1:PORT/TOKEN/", and requests as the page's own script makes them.
class Address {
 public:
  explicit Address(std::string text) : text_(std::move(text)) {
    const std::size_t slash = text_.find('/', kScheme);
    host_ = text_.substr(kScheme, slash - kScheme);
    path_ = text_.substr(slash);
  }
  const std::string& text() const { return text_; }

  /// The body of the answer; empty where nobody answers.
  std::string get(const std::string& what) const {
    const std::string all = ask("GET", what);
    const std::size_t body = all.find("\r\n\r\n");
    return body == std::string::npos ? "" : all.substr(body + 4);
  }
  /// The status of the answer.
  int post(const std::string& what) const {
    const std::string all = ask("POST", what);
    return all.size() < 12 ? 0 : std::stoi(all.substr(9, 3));
  }
  /// Whether an answer comes to have @p part within ten seconds.
  bool becomes(const std::string& what, const std::string& part) const {
    for (int i = 0; i < 500; ++i) {
      if (get(what).find(part) != std::string::npos) return true;
      ::usleep(20'000);
    }
    return false;
  }
  Events listen() const {
    Events events(send("GET", "events"));
    REQUIRE(events.wait_for(": begun"));
    return events;
  }

 private:
  static constexpr std::size_t kScheme = 7;  // of "http://"

  ladder::UniqueFd send(const char* method, const std::string& what) const {
    ladder::UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(host_.substr(host_.find(':') + 1))));
    ::inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    const timeval patience = {10, 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return {};
    const std::string request = fmt::format(
        "{} {}{} HTTP/1.1\r\nHost: {}\r\nOrigin: http://{}\r\nX-Ladder: 1\r\nConnection: "
        "close\r\nContent-Length: 0\r\n\r\n",
        method, path_, what, host_, host_);
    (void)::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL);
    return fd;
  }
  std::string ask(const char* method, const std::string& what) const {
    const ladder::UniqueFd fd = send(method, what);
    std::string all;
    char bytes[65536];
    for (ssize_t n; fd && (n = ::recv(fd.get(), bytes, sizeof bytes, 0)) > 0;)
      all.append(bytes, static_cast<std::size_t>(n));
    return all;
  }

  std::string text_, host_, path_;
};

/// The server, until this goes out of scope. Its editor notes down what it was to open.
class Served {
 public:
  Watched course;

  explicit Served(const std::string& build = "exit 0\n")
      : course(build), server_(options()), page_(first_line()) {}

  const std::string& address() const { return page_.text(); }
  std::string get(const std::string& what) const { return page_.get(what); }
  int post(const std::string& what) const { return page_.post(what); }
  bool becomes(const std::string& what, const std::string& part) const { return page_.becomes(what, part); }
  Events listen() const { return page_.listen(); }

  /// What the editor was started with, once it was.
  std::string opened() const {
    for (int i = 0; i < 500 && !std::filesystem::exists(note()); ++i) ::usleep(20'000);
    return std::filesystem::exists(note()) ? ladder::cli::read_file(note()) : "";
  }

 private:
  std::filesystem::path note() const { return course.tree.project.root / "opened"; }

  ladder::SubprocessOptions options() const {
    ladder::cli::write_file(course.folder() / "README.md",
                            "# 09 Reduction\n\nMany numbers.\n\n### 1 · Serial\n\n*Predict:* how many "
                            "sectors?\n\n![a tile](tile.svg)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
                            "```cpp\nint sum = 0;  // of all\n```\n\n<details><summary>1. "
                            "Why?</summary>\n\nBecause.\n</details>\n");
    const std::string lesson = ladder::cli::read_file(course.folder() / "lesson.toml"),
                      first = "[[rung]]\nname = \"3";
    const std::string question =
        "[[rung.predict]]\nask = \"sectors of a request\"\nmetric = \"load_sectors\"\n";
    std::string asking = lesson;
    ladder::cli::write_file(course.folder() / "lesson.toml", asking.insert(asking.find(first), question));
    ladder::cli::write_file(course.folder() / "tile.svg",
                            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\"><rect "
                            "width=\"40\" height=\"20\"/></svg>");
    const std::filesystem::path editor = course.tree.project.root / "editor";
    sample::FakeCmake::write_program(
        editor, fmt::format("#!/bin/sh\necho \"$1\" >{0}.partial && mv {0}.partial {0}\n", note().string()));
    ladder::SubprocessOptions options;
    options.argv = {ladder_binary(), "serve", "09.1", "--no-open", "--device", "sim"};
    options.environment = course_environment(course.tree);
    options.environment.emplace_back("LADDER_EDITOR", editor.string() + " {file}:{line}");
    options.output = said_.write.get();
    options.own_group = true;
    options.death_signal = SIGTERM;
    options.patience = std::chrono::seconds(3);
    return options;
  }

  std::string first_line() {
    said_.write.reset();
    std::string line;
    for (char c = 0; ::read(said_.read.get(), &c, 1) == 1 && c != '\n';) line += c;
    REQUIRE(line.starts_with("http://127.0.0.1:"));
    return line;
  }

  ladder::Pipe said_;
  ladder::Subprocess server_;
  Address page_;
};

}  // namespace end_to_end
