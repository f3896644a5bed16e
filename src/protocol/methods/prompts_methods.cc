// prompts/list, prompts/get and completion/complete.

#include <algorithm>

#include "base/text/text.h"
#include "protocol/conversation.h"
#include "protocol/pages.h"
#include "protocol/quoted.h"

namespace baton::protocol {
namespace {

json::Object describe(const Prompt& prompt, Version version) {
  json::Object out{{"name", prompt.name}};
  if (version >= Version::v2025_06_18 && !prompt.title.empty()) {
    out.append_new("title", prompt.title);
  }
  out.append_new("description", prompt.description);
  if (!prompt.arguments.empty()) {
    json::Array arguments;
    for (const PromptArgument& argument : prompt.arguments) {
      json::Object each{{"name", argument.name}};
      if (version >= Version::v2025_06_18 && !argument.title.empty()) {
        each.append_new("title", argument.title);
      }
      each.append_new("description", argument.description);
      each.append_new("required", argument.required);
      arguments.emplace_back(std::move(each));
    }
    out.append_new("arguments", std::move(arguments));
  }
  if (version >= Version::v2025_11_25 && !prompt.icons.empty()) {
    out.append_new("icons", to_json(prompt.icons));
  }
  return out;
}

RpcError unknown_prompt(const PromptTable& prompts, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Prompt& prompt : prompts.all()) names.push_back(prompt.name);
  const auto near = nearest(name, names);
  return invalid_params(cat("There is no prompt ", in_quotes(name), '.',
                            near ? cat(" Did you mean '", *near, "'?") : std::string{}));
}

/// Known names, strings, and all that are required.
std::expected<json::Object, RpcError> read_arguments(const Prompt& prompt,
                                                     const json::Object& params) {
  json::Object arguments;
  if (const json::Value* const given = params.find("arguments"); given && !given->is_null()) {
    if (!given->is_object()) {
      return std::unexpected(invalid_params("params.arguments must be an object."));
    }
    arguments = *given->if_object();
  }
  for (const auto& [name, value] : arguments) {
    const bool known =
        std::ranges::find(prompt.arguments, name, &PromptArgument::name) != prompt.arguments.end();
    if (!known) {
      return std::unexpected(invalid_params(
          cat("The prompt ", prompt.name, " takes no argument ", in_quotes(name), '.')));
    }
    if (!value.is_string()) {
      return std::unexpected(invalid_params(cat("The argument ", in_quotes(name), " of the prompt ",
                                                prompt.name, " must be a string.")));
    }
  }
  for (const PromptArgument& argument : prompt.arguments) {
    if (argument.required && !arguments.contains(argument.name)) {
      return std::unexpected(invalid_params(
          cat("The prompt ", prompt.name, " needs the argument '", argument.name, "'.")));
    }
  }
  return arguments;
}

WorkResult run_prompt(const Responder& responder, const Prompt& prompt, const json::Object& params,
                      CallHost& host) {
  auto arguments = read_arguments(prompt, params);
  if (!arguments) return responder.refuse(arguments.error());
  auto conversation = Conversation::open(responder, host, "prompts/get", prompt.name, params);
  if (!conversation) return responder.refuse(conversation.error());
  conversation->call().arguments = std::move(*arguments);
  auto result = conversation->run<PromptResult>(prompt.handler);
  if (!result) return std::move(result.error());
  json::Array messages;
  for (PromptMessage& message : result->messages) {
    messages.emplace_back(json::Object{
        {"role", message.role},
        {"content", fit_content(std::move(message.content), responder.context.version)}});
  }
  json::Object out;
  if (!result->description.empty()) out.append_new("description", result->description);
  out.append_new("messages", std::move(messages));
  return responder.answer(std::move(out));
}

struct Completion {
  const Completer* completer = nullptr;  // null: nothing to offer
  CompletionQuery query;
};

std::string_view text_of(const json::Value* value, std::string_view key) {
  const json::Value* const found = value == nullptr ? nullptr : value->find(key);
  const std::string* const text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string_view{} : std::string_view(*text);
}

std::expected<const Completer*, RpcError> completer_of(const Catalog& catalog,
                                                       const json::Value* ref,
                                                       std::string_view argument) {
  const std::string_view type = text_of(ref, "type");
  if (type == "ref/prompt") {
    const Prompt* const prompt = catalog.prompts.find(text_of(ref, "name"));
    if (prompt == nullptr) {
      return std::unexpected(unknown_prompt(catalog.prompts, text_of(ref, "name")));
    }
    const auto found = std::ranges::find(prompt->arguments, argument, &PromptArgument::name);
    return found == prompt->arguments.end() || !found->complete ? nullptr : &found->complete;
  }
  if (type == "ref/resource") {
    const std::string_view uri = text_of(ref, "uri");
    const auto& templates = catalog.resources.templates();
    const auto found = std::ranges::find_if(
        templates, [&](const CheckedTemplate& each) { return each.entry.info.uri == uri; });
    if (found == templates.end()) {
      return std::unexpected(
          invalid_params(cat("There is no resource template ", in_quotes(uri), '.')));
    }
    const auto completer = found->entry.complete.find(argument);
    return completer == found->entry.complete.end() ? nullptr : &completer->second;
  }
  return std::unexpected(
      invalid_params("params.ref.type must be \"ref/prompt\" or \"ref/resource\"."));
}

std::expected<Completion, RpcError> read_completion(const MethodRequest& request) {
  const json::Value* const argument = request.params.find("argument");
  const json::Value* const name = argument == nullptr ? nullptr : argument->find("name");
  const json::Value* const value = argument == nullptr ? nullptr : argument->find("value");
  if (name == nullptr || !name->is_string() || value == nullptr || !value->is_string()) {
    return std::unexpected(
        invalid_params("completion/complete needs params.argument with name and value, strings."));
  }
  Completion completion;
  completion.query.value = *value->if_string();
  completion.query.principal = request.responder.context.principal;
  if (const json::Value* const context = request.params.find("context")) {
    const json::Value* const chosen = context->find("arguments");
    if (chosen != nullptr && chosen->is_object()) completion.query.context = *chosen->if_object();
  }
  auto completer =
      completer_of(request.responder.catalog(), request.params.find("ref"), *name->if_string());
  if (!completer) return std::unexpected(completer.error());
  completion.completer = *completer;
  return completion;
}

WorkResult run_completion(const Responder& responder, const Completion& completion) {
  std::vector<std::string> all;
  if (completion.completer != nullptr) {
    auto found = (*completion.completer)(completion.query);
    if (!found) return responder.refuse(internal_error(found.error()));
    all = std::move(*found);
  }
  json::Array values;
  for (std::size_t i = 0; i < std::min(all.size(), limits::completion_values_max); ++i) {
    values.emplace_back(std::move(all[i]));
  }
  const bool more = all.size() > values.size();
  json::Object offered{{"values", std::move(values)},
                       {"total", static_cast<std::int64_t>(all.size())},
                       {"hasMore", more}};
  return responder.answer(json::Object{{"completion", std::move(offered)}});
}

}  // namespace

