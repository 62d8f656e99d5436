// A receipt in plain words. Every field may be missing: receipts of older and newer versions are shown as far as they go.

const ACTS = {
  confirmed: 'confirmed the answer',
  revised: 'replaced the answer',
  flagged: 'asks you to look again',
  kept: 'looked closer and left the answer as it is',
  quiet: 'saw nothing to check',
  silent: 'saw nothing to check',
  skipped: 'did not look',
};
const IDLE = new Set(['quiet', 'silent', 'skipped']);

/** What each guard is for, for people who have never heard of it. */
const ABOUT = {
  arithmetic: 'computes again, with exact numbers',
  counting: 'counts letters and words',
  logic: 'solves the puzzle with a solver',
  constraints: 'holds the answer to what was asked for',
  persona: 'looks whether the answer plays the role it was given',
  qualifier: 'looks whether a condition of the question was dropped',
  correction: 'looks whether the answer takes itself back',
};

export function guardsOf(receipt) {
  const guards = (receipt?.guards ?? []).map((entry) => ({
    name: entry.guard ?? 'guard',
    about: ABOUT[entry.guard] ?? '',
    outcome: entry.outcome ?? 'quiet',
    act: ACTS[entry.outcome] ?? entry.outcome ?? '',
    idle: IDLE.has(entry.outcome ?? 'quiet'),
    reason: entry.reason ?? '',
    seen: entry.evidence?.text ?? '',
    votes: votesOf(entry.votes ?? []),
    program: programOf(entry.program),
    cost: costOf(entry.spent),
  }));
  return { acted: guards.filter(({ idle }) => !idle), idle: guards.filter(({ idle }) => idle) };
}

function votesOf(votes) {
  return votes.map(({ juror, value, void: nothing }) => ({
    who: juror === 'program' ? 'program' : 'answer',
    value: value ?? null,
    why: nothing ?? '',
  }));
}

function programOf(program) {
  if (!program) return null;
  const outcome = program.outcome ?? program;
  return {
    code: program.text ?? program.code ?? '',
    stdout: outcome.stdout ?? '',
    value: outcome.value ?? null,
    error: outcome.error ?? null,
    ms: outcome.ms ?? null,
  };
}

function costOf(spent) {
  if (!spent?.generations && !spent?.ms) return '';
  const parts = [];
  if (spent.prompt) parts.push(`${spent.prompt.toLocaleString('en')} tokens read`);
  if (spent.completion) parts.push(`${spent.completion.toLocaleString('en')} written`);
  if (spent.ms) parts.push(spent.ms < 1000 ? `${Math.round(spent.ms)} ms` : `${(spent.ms / 1000).toFixed(1)} s`);
  return parts.join(', ');
}

/** What the model itself said; null where that is what was shipped. */
export function draftOf(message) {
  const { receipt } = message;
  const draft = receipt?.raw ?? receipt?.draft ?? null;
  return draft !== null && draft.trim() !== message.content.trim() ? draft : null;
}

/** The value that a corrected answer had before. */
export function wasOf(message) {
  const mark = message.mark ?? {};
  const inner = message.receipt?.mark ?? {};
  if (mark.state !== 'corrected') return null;
  return message.live?.was ?? mark.other ?? inner.other ?? null;
}

/** Rows of the table at the foot: who made the answer and with what. */
export function makingOf(message) {
  const { receipt = {}, stats } = message;
  const { model, sampler, version, isa, kv, system } = receipt ?? {};
  const rows = [];
  const row = (name, value) => value != null && value !== '' && rows.push([name, String(value)]);
  row('Model', message.model ?? model?.name ?? (typeof model === 'string' ? model : null));
  row('File digest', model?.sha256);
  row('Sampling', samplingOf(sampler));
  row('Seed', sampler?.seed ?? receipt?.seed);
  row('Prompt', stats?.prompt != null && `${stats.prompt.toLocaleString('en')} tokens${speed(stats.prefill_tps)}`);
  row('Answer', stats?.completion != null && `${stats.completion.toLocaleString('en')} tokens${speed(stats.decode_tps)}`);
  row('Time', stats?.seconds != null && `${stats.seconds.toFixed(1)} s`);
  row('System text', system);
  row('Program', [version && `reckon ${version}`, isa, kv && `KV cache ${kv}`].filter(Boolean).join(', '));
  return rows.filter(([, value]) => value !== 'false');
}

function speed(tps) {
  return tps ? `, ${tps.toFixed(tps < 10 ? 1 : 0)} a second` : '';
}

function samplingOf(sampler) {
  if (!sampler) return '';
  if (!(sampler.temperature > 0)) return 'greedy: always the likeliest token';
  const parts = [`temperature ${+sampler.temperature.toFixed(3)}`];
  if (sampler.top_k) parts.push(`top-k ${sampler.top_k}`);
  if (sampler.top_p) parts.push(`top-p ${+sampler.top_p.toFixed(3)}`);
  return parts.join(', ');
}

/** Under an answer: "qwen2.5-coder-1.5b · 18 tokens/s · 142 tokens · 8.1 s". */
export function smallPrint({ model, stats }) {
  const parts = [model];
  if (stats?.decode_tps) parts.push(`${stats.decode_tps.toFixed(stats.decode_tps < 10 ? 1 : 0)} tokens/s`);
  if (stats?.completion) parts.push(`${stats.completion.toLocaleString('en')} tokens`);
  if (stats?.seconds) parts.push(`${stats.seconds.toFixed(1)} s`);
  return parts.filter(Boolean).join(' · ');
}

export const MARKS = {
  verified: { word: 'Verified', icon: 'check', about: 'An independent computation came to the same.' },
  corrected: { word: 'Corrected', icon: 'edit', about: 'The number was replaced by the computed one.' },
  doubtful: { word: 'Doubtful', icon: 'doubt', about: 'Computations disagree: look again.' },
  unchecked: { word: 'Unchecked', icon: 'unchecked', about: 'Nothing could check this number.' },
};

/** The line of a mark without the word that the chip already says, and without the old number where `was` shows it. */
export function markLine(mark, was = null) {
  const whole = mark.text ?? mark.why ?? '';
  const said = `the model said ${was}; `;
  const text = was && whole.includes(said) ? whole.replace(said, '') : whole;
  return text.replace(/^(?:✓|✎|\?|!)?\s*(?:verified|corrected|doubtful|unchecked)\s*:\s*/i, '');
}
