// Cases that need a server which does something on purpose: fail, drop, wait, revise.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { LONG } from './scripts.mjs';
import { ask, ended, lastAnswer, until } from './steps.mjs';

export const mockCases = [];
const test = (name, run) => mockCases.push({ name: `mock: ${name}`, run });

test('dropped connections: nothing lost, nothing doubled', async ({ open, base }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, 'Now drop it.');
  await ended(page, 'done');
  assert.equal((await lastAnswer(page)).trim(), LONG);
});

test('the server goes away in the middle and comes back', async ({ open, base, mock }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, 'A long text, please.');
  await page.waitForSelector('.answer[data-state=writing] .prose');
  mock.world.down = true;
  mock.drop();
  await page.waitForSelector('text=reconnecting…');
  await page.waitForTimeout(700);
  mock.world.down = false;
  await ended(page, 'done');
  assert.equal((await lastAnswer(page)).trim(), LONG);
  await page.waitForSelector('.link-state', { state: 'detached' });
});

test('a question asked without a connection is sent once', async ({ open, base, mock }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, 'Hello.');
  await ended(page, 'done');
  mock.world.down = true;
  mock.drop();
  await page.fill('#composer', 'Are you there?');
  await page.press('#composer', 'Enter');
  await page.waitForSelector('.question.pending:has-text("Not sent yet")');
  mock.world.down = false;
  await page.waitForSelector('.question.pending', { state: 'detached', timeout: 30_000 });
  await ended(page, 'done');
  assert.equal([...mock.world.messages.values()].filter(({ content }) => content === 'Are you there?').length, 1);
});

test('a reply that got lost does not double the question', async ({ open, base, mock }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, 'Hello again.');
  await ended(page, 'done');
  let lost = 0;
  await page.route('**/messages', async (route) => {
    if (lost++) return route.continue();
    await route.fetch();
    return route.abort('connectionreset');
  });
  await page.fill('#composer', 'Only once?');
  await page.press('#composer', 'Enter');
  await page.waitForSelector('.question:not(.pending):has-text("Only once?")', { timeout: 20_000 });
  await ended(page, 'done');
  assert.equal([...mock.world.messages.values()].filter(({ content }) => content === 'Only once?').length, 1);
});

test('two tabs see the same answer', async ({ open, base }) => {
  const one = await open();
  await one.page.goto(base);
  await ask(one.page, 'Something long.');
  await one.page.waitForSelector('.answer[data-state=writing] .prose');
  const two = await open();
  await two.page.goto(one.page.url());
  await Promise.all([ended(one.page, 'done'), ended(two.page, 'done')]);
  assert.equal(await lastAnswer(one.page), await lastAnswer(two.page));
});

test('look at another conversation meanwhile', async ({ open, base }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, 'Once more something long.');
  await page.waitForSelector('.answer[data-state=writing] .prose');
  const there = page.url();
  await page.click('button.new');
  await page.waitForSelector('.welcome');
  await page.waitForSelector('.list .dot');
  await page.goto(there);
  await ended(page, 'done');
  assert.equal((await lastAnswer(page)).trim(), LONG);
});

test('place in the queue, reading progress', async ({ open, base, shots }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, 'Stand in the queue.');
  await page.waitForSelector('.waiting:has-text("3rd in line, about 2 min")');
  await page.waitForSelector('.waiting:has-text("1st in line")');
  await page.waitForSelector('.waiting:has-text("reading 312 of 1,024 tokens") progress');
  await page.screenshot({ path: join(shots, 'reading-1280-light.png') });
  await ended(page, 'done');
});

test('a model that loads: the page is usable, the question waits', async ({ open, base, mock }) => {
  const { page } = await open();
  mock.world.loading = { name: 'mock-1b', done: 300_000_000, total: 1_000_000_000 };
  await page.goto(base);
  await page.waitForSelector('.status:has-text("Loading mock-1b… 30 %")');
  await ask(page, 'Asked while it loads.');
  await page.waitForSelector('.waiting:has-text("waiting for mock-1b to load")');
  mock.world.loading.done = 800_000_000;
  await page.waitForSelector('.status:has-text("80 %")');
  mock.world.loading = null;
  await ended(page, 'done');
  await page.waitForSelector('.status', { state: 'detached' });
});

test('a revision replaces the text and says what it was', async ({ open, base, shots }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, 'How much VAT is in the bike?');
  await page.waitForSelector('.waiting:has-text("checking the arithmetic…")');
  await page.waitForSelector('.body.revised');
  await ended(page, 'done');
  assert.match(await lastAnswer(page), /119\.59/);
  assert.match(await page.innerText('button.mark.corrected'), /was 142\.31/);
  assert.match(await page.textContent('.offscreen[aria-live]'), /finished\. corrected/);
  await page.click('button.mark.corrected');
  await page.click('.replay button');
  await page.waitForSelector('.replay .good:has-text("same bytes")');
  await page.screenshot({ path: join(shots, 'revised-1280-light.png') });
});

test('growing text leaves finished blocks alone', async ({ open, base, mock }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, 'Repeat: para one.\n\nPara two is here.\n\nPara three is somewhat later, with more words to come after it.');
  await page.waitForSelector('.answer .prose > :nth-child(2)');
  await page.evaluate(() => (window.first = document.querySelector('.answer .prose > p')));
  await ended(page, 'done');
  assert.ok(await page.evaluate(() => window.first.isConnected && window.first === document.querySelector('.answer .prose > p')));
  assert.ok(mock);
});

test('hostile Markdown is inert in every half-finished state', async ({ open, base }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, 'Be hostile.');
  await ended(page, 'done');
  assert.equal(await page.evaluate(() => window.hacked ?? null), null);
});

