#include "grader/apps/shake/shake.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>

using ladder::shake::shaken;

namespace {

/// What is left of a system header before a source that has @p source in it, without empty lines and the
/// preprocessor's.
std::string left_of(const std::string& header, const std::string& source) {
  const std::string text =
      "# 1 \"x.cu\"\n# 1 \"/usr/include/x.h\" 1 3\n" + header + "\n# 2 \"x.cu\" 2\n" + source + "\n";
  const std::string made = shaken(text);
  CHECK(std::count(made.begin(), made.end(), '\n') == std::count(text.begin(), text.end(), '\n'));
  std::string left;
  const std::size_t end = made.find("# 2 \"x.cu\" 2");
  for (std::size_t at = 0; at < end;) {
    const std::size_t line_end = made.find('\n', at);
    const std::string line = made.substr(at, line_end - at);
    if (line.find_first_not_of(' ') != std::string::npos && line[0] != '#') left += line + "\n";
    at = line_end + 1;
  }
  return left;
}

}  // namespace

TEST_CASE("what nobody names is dropped, and what is named is kept with all that it names") {
  const std::string header =
      "typedef int number;\nstruct pair { number a, b; };\ninline int sum(pair p) { return p.a + p.b; }\n"
      "inline int other(number n) { return n; }\nextern int with_a_very(int);";
  CHECK(left_of(header, "int f() { return 1; }").empty());
  CHECK(left_of(header, "int f() { return sum({1, 2}); }") ==
        "typedef int number;\nstruct pair { number a, b; };\ninline int sum(pair p) { return p.a + p.b; }\n");
  CHECK(left_of(header, "number n;") == "typedef int number;\n");
}

TEST_CASE("the source's own stays, needed or not, and so do headers of its own") {
  const std::string text =
      "# 1 \"x.cu\"\n# 1 \"/usr/include/x.h\" 1 3\nint gone();\n# 2 \"x.cu\" 2\n# 1 \"own.h\" 1\nstatic int "
      "unused() { "
      "return 0; }\n"
      "# 3 \"x.cu\" 2\nstatic int here;\n# 4 \"x.cu\" 3\nint of_a_macro();\n# 4 \"x.cu\"\n";
  const std::string made = shaken(text);
  CHECK(made.find("gone") == std::string::npos);
  for (const char* own : {"unused", "here", "of_a_macro"}) CHECK(made.find(own) != std::string::npos);
}

TEST_CASE("headers of the toolkit are a system's, wherever it lies") {
  const std::string made = shaken(
      "# 1 \"x.cu\"\n# 1 \"/opt/cuda/include/cuda_runtime.h\" 1\nint a();\n# 1 "
      "\"/opt/cuda/include/crt/b.h\" 1\nint b();\n# 2 \"x.cu\" 2\nint c();\n");
  CHECK(made.find("int a()") == std::string::npos);
  CHECK(made.find("int b()") == std::string::npos);
  CHECK(made.find("int c()") != std::string::npos);
}

TEST_CASE("namespaces and linkage stay around what is dropped") {
  CHECK(left_of("namespace n { inline namespace v __attribute__((x)) {\nint f();\nint g();\n} }\nextern "
                "\"C\" {\nint "
                "h();\n}",
                "int x = n::g();") ==
        "namespace n { inline namespace v __attribute__((x)) {\nint g();\n} }\nextern \"C\" {\n}\n");
  CHECK(left_of("extern \"C\" int one();\nextern \"C\" int two();", "int x = two();") ==
        "extern \"C\" int two();\n");
}

TEST_CASE("overloads are kept together, and brackets in types are no parameters") {
  const std::string header =
      "template <bool B, class T> struct when;\nint f(int);\ntemplate <class T> typename when<(sizeof(T) > "
      "4), T>::type "
      "f(T t) { return t; }\nvoid (*hook)(int);\nint g();";
  CHECK(left_of(header, "int x = f(1);") == header.substr(0, header.find("void (*hook)")));
  CHECK(left_of(header, "void (*other)(int) = hook;") == "void (*hook)(int);\n");
}

TEST_CASE("an operator is needed where one of its types is named") {
  const std::string header =
      "struct half {};\nstruct other {};\nhalf operator+(const half& a, const half& b);\nother "
      "operator+(const other& a, other operand);\nbool operator==(const half&, int);";
  CHECK(
      left_of(header, "half* h;") ==
      "struct half {};\nhalf operator+(const half& a, const half& b);\nbool operator==(const half&, int);\n");
  CHECK(left_of("template <class T> bool operator<(T a, T b);", "int x;") ==
        "template <class T> bool operator<(T a, T b);\n");
}

