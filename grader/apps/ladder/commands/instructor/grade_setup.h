// What a grading begins with: its settings, and the programs that it needs.
#pragma once

#include <string>
#include <vector>

#include "grader/grade/engines/engine.h"
#include "grader/grade/engines/grading.h"
#include "grader/platform/process/file_lock.h"
#include "grader/run/context.h"

namespace ladder::cli {

struct GradeOptions {
  std::string submissions, out, policy, device, arch, engine = "local";
  std::vector<std::string> formats = {"csv", "html"};
  int jobs = 0;
  int similar = 0;  ///< percent; 0: submissions are not compared
  bool unsandboxed = false;
  std::vector<std::string> show;
  grade::SlurmOptions slurm;
};

/// "sim", "gpu" or "auto": the command line's, or else the policy's.
std::string device_wish(const GradeOptions& options, const grade::Policy& policy);

/// The settings of a grading; makes its work folder.
/// @throws Failure (environment)
grade::Grading make_grading(Context& context, const GradeOptions& options, const grade::Policy& policy);

/// Two gradings into one folder would tread on each other.
/// @throws Failure (environment) where another one is at work
FileLock lock_of(const std::filesystem::path& work);

/// @throws Failure (environment) where there is no sandbox, and one is wanted
void insist_on_sandbox(Context& context, const grade::Grading& grading);

/// Builds the runner, what a rung's process runs, what closes their cells, and what looks into archives.
void build_programs(Context& context, const grade::Grading& grading);

/// Builds what the course itself brings: the lessons' plugins, and their solutions where these are timed.
void build_course(Context& context, const grade::Grading& grading,
                  const std::vector<const LessonInfo*>& lessons);

}  // namespace ladder::cli
