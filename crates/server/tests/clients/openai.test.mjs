// The npm package `openai`.
import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";

const url = process.env.RECKON_URL ?? "http://127.0.0.1:11435";
const model = process.env.RECKON_MODEL ?? "smollm2-135m";
const client = new OpenAI({ baseURL: url + "/v1", apiKey: "none", maxRetries: 0, timeout: 120_000 });
const messages = [{ role: "user", content: "Say hello." }];
const schema = {
  type: "object",
  properties: { zone: { type: "string", enum: ["UTC", "CET"] }, hour: { type: "integer", minimum: 0, maximum: 23 } },
  required: ["zone", "hour"],
  additionalProperties: false,
};
const tools = [{ type: "function", function: { name: "get_time", description: "The time", parameters: schema } }];

function holds(value) {
  assert.deepEqual(Object.keys(value).sort(), ["hour", "zone"]);
  assert.ok(["UTC", "CET"].includes(value.zone) && Number.isInteger(value.hour) && value.hour >= 0 && value.hour <= 23);
}

test("chat", async () => {
  const answer = await client.chat.completions.create({ model, messages, max_tokens: 8 });
  assert.ok(answer.choices[0].message.content && answer.usage.total_tokens > 0);
});

test("stream", async () => {
  const stream = await client.chat.completions.create({
    model, messages, max_tokens: 8, stream: true, stream_options: { include_usage: true },
  });
  let text = "", usage, finish;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta?.content ?? "";
    finish = chunk.choices[0]?.finish_reason ?? finish;
    usage = chunk.usage ?? usage;
  }
  assert.ok(text && usage.completion_tokens > 0 && ["stop", "length"].includes(finish));
});

test("stream helper", async () => {
  const stream = client.chat.completions.stream({ model, messages, max_tokens: 64 });
  const heard = [];
  stream.on("content", (delta) => heard.push(delta));
  const text = await stream.finalContent();
  assert.equal(heard.join(""), text);
});

test("a stream that is left", async () => {
  const stream = await client.chat.completions.create({ model, messages, max_tokens: 500, stream: true });
  for await (const _ of stream) break;
});

test("tools", async () => {
  const ask = { model, messages, tools, tool_choice: "required", parallel_tool_calls: false, max_tokens: 100 };
  const first = (await client.chat.completions.create(ask)).choices[0];
  assert.equal(first.finish_reason, "tool_calls");
  const call = first.message.tool_calls[0];
  holds(JSON.parse(call.function.arguments));
  const history = [...messages, first.message, { role: "tool", tool_call_id: call.id, content: "12:00" }];
  const second = await client.chat.completions.create({ model, messages: history, tools, max_tokens: 8 });
  assert.ok(second.choices.length === 1);
});

test("tools in a stream", async () => {
  const stream = await client.chat.completions.create({
    model, messages, tools, tool_choice: { type: "function", function: { name: "get_time" } },
    parallel_tool_calls: false, max_tokens: 100, stream: true,
  });
  let name = "", text = "";
  for await (const chunk of stream) {
    for (const call of chunk.choices[0]?.delta?.tool_calls ?? []) {
      name += call.function.name ?? "";
      text += call.function.arguments ?? "";
    }
  }
  assert.equal(name, "get_time");
  holds(JSON.parse(text));
});

test("json_schema", async () => {
  const response_format = { type: "json_schema", json_schema: { name: "time", schema, strict: true } };
  const answer = await client.chat.completions.create({ model, messages, response_format, max_tokens: 100 });
  holds(JSON.parse(answer.choices[0].message.content));
});

test("responses", async () => {
  const answer = await client.responses.create({ model, input: "Say hello.", max_output_tokens: 8 });
  assert.ok(answer.output_text);
  const kinds = [];
  for await (const event of await client.responses.create({ model, input: messages, stream: true, max_output_tokens: 8 })) {
    kinds.push(event.type);
  }
  assert.equal(kinds[0], "response.created");
  assert.ok(["response.completed", "response.incomplete"].includes(kinds.at(-1)));
});

test("models", async () => {
  const names = [];
  for await (const one of client.models.list()) names.push(one.id);
  assert.ok(names.includes(model));
});

test("errors", async () => {
  await assert.rejects(client.chat.completions.create({ model: "absent", messages }), OpenAI.NotFoundError);
  await assert.rejects(client.chat.completions.create({ model, messages, temperature: -1 }), OpenAI.BadRequestError);
  const long = [{ role: "user", content: "one two three ".repeat(5000) }];
  await assert.rejects(client.chat.completions.create({ model, messages: long, stream: true }), (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.equal(error.code, "context_length_exceeded");
    return true;
  });
});
