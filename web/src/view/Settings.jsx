// Model, level of checking, raw answers, notifications, and the conversation's system text.

import { useEffect, useRef, useState } from 'preact/hooks';
import { allowNotifications, canNotify } from '../announcement.js';
import { sizeText } from '../attachment.js';
import { change } from '../library.js';
import { server } from '../server.js';
import { CHECKS, check, model, notify, raw } from '../settings.js';
import { current, fresh } from '../thread.js';
import { Icon } from './Icon.jsx';

export function Settings() {
  const [open, setOpen] = useState(false);
  const box = useRef(null);
  const button = useRef(null);
  useEffect(() => {
    if (!open) return undefined;
    const outside = (event) => box.current?.contains(event.target) || button.current?.contains(event.target) || setOpen(false);
    document.addEventListener('pointerdown', outside, true);
    box.current.querySelector('select, input')?.focus();
    return () => document.removeEventListener('pointerdown', outside, true);
  }, [open]);
  const onKey = (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    setOpen(false);
    button.current.focus();
  };
  const level = raw.value ? 'raw' : check.value && `check ${check.value}`;
  const system = current.value ? current.value.system : fresh.value.system;
  return (
    <div class="settings" onKeyDown={onKey}>
      <button ref={button} type="button" class="quiet text" aria-haspopup="dialog" aria-expanded={open} aria-label="Settings" onClick={() => setOpen(!open)}>
        <Icon name="settings" /><span class="now">{[chosenModel() ?? 'Settings', level, system && 'system text'].filter(Boolean).join(' · ')}</span>
      </button>
      {open && (
        <div ref={box} class="popover" role="dialog" aria-label="Settings">
          <ModelChoice />
          <CheckChoice />
          <Switch value={raw} name="Raw answers" about="the model's own text; no guard may change it" />
          <SystemText />
          {canNotify && <Notifications />}
        </div>
      )}
    </div>
  );
}

function chosenModel() {
  const known = server.value?.models ?? [];
  return known.some(({ name }) => name === model.value) ? model.value : server.value?.model;
}

function ModelChoice() {
  const models = server.value?.models ?? [];
  const now = chosenModel();
  const about = models.find(({ name }) => name === now);
  const facts = about && [about.loaded ? 'loaded' : 'loads with the first question', about.size && sizeText(about.size), about.context && `context ${about.context.toLocaleString('en')}`];
  return (
    <label class="choice">
      <span>Model</span>
      <select value={now} onChange={(event) => (model.value = event.target.value === server.value?.model ? null : event.target.value)}>
        {models.map(({ name }) => <option key={name} value={name}>{name}</option>)}
      </select>
      {facts && <span class="small">{facts.filter(Boolean).join(' · ')}</span>}
    </label>
  );
}

function CheckChoice() {
  const now = CHECKS.find(({ level }) => level === check.value) ?? CHECKS[0];
  return (
    <label class="choice">
      <span>Check numbers</span>
      <select value={now.level ?? ''} disabled={raw.value} onChange={(event) => (check.value = event.target.value || null)}>
        {CHECKS.map(({ level, name }) => <option key={name} value={level ?? ''}>{name}</option>)}
      </select>
      <span class="small">{raw.value ? 'raw answers are not checked' : now.about}</span>
    </label>
  );
}

function Switch({ value, name, about, onChange }) {
  const toggle = onChange ?? ((on) => (value.value = on));
  return (
    <label class="switch">
      <input type="checkbox" role="switch" checked={value.value} onChange={(event) => toggle(event.target.checked)} />
      <span>{name}<span class="small">{about}</span></span>
    </label>
  );
}

function Notifications() {
  const toggle = (on) => (on ? allowNotifications() : (notify.value = false));
  return <Switch value={notify} name="Notify me" about="when an answer ends while this page is hidden" onChange={toggle} />;
}

function SystemText() {
  const conversation = current.value;
  const [text, setText] = useState((conversation ? conversation.system : fresh.value.system) ?? '');
  const save = async () => {
    if (!conversation) fresh.value = { ...fresh.value, system: text.trim() };
    else if (text.trim() !== (conversation.system ?? '')) {
      const changed = await change(conversation.id, { system: text.trim() });
      if (changed && current.peek()?.id === conversation.id) current.value = { ...current.peek(), system: changed.system };
    }
  };
  // Saved as one leaves the field, or the popover with the field in it.
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => () => latest.current(), []);
  return (
    <label class="choice">
      <span>System text of this conversation</span>
      <textarea rows={2} placeholder="For example: Answer in one short paragraph." value={text} onInput={(event) => setText(event.target.value)} onBlur={save} />
    </label>
  );
}
