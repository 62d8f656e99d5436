// What stands in the question field, kept per conversation: neither a reload nor a look at another one loses it.

import { signal } from '@preact/signals';
import { keep, kept } from '../memory.js';

export const draft = signal('');
/** Files that will be sent along. */
export const files = signal([]);
let place = null;

export function openDraft(conversation) {
  place = `draft.${conversation ?? 'new'}`;
  draft.value = kept(place, '');
  files.value = [];
}

export function write(text) {
  draft.value = text;
  keep(place, text);
}

/** Puts a question back that could not be sent. */
export function restore(text) {
  if (text) write(draft.peek() ? `${text}\n\n${draft.peek()}` : text);
  document.getElementById('composer')?.focus();
}
