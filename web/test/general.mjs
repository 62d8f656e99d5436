// Cases that hold for any server with the API, and with any model.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CODE, CORRECTED, MARKED, chat } from './fixtures.mjs';
import { HOSTILE } from './hostile.mjs';
import { PATIENCE, ask, bring, ended, lastAnswer, until } from './steps.mjs';

export const generalCases = [];
const test = (name, run) => generalCases.push({ name, run });

// Long, but with an end: a small model that is asked to count goes on until its context is full.
const LONG = 'Tell a long story of a lighthouse, its keeper and a storm, in ten sentences.';

test('the page opens under a strict policy', async ({ open, base }) => {
  const { page } = await open();
  const response = await page.goto(base);
  const policy = response.headers()['content-security-policy'] ?? '';
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]) assert.ok(policy.includes(part), `no ${part} in: ${policy}`);
  await page.waitForSelector('.welcome');
  assert.equal(await page.title(), 'Reckon');
});

test('ask, and the answer streams in', async ({ open, base }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, 'Say hello in one short sentence.');
  await ended(page);
  assert.ok((await lastAnswer(page)).length > 1);
  assert.match(page.url(), /#c\//);
  assert.equal(await page.inputValue('#composer'), '');
  await page.waitForSelector('.list li.here:has-text("Say hello")');
});

test('reload in the middle: all of it, once', async ({ open, base }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, LONG);
  await page.waitForSelector('.answer[data-state=writing] .prose', { timeout: PATIENCE });
  await page.reload();
  await ended(page);
  const streamed = await lastAnswer(page);
  await page.reload();
  await ended(page);
  assert.equal(streamed, await lastAnswer(page));
  assert.ok(streamed.length > 100);
});

test('stop, then continue is offered', async ({ open, base }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, LONG);
  await page.waitForSelector('.answer[data-state=writing] .prose', { timeout: PATIENCE });
  await page.press('#composer', 'Escape');
  await ended(page, 'stopped');
  const stopped = await lastAnswer(page);
  await page.click('.partial .link');
  await until('more text', async () => (await lastAnswer(page)).length > stopped.length + 3, PATIENCE);
  await page.press('#composer', 'Escape');
  await ended(page);
  assert.ok((await lastAnswer(page)).startsWith(stopped.slice(0, 60)));
});

test('retry and edit make branches that can be switched', async ({ open, base }) => {
  const { page } = await open();
  await page.goto(base);
  await ask(page, 'Name one colour.');
  await ended(page);
  await page.click('.answer [aria-label="Try again"]');
  await page.waitForSelector('.answer .place:has-text("2/2")', { timeout: PATIENCE });
  await ended(page);
  await page.click('.answer [aria-label="Previous answer"]');
  await page.waitForSelector('.answer .place:has-text("1/2")');
  await page.press('#composer', 'ArrowUp');
  await page.fill('.editing textarea', 'Name one fruit.');
  await page.press('.editing textarea', 'Enter');
  await page.waitForSelector('.question .place:has-text("2/2")');
  await ended(page);
  await page.waitForSelector('.question:has-text("Name one fruit.")');
  await page.click('.question [aria-label="Previous question"]');
  await page.waitForSelector('.question:has-text("Name one colour.")');
  await page.waitForSelector('.answer .place');
  await page.reload();
  await page.waitForSelector('.question:has-text("Name one colour.")');
});

test('find a conversation by a word in it', async ({ open, base }) => {
  const { page } = await open();
  await bring(page, base, chat('Brewing at home', ['What is zymurgy?', 'The science of fermentation, as in brewing.']));
  await page.goto(base);
  // The page listens to keys once it has been drawn.
  await until('the search field', async () => {
    await page.keyboard.press('Control+k');
    return page.evaluate(() => document.activeElement?.id === 'search');
  }, 10_000);
  await page.keyboard.type('zymurgy');
  await page.waitForSelector('.list .snippet mark:has-text("zymurgy")');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.answer:has-text("fermentation")');
  await page.fill('#search', 'qqxxqq');
  await page.waitForSelector('.list .empty:has-text("Nothing found")');
});

