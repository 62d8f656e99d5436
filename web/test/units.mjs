// Tests of the parts that need no browser: `node test/units.mjs`.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { applied, duration, emptied, ordinal, waitingFor } from '../src/answer.js';
import { attachmentOf, partsOf, withAttachments } from '../src/attachment.js';
import { difference, words } from '../src/difference.js';
import { eventParser } from '../src/stream.js';
import { draftOf, guardsOf, makingOf, markLine, smallPrint, wasOf } from '../src/receipt.js';
import { choicesTo, pathThrough } from '../src/tree.js';
import { CORRECTED } from './fixtures.mjs';

let count = 0;
async function test(name, run) {
  try {
    await run();
    count++;
  } catch (error) {
    console.error(`FAIL  ${name}\n${error.stack}`);
    process.exitCode = 1;
  }
}

await test('events arrive whole, however they are cut', () => {
  const stream = ': ping\n\nid: 1\nevent: text\ndata: {"text":"ä\\n"}\n\nid: 2\r\nevent: done\r\ndata: {"message":\r\ndata: {}}\r\n\r\nid: 3\nevent: te';
  for (let size = 1; size < 12; size++) {
    const got = [];
    const parse = eventParser((event) => got.push(event));
    for (let at = 0; at < stream.length; at += size) parse(stream.slice(at, at + size));
    assert.deepEqual(got, [{ id: '1', event: 'text', data: { text: 'ä\n' } }, { id: '2', event: 'done', data: { message: {} } }]);
  }
});

await test('events make an answer', () => {
  let message = emptied({ id: 'm', content: 'old', state: 'waiting' });
  const take = (kind, data) => (message = applied(message, kind, data));
  take('queued', { place: 3, eta: 120 });
  assert.equal(waitingFor(message), '3rd in line, about 2 min');
  take('prefill', { done: 312, total: 1024 });
  assert.equal(waitingFor(message), 'reading 312 of 1,024 tokens');
  take('text', { text: 'It is ' });
  take('text', { text: '7.' });
  assert.equal(message.content, 'It is 7.');
  take('checking', { guard: 'arithmetic' });
  assert.equal(waitingFor(message), 'checking the arithmetic…');
  take('revise', { text: 'It is 8.', was: '7' });
  assert.equal(message.content, 'It is 8.');
  take('something new', { text: 'x' });
  take('done', { message: { id: 'm', content: 'It is 8.', state: 'done', mark: { state: 'corrected' } } });
  assert.equal(message.state, 'done');
  assert.equal(wasOf(message), '7');
});

await test('numbers as people say them', () => {
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal), ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '102nd', '111th']);
  assert.deepEqual([0.2, 5, 89, 120, 7200].map(duration), ['1 s', '5 s', '89 s', '2 min', '2.0 h']);
});

await test('a path through branches', () => {
  const nodes = [['a', null], ['b', 'a'], ['c', 'a'], ['d', 'c'], ['e', null]].map(([id, parent]) => ({ id, parent }));
  const ids = (chosen) => pathThrough(nodes, new Map(chosen)).map(({ id }) => id).join('');
  assert.equal(ids([]), 'e');
  assert.equal(ids([[null, 'a']]), 'acd');
  assert.equal(ids([[null, 'a'], ['a', 'b']]), 'ab');
  assert.equal(ids([[null, 'gone']]), 'e');
  assert.deepEqual([...choicesTo(nodes, 'd')], [['c', 'd'], ['a', 'c'], [null, 'a']]);
  // A circle must not hang the page.
  assert.equal(pathThrough([{ id: 'x', parent: null }, { id: 'y', parent: 'x' }, { id: 'x', parent: 'y' }], new Map()).length, 2);
});

await test('a difference gives both texts back', () => {
  const pairs = [
    ['the total is 270,100,077 euros', 'the total is 270,100,078 euros'], ['', 'new'], ['old', ''], ['same', 'same'], [CORRECTED.receipt.raw, CORRECTED.content],
    ['a b c d', 'x b y d'], ['one\n\ntwo', 'one\n\nthree'], ['ab '.repeat(4000), 'cd '.repeat(4000)],
  ];
  for (const [before, after] of pairs) {
    const parts = difference(before, after);
    const text = (left) => parts.filter(({ kind }) => kind !== left).map(({ text }) => text).join('');
    assert.equal(text('new'), before);
    assert.equal(text('gone'), after);
  }
  assert.deepEqual(difference('it is 270,100,077 now', 'it is 12 now'), [
    { kind: 'same', text: 'it is ' }, { kind: 'gone', text: '270,100,077' }, { kind: 'new', text: '12' }, { kind: 'same', text: ' now' },
  ]);
  assert.deepEqual(words('1.5 kg, ok'), ['1.5', ' ', 'kg', ',', ' ', 'ok']);
});

