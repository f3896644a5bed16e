// What the tests of this folder share: the packages that ./dev setup installed, and the program
// under test with a store of its own.

import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** The folder with the packages. */
export const clients = process.env.BATON_CLIENTS;
/** Loads one of them. */
export const load = createRequire(join(clients, 'package.json'));

const baton = process.env.BATON_BINARY;
const folder = mkdtempSync(join(tmpdir(), 'baton-e2e-'));
after(() => rmSync(folder, { recursive: true }));

/** How to start a server; `words` go after `baton serve`. */
export function server(...words) {
  return { command: baton, args: ['serve', '--db', join(folder, 'baton.db'), ...words] };
}

/** How to start the server of tests/conformance. */
export function fixtureServer(...words) {
  return { command: process.env.BATON_FIXTURES, args: [join(folder, 'fixtures.db'), ...words] };
}

/** A promise and the function that settles it. */
export function signal() {
  let give;
  const given = new Promise((resolve) => (give = resolve));
  return { give, given };
}
