// What the person asked. Shown as it was typed; editing it makes a branch beside the old one.

import { useEffect, useRef, useState } from 'preact/hooks';
import { bytesOf, isPicture, partsOf, sizeText } from '../attachment.js';
import { copy, saveBlob } from '../clipboard.js';
import { say, tried } from '../notice.js';
import { ask, running } from '../thread.js';
import { Code } from './CodeBlock.jsx';
import { editing } from './editing.js';
import { Icon } from './Icon.jsx';
import { Siblings } from './Siblings.jsx';

export function Question({ message, step }) {
  if (editing.value === message.id) return <Editor message={message} />;
  const onCopy = async () => (await copy(message.content)) && say('Copied.', { seconds: 2 });
  return (
    <article class="question" aria-label="Question" data-id={message.id}>
      <div class="bubble">
        {partsOf(message.content).map((part, i) => {
          if (part.id) return <Kept key={part.id} part={part} />;
          return part.name ? <Attached key={i} part={part} /> : <div key={i} class="typed">{part.text}</div>;
        })}
      </div>
      <div class="tools">
        <Siblings step={step} what="question" />
        <button type="button" class="tool" onClick={onCopy} aria-label="Copy the question" title="Copy"><Icon name="copy" /></button>
        <button type="button" class="tool" onClick={() => (editing.value = message.id)} aria-label="Edit the question" title="Edit"><Icon name="edit" /></button>
      </div>
    </article>
  );
}

function Attached({ part }) {
  return (
    <details class="attached">
      <summary><Icon name="file" />{part.name}<span class="small">{sizeText(part.text.length)}</span></summary>
      <Code code={part.text} language={part.language} />
    </details>
  );
}

/** A file that the server keeps: a picture is shown, everything can be saved. */
function Kept({ part }) {
  const [shown, setShown] = useState(null);
  useEffect(() => {
    if (!isPicture(part.name)) return undefined;
    let url = null;
    let gone = false;
    // With the key, which an address in `src` would not carry.
    bytesOf(part.id).then((blob) => {
      if (gone || !blob.type.startsWith('image/')) return;
      url = URL.createObjectURL(blob);
      setShown(url);
    }).catch(() => {});
    return () => {
      gone = true;
      if (url) URL.revokeObjectURL(url);
    };
  }, [part.id]);
  const save = () => tried(async () => saveBlob(await bytesOf(part.id), part.name));
  return (
    <button type="button" class="kept" onClick={save} title={`Save ${part.name}`}>
      {shown ? <img src={shown} alt={part.name} /> : <><Icon name="file" />{part.name}</>}
    </button>
  );
}

function Editor({ message }) {
  const [text, setText] = useState(message.content);
  const area = useRef(null);
  const close = () => (editing.value = null);
  useEffect(() => {
    area.current.focus();
    area.current.setSelectionRange(text.length, text.length);
  }, []);
  const send = () => {
    if (!text.trim()) return;
    if (running.peek()) return void say('Stop the answer first, or wait until it is finished.');
    close();
    ask(text, message.parent ?? null);
  };
  const onKey = (event) => {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <article class="question editing">
      <textarea ref={area} class="field" aria-label="Edit the question" rows={Math.min(12, text.split('\n').length + 1)} value={text} onInput={(event) => setText(event.target.value)} onKeyDown={onKey} />
      <div class="buttons">
        <span class="small">The old version stays beside it.</span>
        <button type="button" class="plain" onClick={close}>Cancel</button>
        <button type="button" class="primary" onClick={send}>Ask</button>
      </div>
    </article>
  );
}
