#include "grader/present/findings/caret.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using ladder::cli::marked_by;

namespace {

/// What is marked for an out-of-bounds access in the statement that starts at the first letter.
std::string marked(const std::vector<std::string>& lines, const char* access, const char* symbol, int nth = 0,
                   int of = 0, sim::FindingKind kind = sim::FindingKind::out_of_bounds) {
  sim::Finding finding;
  finding.kind = kind;
  finding.access = sim::access_kind(access).value();
  finding.symbol = symbol;
  finding.nth = nth;
  finding.of = of;
  finding.column = static_cast<int>(lines[0].find_first_not_of(' ')) + 1;
  const auto found = marked_by(finding, lines);
  return lines.at(found.line).substr(found.begin, found.length);
}

}  // namespace

TEST_CASE("of a statement's accesses the one with the finding's number is marked") {
  struct Row {
    const char *line, *access;
    std::vector<std::string> in_order;  ///< as nvcc -G makes them
  };
  const Row rows[] = {
      {"  s[i] = in[i + 1] + in[2 * i] * in[3 * i];", "read", {"in[i + 1]", "in[2 * i]", "in[3 * i]"}},
      {"  s[i] += in[i];", "read", {"in[i]", "s[i]"}},
      {"  s[i] <<= in[i];", "write", {"s[i]"}},
      {"  out[x[i]] = f(in[i], s[i]);", "read", {"in[i]", "s[i]", "x[i]"}},
      {"  out[x[i]] = f(in[i], s[i]);", "write", {"out[x[i]]"}},
      {"  atomicAdd(&out[x[i + 1]], in[i + 5]);", "read", {"x[i + 1]", "in[i + 5]"}},
      {"  atomicAdd(&out[x[i]], 1);", "atomic", {"out[x[i]]"}},
      {"  ++counts[digits[i]];", "read", {"digits[i]", "counts[digits[i]]"}},
      {"  if (a[i] > b[i] && i < n) out[i] = a[i];", "read", {"a[i]", "b[i]"}},
      {"  for (int k = 0; k < ends[i]; k += steps[k]) {", "read", {"ends[i]", "steps[k]"}},
      {"  float sums[2] = {in[0], in[i]};", "read", {"in[0]", "in[i]"}},
      {"  *last = *first + in[i];", "read", {"*first", "in[i]"}},
      {"  *(out + i) = a * in[i] * b;", "write", {"*(out + i)"}},
      {"  return tile[j + 1][k[i]];", "read", {"k[i]", "tile[j + 1][k[i]]"}},
      {"  out[i].x = in[i].y;  // not in[i + 1]", "read", {"in[i].y"}},
      {"  out[i].x = in[i].y;", "write", {"out[i].x"}},
      {"  out[i] = in[i] == ']' ? a[i] : in[j];", "read", {"in[i]", "a[i]", "in[j]"}},
  };
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.in_order.size(); ++i) {
      INFO(row.line << " " << row.access << " " << i + 1);
      const std::string found =
          marked({row.line}, row.access, "", static_cast<int>(i) + 1, static_cast<int>(row.in_order.size()));
      CHECK(row.in_order[i].starts_with(found));
      CHECK(found.size() + 2 >= row.in_order[i].size());  // without the member
    }
}

TEST_CASE("without a number that fits, the access is found by its name or by what the line does with it") {
  const std::vector<std::string> line = {"  out[i] = in[i + 1] * weights[k][i];"};
  CHECK(marked(line, "read", "in[2]") == "in[i + 1]");
  CHECK(marked(line, "read", "weights[0][9]") == "weights[k][i]");
  CHECK(marked(line, "write", "") == "out[i]");
  CHECK(marked(line, "read", "in[2]", 2, 2) == "in[i + 1]");  // the number says weights: not believed
  CHECK(marked(line, "read", "in[2]", 1, 3) == "in[i + 1]");  // three reads are not in the line
}

TEST_CASE("where two accesses may be meant, the statement is marked") {
  const std::vector<std::string> line = {"  if (i < n) out[i] = in[i] + in[i + 1];"};
  CHECK(marked({"  out[i] = in[i] + in[i + 1];  // all"}, "read", "in[9]") == "out[i] = in[i] + in[i + 1]");
  CHECK(marked({"  out[i] = in[i] + in[i + 1];"}, "read", "in[9]", 1, 4) == "out[i] = in[i] + in[i + 1]");
  CHECK(marked({"  if (in[i] > in[j]) {"}, "read", "in[9]") == "if (in[i] > in[j])");
  CHECK(marked({"  tile.sync();"}, "", "", 0, 0, sim::FindingKind::barrier) == "tile.sync()");
  CHECK(marked({"  out[i] = in[i];"}, "", "", 0, 0, sim::FindingKind::barrier) == "out[i] = in[i]");
}

TEST_CASE("a statement of several lines is marked where its access stands") {
  const std::vector<std::string> lines = {"  out[i] = in[i] +  // one", "           in[i + 1];",
                                          "  in[7] = 0;"};
  CHECK(marked(lines, "read", "in[2]", 1, 2) == "in[i]");
  CHECK(marked(lines, "read", "in[2]", 2, 2) == "in[i + 1]");
  CHECK(marked(lines, "read", "in[2]") == "out[i] = in[i] +");
  CHECK(marked({"  out[i] = f(", "      in[i", "         + 1]);"}, "read", "in[2]") == "in[i");
}

TEST_CASE("odd lines are marked without running out of them") {
  for (const char* line : {"[", "a[", "*", "out[i", "\"", "/*", "x = *", "}", "a[b[c", "'", "if", "for ("}) {
    const auto found = marked(std::vector<std::string>{line}, "read", "a[1]", 1, 1);
    CHECK_FALSE(found.empty());
  }
  CHECK(marked_by({}, {}).length == 0);
  CHECK(marked_by({}, {"   "}).length == 0);
}

TEST_CASE("of a wrong call of the API the call is marked") {
  const auto marked_call = [](const std::string& line, const sim::Message& message) {
    sim::Finding finding;
    finding.kind = sim::FindingKind::memcpy;
    finding.message = message;
    const auto found = marked_by(finding, {line});
    return line.substr(found.begin, found.length);
  };
  const sim::Message wrong("{}: the destination is a null pointer.", sim::ApiCall{"cudaMemset"});
  CHECK(marked_call("  CUDA_CHECK(cudaMemset(d_a, 0, 4));", wrong) == "cudaMemset(d_a, 0, 4)");
  CHECK(marked_call("  if (cudaMemset(d_a,", wrong) == "cudaMemset(d_a,");
  CHECK(marked_call("  clear(d_a);", wrong) == "clear(d_a)");
  CHECK(marked_call("  clear(d_a);", "The destination is null.") == "clear(d_a)");
}
