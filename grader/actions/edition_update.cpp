// From an older edition to a newer one, in place.
#include <fmt/format.h>

#include "grader/actions/edition.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "grader/platform/sha256.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

/// Empty where there is no such file.
std::string hash_of(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) ? sha256(read_file(file)) : std::string();
}

std::string value_of(const std::map<std::string, std::string>& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string() : found->second;
}

void remove_empty_folders(const fs::path& root, fs::path folder) {
  std::error_code ignored;
  for (; folder != root && fs::is_empty(folder, ignored); folder = folder.parent_path())
    if (!fs::remove(folder, ignored)) return;
}

/// The edition that lies in a folder or in an archive, and the folder it was unpacked to.
class Source {
 public:
  Source(const fs::path& from, const fs::path& state) : folder_(from) {
    if (!fs::is_directory(from)) {
      fs::create_directories(state);
      unpacked_.emplace(state / "update");
      const Captured said =
          capture({"tar", "-C", unpacked_->path().string(), "-xf", fs::absolute(from).string()});
      if (!said.status.ok())
        throw Failure(ExitCode::environment, "tar cannot read " + from.string(), said.output);
      folder_ = unpacked_->path();
      const auto first = fs::directory_iterator(folder_);
      if (first != fs::directory_iterator() && !fs::exists(folder_ / kEditionFile)) folder_ = first->path();
    }
    if (!fs::exists(folder_ / kEditionFile))
      throw Failure(ExitCode::usage, from.string() + " is no edition of the course: it has no edition.json",
                    "Whoever hands the course out makes one with ./ladder dev edition student.");
  }
  const fs::path& folder() const { return folder_; }

 private:
  std::optional<TemporaryFolder> unpacked_;
  fs::path folder_;
};

}  // namespace

Replaced replace_edition(const fs::path& folder, const fs::path& from, bool keep_rungs) {
  const Edition next = edition_of(from).value(), last = edition_of(folder).value_or(Edition{});
  const fs::path former = folder / ".ladder" / "former";
  Replaced done;
  const auto out_of_the_way = [&](const std::string& name) {
    done.put_aside.push_back(set_aside(folder / name, former / fs::path(name).parent_path()));
  };
  for (const auto& [name, hash] : next.files) {
    const std::string here = hash_of(folder / name), before = value_of(last.files, name);
    if (here == hash) continue;
    const bool edited = !here.empty() && here != before;
    if (edited && keep_rungs && before == hash) continue;
    if (edited && keep_rungs && is_rung_file(name)) {
      done.kept.push_back(name);
      continue;
    }
    if (edited && keep_rungs) out_of_the_way(name);
    ++(here.empty() ? done.added : done.changed);
    fs::create_directories((folder / name).parent_path());
    fs::remove(folder / name);
    fs::copy_file(from / name, folder / name);  // with its permissions
  }
  for (const auto& [name, hash] : last.files) {
    const std::string here = hash_of(folder / name);
    if (next.files.contains(name) || here.empty()) continue;
    if (here != hash && keep_rungs)
      out_of_the_way(name);
    else
      fs::remove(folder / name);
    ++done.removed;
    remove_empty_folders(folder, (folder / name).parent_path());
  }
  write_file(folder / kEditionFile, edition_json(next));
  return done;
}

ExitCode update_edition(Context& context, const fs::path& from) {
  const Project& project = context.project();
  if (fs::exists(project.state() / "course"))
    throw Failure(ExitCode::usage,
                  "the course of this folder lies elsewhere, in " + read_file(project.state() / "course"),
                  "What is new there is here with the next call of ./ladder.");
  if (!edition_of(project.root))
    throw Failure(ExitCode::usage, "this folder is the whole course and no edition of it",
                  "`git pull` brings what is new.");
  if (!fs::exists(from)) throw Failure(ExitCode::usage, "there is no " + from.string());
  const Source source(from, project.state());
  const Replaced done = replace_edition(project.root, source.folder(), true);
  context.line("{} files added, {} changed, {} removed. What you wrote is as it was.", done.added,
               done.changed, done.removed);
  for (const std::string& name : done.kept) {
    const fs::path path = name;
    context.line("  {} has another beginning now; {} brings it and keeps yours", name,
                 context.out.paint(Tone::code,
                                   fmt::format("./ladder reset {}/{}", path.parent_path().filename().string(),
                                               path.stem().string())));
  }
  for (const fs::path& file : done.put_aside)
    context.line("  you had edited a file of the course: now {}", context.shown(file));
  return ExitCode::passed;
}

}  // namespace ladder::cli
