// The planner surface on a real git repository: all six tools, edits by hand in between, and two
// servers on one branch.
// Origin: 003-50

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { load, server } from './support.mjs';

const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');
const types = load('@modelcontextprotocol/sdk/types.js');

/** A repository that goes with the test. */
function repository(t) {
  const folder = mkdtempSync(join(tmpdir(), 'baton plan '));
  t.after(() => rmSync(folder, { recursive: true }));
  const git = (...words) => execFileSync('git', words, { cwd: folder, encoding: 'utf8' });
  git('init', '--quiet', '--initial-branch=main');
  return { folder, git, description: () => git('config', 'branch.main.description') };
}

async function connect(t, folder) {
  const client = new Client({ name: 'planner', version: '1' });
  await client.connect(
    new StdioClientTransport({ ...server('--surface', 'planner'), cwd: folder }));
  t.after(() => client.close());
  return client;
}

const call = (client, name, args = {}) => client.callTool({ name, arguments: args });

test('a plan goes from nothing to complete', async (t) => {
  const { folder, git, description } = repository(t);
  const client = await connect(t, folder);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), ['gather_requirements', 'set_overarching_goal',
    'set_detailed_goal', 'set_plan', 'mark_task', 'finish_job']);
  writeFileSync(join(folder, 'new file'), 'x');
  const empty = await call(client, 'gather_requirements');
  assert.equal(empty.structuredContent.stage, 0);
  assert.deepEqual(empty.structuredContent.changed_files, [{ status: '?', path: 'new file' }]);

  const goal = { type: 'feat', scope: 'plan', breaking: false, title: 'Keep Every Character' };
  await call(client, 'set_overarching_goal', { goal });
  await call(client, 'set_detailed_goal',
    { description: 'Why.\n\nHow.', constraints: ['Never: fold case'] });
  await call(client, 'set_plan',
    { plan: [[false, 'Read', [[false, 'Lines', []]]], [false, 'Write', []]] });
  const early = await call(client, 'finish_job');
  assert.equal(early.isError, true);
  assert.match(early.content[0].text, /^NOT_ALL_TASKS_COMPLETE: 3 tasks are open/);
  await call(client, 'mark_task', { task_id: '1.1' });
  await call(client, 'mark_task', { task_id: 'Write' });
  const done = await call(client, 'finish_job');
  assert.equal(done.structuredContent.stage, 6);
  assert.equal(description(), 'feat(plan): Keep Every Character\n\nWhy.\n\nHow.\n\n' +
    '- Never: fold case\n\n- [x]: Read\n  - [x]: Lines\n- [x]: Write\n\n~~~ COMPLETE ~~~\n\n');
  assert.equal(git('status', '--porcelain'), '?? "new file"\n');
});

test('an edit by hand between two calls is kept', async (t) => {
  const { folder, git, description } = repository(t);
  const client = await connect(t, folder);
  await call(client, 'set_overarching_goal', { goal: { type: 'fix', title: 'Ours' } });
  await call(client, 'gather_requirements');
  git('config', 'branch.main.description', 'fix: Ours\n\nBy hand.\n\n- [ ]: Theirs\n');
  const marked = await call(client, 'mark_task', { task_id: 'Theirs' });
  assert.ok(!marked.isError);
  assert.equal(description(), 'fix: Ours\n\nBy hand.\n\n- [x]: Theirs\n\n');
});

test('two servers and git itself write at once, and nothing is lost', async (t) => {
  const { folder, git, description } = repository(t);
  const clients = [await connect(t, folder), await connect(t, folder)];
  const tasks = Array.from({ length: 8 }, (_, i) => `Task number ${i}`);
  await call(clients[0], 'set_overarching_goal', { goal: { type: 'feat', title: 'Race' } });
  await call(clients[0], 'set_plan', { plan: tasks.map((text) => [false, text, []]) });
  const mark = async (text, i) => {
    for (;;) {
      const result = await call(clients[i % 2], 'mark_task', { task_id: text });
      if (!result.isError) return;
      assert.match(result.content[0].text, /^PLAN_BUSY/);
    }
  };
  const others = Array.from({ length: 10 }, async (_, i) => {
    // git refuses while someone else holds its lock, and does not wait.
    for (;;) {
      try {
        git('config', `some.setting${i}`, 'kept');
        return;
      } catch (error) {
        assert.match(String(error.stderr), /could not lock/);
      }
    }
  });
  await Promise.all([...tasks.map(mark), ...others]);
  for (const text of tasks) assert.ok(description().includes(`- [x]: ${text}\n`), description());
  for (let i = 0; i < 10; ++i) assert.equal(git('config', `some.setting${i}`), 'kept\n');
});

test('a subscriber hears of a change and reads the plan', async (t) => {
  const { folder } = repository(t);
  const client = await connect(t, folder);
  const heard = new Promise((resolve) =>
    client.setNotificationHandler(types.ResourceUpdatedNotificationSchema,
      (message) => resolve(message.params.uri)));
  await client.subscribeResource({ uri: 'baton://plan/current' });
  await call(client, 'set_overarching_goal', { goal: { type: 'fix', title: 'Heard' } });
  assert.equal(await heard, 'baton://plan/current');
  const { contents } = await client.readResource({ uri: 'baton://plan/current' });
  assert.equal(contents[0].text, 'fix: Heard\n');
  const { messages } = await client.getPrompt({ name: 'plan', arguments: { goal: 'More' } });
  assert.match(messages[0].content.text, /fix: Heard/);
});
