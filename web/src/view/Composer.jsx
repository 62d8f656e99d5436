// Where questions are typed: Enter sends, Shift+Enter makes a line, files can be dropped and pasted.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { attachmentOf, kept, sizeText, withAttachments } from '../attachment.js';
import { reachable } from '../api.js';
import { importConversation } from '../library.js';
import { say, tried } from '../notice.js';
import { go } from '../route.js';
import { modelNamed, server } from '../server.js';
import { model } from '../settings.js';
import { ask, current, messageOf, outgoing, path, running, stop } from '../thread.js';
import { draft, files, openDraft, restore, write } from './draft.js';
import { editing } from './editing.js';
import { Icon } from './Icon.jsx';
import { Recorder } from './Recorder.jsx';
import { Settings } from './Settings.jsx';

export function Composer() {
  const area = useRef(null);
  const picker = useRef(null);
  const id = current.value?.id ?? null;
  useLayoutEffect(() => openDraft(id), [id]);
  useLayoutEffect(() => grow(area.current), [draft.value]);
  useEffect(() => {
    // On a phone the keyboard would cover what was just opened.
    if (matchMedia('(pointer: fine)').matches) area.current.focus({ preventScroll: true });
  }, [id]);
  const dropping = useDrop();

  const busy = running.value;
  const full = (draft.value.trim() || files.value.length) && !files.value.some(({ file }) => file);
  const onKey = (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    } else if (event.key === 'ArrowUp' && !draft.value) {
      const last = path.value.findLast((step) => messageOf(step.id).peek()?.role === 'user');
      if (!last) return;
      event.preventDefault();
      editing.value = last.id;
    }
  };
  const onPaste = (event) => {
    const pasted = [...event.clipboardData.files];
    if (!pasted.length) return;
    event.preventDefault();
    attach(pasted);
  };

  return (
    <div class="composer">
      <Status />
      <form class="field" onSubmit={(event) => (event.preventDefault(), send())}>
        {files.value.length > 0 && (
          <ul class="files" aria-label="Attached files">
            {files.value.map((file, i) => (
              <li key={i}>
                <Icon name="file" />{file.name}<span class="small">{file.file ? 'sending…' : sizeText(file.bytes ?? file.text.length)}</span>
                <button type="button" class="tool" aria-label={`Remove ${file.name}`} onClick={() => (files.value = files.value.filter((other) => other !== file))}><Icon name="close" /></button>
              </li>
            ))}
          </ul>
        )}
        <textarea
          ref={area} id="composer" rows={1} aria-label="Your question" placeholder="Ask anything" enterKeyHint="send" autocomplete="off"
          value={draft.value} onInput={(event) => write(event.target.value)} onKeyDown={onKey} onPaste={onPaste}
        />
        <div class="row">
          <button type="button" class="quiet" aria-label="Attach files" title="Attach files" onClick={() => picker.current.click()}><Icon name="attach" /></button>
          <input ref={picker} type="file" multiple hidden aria-label="Files to attach" onChange={(event) => (attach([...event.target.files]), (event.target.value = ''))} />
          <Recorder onRecorded={(file) => attach([file])} />
          <Settings />
          {/* The second click of a double click on "Send" lands on "Stop" and is not meant. */}
          {busy ? (
            <button key="stop" type="button" class="send stop" aria-label="Stop (Escape)" title="Stop (Esc)" onClick={(event) => event.detail < 2 && stop(busy.id)}><Icon name="stop" /></button>
          ) : (
            <button key="send" type="submit" class="send" aria-label="Send" title="Send (Enter)" disabled={!full || !!outgoing.value}><Icon name="send" /></button>
          )}
        </div>
      </form>
      {dropping && <div class="drop" aria-hidden="true"><p>Drop files here</p></div>}
    </div>
  );
}

async function send() {
  if (files.peek().some(({ file }) => file)) return void say('A file is still on its way to the server.');
  const text = withAttachments(draft.peek(), files.peek());
  if (!text || outgoing.peek()) return;
  if (running.peek()) return void say('An answer is being written. Wait for it, or stop it with Esc.');
  write('');
  files.value = [];
  if (!(await ask(text)) && !draft.peek()) restore(text);
}

/** As high as its text, up to what the style sheet allows. */
function grow(area) {
  area.style.height = 'auto';
  area.style.height = `${area.scrollHeight}px`;
}

async function attach(list) {
  for (const file of list) {
    const found = await attachmentOf(file, modelNamed(model.peek()));
    if (found.problem) {
      say(found.problem, { kind: 'problem', seconds: 9 });
      continue;
    }
    files.value = [...files.value, found];
    if (found.file) await hand(found);
  }
  document.getElementById('composer')?.focus();
}

/** Gives a file to the server; what takes its place in the list refers to it. */
async function hand(found) {
  const given = await tried(() => kept(found));
  const rest = (one) => (one !== found ? [one] : given ? [given] : []);
  files.value = files.value.flatMap(rest);
}

/** Files may be dropped anywhere on the page. An exported conversation is imported, everything else attached. */
function useDrop() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let timer = 0;
    const hasFiles = (event) => event.dataTransfer?.types.includes('Files');
    const onOver = (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
      clearTimeout(timer);
      // There is no event for "the pointer left the window": no more `dragover` says it.
      timer = setTimeout(() => setOver(false), 250);
    };
    const onDrop = async (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const all = [...event.dataTransfer.files];
      for (const file of all.filter(({ name }) => name.endsWith('.reckon.json'))) {
        const conversation = await importConversation(file);
        if (conversation) go(conversation.id);
      }
      attach(all.filter(({ name }) => !name.endsWith('.reckon.json')));
    };
    document.addEventListener('dragover', onOver);
    document.addEventListener('drop', onDrop);
    return () => {
      document.removeEventListener('dragover', onOver);
      document.removeEventListener('drop', onDrop);
    };
  }, []);
  return over;
}

/** One line above the field: no connection, or a model that loads. */
function Status() {
  const loading = server.value?.loading;
  if (!reachable.value) return <p class="status" role="status"><span class="pulse" aria-hidden="true"><i /><i /><i /></span>Reckon cannot be reached. What you write is kept; trying again…</p>;
  if (!loading) return null;
  const share = loading.total ? Math.round((100 * loading.done) / loading.total) : 0;
  return (
    <div class="status" role="status">
      <p>Loading {loading.name}… {share} %<span class="hint"> You can already ask; the answer waits for it.</span></p>
      <progress value={loading.done} max={loading.total || 1} aria-label={`Loading ${loading.name}`} />
    </div>
  );
}
