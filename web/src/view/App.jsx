// The whole page: list, conversation, receipt.

import { useEffect } from 'preact/hooks';
import { setTitle } from '../announcement.js';
import { running, current, reconnecting, stop } from '../thread.js';
import { go } from '../route.js';
import { Composer } from './Composer.jsx';
import { drawer } from './drawer.js';
import { Icon } from './Icon.jsx';
import { KeyPrompt } from './KeyPrompt.jsx';
import { Notices } from './Notices.jsx';
import { Receipt } from './Receipt.jsx';
import { Sidebar } from './Sidebar.jsx';
import { shown } from './shown.js';
import { Thread } from './Thread.jsx';

export function App() {
  useEffect(() => {
    document.addEventListener('keydown', shortcuts);
    return () => document.removeEventListener('keydown', shortcuts);
  }, []);
  const title = current.value?.title ?? '';
  useEffect(() => setTitle(title), [title]);
  return (
    <div class={`app ${shown.value ? 'with-receipt' : ''}`}>
      <Sidebar />
      {drawer.value && <div class="veil" onClick={() => (drawer.value = false)} />}
      <main>
        <header class="bar">
          <button type="button" class="quiet only-phone" aria-label="Conversations" aria-controls="conversations" aria-expanded={drawer.value} onClick={() => (drawer.value = true)}><Icon name="menu" /></button>
          <h1>{title || (current.value ? '' : 'New chat')}</h1>
          {reconnecting.value && <span class="small link-state" role="status">reconnecting…</span>}
          <button type="button" class="quiet only-phone" aria-label="New chat" onClick={() => go(null)}><Icon name="add" /></button>
        </header>
        <Thread />
        <Composer />
      </main>
      <Receipt />
      <Notices />
      <KeyPrompt />
    </div>
  );
}

function shortcuts(event) {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    drawer.value = true;
    // The drawer has to be out before its field can take the focus.
    requestAnimationFrame(() => {
      const field = document.getElementById('search');
      // Who is there already may have begun to type: selecting that would lose it.
      if (!field || document.activeElement === field) return;
      field.focus();
      field.select();
    });
  } else if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]')) {
    if (drawer.value) drawer.value = false;
    else if (shown.value) shown.value = null;
    else if (running.peek()) stop(running.peek().id);
  }
}