await test('files go into a question and come out again', async () => {
  const file = (name, text, type = '') => new File([text], name, { type });
  const table = await attachmentOf(file('t.csv', 'a,b\n1,2\n'));
  const fenced = await attachmentOf(file('notes.md', '````\ncode\n````'));
  const content = withAttachments(' How many? ', [table, fenced]);
  const parts = partsOf(content);
  assert.deepEqual(parts, [{ text: 'How many?' }, { name: 't.csv', language: 'csv', text: 'a,b\n1,2' }, { name: 'notes.md', language: 'markdown', text: '````\ncode\n````' }]);
  const seeing = { name: 'gemma', loaded: true, sees: true, hears: true };
  const blind = { ...seeing, name: 'smollm2', sees: false, hears: false };
  for (const [name, type, family] of [['a.jpg', 'image/jpeg', 'picture'], ['a.mp3', 'audio/mpeg', 'sound'], ['memo.ogg', '', 'sound'], ['a.pdf', 'application/pdf', 'document'], ['a.docx', '', 'document']]) {
    assert.equal((await attachmentOf(file(name, 'x', type), seeing)).family, family);
    assert.equal((await attachmentOf(file(name, 'x', type), { ...blind, loaded: false })).family, family, 'not known yet');
  }
  assert.match((await attachmentOf(file('a.jpg', 'x', 'image/jpeg'), blind)).problem, /smollm2 cannot see/);
  assert.match((await attachmentOf(file('a.mp3', 'x', 'audio/mpeg'), blind)).problem, /smollm2 cannot hear/);
  assert.equal((await attachmentOf(file('a.pdf', 'x', 'application/pdf'), blind)).family, 'document');
  assert.match((await attachmentOf(file('a.heic', 'x', 'image/heic'))).problem, /JPEG or PNG/);
  assert.match((await attachmentOf(file('a.mp4', 'x', 'video/mp4'))).problem, /videos cannot be read/);
  assert.match((await attachmentOf(file('a.bin', new Uint8Array([0, 255, 1])))).problem, /cannot be read/);
  const id = `file-${'0a'.repeat(12)}`;
  const asked = withAttachments('What is it?', [{ name: 'a [1].jpg', id, bytes: 3 }, table]);
  assert.deepEqual(partsOf(asked), [{ text: 'What is it?' }, { name: 'a _1_.jpg', id }, { name: 't.csv', language: 'csv', text: 'a,b\n1,2' }]);
  assert.deepEqual(partsOf('[x](attachment:file-1)'), [{ text: '[x](attachment:file-1)' }]);
  assert.match((await attachmentOf(file('a.txt', 'x'.repeat(300_000)))).problem, /up to 256 kB/);
  assert.equal((await attachmentOf(file('unknown.xyz', 'plain'))).language, 'text');
});

await test('a receipt in words, also an empty one', () => {
  const { acted, idle } = guardsOf(CORRECTED.receipt);
  assert.deepEqual([acted[0].act, acted[0].program.value, idle.length], ['replaced the answer', '119.59', 6]);
  assert.equal(draftOf({ content: CORRECTED.content, receipt: CORRECTED.receipt }), CORRECTED.receipt.raw);
  assert.equal(markLine({ text: '✎ corrected: the model said 1; computed 2' }, '1'), 'computed 2');
  assert.ok(makingOf({ ...CORRECTED }).some(([name]) => name === 'Sampling'));
  for (const receipt of [null, {}, { guards: [{}] }, { guards: [{ guard: 'x', program: { code: '1', stdout: '1' } }] }]) {
    guardsOf(receipt);
    makingOf({ receipt, stats: null, content: '' });
    draftOf({ content: '', receipt });
    smallPrint({ model: null, stats: null });
  }
});

await test('text can be read on its ground, in both themes', () => {
  const css = readFileSync(new URL('../src/style/colour.css', import.meta.url), 'utf8');
  const light = css.slice(0, css.indexOf('@media'));
  const dark = css.slice(css.indexOf('[data-theme="dark"]'));
  for (const [theme, text] of Object.entries({ light, dark })) {
    const colour = Object.fromEntries([...text.matchAll(/--([\w-]+): (#\w{6})/g)].map((found) => [found[1], found[2]]));
    const pairs = [['ink', 'ground'], ['soft', 'side'], ['faint', 'ground'], ['faint', 'side'], ['faint', 'hover'], ['faint', 'sunken'], ['faint', 'surface'], ['link', 'ground'], ['on-accent', 'accent'], ['ink', 'bubble'], ['ink', 'gone'], ['ink', 'added']];
    for (const name of ['green', 'blue', 'amber', 'grey', 'red']) pairs.push([name, `${name}-ground`], [name, 'ground']);
    for (const name of ['code', 'code-word', 'code-string', 'code-number', 'code-note', 'code-name']) pairs.push([name, 'sunken']);
    for (const [front, back] of pairs) {
      const ratio = contrast(colour[front], colour[back]);
      assert.ok(ratio >= 4.5, `${theme}: ${front} on ${back} is ${ratio.toFixed(2)}`);
    }
  }
});

function contrast(a, b) {
  const light = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const luminance = (hex) => light(hex).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

console.log(`${count} unit tests passed`);