test('rename, folder, delete with undo', async ({ open, base }) => {
  const { page } = await open();
  const id = await bring(page, base, chat('Old name', ['Hm?', 'Hm.']));
  const row = `.list li:has(a[href="#c/${id}"])`;
  const menu = async (item) => {
    await page.hover(row);
    await page.click(`${row} .more`);
    await page.click(`.menu button:has-text("${item}")`);
  };
  await menu('Rename');
  await page.fill('dialog input', 'A better name');
  await page.press('dialog input', 'Enter');
  await page.waitForSelector('.bar h1:has-text("A better name")');
  await menu('Move to folder');
  await page.fill('dialog input', 'Test folder');
  await page.press('dialog input', 'Enter');
  await page.waitForSelector('section[aria-label="Folder Test folder"] >> text=A better name');
  await menu('Delete');
  await page.waitForSelector(row, { state: 'detached' });
  await page.click('.notice button:has-text("Undo")');
  await page.waitForSelector(row);
  await menu('Delete');
  await page.waitForSelector(row, { state: 'detached' });
  await until('deleted on the server', async () => (await fetch(`${base}/reckon/conversations/${id}`)).status === 404, 12_000);
});

test('export and import', async ({ open, base }) => {
  const { page } = await open();
  const id = await bring(page, base, chat('Carried over', ['One?', 'Two.']));
  const row = `.list li:has(a[href="#c/${id}"])`;
  await page.hover(row);
  await page.click(`${row} .more`);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('.menu button:has-text("Export")')]);
  assert.equal(download.suggestedFilename(), 'carried-over.reckon.json');
  const path = await download.path();
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).reckon, 1);
  await page.setInputFiles('nav input[type=file]', { name: 'carried-over.reckon.json', mimeType: 'application/json', buffer: readFileSync(path) });
  await page.waitForFunction((old) => location.hash.startsWith('#c/') && !location.hash.endsWith(old), `/${id}`);
  await page.waitForSelector('.answer:has-text("Two.")');
  await page.setInputFiles('nav input[type=file]', { name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{') });
  await page.waitForSelector('.notice:has-text("not an exported conversation")');
});

test('code is coloured, copied, saved and run; formulas are set', async ({ open, base }) => {
  const { page, context } = await open();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await bring(page, base, chat('Primes in Python', ['Primes?', CODE]));
  await page.waitForSelector('.code .hljs-keyword');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('.code >> nth=0 >> text=Save')]);
  assert.equal(download.suggestedFilename(), 'primes.py');
  assert.ok(readFileSync(await download.path(), 'utf8').endsWith('print(42)\n'));
  const [second] = await Promise.all([page.waitForEvent('download'), page.click('.code >> nth=1 >> text=Save')]);
  assert.equal(second.suggestedFilename(), 'primes-in-python.sh');
  await page.click('.code >> nth=0 >> text=Copy');
  assert.ok((await page.evaluate(() => navigator.clipboard.readText())).startsWith('# primes.py'));
  assert.equal(await page.locator('.tool.run').count(), 2, 'only Python can be run');
  await page.click('.code >> nth=0 >> text=Run');
  await page.waitForSelector('.output:has-text("42"):has-text("ms")');
  await page.click('.code >> nth=2 >> text=Run');
  await page.waitForSelector('.output.bad:has-text("on purpose")');
  await page.waitForSelector('.formula math mfrac');
  assert.equal(await page.locator('.formula').count(), 2, 'money is not a formula');
});

test('marks, receipt, difference', async ({ open, base }) => {
  const { page } = await open();
  await bring(page, base, MARKED);
  for (const word of ['Verified', 'Corrected', 'Doubtful', 'Unchecked']) await page.waitForSelector(`.mark .chip:has-text("${word}")`);
  assert.match(await page.innerText('button.mark.corrected'), /was 142\.31/);
  await page.click('button.mark.corrected');
  const text = await page.innerText('.receipt');
  for (const part of ['replaced the answer', '749 euros with 19%', 'The program that was run', '119.59', 'qwen2.5-coder-1.5b', 'greedy']) assert.ok(text.toLowerCase().includes(part.toLowerCase()), `no “${part}” in the receipt`);
  const parts = await page.evaluate(() => ['del', 'ins'].map((tag) => [...document.querySelectorAll(`.difference ${tag}`)].map((node) => node.textContent).join('')));
  assert.ok(parts[0].includes('142.31') && parts[1].includes('119.59'));
  const rebuilt = await page.evaluate(() => [...document.querySelectorAll('.difference > :not(del)')].map((node) => node.textContent).join(''));
  assert.equal(rebuilt, CORRECTED.content);
  await page.click('.receipt summary');
  await page.waitForSelector('.receipt .raw[open] pre:has-text("\\"guards\\"")');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.receipt', { state: 'detached' });
});

