// The official suite against the server of tests/conformance over HTTP: every scenario of both
// requirement sets, those that are not scored too, and none is expected to fail.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

import { clients, fixtureServer } from './support.mjs';

const suite = join(clients, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

let program;
let url;

before(async () => {
  const { command, args } = fixtureServer('--http');
  program = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: program.stdout }), 'line');
  url = line.replace(/^listening on /, '');
});

after(async () => {
  const ended = once(program, 'exit');
  program.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

/** What the suite says of a requirement set, line by line. */
function judged(revision) {
  const words = [suite, 'server', '--url', url, '--requirements', revision];
  const done = spawnSync(process.execPath, words, { encoding: 'utf8' });
  return { status: done.status, text: done.stdout + done.stderr };
}

for (const [revision, scenarios, unscored] of [['2026-07-28', 50, 13], ['2025-11-25', 33, 3]]) {
  test(`every scenario of ${revision} passes`, () => {
    const { status, text } = judged(revision);
    assert.equal(status, 0, text);
    assert.match(text, new RegExp(`Running requirements ${revision} \\(${scenarios} scenarios\\)`));
    const passed = text.match(/^✓ [\w-]+: \d+ passed, 0 failed/gm) ?? [];
    assert.equal(passed.length, scenarios, text);
    assert.match(text, /^Total: \d+ passed, 0 failed$/m);
    const rest = `Not scored for ${revision}: ${unscored} scenario(s) run, 0 failing.`;
    assert.ok(text.includes(rest), text);
  });
}
