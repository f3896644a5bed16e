// Subscribers of one server hear what other processes do to the gates of its store.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { load, server, signal } from './support.mjs';

const legacy = {
  Client: load('@modelcontextprotocol/sdk/client/index.js').Client,
  Transport: load('@modelcontextprotocol/sdk/client/stdio.js').StdioClientTransport,
};
const modern = {
  Client: load('@modelcontextprotocol/client').Client,
  Transport: load('@modelcontextprotocol/client/stdio').StdioClientTransport,
};
const types = load('@modelcontextprotocol/sdk/types.js');
const uri = 'baton://gates';

const flows = mkdtempSync(join(tmpdir(), 'baton-gates-'));
after(() => rmSync(flows, { recursive: true }));
writeFileSync(join(flows, 'ask.yaml'), `id: ask
steps:
  - {id: do, prompt: Do it., gate: {prompt: "May it be done?", assurance: claimed}}
`);

async function connected(t, { Client, Transport }, surface, options = {}) {
  const client = new Client({ name: 'gates', version: '1' }, options);
  const transport = new Transport(server('--surface', surface, '--workflows', flows));
  await client.connect(transport);
  t.after(() => client.close());
  return { client, pid: transport.pid };
}

/** Words for the command line, on the store of the servers. */
function baton(...words) {
  const { command, args } = server();
  return execFileSync(command, [...words, '--db', args[args.indexOf('--db') + 1]],
    { encoding: 'utf8' });
}

async function start(client) {
  const started = await client.callTool(
    { name: 'start_workflow', arguments: { workflowId: 'ask' } });
  assert.ok(!started.isError, JSON.stringify(started.content));
  return started.structuredContent.runId ?? /run_[0-9a-z]+/.exec(JSON.stringify(started))[0];
}

const threadsOf = (pid) => readdirSync(`/proc/${pid}/task`).length;
const switchesOf = (pid) => {
  let all = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const text = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
    all += Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(text)[1]);
  }
  return all;
};

for (const surface of ['rail', 'atomic', 'planner']) {
  test(`a legacy subscriber of ${surface} hears of another process`, async (t) => {
    const { client: worker } = await connected(t, legacy, 'rail');
    const run = await start(worker);
    const { client } = await connected(t, legacy, surface);
    const { resources } = await client.listResources();
    assert.ok(resources.some((resource) => resource.uri === uri));
    const heard = signal();
    client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, (note) => {
      heard.give(note.params.uri);
    });
    await client.subscribeResource({ uri });
    baton('pause', run);
    assert.equal(await heard.given, uri);
  });
}

test('a modern subscriber hears of another process', async (t) => {
  const { client: worker } = await connected(t, legacy, 'rail');
  const run = await start(worker);
  const { client } = await connected(t, modern, 'rail', { versionNegotiation: { mode: 'auto' } });
  const heard = signal();
  client.setNotificationHandler('notifications/resources/updated', (note) => {
    heard.give(note.params.uri);
  });
  const listening = await client.listen({ resourceSubscriptions: [uri] });
  baton('pause', run);
  assert.equal(await heard.given, uri);
  await listening.close();
});

test('a gate that one server opens is told by another, and so is its decision', async (t) => {
  const { client: worker } = await connected(t, legacy, 'rail');
  const { client } = await connected(t, legacy, 'planner');
  let told = signal();
  client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, () => told.give());
  const waiting = async () => {
    const { contents } = await client.readResource({ uri });
    return JSON.parse(contents[0].text).gates;
  };
  await client.subscribeResource({ uri });
  assert.deepEqual(await waiting(), []);
  const started = await worker.callTool(
    { name: 'start_workflow', arguments: { workflowId: 'ask' } });
  const { ackToken } = started.structuredContent;
  await worker.callTool({
    name: 'continue_workflow',
    arguments: { intent: 'advance', ackToken, output: { notesMarkdown: 'Done.' } },
  });
  await told.given;
  const [gate] = await waiting();
  assert.equal(gate.question, 'May it be done?');
  told = signal();
  baton('approve', gate.runId);
  await told.given;
  assert.deepEqual(await waiting(), []);
});

test('there is a thread for as long as there is a subscriber, and it sleeps', async (t) => {
  const { client: worker } = await connected(t, legacy, 'rail');
  const run = await start(worker);
  const { client, pid } = await connected(t, legacy, 'rail');
  const heard = [];
  let told = signal();
  client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, (note) => {
    heard.push(note.params.uri);
    told.give();
  });
  await client.listResources();
  const without = threadsOf(pid);
  await client.subscribeResource({ uri });
  const before = switchesOf(pid);
  baton('pause', run);
  await told.given;
  assert.ok(threadsOf(pid) > without);
  assert.ok(switchesOf(pid) > before);
  await client.unsubscribeResource({ uri });
  baton('resume', run);
  await client.ping();
  told = signal();
  await client.subscribeResource({ uri });
  baton('pause', run);
  await told.given;
  assert.deepEqual(heard, [uri, uri], 'what happened while it was not subscribed is not told');
});
