// What the person chose, remembered in this browser.

import { effect, signal } from '@preact/signals';
import { keep, kept } from './memory.js';

function remembered(name, otherwise) {
  const value = signal(kept(name, otherwise));
  effect(() => keep(name, value.value));
  return value;
}

/** Name of the model; null is the server's default. */
export const model = remembered('model', null);
/** How much is checked: one of CHECKS; null is the server's default. */
export const check = remembered('check', null);
/** The model's own text, no guard touches it. */
export const raw = remembered('raw', false);
/** "light", "dark", or null: as the system has it. */
export const theme = remembered('theme', null);
/** Whether finished answers are announced while the page is hidden. */
export const notify = remembered('notify', false);
/** Whether the question about it was answered, either way. */
export const notifyAsked = remembered('notifyAsked', false);
/** Names of folders that are shut in the list. */
export const shutFolders = remembered('shutFolders', []);

export const CHECKS = [
  { level: null, name: 'Default', about: 'as the server was started' },
  { level: 'off', name: 'Off', about: 'nothing is checked or marked' },
  { level: 'direct', name: 'Direct', about: 'exact tools only; costs almost nothing' },
  { level: 'quick', name: 'Quick', about: 'one more look where a number needs it' },
  { level: 'full', name: 'Full', about: 'several independent computations; slowest' },
];

/** For the body of a question or a retry. */
export function options() {
  const chosen = {};
  if (check.value) chosen.check = check.value;
  if (raw.value) chosen.raw = true;
  return chosen;
}

effect(() => {
  const root = document.documentElement;
  if (theme.value) root.dataset.theme = theme.value;
  else delete root.dataset.theme;
});