test('hostile Markdown is inert', async ({ open, base }) => {
  const { page, notes } = await open();
  const turns = HOSTILE.flatMap((text) => [`What about ${text}`, text]);
  await bring(page, base, chat('<img src=x onerror=window.hacked=1>', turns));
  await page.waitForSelector(`.answer >> nth=${HOSTILE.length - 1}`);
  await page.evaluate(() => document.querySelectorAll('.answer a').forEach((link) => link.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))));
  await page.waitForTimeout(600);
  const found = await page.evaluate(() => {
    const inside = (selector) => [...document.querySelectorAll(`:is(.answer .body, .question .bubble) :is(${selector})`)];
    const own = (node) => node.closest('.code figcaption, .output');
    const handlers = inside('*').filter((node) => [...node.attributes].some(({ name }) => name.startsWith('on')));
    const wrong = inside('script, img, iframe, object, embed, link, style, form, input, meta, base, video, template, svg, [style], [id], [name], [href^="javascript" i], [href^="data" i], [href^="vbscript" i]');
    const links = inside('a').filter((link) => link.rel !== 'noopener noreferrer nofollow' || link.target !== '_blank');
    const describe = (node) => node.outerHTML.slice(0, 120);
    return { hacked: window.hacked ?? null, handlers: handlers.map(describe), wrong: wrong.filter((node) => !own(node)).map(describe), links: links.map(describe) };
  });
  assert.deepEqual(found, { hacked: null, handlers: [], wrong: [], links: [] });
  assert.deepEqual(notes.outside, []);
  assert.ok((await page.locator('.answer a:has-text("Image: pixel")').count()) === 1, 'an image is a link');
});

test('files are attached, others are explained', async ({ open, base }) => {
  const { page } = await open();
  await page.goto(base);
  const give = (name, mimeType, buffer) => page.setInputFiles('.composer input[type=file]', { name, mimeType, buffer });
  await give('table.csv', 'text/csv', Buffer.from('a,b\n1,2\n'));
  await page.waitForSelector('.files li:has-text("table.csv")');
  await give('film.mp4', 'video/mp4', Buffer.from([0, 0, 0, 1]));
  await page.waitForSelector('.notice:has-text("videos cannot be read here")');
  await give('big.txt', 'text/plain', Buffer.alloc(300 * 1024, 'x'));
  await page.waitForSelector('.notice:has-text("up to 256 kB")');
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['print("hi")'], 'hi.py', { type: 'text/x-python' }));
    document.getElementById('composer').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await page.waitForSelector('.files li:has-text("hi.py")');
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['PK'], 'all.zip', { type: 'application/zip' }));
    document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.waitForSelector('.notice:has-text("archives cannot be read here")');
  await ask(page, 'How many rows?');
  await page.waitForSelector('.question .attached:has-text("table.csv")');
  await page.click('.question .attached summary >> nth=0');
  await page.waitForSelector('.question .attached pre:has-text("1,2")');
  await page.keyboard.press('Escape');
  await ended(page);
});

test('a document is kept by the server and answered', async ({ open, base, shots }) => {
  const { page } = await open();
  await page.goto(base);
  const pdf = pdfOf('The secret number is 4711.');
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'letter.pdf', { type: 'application/pdf' }));
    document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, pdf);
  await page.waitForSelector('.files li:has-text("letter.pdf")');
  await page.waitForFunction(() => !document.querySelector('.files').textContent.includes('sending'));
  await ask(page, 'What does the letter say?');
  await page.waitForSelector('.question .kept:has-text("letter.pdf")');
  await ended(page);
  assert.equal(await page.locator('.answer[data-state=failed]').count(), 0);
  await page.reload();
  await page.waitForSelector('.question .kept:has-text("letter.pdf")');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('.question .kept')]);
  assert.equal(download.suggestedFilename(), 'letter.pdf');
  await page.screenshot({ path: join(shots, 'document.png') });
});

