// What the mock answers: a list of steps `{kind, data, wait}` for a question, chosen by a word in it.

import { CORRECTED } from './fixtures.mjs';
import { HOSTILE } from './hostile.mjs';

const words = (text, wait) => text.match(/\S+\s*|\s+/g).map((text) => ({ kind: 'text', data: { text }, wait }));
const thoughts = (text) => text.match(/\S+\s*/g).map((text) => ({ kind: 'thought', data: { text } }));

export const LONG = Array.from({ length: 160 }, (_, i) => `word${i + 1}`).join(' ');

const SCRIPTS = {
  long: () => [{ kind: 'queued', data: { place: 1, eta: null } }, ...words(LONG, 20)],
  queue: () => [
    { kind: 'queued', data: { place: 3, eta: 120 } }, { kind: 'queued', data: { place: 1, eta: 20 }, wait: 900 },
    ...[0, 312, 640, 1024].map((done) => ({ kind: 'prefill', data: { done, total: 1024 }, wait: 600 })), ...words('Here it is.'),
  ],
  drop: () => [...words(LONG, 6)].flatMap((step, i) => (i % 40 === 25 ? [step, { kind: 'drop' }] : [step])),
  think: () => [...thoughts('Let me see. The person wants a number.'), ...words('It is **7**.')],
  bike: () => [...words(CORRECTED.receipt.raw), { kind: 'checking', data: { guard: 'arithmetic' } }, { kind: 'revise', data: { text: CORRECTED.content, was: '142.31', guard: 'arithmetic' }, wait: 700 }, { kind: 'end', fields: { mark: CORRECTED.mark, receipt: CORRECTED.receipt } }],
  hostile: () => HOSTILE.join('\n\n').match(/[\s\S]{1,9}/g).map((text) => ({ kind: 'text', data: { text }, wait: 4 })),
  fail: () => [...words('This begins well'), { kind: 'failed', data: { error: 'The model file was removed while it was in use.' } }],
  cut: () => [...words('This is as far as it'), { kind: 'end', state: 'cut' }],
  continued: () => words(' and this is the rest.'),
};

export function scriptFor(question, options) {
  const name = Object.keys(SCRIPTS).find((word) => question.toLowerCase().includes(word));
  if (name) return SCRIPTS[name]();
  return words(`You asked: ${question}\n\nThe check level was *${options.check ?? 'default'}*${options.raw ? ', raw' : ''}.`);
}
