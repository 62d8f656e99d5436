// The list of conversations: search, folders, and what can be done to a conversation as a whole.

import { signal } from '@preact/signals';
import { call, request } from './api.js';
import { say, tried } from './notice.js';
import { saveBlob } from './clipboard.js';

export const conversations = signal([]);
export const folders = signal([]);
export const query = signal('');
/** False until the first answer, so that an empty list is not shown as "nothing here" while it loads. */
export const listed = signal(false);
/** Ids that were deleted but can still be had back. */
const leaving = new Map();

let asked = 0;
let timer = 0;

export async function refreshList() {
  const mine = ++asked;
  const words = query.peek().trim();
  const found = await tried(() => call('GET', `conversations${words ? `?q=${encodeURIComponent(words)}` : ''}`));
  // A slow answer to an older search must not replace a newer one.
  if (!found || mine !== asked) return;
  conversations.value = found.conversations.filter(({ id }) => !leaving.has(id));
  folders.value = found.folders ?? [];
  listed.value = true;
}

export function search(words) {
  query.value = words;
  clearTimeout(timer);
  timer = setTimeout(refreshList, words ? 160 : 0);
}

export async function change(id, fields) {
  const changed = await tried(() => call('PATCH', `conversations/${id}`, fields));
  if (changed) await refreshList();
  return changed;
}

/** Gone from the list at once, from the server when the time to undo is over. */
export function remove(conversation, whenGone) {
  const { id, title } = conversation;
  const seconds = 7;
  const timer = setTimeout(() => deleteNow(id), seconds * 1000);
  leaving.set(id, timer);
  conversations.value = conversations.value.filter((other) => other.id !== id);
  whenGone?.();
  const undo = () => {
    clearTimeout(timer);
    leaving.delete(id);
    refreshList();
  };
  say(`“${title || 'Untitled'}” was deleted.`, { seconds, action: { name: 'Undo', run: undo } });
}

async function deleteNow(id, keepalive = false) {
  clearTimeout(leaving.get(id));
  await tried(() => call('DELETE', `conversations/${id}`, undefined, { keepalive }));
  leaving.delete(id);
}

// Who closes the page within the seconds of "Undo" meant to delete.
addEventListener('pagehide', () => [...leaving.keys()].forEach((id) => deleteNow(id, true)));

export async function exportConversation({ id, title }) {
  const response = await tried(() => request('GET', `conversations/${id}/export`));
  if (response) saveBlob(await response.blob(), `${fileName(title || 'conversation')}.reckon.json`);
}

/** Takes the text of an exported file; the new conversation, or undefined after having said what is wrong. */
export async function importConversation(file) {
  return tried(async () => {
    let data;
    try {
      data = JSON.parse(await file.text());
    } catch {
      throw new Error(`${file.name} is not an exported conversation.`);
    }
    if (!data?.reckon) throw new Error(`${file.name} is not an exported conversation.`);
    const conversation = await call('POST', 'import', data);
    await refreshList();
    return conversation;
  });
}

export function fileName(text) {
  const plain = text.normalize('NFKD').replace(/[^\w\s-]/g, '').trim().replace(/\s+/g, '-').toLowerCase();
  return plain.slice(0, 48).replace(/-+$/, '') || 'reckon';
}

/** "Today", "Yesterday", "This week", or a month, for the headings of the list. */
export function dayOf(ms, now = Date.now()) {
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  const days = Math.ceil((start.getTime() - ms) / 86_400_000);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days < 7) return 'This week';
  return new Date(ms).toLocaleDateString(undefined, { month: 'long', year: 'numeric' });
}
