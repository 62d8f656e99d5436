// A server with the API of Reckon and no model: answers come from `scripts.mjs`. For the tests of the page, and for working
// on it: `node test/mock.mjs` and open the address that it prints.
//
// Answers are jobs here too: they run whether or not anybody reads their events, and events are kept for replay.

import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CSP } from './policy.mjs';
import { scriptFor } from './scripts.mjs';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../dist');
const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml',
  '.png': 'image/png', '.webmanifest': 'application/manifest+json', '.txt': 'text/plain; charset=utf-8',
};

export async function start({ port = 0, key = null } = {}) {
  const world = { conversations: new Map(), messages: new Map(), jobs: new Map(), next: 1, key, loading: null, down: false, log: [], run: null };
  const server = createServer((request, response) => {
    handle(world, request, response).catch((error) => fail(response, error.status ?? 500, error.message));
  });
  server.on('connection', (socket) => {
    // "Down" is a server that takes connections and drops them, as a restart or a lost network does.
    if (world.down) socket.destroy();
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  const drop = () => server.closeAllConnections();
  return { base, world, drop, close: () => (drop(), new Promise((resolve) => server.close(resolve))) };
}

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function handle(world, request, response) {
  const url = new URL(request.url, 'http://mock');
  world.log.push(`${request.method} ${url.pathname}${url.search}`);
  if (!url.pathname.startsWith('/reckon/')) return file(url.pathname, response);
  if (world.key && request.headers.authorization !== `Bearer ${world.key}`) throw new Refused(401, 'This server needs a key.');
  const path = url.pathname.slice('/reckon/'.length).split('/').map(decodeURIComponent);
  const body = request.method === 'GET' || path[0] === 'attachments' ? null : await json(request);
  const route = ROUTES.find(({ method, shape }) => method === request.method && matches(shape, path));
  if (!route) throw new Refused(404, 'There is nothing here.');
  return route.run({ world, path, body, url, request, response });
}

const matches = (shape, path) => shape.length === path.length && shape.every((part, i) => part === '*' || part === path[i]);

const ROUTES = [
  route('GET state', ({ world, response }) => send(response, 200, state(world))),
  route('GET conversations', ({ world, url, response }) => send(response, 200, listed(world, url.searchParams))),
  route('POST conversations', ({ world, body, response }) => send(response, 201, about(made(world, body)))),
  route('GET conversations/*', ({ world, path, response }) => send(response, 200, whole(world, conversation(world, path[1])))),
  route('PATCH conversations/*', ({ world, path, body, response }) => {
    const found = conversation(world, path[1]);
    for (const field of ['title', 'folder', 'system']) if (field in body) found[field] = body[field];
    send(response, 200, about(found));
  }),
  route('DELETE conversations/*', ({ world, path, response }) => {
    conversation(world, path[1]);
    world.conversations.delete(path[1]);
    response.writeHead(204).end();
  }),
  route('GET conversations/*/export', ({ world, path, response }) => send(response, 200, { reckon: 1, conversation: whole(world, conversation(world, path[1])) })),
  route('POST import', ({ world, body, response }) => send(response, 201, about(imported(world, body.conversation)))),
  route('POST conversations/*/messages', ({ world, path, body, response }) => {
    const home = conversation(world, path[1]);
    const question = message(world, home, { parent: body.parent ?? null, role: 'user', content: body.content });
    const answer = message(world, home, { parent: question.id, role: 'assistant', state: 'waiting', model: body.model ?? 'mock-1b' });
    begin(world, answer, question.content, body.options ?? {});
    send(response, 202, { question, answer });
  }),
  route('POST messages/*/retry', ({ world, path, body, response }) => {
    const old = found(world, path[1]);
    const answer = message(world, conversation(world, old.conversation), { parent: old.parent, role: 'assistant', state: 'waiting', model: old.model });
    begin(world, answer, world.messages.get(old.parent).content, body?.options ?? {});
    send(response, 202, answer);
  }),
  route('POST messages/*/continue', ({ world, path, response }) => {
    const answer = found(world, path[1]);
    answer.state = 'waiting';
    resume(world, answer);
    send(response, 202, answer);
  }),
  route('POST messages/*/stop', ({ world, path, response }) => {
    const job = world.jobs.get(path[1]);
    if (job) job.stopped = true;
    send(response, 202, {});
  }),
  route('GET messages/*', ({ world, path, response }) => send(response, 200, found(world, path[1]))),
  route('GET messages/*/events', ({ world, path, url, response }) => events(world, found(world, path[1]), Number(url.searchParams.get('after') ?? 0), response)),
  route('POST messages/*/replay', ({ world, path, response }) => {
    const same = !found(world, path[1]).content.includes('other bytes');
    const [then, now] = ['a1'.repeat(32), (same ? 'a1' : 'b2').repeat(32)];
    setTimeout(() => send(response, 200, { same, sha256: { then, now } }), 150);
  }),
  route('POST attachments', async ({ world, url, request, response }) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    const name = url.searchParams.get('name');
    if (name.includes('broken')) throw new Refused(400, `${name} is not a kind of file that is read`);
    const id = `file-${String((world.files ??= new Map()).size).padStart(24, '0')}`;
    world.files.set(id, { bytes, type: name.endsWith('.png') ? 'image/png' : 'application/octet-stream' });
    send(response, 201, { id, name, bytes: bytes.length, family: 'document' });
  }),
  route('GET attachments/*', ({ world, path, response }) => {
    const file = world.files?.get(path[1]);
    if (!file) throw new Refused(404, 'There is no such file.');
    response.writeHead(200, { 'Content-Type': file.type }).end(file.bytes);
  }),
  route('POST run', ({ world, body, response }) => send(response, 200, world.run?.(body) ?? ran(body.code))),
];

function route(what, run) {
  const [method, path] = what.split(' ');
  return { method, shape: path.split('/'), run };
}

// ---- conversations

function state(world) {
  const models = [{ name: 'mock-1b', loaded: !world.loading, size: 1_117_320_736, context: 32768, sees: !world.blind, hears: !world.blind }, { name: 'mock-3b', loaded: false, size: 2_900_000_000, context: null }];
  const running = [...world.jobs.values()].filter(({ ended }) => !ended).length;
  return { version: '0.1.0', models, model: 'mock-1b', loading: world.loading, queue: { running, waiting: 0 }, speed: { prefill: 210, decode: 18.2 }, offline: false };
}

function made(world, { title = '', folder = null, system = null } = {}) {
  const now = Date.now();
  const id = `c${(world.homes = (world.homes ?? 0) + 1)}`;
  const home = { id, title, folder, system, created: now, updated: now };
  world.conversations.set(id, home);
  return home;
}

const about = ({ id, title, folder, system, created, updated }) => ({ id, title, folder, system, created, updated });
const within = (world, id) => [...world.messages.values()].filter((message) => message.conversation === id);
const whole = (world, home) => ({ ...about(home), messages: within(world, home.id) });

function conversation(world, id) {
  const home = world.conversations.get(id);
  if (!home) throw new Refused(404, 'There is no such conversation.');
  return home;
}

function found(world, id) {
  const message = world.messages.get(id);
  if (!message) throw new Refused(404, 'There is no such message.');
  return message;
}

function message(world, home, fields) {
  const id = `m${world.next++}`;
  const empty = { content: '', thought: '', state: 'done', error: null, model: null, mark: null, receipt: null, stats: null };
  const made = { id, conversation: home.id, ...empty, ...fields, created: Date.now() };
  world.messages.set(id, made);
  home.updated = Date.now();
  return made;
}

function imported(world, given) {
  const home = made(world, given);
  home.updated = given.updated ?? home.updated;
  const ids = new Map();
  for (const old of given.messages ?? []) {
    const { id: _, conversation: __, parent, ...rest } = old;
    const copy = message(world, home, { ...rest, parent: ids.get(parent) ?? null });
    ids.set(old.id, copy.id);
  }
  home.updated = given.updated ?? home.updated;
  return home;
}

function listed(world, query) {
  const words = (query.get('q') ?? '').trim().toLowerCase();
  const folder = query.get('folder');
  const all = [...world.conversations.values()].filter((home) => !folder || home.folder === folder).sort((a, b) => b.updated - a.updated);
  const folders = [...new Set([...world.conversations.values()].map((home) => home.folder).filter(Boolean))].sort();
  const conversations = all.map((home) => ({ id: home.id, title: home.title, folder: home.folder, updated: home.updated, snippet: words ? snippet(world, home, words) : null }));
  return { conversations: words ? conversations.filter(({ snippet }) => snippet) : conversations, folders };
}

function snippet(world, home, words) {
  for (const text of [home.title, ...within(world, home.id).map(({ content }) => content)]) {
    const at = text.toLowerCase().indexOf(words);
    if (at >= 0) return `${text.slice(Math.max(0, at - 30), at)}\u0001${text.slice(at, at + words.length)}\u0002${text.slice(at + words.length, at + 90)}`;
  }
  return null;
}

// ---- answers

function begin(world, answer, question, options) {
  const job = { answer, events: [], readers: new Set(), ended: false, stopped: false, script: scriptFor(question, options), at: 0, world };
  world.jobs.set(answer.id, job);
  work(job);
}

function resume(world, answer) {
  const job = world.jobs.get(answer.id) ?? { answer, events: [], readers: new Set(), script: [], at: 0, world };
  // The "done" of the first part is not replayed: events end with the answer.
  job.events = job.events.filter(({ kind }) => kind !== 'done' && kind !== 'failed');
  Object.assign(job, { ended: false, stopped: false, script: [...(job.rest ?? []), ...scriptFor('continued', {})] });
  world.jobs.set(answer.id, job);
  work(job);
}

async function work(job) {
  const { answer } = job;
  for (const [i, step] of job.script.entries()) {
    await new Promise((resolve) => setTimeout(resolve, step.wait ?? 12));
    while (job.world.loading) await new Promise((resolve) => setTimeout(resolve, 50));
    if (job.stopped) {
      job.rest = job.script.slice(i).filter(({ kind }) => kind === 'text');
      return end(job, 'stopped');
    }
    if (step.kind === 'drop') job.readers.forEach((reader) => reader.destroy());
    else if (step.kind === 'failed') return emit(job, 'failed', Object.assign(answer, { state: 'failed', error: step.data.error }) && step.data);
    else if (step.kind === 'end') return end(job, step.state ?? 'done', step.fields);
    else {
      if (step.kind === 'text') answer.content += step.data.text;
      if (step.kind === 'thought') answer.thought += step.data.text;
      if (step.kind === 'revise') answer.content = step.data.text;
      if (step.kind === 'text' || step.kind === 'thought') answer.state = 'writing';
      emit(job, step.kind, step.data);
    }
  }
  return end(job, 'done');
}

function end(job, state, fields = {}) {
  const stats = { prompt: 1024, completion: job.events.filter(({ kind }) => kind === 'text').length, decode_tps: 18.23, prefill_tps: 212.4, seconds: 8.1 };
  Object.assign(job.answer, { state, stats, ...fields });
  emit(job, 'done', { message: job.answer });
}

function emit(job, kind, data) {
  job.count = (job.count ?? 0) + 1;
  const event = { number: job.count, kind, data: JSON.stringify(data) };
  job.events.push(event);
  job.ended = kind === 'done' || kind === 'failed';
  for (const reader of job.readers) write(reader, event, job);
}

function write(response, { number, kind, data }, job) {
  response.write(`id: ${number}\nevent: ${kind}\ndata: ${data}\n\n`);
  if (kind === 'done' || kind === 'failed') job.readers.delete(response), response.end();
}

function events(world, answer, after, response) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(': ping\n\n');
  const job = world.jobs.get(answer.id) ?? { events: [{ number: 1, kind: 'text', data: JSON.stringify({ text: answer.content }) }, { number: 2, kind: 'done', data: JSON.stringify({ message: answer }) }], readers: new Set() };
  job.readers.add(response);
  response.on('close', () => job.readers.delete(response));
  for (const event of job.events) if (event.number > after) write(response, event, job);
}

