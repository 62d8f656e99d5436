// Short messages at the lower edge that go away by themselves, and the line that screen readers speak.

import { signal } from '@preact/signals';

export const notices = signal([]);
/** Spoken politely; changes once for an answer, never for a token. */
export const spoken = signal('');

let count = 0;

/** `action` is `{name, run}`; `seconds` how long it stays. Returns a function that takes it away. */
export function say(text, { action = null, seconds = 6, kind = 'info' } = {}) {
  const id = ++count;
  const close = () => (notices.value = notices.value.filter((notice) => notice.id !== id));
  notices.value = [...notices.value.slice(-2), { id, text, action, kind, close }];
  setTimeout(close, seconds * 1000);
  return close;
}

/** Runs something that may fail, and says so to the person if it does. */
export async function tried(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name !== 'AbortError') say(error.message, { kind: 'problem', seconds: 9 });
    return undefined;
  }
}