/** A PDF of one page with one line. */
function pdfOf(line) {
  const content = `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`, '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let out = '%PDF-1.4\n';
  const starts = objects.map((object, i) => {
    const at = out.length;
    out += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const table = out.length;
  return `${out}xref\n0 6\n0000000000 65535 f \n${starts.join('')}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${table}\n%%EOF`;
}

test('keys: lines, drafts, search, skip link', async ({ open, base }) => {
  const { page } = await open();
  await page.goto(base);
  await page.waitForSelector('.welcome');
  await page.keyboard.press('Tab');
  await page.focus('.skip');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'composer');
  await page.keyboard.type('first');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('second');
  assert.equal(await page.inputValue('#composer'), 'first\nsecond');
  await page.reload();
  await page.waitForSelector('.welcome');
  assert.equal(await page.inputValue('#composer'), 'first\nsecond');
  await page.keyboard.press('Control+k');
  await page.waitForFunction(() => document.activeElement.id === 'search');
});

test('settings are remembered, system text is kept', async ({ open, base }) => {
  const { page } = await open();
  const id = await bring(page, base, chat('With a system text', ['One?', 'Two.']));
  await page.click('[aria-label=Settings]');
  await page.selectOption('.popover select >> nth=1', 'full');
  await page.fill('.popover textarea', 'Answer in one word.');
  await page.keyboard.press('Escape');
  await page.reload();
  await page.waitForSelector('.settings .now:has-text("check full")');
  const { system } = await (await fetch(`${base}/reckon/conversations/${id}`)).json();
  assert.equal(system, 'Answer in one word.');
  await page.click('[aria-label=Settings]');
  await page.check('.popover [role=switch] >> nth=0');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.settings .now:has-text("raw")');
});

test('five hundred messages open quickly', async ({ open, base }) => {
  const { page } = await open();
  const turns = Array.from({ length: 500 }, (_, i) => (i % 2 ? `Answer ${i}: **${i * 7}**.\n\n- one\n- two\n\n\`\`\`python\nprint(${i})\n\`\`\`` : `Question ${i}?`));
  const id = await bring(page, base, chat('A long one', turns));
  await page.goto(base);
  await page.waitForSelector('.welcome');
  const began = Date.now();
  await page.evaluate((id) => (location.hash = `#c/${id}`), id);
  await page.waitForSelector('.answer:has-text("Answer 499")');
  const opened = Date.now() - began;
  assert.ok(opened < 2_500, `opened in ${opened} ms`);
  await page.waitForSelector('.question:has-text("Question 0?")', { state: 'attached', timeout: 30_000 });
  const distance = await page.evaluate(() => { const box = document.querySelector('.thread'); return box.scrollHeight - box.scrollTop - box.clientHeight; });
  assert.ok(distance < 120, `the end stays in sight, ${distance} px off`);
  const typing = await page.evaluate(async () => {
    const field = document.getElementById('composer');
    const began = performance.now();
    for (let i = 0; i < 20; i++) {
      field.value += 'x';
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return (performance.now() - began) / 20;
  });
  assert.ok(typing < 100, `a key takes ${typing.toFixed(1)} ms`);
});

test('installable: manifest, worker, shell without the server', async ({ open, base }) => {
  const { page, context, notes } = await open();
  await page.goto(base);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await until('controlled', () => page.evaluate(() => !!navigator.serviceWorker.controller));
  const manifest = await (await fetch(`${base}/manifest.webmanifest`)).json();
  for (const { src } of manifest.icons) assert.equal((await fetch(`${base}/${src}`)).status, 200);
  const cached = await page.evaluate(async () => {
    const all = [];
    for (const name of await caches.keys()) for (const request of await (await caches.open(name)).keys()) all.push(new URL(request.url).pathname);
    return all;
  });
  assert.ok(cached.includes('/app.js') && !cached.some((path) => path.startsWith('/reckon')));
  await context.setOffline(true);
  await page.reload();
  await page.waitForSelector('.status:has-text("cannot be reached")');
  await page.fill('#composer', 'typed offline');
  await context.setOffline(false);
  await page.waitForSelector('.status', { state: 'detached', timeout: 20_000 });
  assert.equal(await page.inputValue('#composer'), 'typed offline');
  notes.errors.length = 0;
});

test('no width from 320 to 1440 cuts anything; pictures', async ({ open, base, shots }) => {
  for (const theme of ['light', 'dark']) {
    const { page } = await open({ colorScheme: theme, viewport: { width: 1440, height: 900 } });
    await bring(page, base, chat('Primes in Python', ['Write a Python function that lists the primes below n.', CODE]));
    await page.waitForSelector('.formula math');
    await widths(page, 'code', theme, shots);
    await bring(page, base, MARKED);
    await page.waitForSelector('.mark.unchecked');
    await widths(page, 'marks', theme, shots);
    await page.click('button.mark.corrected');
    await widths(page, 'receipt', theme, shots);
    await page.goto(`${base}/#`);
    await page.waitForSelector('.welcome');
    await widths(page, 'welcome', theme, shots);
    await page.click('[aria-label=Settings]');
    await widths(page, 'settings', theme, shots);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.click('.bar [aria-label=Conversations]');
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(shots, `drawer-360-${theme}.png`) });
  }
});

async function widths(page, name, theme, shots) {
  for (const width of [320, 360, 768, 1024, 1440]) {
    await page.setViewportSize({ width, height: width < 700 ? 740 : 900 });
    await page.waitForTimeout(120);
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth, document.querySelector('.thread').scrollWidth - document.querySelector('.thread').clientWidth]);
    assert.ok(wide[0] <= width && wide[1] <= 0, `${name} at ${width}: page ${wide[0]}, thread over by ${wide[1]}`);
    if (width === 360 || width === 1440) await page.screenshot({ path: join(shots, `${name}-${width}-${theme}.png`) });
  }
}