TEST_CASE("a specialisation is needed where its template and the classes that it is for are named") {
  const std::string header =
      "struct half {};\ntemplate <class T> struct limits { };\ntemplate <> struct limits<half> { half max(); "
      "};\n"
      "template <> struct limits<float> { };\ntemplate <class T> struct is_half;\ntemplate <class T> struct "
      "limits<T*>;";
  CHECK(left_of(header, "limits<float> l;") ==
        "template <class T> struct limits { };\ntemplate <> struct limits<float> { };\ntemplate <class T> "
        "struct "
        "limits<T*>;\n");
  CHECK(left_of(header, "limits<half> l;").find("limits<half>") != std::string::npos);
}

TEST_CASE("what a specialisation computes does not decide whether it is needed") {
  const std::string header =
      "template <class...> using void_t = void;\ntemplate <class T> struct probe;\ntemplate <class T, class "
      "= void> "
      "struct has {};\ntemplate <class T> struct has<T, void_t<probe<T>>> {};";
  CHECK(left_of(header, "has<int> h;").find("has<T, void_t<probe<T>>>") != std::string::npos);
}

TEST_CASE(
    "members that are defined outside come with their class, functions of a namespace with their name") {
  const std::string header =
      "template <class T> struct list { void add(T t); list(); };\ntemplate <class T> list<T>::list() : "
      "first{1}, "
      "second{} {}\ntemplate <class T> void list<T>::add(T t) { }\nnamespace n { int f(); }\nint n::f() { "
      "return 1; }";
  CHECK(left_of(header, "list<int> l;") ==
        "template <class T> struct list { void add(T t); list(); };\ntemplate <class T> list<T>::list() : "
        "first{1}, "
        "second{} {}\ntemplate <class T> void list<T>::add(T t) { }\nnamespace n {  }\n");
  CHECK(left_of(header, "int x = f();").find("int n::f() { return 1; }") != std::string::npos);
}

TEST_CASE("variables that may do something stay, constants nobody names do not") {
  CHECK(left_of("struct init { init(); };\nstatic init at_the_start;\nconstexpr int k = 1;\nextern int "
                "e;\nstatic const "
                "int t[] = {1, 2};",
                "int x;") == "struct init { init(); };\nstatic init at_the_start;\n");
}

TEST_CASE("a literal's suffix is not a name") {
  const std::string header =
      "long double operator\"\"min(long double);\nint operator\"\" _km(unsigned long long);";
  CHECK(left_of(header, "int min = 3;").empty());
  CHECK(left_of(header, "auto t = 5.0min;") == "long double operator\"\"min(long double);\n");
  CHECK(left_of(header, "auto t = 5_km;") == "int operator\"\" _km(unsigned long long);\n");
}

TEST_CASE("pragmas of a declaration go with it, pragmas of a file stay") {
  const std::string text =
      "# 1 \"x.cu\"\n# 1 \"/usr/include/x.h\" 1 3\n#pragma GCC diagnostic push\n#pragma "
      "nv_exec_check_disable\n# 9 "
      "\"/usr/include/x.h\" 3\nint f() {\n#pragma unroll\nfor (;;) {}\n#pragma GCC diagnostic pop\n}\n# 2 "
      "\"x.cu\" "
      "2\nint g();\n";
  const std::string made = shaken(text);
  for (const char* stays : {"diagnostic push", "diagnostic pop", "# 9 ", "int g();"})
    CHECK(made.find(stays) != std::string::npos);
  for (const char* goes : {"nv_exec_check_disable", "unroll", "for"})
    CHECK(made.find(goes) == std::string::npos);
  const std::string named = shaken(text + "int h = f();\n");
  for (const char* stays : {"nv_exec_check_disable", "unroll", "for"})
    CHECK(named.find(stays) != std::string::npos);
}

TEST_CASE("names in strings and comments are none, and brackets in them do not count") {
  CHECK(left_of("inline const char* text() { return R\"x(}}\"{)x\" \"}\\\"{\"; }\ninline char brace() { "
                "return '{'; }\n"
                "int gone();",
                "auto a = \"gone\"; auto b = text(); char c = brace();") ==
        "inline const char* text() { return R\"x(}}\"{)x\" \"}\\\"{\"; }\ninline char brace() { return '{'; "
        "}\n");
}

TEST_CASE("a text that ends too early, or has brackets too many, is given back somehow") {
  for (const char* broken :
       {"", "struct", "int f(", "template <", "namespace n {", "}}}", "extern \"C\"", "operator", "\"open",
        "R\"(", "# 1 \"x", "using", "int operator\"\"", "struct s {", "enum"})
    CHECK_NOTHROW(shaken(std::string("# 1 \"/usr/include/x.h\" 1 3\n") + broken));
}
