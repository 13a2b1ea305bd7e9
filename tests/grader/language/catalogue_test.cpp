// Texts in the language that is spoken: what is looked up, and what is said where a catalogue lacks it or is
// wrong.
#include "language/catalogue.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <filesystem>
#include <map>

#include "grader/platform/files.h"
#include "language/mo_file.h"
#include "simulator/report/wording/words.h"
#include "tests/grader/support/environment.h"
#include "tests/grader/support/sample.h"

using language::MoFile;
using language::speak;
using language::tr;
namespace fs = std::filesystem;

namespace {

using Texts = std::map<std::string, std::string>;

/// A compiled catalogue, as msgfmt writes it.
std::string mo_file(const Texts& texts) {
  std::string tables, words;
  const auto put = [](std::string& to, std::size_t value) {
    const auto number = static_cast<std::uint32_t>(value);
    to.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  const std::size_t header = 28, begin = header + 16 * texts.size();
  const auto table = [&](auto text_of) {
    for (const auto& entry : texts) {
      const std::string& text = text_of(entry);
      put(tables, text.size());
      put(tables, begin + words.size());
      words += text + '\0';
    }
  };
  table([](const auto& entry) -> const std::string& { return entry.first; });
  table([](const auto& entry) -> const std::string& { return entry.second; });
  std::string file;
  for (const std::size_t value : {std::size_t{0x950412de}, std::size_t{0}, texts.size(), header,
                                  header + 8 * texts.size(), std::size_t{0}, header})
    put(file, value);
  return file + tables + words;
}

/// Speaks a language of some texts.
class Spoken {
 public:
  explicit Spoken(const Texts& texts)
      : folder_(tree_.project.root / "catalogues"), variable_("TEXTDOMAINDIR", folder_.c_str()) {
    fs::create_directories(folder_ / "xx" / "LC_MESSAGES");
    ladder::cli::write_file(folder_ / "xx" / "LC_MESSAGES" / "ladder.mo", mo_file(texts));
    REQUIRE(speak({"xx"}));
  }
  ~Spoken() { speak({}); }

 private:
  sample::Tree tree_;
  fs::path folder_;
  support::Environment variable_;
};

std::string said(const sim::Message& message) {
  sim::Finding finding;
  finding.message = message;
  return sim::sentence(finding);
}

}  // namespace

TEST_CASE("a text without a translation is said in English") {
  CHECK(!speak({"xx"}));
  CHECK(tr("a text") == std::string("a text"));
  const Spoken spoken(Texts{{"another", "un autre"}});
  CHECK(tr("a text") == std::string("a text"));
  CHECK(tr("thread {} of {}", 1, 2) == "thread 1 of 2");
  CHECK(tr("") == std::string());
}

TEST_CASE("a translation takes values in its own order, and may leave out what ends an English word") {
  const Spoken spoken(Texts{{"{} of {} elements", "{1} Elemente, davon {0}"},
                            {"{} group{} since {:.2f}", "{0} Gruppen, {2:.2f}"},
                            {"Thread {} waits for {}.", "{1}: Faden {0} wartet."}});
  CHECK(tr("{} of {} elements", 3, 8) == "8 Elemente, davon 3");
  CHECK(tr("{} group{} since {:.2f}", 2, "s", 1.234) == "2 Gruppen, 1.23");
  CHECK(said(sim::Message("Thread {} waits for {}.", 7, "s[1]")) == "s[1]: Faden 7 wartet.");
}

TEST_CASE("a translation whose places do not fit is not used") {
  const Spoken spoken(Texts{{"thread {} of {}", "Faden {} von {} und {}"},
                            {"line {}", "Zeile {"},
                            {"{} bytes", "{:x} Oktette"},
                            {"Thread {}.", "Faden {} {}."},
                            {"Block {}.", "Block {a}."}});
  CHECK(tr("thread {} of {}", 1, 2) == "thread 1 of 2");
  CHECK(tr("line {}", 4) == "line 4");
  CHECK(tr("{} bytes", "8") == "8 bytes");
  CHECK(said(sim::Message("Thread {}.", 1)) == "Thread 1.");
  CHECK(said(sim::Message("Block {}.", 1)) == "Block 1.");
}

TEST_CASE("a damaged catalogue is none") {
  const std::string whole = mo_file({{"a", "b"}, {"c", "d"}});
  REQUIRE(MoFile::read(whole));
  CHECK(MoFile::read(whole)->find("c") == std::string("d"));
  for (std::size_t size = 0; size < whole.size(); ++size) CHECK(!MoFile::read(whole.substr(0, size)));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(0xff);
    if (const auto file = MoFile::read(damaged)) (void)file->find("c");
  }
  CHECK(!MoFile::read(""));
}

TEST_CASE("cures are named in English by JSON, and told in the language that is spoken") {
  const sim::Cure cure{sim::Cure::enable_peer_access, {"1", "0"}};
  const std::string english = sim::to_string(cure);
  const Spoken spoken(Texts{{"cudaDeviceEnablePeerAccess(%s, 0) on device %s", "auf %2$s: %1$s"}});
  CHECK(sim::to_string(cure) == english);
  CHECK(sim::cure_named(english).kind == cure.kind);
  CHECK(sim::in_words(cure) == "auf 0: 1");
}
