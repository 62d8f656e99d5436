// How an event changes an answer. A pure function: the old message and an event make the new message.
//
// `live` holds what only matters while the answer is made (place in the queue, how far the prompt is read, which check
// runs) and what the page saw happen (`was`: the number that a revision replaced).

export const RUNNING = new Set(['waiting', 'writing']);

export function applied(message, kind, data) {
  const live = message.live ?? {};
  switch (kind) {
    case 'queued':
      return { ...message, state: 'waiting', live: { ...live, queue: data } };
    case 'prefill':
      return { ...message, state: 'waiting', live: { ...live, queue: null, prefill: data } };
    case 'thought':
      return { ...message, state: 'writing', thought: (message.thought ?? '') + (data.text ?? ''), live: writing(live) };
    case 'text':
      return { ...message, state: 'writing', content: message.content + (data.text ?? ''), live: writing(live) };
    case 'checking':
      return { ...message, state: 'writing', live: { ...writing(live), checking: data.guard ?? 'answer' } };
    case 'revise': {
      const was = data.was ?? live.was ?? null;
      const revised = (live.revised ?? 0) + 1;
      return { ...message, state: 'writing', content: data.text ?? '', live: { ...writing(live), was, revised } };
    }
    case 'done':
      return { ...message, ...data.message, live: { was: live.was, revised: live.revised } };
    case 'failed':
      return { ...message, state: 'failed', error: data.error ?? 'The answer failed.', live: {} };
    default:
      // A newer server may know more kinds.
      return message;
  }
}

function writing(live) {
  return { was: live.was, revised: live.revised };
}

/** Before the events of an answer are read from the first one on: they bring all of the text again. */
export function emptied(message) {
  return { ...message, content: '', thought: '', error: null, live: {} };
}

/** "3rd in line, about 2 min", "reading 312 of 1,024 tokens"; null when nothing is known to wait for. */
export function waitingFor(message) {
  const { queue, prefill, checking } = message.live ?? {};
  if (checking) return `checking ${checkedThing(checking)}…`;
  if (message.state === 'writing') return null;
  if (prefill?.total) return `reading ${number(prefill.done)} of ${number(prefill.total)} tokens`;
  if (queue?.place > 0) return `${ordinal(queue.place)} in line${queue.eta ? `, about ${duration(queue.eta)}` : ''}`;
  return 'starting…';
}

const THINGS = { arithmetic: 'the arithmetic', counting: 'the count', logic: 'the logic', constraints: 'what was asked for' };

function checkedThing(guard) {
  return THINGS[guard] ?? `the ${guard}`;
}

export function number(n) {
  return Number(n).toLocaleString('en');
}

export function ordinal(n) {
  const tens = n % 100;
  const suffix = tens > 10 && tens < 14 ? 'th' : ['th', 'st', 'nd', 'rd'][n % 10] ?? 'th';
  return `${n}${suffix}`;
}

/** Seconds as people say them. */
export function duration(seconds) {
  if (seconds < 1) return '1 s';
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
