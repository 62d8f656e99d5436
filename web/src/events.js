// Reads the events of one answer, and does not give up: after a lost connection it asks for the rest.
//
// Every event has a number; `after` names the last one seen, so nothing is lost and nothing comes twice. The server sends
// a comment every 10 s: silence for longer means a dead connection, which a sleeping phone does not report by itself.

import { request } from './api.js';
import { eventParser } from './stream.js';

const SILENCE = 25_000;
/** After sleep a connection is not trusted for as long. */
const STALE = 12_000;
const LONGEST_WAIT = 15_000;
/** How long the stream may stay open behind its last event, until we hang up. */
const LINGER = 1_000;

/**
 * Follows the answer `id`. `on.event(kind, data, number)` for each event, `on.link(connected)` when the connection comes
 * or goes, `on.gone(error)` if the server does not have the answer. Returns a function that ends it.
 */
export function follow(id, after, on) {
  const own = { id, after, on, closed: false, ended: false, heard: Date.now(), attempt: 0, abort: null, wake: null };
  const hurry = () => {
    if (document.hidden) return;
    if (own.wake) own.wake();
    else if (Date.now() - own.heard > STALE) own.abort?.abort();
  };
  const watch = setInterval(() => Date.now() - own.heard > SILENCE && own.abort?.abort(), 5_000);
  addEventListener('online', hurry);
  document.addEventListener('visibilitychange', hurry);
  const close = () => {
    own.closed = true;
    own.abort?.abort();
    own.wake?.();
    clearInterval(watch);
    removeEventListener('online', hurry);
    document.removeEventListener('visibilitychange', hurry);
  };
  keepReading(own).finally(close);
  return close;
}

async function keepReading(own) {
  while (!own.closed) {
    try {
      await readOnce(own);
    } catch (error) {
      if (own.closed) return;
      if (error.status >= 400 && error.status < 500) return own.on.gone(error);
    }
    if (own.ended || own.closed) return;
    own.on.link(false);
    await pause(own);
  }
}

async function readOnce(own) {
  own.abort = new AbortController();
  own.heard = Date.now();
  const path = `messages/${own.id}/events?after=${own.after}`;
  const response = await request('GET', path, { signal: own.abort.signal });
  own.on.link(true);
  const reader = response.body.getReader();
  const parser = eventParser((event) => take(own, event));
  const text = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    own.heard = Date.now();
    parser(text.decode(value, { stream: true }));
  }
}

function take(own, { id, event, data }) {
  const number = Number(id);
  if (number) {
    if (number <= own.after) return;
    own.after = number;
  }
  own.attempt = 0;
  // An answer that was continued may carry the "done" of its first part in the middle.
  own.ended = event === 'done' || event === 'failed';
  clearTimeout(own.linger);
  if (own.ended) own.linger = setTimeout(() => own.abort?.abort(), LINGER);
  own.on.event(event, data, number);
}

/** Waits longer each time, but not once the network or the person is back. */
function pause(own) {
  const wait = Math.min(LONGEST_WAIT, 300 * 2 ** own.attempt++) * (0.75 + Math.random() / 2);
  return new Promise((resolve) => {
    const timer = setTimeout(() => own.wake?.(), wait);
    own.wake = () => {
      clearTimeout(timer);
      own.wake = null;
      resolve();
    };
  });
}
