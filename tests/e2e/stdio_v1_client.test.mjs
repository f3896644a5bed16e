// The first generation of the official client, which knows the legacy era alone.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fixtureServer, load, server, signal } from './support.mjs';

const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');
const types = load('@modelcontextprotocol/sdk/types.js');

const capabilities = { elicitation: {}, sampling: {}, roots: {} };

async function connected(started, run) {
  const client = new Client({ name: 'v1', version: '1' }, { capabilities });
  await client.connect(new StdioClientTransport(started));
  try {
    await run(client);
  } finally {
    await client.close();
  }
}

const fixtures = (run) => connected(fixtureServer(), run);

test('it finds the tools of the rail', () =>
  connected(server(), async (client) => {
    assert.equal(client.getServerVersion().name, 'baton');
    const { tools } = await client.listTools();
    assert.ok(tools.some((tool) => tool.name === 'start_workflow'));
    const listed = await client.callTool({ name: 'list_workflows', arguments: {} });
    assert.ok(!listed.isError);
    await client.ping();
  }));

test('it sees every kind of content', () =>
  fixtures(async (client) => {
    const { content } = await client.callTool({ name: 'test_multiple_content_types' });
    assert.deepEqual(content.map((block) => block.type), ['text', 'image', 'resource']);
    const failed = await client.callTool({ name: 'test_error_handling' });
    assert.equal(failed.isError, true);
  }));

test('it hears progress and the log', () =>
  fixtures(async (client) => {
    const heard = [];
    client.setNotificationHandler(types.LoggingMessageNotificationSchema, (message) => {
      heard.push(message.params.data);
    });
    await client.callTool({ name: 'test_tool_with_logging' });
    assert.equal(heard.length, 3);
    await client.setLoggingLevel('error');
    await client.callTool({ name: 'test_tool_with_logging' });
    assert.equal(heard.length, 3);
    const done = [];
    const onprogress = (progress) => done.push(progress.progress);
    await client.callTool({ name: 'test_tool_with_progress' }, undefined, { onprogress });
    assert.deepEqual(done, [0, 50, 100]);
  }));

test('it is asked while a call waits', () =>
  fixtures(async (client) => {
    client.setRequestHandler(types.ElicitRequestSchema, async (request) => {
      assert.equal(request.params.message, 'Who?');
      return { action: 'accept', content: { username: 'ann', email: 'ann@example.org' } };
    });
    client.setRequestHandler(types.CreateMessageRequestSchema, async () => ({
      role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' },
    }));
    const asked = await client.callTool(
      { name: 'test_elicitation', arguments: { message: 'Who?' } });
    assert.match(asked.content[0].text, /ann@example.org/);
    const sampled = await client.callTool(
      { name: 'test_sampling', arguments: { prompt: 'Capital?' } });
    assert.equal(sampled.content[0].text, 'LLM response: Paris');
  }));

test('it reads, completes and watches resources', () =>
  fixtures(async (client) => {
    const uris = new Set();
    let cursor;
    let pages = 0;
    do {
      const page = await client.listResources({ cursor });
      for (const { uri } of page.resources) uris.add(uri);
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor);
    assert.equal(pages, 3);
    assert.equal(uris.size, 253);
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.equal(resourceTemplates[0].uriTemplate, 'test://template/{id}/data');
    const { contents } = await client.readResource({ uri: 'test://template/a%20b/data' });
    assert.equal(JSON.parse(contents[0].text).id, 'a b');
    await assert.rejects(client.readResource({ uri: 'test://none' }), { code: -32002 });
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'test://template/{id}/data' },
      argument: { name: 'id', value: '12' },
    });
    assert.deepEqual(completion.values, ['123', '124']);
    const updated = signal();
    client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, (note) => {
      updated.give(note.params.uri);
    });
    await client.subscribeResource({ uri: 'test://watched-resource' });
    await client.callTool({ name: 'test_trigger_resource_update' });
    assert.equal(await updated.given, 'test://watched-resource');
  }));

test('it gets prompts', () =>
  fixtures(async (client) => {
    const { prompts } = await client.listPrompts();
    assert.equal(prompts.length, 5);
    const got = await client.getPrompt({
      name: 'test_prompt_with_arguments', arguments: { arg1: 'x', arg2: 'y' },
    });
    assert.match(got.messages[0].content.text, /arg1='x', arg2='y'/);
    await assert.rejects(
      client.getPrompt({ name: 'test_prompt_with_arguments' }), { code: -32602 });
  }));

test('a cancelled call does not hold up the next', () =>
  fixtures(async (client) => {
    const stop = new AbortController();
    const slow = client.callTool(
      { name: 'slow_compute', arguments: { seconds: 600 } }, undefined, { signal: stop.signal });
    await client.ping();
    stop.abort('enough');
    await assert.rejects(slow);
    await client.callTool({ name: 'test_simple_text' });
  }));
