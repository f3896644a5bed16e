// `baton show --follow` prints what another process does to a run, and ends with the run.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';

import { load, server } from './support.mjs';

const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');

const flows = mkdtempSync(join(tmpdir(), 'baton-follow-'));
after(() => rmSync(flows, { recursive: true }));
writeFileSync(join(flows, 'pair.yaml'), `id: pair
steps: [{id: look, prompt: Look.}, {id: tell, prompt: Tell.}]
`);

test('a followed run is printed node by node until it ends', async () => {
  const { command, args, ...rest } = server('--workflows', flows);
  const client = new Client({ name: 'follow', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, ...rest }));
  const call = async (name, given) => {
    const answer = await client.callTool({ name, arguments: given });
    assert.ok(!answer.isError, JSON.stringify(answer.content));
    return answer.structuredContent;
  };
  const step = (ackToken, notesMarkdown) =>
    call('continue_workflow', { ackToken, output: { notesMarkdown } });

  const begun = await call('start_workflow', { workflowId: 'pair' });
  const store = args[args.indexOf('--db') + 1];
  const follower = spawn(command, ['show', 'last', '--follow', '--db', store],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  after(() => follower.kill());
  const ended = new Promise((resolve) => follower.once('exit', resolve));
  const lines = createInterface({ input: follower.stdout })[Symbol.asyncIterator]();
  const until = async (text) => {
    for (;;) {
      const { value, done } = await lines.next();
      assert.ok(!done, `the output ended before '${text}'`);
      if (value.includes(text)) return value;
    }
  };

  await until('start; pending: look');
  const told = await step(begun.ackToken, 'Seen.');
  assert.match(await until('look done'), /pending: tell/);
  await step(begun.ackToken, 'Seen otherwise.');
  assert.match(await until('Seen otherwise.'), /a branch below node_/);
  await step(told.ackToken, 'Told.');
  assert.match(await until('Told.'), /complete/);
  await until('state:    complete');
  assert.equal(await ended, 0);
  await client.close();
});
