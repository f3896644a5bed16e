// The inspector's command line in each of its eras, and its linter of schemas.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { clients, fixtureServer, server } from './support.mjs';

const run = promisify(execFile);
const program = join(clients, 'node_modules/.bin/mcp-inspector');

/** What the inspector prints for a method; it exits with an error otherwise. */
async function inspect({ command, args }, ...options) {
  const { stdout } = await run(process.execPath,
    [program, '--cli', command, ...args, ...options, '--format', 'json']);
  return JSON.parse(stdout).result;
}

for (const era of ['legacy', 'auto', 'modern']) {
  test(`it lists and calls tools, era ${era}`, async () => {
    const options = ['--protocol-era', era];
    const { tools } = await inspect(server(), '--method', 'tools/list', ...options);
    assert.ok(tools.some((tool) => tool.name === 'continue_workflow'));
    const greeted = await inspect(fixtureServer(), '--method', 'tools/call', '--tool-name',
      'greet', '--tool-arg', 'name=Ann', ...options);
    assert.equal(greeted.content[0].text, 'Hello, Ann!');
    const read = await inspect(fixtureServer(), '--method', 'resources/read', '--uri',
      'test://static-text', ...options);
    assert.equal(read.contents.length, 1);
    const { prompts } = await inspect(fixtureServer(), '--method', 'prompts/list', ...options);
    assert.equal(prompts.length, 5);
  });
}

test('its linter has nothing to say about the tools of the surfaces', async () => {
  const { tools } = await inspect(server(), '--method', 'tools/list', '--strict');
  assert.ok(tools.length > 0);
});