/** Not Python: enough of it for the tests. */
function ran(code) {
  if (code.includes('raise')) return { ok: false, value: null, stdout: '', error: 'ValueError: on purpose (line 1)', ms: 3 };
  const printed = [...code.matchAll(/^print\((["']?)(.*?)\1\)$/gm)].map((found) => found[2]);
  return { ok: true, value: null, stdout: printed.length ? `${printed.join('\n')}\n` : '', error: null, ms: 12 };
}

// ---- plumbing

function file(path, response) {
  const name = join(dist, path === '/' ? 'index.html' : path);
  const headers = { 'Content-Security-Policy': CSP, 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-cache' };
  if (!name.startsWith(dist) || !existsSync(name) || !statSync(name).isFile()) return fail(response, 404, 'There is no such file.');
  response.writeHead(200, { ...headers, 'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream' });
  return createReadStream(name).pipe(response);
}

async function json(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return text ? JSON.parse(text) : null;
}

function send(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function fail(response, status, message) {
  if (response.headersSent) return response.destroy();
  return send(response, status, { error: { message, type: status === 401 ? 'authentication_error' : 'invalid_request_error' } });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { base, world } = await start({ port: Number(process.argv[2] ?? 8077) });
  const { fixtures } = await import('./fixtures.mjs');
  for (const fixture of fixtures) imported(world, fixture);
  console.log(base);
}
