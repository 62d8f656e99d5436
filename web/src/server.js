// What the server says about itself: its models, what it is loading, how busy it is.

import { effect, signal } from '@preact/signals';
import { call, reachable } from './api.js';

/** Answer of /reckon/state; null until the first one. */
export const server = signal(null);

/** The model of this name as the server describes it; without a name its default. */
export function modelNamed(name) {
  const wanted = name ?? server.peek()?.model;
  return server.peek()?.models?.find((one) => one.name === wanted) ?? null;
}

const OFTEN = 1_000;
const SELDOM = 20_000;
let timer = 0;
let asking = false;

export async function refreshServer() {
  if (asking) return;
  asking = true;
  clearTimeout(timer);
  try {
    server.value = await call('GET', 'state');
  } catch {
    // `reachable` says it; the page stays usable.
  }
  asking = false;
  // A model that loads has a progress bar to move; otherwise there is little to see.
  const often = server.value?.loading || !reachable.value;
  timer = setTimeout(refreshServer, often ? OFTEN * (reachable.value ? 1 : 3) : SELDOM);
}

export function startServer() {
  refreshServer();
  const back = () => document.hidden || refreshServer();
  addEventListener('online', back);
  document.addEventListener('visibilitychange', back);
  // A call elsewhere found the server gone: look again soon rather than at the next turn.
  effect(() => reachable.value || setTimeout(refreshServer, OFTEN));
}

/** Resolves when the server answers again, or after `most` milliseconds. */
export function untilReachable(most) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timeout);
      stop();
      resolve();
    };
    const timeout = setTimeout(done, most);
    const stop = reachable.subscribe((is) => is && queueMicrotask(done));
  });
}
