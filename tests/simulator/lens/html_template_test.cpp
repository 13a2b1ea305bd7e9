// Pages from templates: values are escaped, markup is not, and an indented line continues the one before it.
#include "simulator/lens/html_template.h"

#include <catch2/catch_test_macros.hpp>
#include <stdexcept>

using sim::lens::HtmlTemplate;

namespace {
const HtmlTemplate kPage(R"(<!doctype html>
<h1>{{title}}</h1>
{{{rows}}}
<template id="row">
  <tr class="a {{kind}}"
    title="{{words}}"><td>{{words}}</td>
  <td>two
   words</td></tr>
</template>
<template id="mark"><b>!</b></template>
)");
}  // namespace

TEST_CASE("a template's values are escaped, and its markup is left as it is") {
  CHECK(kPage.page({{"title", "<a> & \"b\""}, {"rows", "<tr/>"}}) ==
        "<!doctype html>\n<h1>&lt;a&gt; &amp; &quot;b&quot;</h1>\n<tr/>\n");
  CHECK(kPage.part("mark", {}) == "<b>!</b>");
}

TEST_CASE("an indented line of a template continues the one before it") {
  CHECK(kPage.part("row", {{"kind", "k"}, {"words", 7}}) ==
        "<tr class=\"a k\" title=\"7\"><td>7</td><td>two words</td></tr>\n");
}

TEST_CASE("a value holds braces and is not filled in again") {
  CHECK(kPage.page({{"title", "{{rows}}"}, {"rows", "{{title}}"}}) ==
        "<!doctype html>\n<h1>{{rows}}</h1>\n{{title}}\n");
}

TEST_CASE("a template without a value or a part is a fault of the program") {
  CHECK_THROWS_AS(kPage.page({{"title", ""}}), std::logic_error);
  CHECK_THROWS_AS(kPage.part("none", {}), std::logic_error);
}

TEST_CASE("words of a page are filled in by name, and escaped") {
  const HtmlTemplate page("<p title=\"[[line {n} & more]]\">[[{n} of {m}]], [[{later}]]</p>\n");
  CHECK(page.page({{"n", "<1>"}, {"m", 2}}) ==
        "<p title=\"line &lt;1&gt; &amp; more\">&lt;1&gt; of 2, {later}</p>\n");
}
