// As much of JSON Schema as our schemas use: type, const, enum, required,
// properties, additionalProperties, items, minimum, maximum. A keyword that
// is not known here fails, so that none is believed to be checked and is not.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace grading {

inline bool has_type(const nlohmann::json& value, const std::string& type) {
  return type == "object"    ? value.is_object()
         : type == "array"   ? value.is_array()
         : type == "string"  ? value.is_string()
         : type == "boolean" ? value.is_boolean()
         : type == "null"    ? value.is_null()
         : type == "integer" ? value.is_number_integer()
         : type == "number"  ? value.is_number()
                             : false;
}

/// @return what is wrong, with the place; empty where the value fits
inline std::string violation(const nlohmann::json& schema, const nlohmann::json& value,
                             const std::string& at = "$") {
  for (const auto& [key, rule] : schema.items()) {
    if (key == "type") {
      const bool fits = rule.is_array() ? std::any_of(rule.begin(), rule.end(),
                                                      [&](const auto& type) { return has_type(value, type); })
                                        : has_type(value, rule);
      if (!fits) return at + " is no " + rule.dump() + ": " + value.dump();
    } else if (key == "const") {
      if (value != rule) return at + " is not " + rule.dump();
    } else if (key == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end())
        return at + " is none of its values: " + value.dump();
    } else if (key == "minimum") {
      if (value.is_number() && !(value.get<double>() >= rule.get<double>())) return at + " is too small";
    } else if (key == "maximum") {
      if (value.is_number() && !(value.get<double>() <= rule.get<double>())) return at + " is too large";
    } else if (key == "required") {
      for (const auto& name : rule)
        if (value.is_object() && !value.contains(name.get<std::string>()))
          return at + " lacks " + name.dump();
    } else if (key == "items") {
      if (!value.is_array()) continue;
      for (std::size_t i = 0; i < value.size(); ++i)
        if (auto bad = violation(rule, value[i], at + "[" + std::to_string(i) + "]"); !bad.empty())
          return bad;
    } else if (key == "properties") {
      if (!value.is_object()) continue;
      for (const auto& [name, own] : rule.items())
        if (value.contains(name))
          if (auto bad = violation(own, value[name], at + "." + name); !bad.empty()) return bad;
    } else if (key == "additionalProperties") {
      if (!value.is_object()) continue;
      for (const auto& [name, item] : value.items()) {
        if (schema.contains("properties") && schema["properties"].contains(name)) continue;
        if (rule == false) return at + " has an unknown key " + name;
        if (rule.is_object())
          if (auto bad = violation(rule, item, at + "." + name); !bad.empty()) return bad;
      }
    } else if (key != "$schema" && key != "$comment" && key != "title" && key != "description") {
      return "the schema's keyword " + key + " is not checked";
    }
  }
  return {};
}

}  // namespace grading
