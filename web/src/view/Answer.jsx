// An answer: its text, what it is waiting for, its mark, and what can be done with it.

import { useEffect, useRef, useState } from 'preact/hooks';
import { RUNNING, waitingFor } from '../answer.js';
import { allowNotifications, canNotify } from '../announcement.js';
import { copy } from '../clipboard.js';
import { smallPrint } from '../receipt.js';
import { refreshServer, server } from '../server.js';
import { notify, notifyAsked } from '../settings.js';
import { current, reconnecting, resume, retry } from '../thread.js';
import { Icon } from './Icon.jsx';
import { Mark } from './Mark.jsx';
import { Markdown } from './Markdown.jsx';
import { Siblings } from './Siblings.jsx';

export function Answer({ message, step, last }) {
  const busy = RUNNING.has(message.state);
  const revised = message.live?.revised ?? 0;
  const body = useRef(null);
  useEffect(() => {
    if (!revised || !body.current) return undefined;
    body.current.classList.add('revised');
    const timer = setTimeout(() => body.current?.classList.remove('revised'), 1600);
    return () => clearTimeout(timer);
  }, [revised]);
  return (
    <article class={`answer ${message.state}`} aria-label="Answer" aria-busy={busy} data-id={message.id} data-state={message.state}>
      {message.thought && <Thought text={message.thought} open={busy && !message.content} />}
      <div ref={body} class="body">{message.content && <Markdown text={message.content} growing={busy} name={current.value?.title} />}</div>
      {busy ? <Waiting message={message} /> : <Foot message={message} step={step} last={last} />}
    </article>
  );
}

function Thought({ text, open }) {
  return (
    <details class="thought" open={open}>
      <summary>{open ? 'Thinking…' : 'What it thought'}</summary>
      <div class="typed">{text.trim()}</div>
    </details>
  );
}

function Waiting({ message }) {
  const idle = message.state === 'waiting';
  const loading = idle ? server.value?.loading : null;
  const { prefill, stopping } = message.live ?? {};
  useEffect(() => {
    // The question may have made the server load its model; that has a progress of its own.
    if (!idle) return undefined;
    const timer = setInterval(refreshServer, 1_500);
    return () => clearInterval(timer);
  }, [idle]);
  const text = stopping ? 'stopping…' : loading ? `waiting for ${loading.name} to load` : waitingFor(message);
  return (
    <div class="waiting">
      <p>
        <span class="pulse" aria-hidden="true"><i /><i /><i /></span>
        {text}
        {reconnecting.value && <span class="lost" role="status"> reconnecting…</span>}
      </p>
      {idle && prefill?.total > 0 && !stopping && <progress value={prefill.done} max={prefill.total} aria-label="Reading the question" />}
      <Offer />
    </div>
  );
}

/** After a while of waiting, once: a notification saves the person from looking again and again. */
function Offer() {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 12_000);
    return () => clearTimeout(timer);
  }, []);
  if (!late || !canNotify || notify.value || notifyAsked.value || Notification.permission === 'denied') return null;
  return (
    <p class="offer">
      <Icon name="bell" />
      <button type="button" class="link" onClick={allowNotifications}>Notify me when it is done</button>
      <button type="button" class="link faint" onClick={() => (notifyAsked.value = true)}>No, thanks</button>
    </p>
  );
}

const ENDS = { stopped: 'Stopped.', cut: 'Cut off: the longest length was reached.' };

function Foot({ message, step, last }) {
  const [copied, setCopied] = useState(false);
  const onCopy = async () => {
    setCopied(await copy(message.content));
    setTimeout(() => setCopied(false), 1600);
  };
  const { state } = message;
  const partial = state === 'stopped' || state === 'cut';
  return (
    <footer>
      {state === 'failed' && <p class="problem" role="alert"><Icon name="doubt" />{message.error ?? 'This answer failed.'}</p>}
      {partial && (
        <p class="partial">
          {ENDS[state]}
          {last && <button type="button" class="link" onClick={() => resume(message.id)}><Icon name="forward" />Continue</button>}
        </p>
      )}
      <Mark message={message} />
      <div class="tools">
        <Siblings step={step} what="answer" />
        {message.content && (
          <button type="button" class="tool" onClick={onCopy} aria-label="Copy the answer" title="Copy">
            <Icon name={copied ? 'check' : 'copy'} />
          </button>
        )}
        <button type="button" class="tool" onClick={() => retry(message.id)} aria-label="Try again" title="Try again"><Icon name="retry" /></button>
        <span class="small print">{smallPrint(message)}</span>
      </div>
    </footer>
  );
}
