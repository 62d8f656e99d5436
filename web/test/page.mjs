// Tests of the page in a real browser: `node test/page.mjs [BASE_URL]`.
//
// With an address, the cases that hold for any server run against it (it must have a model that answers). Without one, the
// mock is started and its own cases run too: those that need a server to fail in a certain way.

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, watchedPage } from './browser.mjs';
import { generalCases } from './general.mjs';
import { mockCases } from './mocked.mjs';
import { start } from './mock.mjs';

const given = process.argv.slice(2).find((word) => word.startsWith('http'))?.replace(/\/$/, '');
const only = process.argv.slice(2).find((word) => !word.startsWith('http'));
const mock = given ? null : await start();
const base = given ?? mock.base;
const shots = join(dirname(fileURLToPath(import.meta.url)), 'shots');
mkdirSync(shots, { recursive: true });

const browser = await launch();
const before = given ? new Set(await ids()) : null;
const failed = [];
let passed = 0;

for (const { name, run } of [...generalCases, ...(mock ? mockCases : [])]) {
  if (only && !name.includes(only)) continue;
  const began = Date.now();
  const open = async (options) => {
    const opened = await watchedPage(browser, base, options);
    contexts.push(opened);
    return opened;
  };
  const contexts = [];
  try {
    await run({ open, base, mock, shots, real: !!given, start });
    for (const { notes } of contexts) {
      // Holds in every case, whatever it is about.
      for (const [kind, list] of Object.entries(notes)) if (list.length) throw new Error(`${kind}: ${list.slice(0, 3).join(' | ')}`);
    }
    passed++;
    console.log(`ok    ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    failed.push(name);
    console.log(`FAIL  ${name}\n      ${String(error.stack ?? error).split('\n').slice(0, 12).join('\n      ')}`);
    await contexts[0]?.page.screenshot({ path: join(shots, `failed-${name.replace(/\W+/g, '-')}.png`) }).catch(() => {});
  }
  for (const { context } of contexts) await context.close();
}

await browser.close();
if (before) for (const id of await ids()) if (!before.has(id)) await fetch(`${base}/reckon/conversations/${id}`, { method: 'DELETE' });
await mock?.close();
console.log(`${passed} passed, ${failed.length} failed${failed.length ? `: ${failed.join('; ')}` : ''}`);
process.exit(failed.length ? 1 : 0);

async function ids() {
  const { conversations } = await (await fetch(`${base}/reckon/conversations`)).json();
  return conversations.map(({ id }) => id);
}
