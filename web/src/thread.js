// The conversation on the screen: its messages, the path through them, and the answers that are being made.
//
// Answers are jobs of the server; the page only watches. Each message is a signal of its own, so that a token redraws one
// answer and not the conversation.

import { computed, signal } from '@preact/signals';
import { RUNNING, applied, emptied } from './answer.js';
import { partsOf } from './attachment.js';
import { call } from './api.js';
import { finished } from './announcement.js';
import { follow } from './events.js';
import { refreshList } from './library.js';
import { keep, kept } from './memory.js';
import { say, tried } from './notice.js';
import { refreshServer, untilReachable } from './server.js';
import { model, options } from './settings.js';
import { choicesTo, pathThrough } from './tree.js';

/** The conversation without its messages; null is a new one. */
export const current = signal(null);
/** Why the conversation could not be opened. */
export const trouble = signal(null);
const nodes = signal([]);
const chosen = signal(new Map());
export const path = computed(() => pathThrough(nodes.value, chosen.value));
/** A question on its way to the server; its `late` is a signal: it did not get through at once. */
export const outgoing = signal(null);
/** Whether the events of some answer are out of reach at the moment. */
export const reconnecting = signal(false);
/** Conversations with an answer in the making. */
export const busy = signal(new Set());
/** System text and folder that a new conversation will get. */
export const fresh = signal({ system: '', folder: null });

const messages = new Map();
/** Open streams by answer, in the order in which they were opened. */
const streams = new Map();
/** Number of the last event seen, while the text we hold is exactly what those events made. */
const seen = new Map();
/** Streams behind their last event; see LINGER in events.js. */
const lingering = new Map();
/** A browser allows six connections to a server; the calls need some too. */
const MOST_STREAMS = 3;

export function messageOf(id) {
  if (!messages.has(id)) messages.set(id, signal(null));
  return messages.get(id);
}

/** The answer in the making on the path, if there is one. */
export const running = computed(() => {
  const last = path.value.at(-1);
  const message = last && messageOf(last.id).value;
  return message && RUNNING.has(message.state) ? message : null;
});

// ---- opening

let opening = 0;

export function startNew(folder = null) {
  opening++;
  current.value = null;
  trouble.value = null;
  nodes.value = [];
  chosen.value = new Map();
  fresh.value = { system: '', folder };
}

export async function open(id) {
  const mine = ++opening;
  trouble.value = null;
  if (current.peek()?.id !== id) {
    nodes.value = [];
    chosen.value = new Map(kept(`path.${id}`, []));
    current.value = { id, title: '', loading: true };
  }
  for (let attempt = 0; mine === opening; attempt++) {
    try {
      const whole = await call('GET', `conversations/${id}`);
      if (mine === opening) show(whole);
      return;
    } catch (error) {
      if (mine !== opening) return;
      trouble.value = error.status === 404 ? 'This conversation does not exist any more.' : error.message;
      if (error.status) return;
      await untilReachable(Math.min(15_000, 1_000 * 2 ** attempt));
    }
  }
}

function show({ messages: all = [], ...conversation }) {
  current.value = conversation;
  trouble.value = null;
  for (const message of all) {
    // What a stream has brought is newer than what was asked for a moment ago.
    if (!streams.has(message.id)) hold(message);
  }
  nodes.value = all.map(({ id, parent, created }) => ({ id, parent, created }));
  for (const { id } of path.peek()) if (RUNNING.has(messageOf(id).peek().state)) watch(id);
}

function hold(message) {
  const own = messageOf(message.id);
  seen.delete(message.id);
  own.value = { ...message, live: own.peek()?.live };
}

function add(...made) {
  const have = new Set(nodes.peek().map(({ id }) => id));
  for (const message of made) if (!streams.has(message.id)) hold(message);
  const more = made.filter(({ id }) => !have.has(id)).map(({ id, parent, created }) => ({ id, parent, created }));
  nodes.value = [...nodes.peek(), ...more];
  choose(made.at(-1).id);
}

/** Makes the path lead to this message. */
export function choose(id) {
  const next = new Map([...chosen.peek(), ...choicesTo(nodes.peek(), id)]);
  chosen.value = next;
  if (current.peek()?.id) keep(`path.${current.peek().id}`, branchesOf(next));
  for (const step of path.peek()) if (RUNNING.has(messageOf(step.id).peek()?.state)) watch(step.id);
}

/** Only choices between siblings are worth remembering. */
function branchesOf(choices) {
  const counts = new Map();
  for (const { parent } of nodes.peek()) counts.set(parent ?? null, (counts.get(parent ?? null) ?? 0) + 1);
  const made = [...choices].filter(([parent]) => counts.get(parent) > 1);
  return made.length ? made : null;
}

// ---- asking

/** Asks in the current conversation. `parent` is given where an earlier question is edited. */
export async function ask(content, parent = path.peek().at(-1)?.id ?? null) {
  const job = { conversation: current.peek(), parent, content, late: signal(false), cancelled: false };
  outgoing.value = job;
  try {
    job.conversation ??= await create(job);
    if (!job.conversation) return false;
    const made = await post(job);
    if (!made) return false;
    outgoing.value = null;
    if (current.peek()?.id === job.conversation.id) {
      add(made.question, made.answer);
      watch(made.answer.id);
    }
    refreshList();
    return true;
  } catch (error) {
    outgoing.value = null;
    say(error.message, { kind: 'problem', seconds: 9 });
    return false;
  }
}