SingleAction list_prompts(MethodRequest& request) {
  const Version version = request.responder.context.version;
  MethodResult answer = page(
      "prompts", request.params, request.responder.catalog().prompts.all(),
      [](const Prompt& prompt) { return std::string_view(prompt.name); },
      [&](const Prompt& prompt) { return describe(prompt, version); });
  if (answer) add_cache_hints(*answer, version, CacheScope::shared);
  return reply(request.responder.answer(std::move(answer)));
}

SingleAction get_prompt(MethodRequest& request) {
  const json::Value* const name = request.params.find("name");
  if (name == nullptr || !name->is_string()) {
    return reply(
        request.responder.refuse(invalid_params("prompts/get needs params.name, a string.")));
  }
  const PromptTable& prompts = request.responder.catalog().prompts;
  const Prompt* const prompt = prompts.find(*name->if_string());
  if (prompt == nullptr) {
    return reply(request.responder.refuse(unknown_prompt(prompts, *name->if_string())));
  }
  return work(std::move(request.responder), [prompt, params = std::move(request.params)](
                                                const Responder& responder, CallHost& host) {
    return run_prompt(responder, *prompt, params, host);
  });
}

bool completes(const Catalog& catalog) {
  const auto prompt = [](const Prompt& each) {
    return std::ranges::any_of(each.arguments,
                               [](const PromptArgument& a) { return bool(a.complete); });
  };
  const auto templated = [](const CheckedTemplate& each) { return !each.entry.complete.empty(); };
  return std::ranges::any_of(catalog.prompts.all(), prompt) ||
         std::ranges::any_of(catalog.resources.templates(), templated);
}

SingleAction complete(MethodRequest& request) {
  auto completion = read_completion(request);
  if (!completion) return reply(request.responder.refuse(completion.error()));
  return work(std::move(request.responder),
              [completion = std::move(*completion)](const Responder& responder, CallHost&) {
                return run_completion(responder, completion);
              });
}

}  // namespace baton::protocol
