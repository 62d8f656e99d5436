// What the cases do again and again.

import assert from 'node:assert/strict';

export const answer = '.answer >> nth=-1';

export async function ask(page, text) {
  await page.fill('#composer', text);
  await page.press('#composer', 'Enter');
  await page.waitForSelector(`.question:has-text(${JSON.stringify(text.split('\n')[0].slice(0, 40))})`);
}

/** A real model may take its time; the mock has no excuse. */
export const PATIENCE = process.argv.some((word) => word.startsWith('http')) ? 180_000 : 20_000;

/**
 * Waits until the newest answer has ended: in the state given, or in any but a failure. What a real
 * model samples may run into the bound on its length, so only a case with a mock can ask for `done`.
 */
export async function ended(page, state = null, timeout = PATIENCE) {
  const found = await page.waitForFunction((wanted) => {
    const state = [...document.querySelectorAll('.answer')].at(-1)?.dataset.state;
    const over = wanted ? state === wanted : state && state !== 'waiting' && state !== 'writing';
    return over ? state : null;
  }, state, { timeout });
  if (!state) assert.notEqual(await found.jsonValue(), 'failed');
}

export async function lastAnswer(page) {
  return page.evaluate(() => [...document.querySelectorAll('.answer .body')].at(-1)?.innerText ?? '');
}

/** Brings a conversation into the server and opens it. */
export async function bring(page, base, conversation) {
  const response = await fetch(`${base}/reckon/import`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ reckon: 1, conversation }),
  });
  assert.equal(response.status, 201);
  const { id } = await response.json();
  await page.goto(`${base}/#c/${id}`);
  await page.waitForSelector('.question, .answer');
  return id;
}

export async function until(what, test, most = 8_000) {
  const end = Date.now() + most;
  for (;;) {
    if (await test()) return;
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}
