// Conversations in the form of an export, so that tests can bring them into any server by its import.

const DRAFT = 'To find the VAT in 749 euros, multiply:\n\n\\[ 749 \\times 0.19 = 142.31 \\]\n\nTherefore, the amount of VAT is \\(\\boxed{142.31}\\) euros.';

const PROGRAM = 'gross = Decimal("749")\nrate = Decimal("0.19")\ntax = gross - gross / (1 + rate)\nprint(round(tax, 2))';

export const CORRECTED = {
  content: 'The VAT is included in the price, so it has to be taken out of it:\n\ntax in 749 at 19 % = **€119.59**',
  mark: { state: 'corrected', value: '€119.59', other: '142.31', text: 'the model said 142.31; computed, tax in 749 at 19 % = €119.59' },
  receipt: {
    model: { name: 'qwen2.5-coder-1.5b', sha256: '9f2c51d0b7aa41c3e8d4f6a1b25e7c90d3f81a6e4b7c2d5980fe13a64c7b9d21' },
    sampler: { temperature: 0, seed: 0 },
    version: '0.1.0',
    isa: 'avx512',
    kv: 'f16',
    raw: DRAFT,
    mark: { state: 'corrected', value: '€119.59', other: '142.31', why: 'the model said 142.31; computed, tax in 749 at 19 % = €119.59', by: 'arithmetic' },
    guards: [
      {
        guard: 'arithmetic', fired: true, outcome: 'revised', reason: 'computed: tax in 749 at 19 % = €119.59',
        evidence: { in: 'prompt', span: [0, 74], kind: 'tax', text: 'I bought a bike for 749 euros with 19% VAT included. How much VAT is that?' },
        program: { text: PROGRAM, outcome: { ok: true, stdout: '119.59\n', value: '119.59', error: null, ms: 4.2 } },
        votes: [{ juror: 'draft', value: '142.31' }, { juror: 'program', value: '119.59' }, { juror: 'program', value: '119.59' }],
        spent: { generations: 1, decisions: 0, prompt: 412, completion: 96, ms: 5210 },
      },
      ...['logic', 'constraints', 'persona', 'qualifier', 'correction', 'counting'].map((guard) => ({ guard, fired: false, outcome: 'quiet' })),
    ],
  },
  stats: { prompt: 58, completion: 61, decode_tps: 18.23, prefill_tps: 212.4, seconds: 9.4 },
};

const DAY = 86_400_000;
const START = Date.now() - 60_000;

/** Question and answer in turn, each under the one before. */
export function chat(title, turns, more = {}) {
  const messages = turns.map((turn, i) => ({
    id: `f${i}`, conversation: 'f', parent: i ? `f${i - 1}` : null, role: i % 2 ? 'assistant' : 'user', thought: '', state: 'done', error: null,
    model: i % 2 ? 'qwen2.5-coder-1.5b' : null, created: START + i, mark: null, receipt: null,
    stats: i % 2 ? { prompt: 58, completion: 61, decode_tps: 18.23, prefill_tps: 212.4, seconds: 4.4 } : null,
    ...(typeof turn === 'string' ? { content: turn } : turn),
  }));
  return { id: 'f', title, folder: null, system: null, created: START, updated: START, messages, ...more };
}

export const CODE = [
  'Here is a function, with a check:',
  '', '```python', '# primes.py', 'def primes(n):', '    """Primes below n."""', '    sieve = [True] * n', '    for i in range(2, int(n ** 0.5) + 1):', '        if sieve[i]:',
  '            sieve[i * i :: i] = [False] * len(sieve[i * i :: i])', '    return [i for i in range(2, n) if sieve[i]]', '', 'print(42)', '```', '',
  '1. Save it:', '', '   ```bash', '   python primes.py', '   ```', '', '2. Or break it:', '', '   ```python', '   raise ValueError("on purpose")', '   ```', '',
  '| n | primes below n | share |', '|---|---:|---:|', '| 10 | 4 | 40 % |', '| 100 | 25 | 25 % |', '| 1,000 | 168 | 16.8 % |', '',
  'By the prime number theorem $\\pi(n) \\approx \\frac{n}{\\ln n}$, and exactly', '', '$$\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2} = \\boxed{5050}$$', '',
  'It costs $5 to $10 and not a formula.',
].join('\n');

const mark = (state, text, more = {}) => ({ mark: { state, text, ...more }, receipt: { ...CORRECTED.receipt, raw: undefined, mark: undefined, guards: [{ guard: 'arithmetic', outcome: state === 'verified' ? 'confirmed' : 'flagged', reason: text }] } });

export const MARKED = chat('VAT of a bike', [
  'I bought a bike for 749 euros with 19% VAT included. How much VAT is that?',
  CORRECTED,
  '12 boxes of 8 rolls, 37 sold. How many are left?',
  { content: 'There were 12 × 8 = 96 rolls. After 37 were sold, **59 rolls** are left.', ...mark('verified', '3 of 3 computations come to 59', { for: 3, of: 3, value: '59' }) },
  'How many of them will be sold next week?',
  { content: 'If sales go on like this, about 40 rolls, so that 19 are left.', ...mark('doubtful', 'computations came to 22 and 19; look again', { for: 1, of: 2 }) },
  'How many rolls are sold in the whole country each day?',
  { content: 'Roughly 83 million people use about half a roll each day: some 40 million rolls.', ...mark('unchecked', 'nothing could compute this number') },
], { folder: 'Household', updated: START - DAY / 100 });

export const fixtures = [
  MARKED,
  chat('Primes in Python', ['Write a Python function that lists the primes below n.', CODE], { updated: START }),
  chat('Words for a birthday card', ['Write four lines for a card to my aunt, who gardens.', 'The roses know her footsteps well,\nthe beans climb up to say:\n*another year has come in bloom,*\n**have a lovely day.**'], { updated: START - DAY * 1.2 }),
  chat('Train from Vienna to Graz: how long, how fast', ['A train takes 2 h 35 min for 211 km. How fast is it on average?', 'About **81.7 km/h**: 211 km in 2.583 hours.'], { updated: START - DAY * 3, folder: 'Travel' }),
  chat('Pocket money until the summer', ['How much is 4 euros a week until 1 July?', 'That depends on today; in 30 weeks it is 120 euros.'], { updated: START - DAY * 40 }),
];
