// Tells the person that an answer is finished: to screen readers, in the title, and by a notification where allowed.

import { effect } from '@preact/signals';
import { spoken } from './notice.js';
import { notify, notifyAsked } from './settings.js';

/** Browsers offer notifications to secure pages only: https, or this very machine. */
export const canNotify = typeof Notification !== 'undefined' && window.isSecureContext;

export async function allowNotifications() {
  notifyAsked.value = true;
  notify.value = (await Notification.requestPermission()) === 'granted';
  return notify.value;
}

const ENDS = { stopped: 'Answer stopped.', failed: 'The answer failed.', cut: 'The answer was cut at its limit.' };

export function finished(message, visible) {
  const end = ENDS[message.state] ?? 'Answer finished.';
  const mark = message.mark && message.mark.state !== 'none' ? ` ${message.mark.state}: ${message.mark.text ?? ''}` : '';
  if (visible) spoken.value = `${end}${mark}`;
  if (!document.hidden) return;
  document.title = `● ${title}`;
  if (!canNotify || !notify.peek() || Notification.permission !== 'granted') return;
  show(end, message);
}

async function show(end, message) {
  const body = `${message.content.replace(/[#*_`>$\\]/g, '').trim().slice(0, 140)}`;
  const details = { body: body || end, icon: 'icon-192.png', tag: message.id, data: message.conversation };
  // Phones only allow notifications that a service worker shows.
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) worker.showNotification(end, details);
  else new Notification(end, details).onclick = () => focus();
}

let title = 'Reckon';

export function setTitle(text) {
  title = text ? `${text} · Reckon` : 'Reckon';
  document.title = title;
}

document.addEventListener('visibilitychange', () => document.hidden || (document.title = title));
// Permission may have been taken back in the browser's settings.
effect(() => canNotify && notify.value && Notification.permission === 'denied' && (notify.value = false));
