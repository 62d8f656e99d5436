// Calls of the server, with the key where one is needed.
//
// A call that is refused for want of a key waits until the person has typed one and is made again, so nothing else in
// the page knows about keys.

import { signal } from '@preact/signals';
import { kept, keep } from './memory.js';

/** Whether the server answered the last call at all. */
export const reachable = signal(true);
/** Set while the person is asked for a key: why. */
export const keyWanted = signal(null);

export class ApiError extends Error {
  /** `status` is 0 where the server was not reached. */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

let waiting = [];

/** Takes the key and lets all calls that wait for it go on. */
export function enterKey(key) {
  keep('key', key);
  keyWanted.value = null;
  const calls = waiting;
  waiting = [];
  for (const resume of calls) resume();
}

/** A response whose status is below 400. */
export async function request(method, path, { body, raw, signal, keepalive } = {}) {
  for (;;) {
    const key = kept('key', '');
    const headers = {};
    if (key) headers.Authorization = `Bearer ${key}`;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    // `raw` is a file, sent as it is.
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    let response;
    try {
      response = await fetch(`/reckon/${path}`, { method, headers, body: sent, signal, keepalive, cache: 'no-store' });
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      reachable.value = false;
      throw new ApiError('Reckon cannot be reached.', 0);
    }
    reachable.value = true;
    if (response.ok) return response;
    const message = await problem(response);
    if (response.status !== 401) throw new ApiError(message, response.status);
    // Another call may have brought a new key while this one was under way.
    if (kept('key', '') !== key) continue;
    keyWanted.value = key ? 'That key was not accepted.' : message;
    await new Promise((resume) => waiting.push(resume));
  }
}

/** The JSON of a response; null where there is none. */
export async function call(method, path, body, options) {
  const response = await request(method, path, { body, ...options });
  return response.status === 204 ? null : response.json();
}

async function problem(response) {
  try {
    const { error } = await response.json();
    if (error?.message) return error.message;
  } catch {
    // Not ours: a proxy in between answered. The status has to do.
  }
  return `The server answered with status ${response.status}.`;
}
