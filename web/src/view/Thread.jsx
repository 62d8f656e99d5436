// The messages of the open conversation. Keeps to the end while an answer grows, unless the person scrolled away.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { current, messageOf, outgoing, path, running, takeBack, trouble } from '../thread.js';
import { restore } from './draft.js';
import { Answer } from './Answer.jsx';
import { Icon } from './Icon.jsx';
import { Question } from './Question.jsx';
import { Welcome } from './Welcome.jsx';

/** Messages drawn at once; older ones follow when the browser has time, so that a long conversation opens quickly. */
const FIRST = 24;
const MORE = 40;
/** Pixels from the end that still count as being there. */
const NEAR = 90;
/** Milliseconds in which formulas and fonts of a conversation just opened find their size. */
const SETTLING = 1_500;

export function Thread() {
  const box = useRef(null);
  const inner = useRef(null);
  const atEnd = useRef(true);
  const opened = useRef(0);
  const [away, setAway] = useState(false);
  const id = current.value?.id ?? null;
  const steps = path.value;
  const empty = !steps.length && !outgoing.value;
  const count = useGradually(id, steps.length, box);

  useEffect(() => {
    // What the person unfolds grows too; that must not run away under the pointer.
    const growing = () => path.peek().length && (running.peek() || outgoing.peek() || Date.now() - opened.current < SETTLING);
    const toEnd = () => atEnd.current && growing() && (box.current.scrollTop = box.current.scrollHeight);
    const watcher = new ResizeObserver(toEnd);
    watcher.observe(inner.current);
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  useLayoutEffect(() => {
    atEnd.current = true;
    opened.current = Date.now();
    setAway(false);
    box.current.scrollTop = empty ? 0 : box.current.scrollHeight;
  }, [id, steps.at(-1)?.id, outgoing.value]);

  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
    setAway(!atEnd.current);
  };
  const toEnd = () => box.current.scrollTo({ top: box.current.scrollHeight, behavior: 'smooth' });

  return (
    <div class="thread" ref={box} onScroll={onScroll} tabIndex={-1}>
      <div class="column" ref={inner}>
        {trouble.value && <p class="trouble" role="alert">{trouble.value}</p>}
        {empty && !current.value?.loading && !trouble.value && <Welcome />}
        {steps.slice(-count).map((step) => <Turn key={step.id} step={step} last={step === steps.at(-1)} />)}
        {outgoing.value && <Outgoing job={outgoing.value} />}
      </div>
      {away && <button type="button" class="to-end" onClick={toEnd} aria-label="To the end"><Icon name="bottom" /></button>}
    </div>
  );
}

function Turn({ step, last }) {
  const message = messageOf(step.id).value;
  if (!message) return null;
  return message.role === 'user' ? <Question message={message} step={step} /> : <Answer message={message} step={step} last={last} />;
}

function Outgoing({ job }) {
  const back = () => restore(takeBack());
  return (
    <article class="question pending">
      <div class="bubble">{job.content}</div>
      {job.late.value && (
        <p class="small" role="status">Not sent yet: Reckon cannot be reached. Trying again. <button type="button" class="link" onClick={back}>Take it back</button></p>
      )}
    </article>
  );
}

/** How many of the messages to draw: few at first, then more and more, without moving what is on the screen. */
function useGradually(id, length, box) {
  const [count, setCount] = useState(FIRST);
  const below = useRef(null);
  useLayoutEffect(() => setCount(FIRST), [id]);
  useEffect(() => {
    if (count >= length) return undefined;
    const later = window.requestIdleCallback ?? ((work) => setTimeout(work, 60));
    const cancel = window.cancelIdleCallback ?? clearTimeout;
    const timer = later(() => {
      below.current = box.current.scrollHeight - box.current.scrollTop;
      setCount(count + MORE);
    });
    return () => cancel(timer);
  }, [id, count, length]);
  useLayoutEffect(() => {
    if (below.current !== null) box.current.scrollTop = box.current.scrollHeight - below.current;
    below.current = null;
  }, [count]);
  return count;
}