test('thoughts, failures, cut answers', async ({ open, base }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, 'Please think.');
  await ended(page, 'done');
  await page.waitForSelector('.thought summary:has-text("What it thought")');
  await ask(page, 'Please fail.');
  await ended(page, 'failed');
  await page.waitForSelector('.problem:has-text("model file was removed")');
  await ask(page, 'Please cut.');
  await ended(page, 'cut');
  await page.click('.partial .link');
  await ended(page, 'done');
  assert.equal((await lastAnswer(page)).trim(), 'This is as far as it and this is the rest.');
});

test('continue after a reload', async ({ open, base }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, 'Please cut this too.');
  await ended(page, 'cut');
  await page.reload();
  await ended(page, 'cut');
  await page.click('.partial .link');
  await ended(page, 'done');
  assert.equal((await lastAnswer(page)).trim(), 'This is as far as it and this is the rest.');
});

test('a server with a key asks for it', async ({ open, start }) => {
  const locked = await start({ key: 'secret' });
  const { page, notes } = await open();
  await page.goto(locked.base);
  notes.outside.length = 0;
  await page.waitForSelector('dialog:has-text("needs a key")');
  await page.fill('dialog input', 'wrong');
  await page.press('dialog input', 'Enter');
  await page.waitForSelector('dialog:has-text("not accepted")');
  await page.fill('dialog input', 'secret');
  await page.press('dialog input', 'Enter');
  await page.waitForSelector('dialog', { state: 'detached' });
  await ask(page, 'Inside now.');
  await ended(page, 'done');
  await page.reload();
  await ended(page, 'done');
  assert.equal(await page.locator('dialog').count(), 0);
  notes.outside.length = 0;
  await locked.close();
});

test('an answer that ends while the page is hidden: title and notification', async ({ open, base }) => {
  const { page, context } = await open();
  await context.grantPermissions(['notifications']);
  await context.addInitScript(() => {
    let hidden = false;
    Object.defineProperty(document, 'hidden', { get: () => hidden });
    window.hide = (now) => ((hidden = now), document.dispatchEvent(new Event('visibilitychange')));
    window.shown = [];
    ServiceWorkerRegistration.prototype.showNotification = function (title, more) { window.shown.push([title, more.body]); };
  });
  await page.goto(base);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.click('[aria-label=Settings]');
  await page.check('.switch:has-text("Notify me") input');
  await page.keyboard.press('Escape');
  await ask(page, 'Something long, hidden.');
  await page.waitForSelector('.answer[data-state=writing]');
  await page.evaluate(() => window.hide(true));
  await ended(page, 'done');
  await until('title', async () => (await page.title()).startsWith('●'));
  await until('notification', () => page.evaluate(() => window.shown.length === 1));
  await page.evaluate(() => window.hide(false));
  assert.ok(!(await page.title()).startsWith('●'));
});

test('the options of the settings are sent', async ({ open, base }) => {
  const { page } = await open();
  await page.goto(base);
  await page.click('[aria-label=Settings]');
  await page.selectOption('.popover select >> nth=1', 'quick');
  await page.check('.popover [role=switch] >> nth=0');
  await page.keyboard.press('Escape');
  await ask(page, 'Echo.');
  await ended(page, 'done');
  assert.match(await lastAnswer(page), /check level was quick, raw/);
});

test('a picture is pasted, shown and comes back after a reload', async ({ open, base, mock, shots }) => {
  const { page } = await open();
  await page.goto(base);
  await page.waitForSelector('.composer');
  const paste = (name) => page.evaluate(async (file) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 420 });
    const pen = canvas.getContext('2d');
    pen.fillStyle = '#d9e6d0';
    pen.fillRect(0, 0, 640, 420);
    pen.fillStyle = '#8a5a2b';
    pen.fillRect(80, 160, 200, 180);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
    const data = new DataTransfer();
    data.items.add(new File([blob], file, { type: 'image/png' }));
    document.getElementById('composer').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, name);
  await paste('broken.png');
  await page.waitForSelector('.notice:has-text("not a kind of file")');
  assert.equal(await page.locator('.files li').count(), 0);
  await paste('garden.png');
  await page.waitForSelector('.files li:has-text("garden.png")');
  await page.waitForFunction(() => !document.querySelector('.files').textContent.includes('sending'));
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 780 });
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(shots, `attach-${width}.png`) });
  }
  await ask(page, 'What do you see in the garden?');
  const drawn = () => page.waitForFunction(() => document.querySelector('.question .kept img')?.naturalWidth === 640);
  await drawn();
  await ended(page, 'done');
  await page.reload();
  await drawn();
  assert.equal(await page.title().then((title) => title.includes('attachment:')), false);
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 780 });
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(shots, `picture-${width}.png`) });
  }
  mock.world.blind = true;
  await page.reload();
  await drawn();
  await page.waitForTimeout(300);
  await paste('second.png');
  await page.waitForSelector('.notice:has-text("cannot see pictures")');
  mock.world.blind = false;
});

test('a voice memo is recorded where the model hears', async ({ open, base }) => {
  const { page } = await open();
  await page.addInitScript(() => {
    // No microphone in a test: a recorder that gives some bytes.
    navigator.mediaDevices.getUserMedia = async () => ({ getTracks: () => [{ stop() {} }] });
    globalThis.MediaRecorder = class {
      mimeType = 'audio/webm;codecs=opus';
      start() {}
      stop() {
        this.ondataavailable({ data: new Blob(['sound']) });
        this.onstop();
      }
    };
  });
  await page.goto(base);
  await page.click('button[aria-label="Record a voice memo"]');
  await page.waitForSelector('.recording:has-text("0:01")');
  await page.click('.recording');
  await page.waitForSelector('.files li:has-text("voice memo.weba")');
});
