// The receipt of an answer: what was checked, what changed, who made it, and the proof that it can be made again.

import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api.js';
import { difference } from '../difference.js';
import { MARKS, draftOf, guardsOf, makingOf, markLine } from '../receipt.js';
import { messageOf } from '../thread.js';
import { Code } from './CodeBlock.jsx';
import { Icon } from './Icon.jsx';
import { shown } from './shown.js';

export function Receipt() {
  const message = shown.value && messageOf(shown.value).value;
  return message ? <Panel key={message.id} message={message} /> : null;
}

function Panel({ message }) {
  const box = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current.focus();
    return () => before?.isConnected && before.focus();
  }, []);
  const close = () => (shown.value = null);
  const onKey = (event) => event.key === 'Escape' && (event.stopPropagation(), close());
  const draft = draftOf(message);
  return (
    <aside class="receipt" aria-label="Receipt" ref={box} tabIndex={-1} onKeyDown={onKey}>
      <header>
        <h2><Icon name="receipt" />Receipt</h2>
        <button type="button" class="quiet" onClick={close} aria-label="Close the receipt"><Icon name="close" /></button>
      </header>
      <div class="inside">
        <Verdict mark={message.mark} />
        <Guards receipt={message.receipt} />
        {draft !== null && <Changes before={draft} after={message.content} />}
        <Making message={message} />
        <Replay id={message.id} />
        <details class="raw"><summary>Everything, as JSON</summary><Code code={JSON.stringify({ mark: message.mark, stats: message.stats, receipt: message.receipt }, null, 2)} language="json" /></details>
      </div>
    </aside>
  );
}

function Verdict({ mark }) {
  const kind = MARKS[mark?.state];
  if (!kind) return <p class="verdict none">There was no number or conclusion to check in this answer.</p>;
  return (
    <div class={`verdict ${mark.state}`}>
      <span class="chip"><Icon name={kind.icon} />{kind.word}</span>
      <p>{markLine(mark) || kind.about}</p>
      {mark.of > 0 && <p class="small">{mark.for ?? 0} of {mark.of} independent computations agree.</p>}
    </div>
  );
}

function Guards({ receipt }) {
  const { acted, idle } = guardsOf(receipt);
  return (
    <section>
      <h3>What was checked</h3>
      {!acted.length && !idle.length && <p>No guard looked: this is what the model said.</p>}
      {acted.map((guard, i) => <Guard key={i} guard={guard} />)}
      {idle.length > 0 && <p class="small">{acted.length ? 'Also looked' : 'Looked'}, and had nothing to do: {idle.map(({ name }) => name).join(', ')}.</p>}
    </section>
  );
}

function Guard({ guard }) {
  const { name, about, act, outcome, reason, seen, votes, program, cost } = guard;
  return (
    <div class={`guard ${outcome}`}>
      <p><strong>{name}</strong> {act}.</p>
      {about && <p class="small">This guard {about}.</p>}
      {reason && <p>{capital(reason)}</p>}
      {seen && <blockquote>{seen}</blockquote>}
      {votes.length > 0 && (
        <ul class="votes" aria-label="Computations">
          {votes.map(({ who, value, why }, i) => <li key={i}><span class="small">{who}</span> {value ?? <em>none{why && ` (${why})`}</em>}</li>)}
        </ul>
      )}
      {program && <Program program={program} />}
      {cost && <p class="small">Cost: {cost}.</p>}
    </div>
  );
}

function Program({ program }) {
  const { code, stdout, value, error, ms } = program;
  const gave = value ?? error ?? (stdout.trim() || 'nothing');
  return (
    <figure class="code">
      <figcaption><span class="language">The program that was run</span></figcaption>
      <Code code={code.trimEnd()} language="python" />
      <div class={`output ${error && value == null ? 'bad' : ''}`}>
        <div class="line"><strong>Gave</strong>{ms != null && <span class="small">{Math.round(ms)} ms</span>}</div>
        <pre>{gave}</pre>
      </div>
    </figure>
  );
}

function Changes({ before, after }) {
  return (
    <section>
      <h3>What changed</h3>
      <p class="small"><del>What the model said</del>, <ins>what replaced it</ins>.</p>
      <div class="difference">
        {difference(before, after).map(({ kind, text }, i) => {
          if (kind === 'same') return <span key={i}>{text}</span>;
          return kind === 'gone' ? <del key={i}>{text}</del> : <ins key={i}>{text}</ins>;
        })}
      </div>
    </section>
  );
}

function Making({ message }) {
  const rows = makingOf(message);
  if (!rows.length) return null;
  return (
    <section>
      <h3>How it was made</h3>
      <dl>{rows.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
    </section>
  );
}

function Replay({ id }) {
  const [state, setState] = useState(null);
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (state !== 'busy') return undefined;
    const timer = setInterval(() => setSeconds((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [state]);
  const replay = async () => {
    setSeconds(0);
    setState('busy');
    try {
      setState(await call('POST', `messages/${id}/replay`));
    } catch (error) {
      setState({ problem: error.message });
    }
  };
  return (
    <section class="replay">
      <h3>Replay</h3>
      <p class="small">Makes the answer once more, from the same question and seed. The same bytes prove that nobody changed it.</p>
      <button type="button" class="plain" disabled={state === 'busy'} onClick={replay}><Icon name="retry" />{state === 'busy' ? `Making it again… ${seconds} s` : 'Replay'}</button>
      <div role="status">
        {state?.problem && <p class="bad">{state.problem}</p>}
        {state?.same === true && <p class="good"><Icon name="check" />The same bytes came again.</p>}
        {state?.same === false && <p class="bad"><Icon name="doubt" />Other bytes came this time.</p>}
        {state?.sha256 && <dl class="digests"><div><dt>then</dt><dd>{state.sha256.then}</dd></div><div><dt>now</dt><dd>{state.sha256.now}</dd></div></dl>}
      </div>
    </section>
  );
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? '' : '.');
}
