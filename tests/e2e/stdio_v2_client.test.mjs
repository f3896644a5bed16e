// The second generation of the official client, which finds out the era by itself.
// Origin: 004-9

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fixtureServer, load, server, signal } from './support.mjs';

const { Client } = load('@modelcontextprotocol/client');
const { StdioClientTransport } = load('@modelcontextprotocol/client/stdio');

async function connected(started, run, mode = 'auto') {
  const client = new Client({ name: 'v2', version: '1' }, {
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
    versionNegotiation: { mode },
  });
  client.setRequestHandler('elicitation/create', async () => (
    { action: 'accept', content: { name: 'Ann', color: 'blue', ok: true } }));
  client.setRequestHandler('sampling/createMessage', async () => (
    { role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } }));
  client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///work' }] }));
  await client.connect(new StdioClientTransport(started));
  try {
    await run(client);
  } finally {
    await client.close();
  }
}

const fixtures = (run, mode) => connected(fixtureServer(), run, mode);

test('it settles on the newest revision', () =>
  connected(server(), async (client) => {
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    assert.match(client.getInstructions(), /Baton/);
    const { tools } = await client.listTools();
    assert.ok(tools.some((tool) => tool.name === 'start_workflow'));
    const listed = await client.callTool({ name: 'list_workflows', arguments: {} });
    assert.ok(!listed.isError);
  }));

test('it still shakes hands when told to', () =>
  fixtures(async (client) => {
    assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25');
    const said = await client.callTool({ name: 'test_input_required_result_elicitation' });
    assert.equal(said.content[0].text, 'Hello, Ann!');
  }, 'legacy'));

test('it answers what results ask for, round by round', () =>
  fixtures(async (client) => {
    const text = async (name) => (await client.callTool({ name })).content[0].text;
    assert.equal(await text('test_input_required_result_elicitation'), 'Hello, Ann!');
    assert.match(await text('test_input_required_result_sampling'), /Paris/);
    assert.match(await text('test_input_required_result_list_roots'), /file:\/\/\/work/);
    assert.equal(await text('test_input_required_result_request_state'), 'state-ok');
    assert.equal(await text('test_input_required_result_multi_round'), 'Ann likes blue.');
    const got = await client.getPrompt({ name: 'test_input_required_result_prompt' });
    assert.match(got.messages[0].content.text, /Use this context/);
  }));

test('it listens', () =>
  fixtures(async (client) => {
    const changed = signal();
    const updated = signal();
    client.setNotificationHandler('notifications/tools/list_changed', () => changed.give(true));
    client.setNotificationHandler('notifications/resources/updated', (note) => {
      updated.give(note.params.uri);
    });
    const listening = await client.listen({
      toolsListChanged: true, resourceSubscriptions: ['test://watched-resource'],
    });
    await client.callTool({ name: 'test_trigger_tool_change' });
    await client.callTool({ name: 'test_trigger_resource_update' });
    assert.equal(await changed.given, true);
    assert.equal(await updated.given, 'test://watched-resource');
    await listening.close();
  }));

test('it reads, completes and gets prompts', () =>
  fixtures(async (client) => {
    const { contents } = await client.readResource({ uri: 'test://static-binary' });
    assert.ok(contents[0].blob);
    await assert.rejects(client.readResource({ uri: 'test://none' }), { code: -32602 });
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
      argument: { name: 'arg1', value: 'te' },
    });
    assert.deepEqual(completion.values, ['test1', 'test2']);
  }));