/** Gives up on a question that has not reached the server. */
export function takeBack() {
  const job = outgoing.peek();
  if (!job) return '';
  job.cancelled = true;
  outgoing.value = null;
  return job.content;
}

async function create(job) {
  const { system, folder } = fresh.peek();
  const body = { title: titleOf(job.content) };
  if (system) body.system = system;
  if (folder) body.folder = folder;
  const conversation = await stubborn(job, () => call('POST', 'conversations', body));
  if (!conversation) return null;
  opening++;
  current.value = conversation;
  // Not `location.hash = …`: that would open it, and there is nothing to fetch.
  history.pushState(null, '', `#c/${conversation.id}`);
  return conversation;
}

function post(job) {
  const { parent, content, conversation } = job;
  const body = { parent, content, options: options() };
  if (model.peek()) body.model = model.peek();
  const since = Date.now();
  const send = async (attempt) => {
    // The server may have had the question although its reply was lost: asking twice would double it.
    const landed = attempt && (await arrived(job, since));
    return landed || call('POST', `conversations/${conversation.id}/messages`, body);
  };
  return stubborn(job, send);
}

async function arrived({ conversation, parent, content }, since) {
  const known = new Set(nodes.peek().map(({ id }) => id));
  const { messages: all } = await call('GET', `conversations/${conversation.id}`);
  // Clocks of two machines differ; what we have not seen before and says the same is ours.
  const mine = (message) => message.role === 'user' && !known.has(message.id) && message.parent === parent;
  const question = all.find((message) => mine(message) && message.content === content);
  const answer = question && all.find((message) => message.parent === question.id);
  return answer ? { question, answer } : null;
}

/** Tries until the server is reached; null if the person took it back meanwhile. */
async function stubborn(job, work) {
  for (let attempt = 0; !job.cancelled; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (error.status !== 0) throw error;
      job.late.value = true;
      await untilReachable(Math.min(15_000, 1_000 * 2 ** attempt));
    }
  }
  return null;
}

function titleOf(content) {
  const said = partsOf(content);
  const line = said.find((part) => !part.name)?.text.split('\n')[0] || said[0]?.name || 'New conversation';
  return line.length > 70 ? `${line.slice(0, 67).replace(/\s+\S*$/, '')}…` : line;
}

export async function retry(id) {
  const made = await tried(() => call('POST', `messages/${id}/retry`, { options: options() }));
  if (!made) return;
  add(made);
  watch(made.id);
}

export async function resume(id) {
  const own = messageOf(id);
  const made = await tried(() => call('POST', `messages/${id}/continue`));
  if (!made) return;
  own.value = { ...own.peek(), state: made.state ?? 'waiting', error: null, live: {} };
  watch(id);
}

export async function stop(id) {
  const own = messageOf(id);
  own.value = { ...own.peek(), live: { ...own.peek().live, stopping: true } };
  const pending = arriving.get(id);
  if (pending) pending.live = { ...pending.live, stopping: true };
  await tried(() => call('POST', `messages/${id}/stop`));
}

// ---- watching

const arriving = new Map();
const timers = new Map();

function watch(id) {
  if (streams.has(id)) return;
  lingering.get(id)?.();
  lingering.delete(id);
  const own = messageOf(id);
  if (!seen.has(id)) own.value = emptied(own.peek());
  const close = follow(id, seen.get(id) ?? 0, {
    event: (kind, data, number) => receive(id, kind, data, number),
    link: (up) => linked(id, up),
    gone: (error) => receive(id, 'failed', { error: error.message }),
  });
  streams.set(id, { close, conversation: own.peek().conversation, up: true });
  const [oldest] = streams.keys();
  if (streams.size > MOST_STREAMS) unwatch(oldest);
  noteBusy();
}

/** The answer goes on at the server; it is read from the start when it is looked at again. */
function unwatch(id) {
  streams.get(id)?.close();
  streams.delete(id);
  seen.delete(id);
  noteBusy();
}

function receive(id, kind, data, number) {
  const before = arriving.get(id) ?? messageOf(id).peek();
  const next = applied(before, kind, data);
  arriving.set(id, next);
  if (number) seen.set(id, number);
  if (kind === 'done' || kind === 'failed') return end(id, next);
  if (timers.has(id)) return;
  // Long texts take longer to draw; the pace leaves most of the time to the person's own doing.
  const size = next.content.length + (next.thought?.length ?? 0);
  timers.set(id, setTimeout(() => draw(id), size > 20_000 ? 250 : size > 6_000 ? 120 : 50));
}

function draw(id) {
  clearTimeout(timers.get(id));
  timers.delete(id);
  if (arriving.has(id)) messageOf(id).value = arriving.get(id);
  arriving.delete(id);
}

function end(id, message) {
  draw(id);
  const stream = streams.get(id);
  if (stream) lingering.set(id, stream.close);
  streams.delete(id);
  noteBusy();
  noteLinks();
  if (message.conversation) finished(message, current.peek()?.id === message.conversation);
  if (stream) refreshList();
  refreshServer();
}

function linked(id, up) {
  const stream = streams.get(id);
  if (stream) stream.up = up;
  noteLinks();
}

function noteLinks() {
  reconnecting.value = [...streams.values()].some(({ up }) => !up);
}

function noteBusy() {
  busy.value = new Set([...streams.values()].map(({ conversation }) => conversation));
}
