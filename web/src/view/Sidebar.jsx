// The list of conversations: search, folders, and a menu for each. On a phone it is a drawer.

import { useRef, useState } from 'preact/hooks';
import { conversations, change, dayOf, exportConversation, folders, importConversation, listed, query, remove, search } from '../library.js';
import { go } from '../route.js';
import { server } from '../server.js';
import { shutFolders } from '../settings.js';
import { busy, current } from '../thread.js';
import { Dialog } from './Dialog.jsx';
import { drawer } from './drawer.js';
import { Icon } from './Icon.jsx';
import { Menu } from './Menu.jsx';
import { ThemeButton } from './ThemeButton.jsx';

export function Sidebar() {
  const [dialog, setDialog] = useState(null);
  const file = useRef(null);
  const onFile = async (event) => {
    const [chosen] = event.target.files;
    event.target.value = '';
    const conversation = chosen && (await importConversation(chosen));
    if (conversation) go(conversation.id);
  };
  return (
    <nav class={`sidebar ${drawer.value ? 'open' : ''}`} aria-label="Conversations" id="conversations">
      <header>
        <a class="brand" href="#" onClick={() => (drawer.value = false)}><Tally />Reckon</a>
        <button type="button" class="quiet only-phone" aria-label="Close the list" onClick={() => (drawer.value = false)}><Icon name="close" /></button>
      </header>
      <div class="top">
        <button type="button" class="new" onClick={() => go(null)}><Icon name="add" />New chat</button>
        <label class="search">
          <Icon name="search" />
          <span class="offscreen">Search conversations</span>
          <input id="search" type="search" placeholder="Search" autocomplete="off" value={query.value} onInput={(event) => search(event.target.value)} onKeyDown={fromSearch} />
          <kbd aria-hidden="true">{/Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
        </label>
      </div>
      <List onDialog={setDialog} />
      <footer>
        <button type="button" class="quiet text" onClick={() => file.current.click()}><Icon name="import" />Import</button>
        <input ref={file} type="file" accept=".json,application/json" hidden onChange={onFile} aria-label="Import a conversation" />
        <ThemeButton />
        {server.value && <span class="small version" title={server.value.offline ? 'Reckon was started offline: it never uses the network.' : null}>{server.value.offline ? 'offline · ' : ''}v{server.value.version}</span>}
      </footer>
      {dialog?.kind === 'rename' && <Rename conversation={dialog.conversation} onClose={() => setDialog(null)} />}
      {dialog?.kind === 'move' && <Move conversation={dialog.conversation} onClose={() => setDialog(null)} />}
    </nav>
  );
}

export function Tally() {
  return (
    <svg class="tally" viewBox="0 0 64 64" aria-hidden="true">
      <path class="strokes" d="M16 14v36M26.7 14v36M37.3 14v36M48 14v36" /><path class="slash" d="M7 44 57 20" />
    </svg>
  );
}

/** Down from the search field into what was found. */
function fromSearch(event) {
  if (event.key === 'ArrowDown') document.querySelector('.list a')?.focus();
  else if (event.key === 'Escape' && query.value) search('');
  else if (event.key === 'Enter') document.querySelector('.list a')?.click();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function alongList(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !event.target.matches('a')) return;
  const links = [...event.currentTarget.querySelectorAll('a')];
  const next = links[links.indexOf(event.target) + step];
  (next ?? (step < 0 ? document.getElementById('search') : null))?.focus();
  event.preventDefault();
}

function List({ onDialog }) {
  const all = conversations.value;
  if (!all.length) return <div class="list"><p class="empty">{listed.value ? (query.value ? `Nothing found for “${query.value}”.` : 'Your conversations will be listed here.') : ''}</p></div>;
  return (
    <div class="list" onKeyDown={alongList}>
      {groups(all).map(({ name, folder, items }) => (
        <Group key={folder ? `f-${name}` : name} name={name} folder={folder} items={items} onDialog={onDialog} />
      ))}
    </div>
  );
}

/** While searching one list by relevance; otherwise folders first, then days. */
function groups(all) {
  if (query.value.trim()) return [{ name: `${all.length} found`, items: all }];
  const named = [...new Set([...folders.value, ...all.map(({ folder }) => folder).filter(Boolean)])].sort((a, b) => a.localeCompare(b));
  const inFolders = named.map((name) => ({ name, folder: true, items: all.filter(({ folder }) => folder === name) }));
  const days = new Map();
  for (const conversation of all.filter(({ folder }) => !folder)) {
    const day = dayOf(conversation.updated);
    days.set(day, [...(days.get(day) ?? []), conversation]);
  }
  return [...inFolders.filter(({ items }) => items.length), ...[...days].map(([name, items]) => ({ name, items }))];
}

function Group({ name, folder, items, onDialog }) {
  const shut = folder && shutFolders.value.includes(name);
  const toggle = () => (shutFolders.value = shut ? shutFolders.value.filter((other) => other !== name) : [...shutFolders.value, name]);
  return (
    <section aria-label={folder ? `Folder ${name}` : name}>
      <h2>
        {folder ? (
          <button type="button" aria-expanded={!shut} onClick={toggle}><Icon name={shut ? 'right' : 'down'} /><Icon name="folder" />{name}<span class="count">{items.length}</span></button>
        ) : name}
      </h2>
      {!shut && <ul>{items.map((conversation) => <Row key={conversation.id} conversation={conversation} onDialog={onDialog} />)}</ul>}
    </section>
  );
}

function Row({ conversation, onDialog }) {
  const { id, title, snippet } = conversation;
  const here = current.value?.id === id;
  const items = [
    { name: 'Rename', icon: 'edit', run: () => onDialog({ kind: 'rename', conversation }) },
    { name: 'Move to folder', icon: 'folder', run: () => onDialog({ kind: 'move', conversation }) },
    { name: 'Export', icon: 'save', run: () => exportConversation(conversation) },
    { name: 'Delete', icon: 'trash', danger: true, run: () => remove(conversation, () => here && go(null)) },
  ];
  return (
    <li class={here ? 'here' : null}>
      <a href={`#c/${id}`} aria-current={here ? 'page' : null} onClick={() => (drawer.value = false)}>
        <span class="title">{busy.value.has(id) && <span class="dot" role="img" aria-label="answering" />}{title || 'Untitled'}</span>
        {snippet && <span class="snippet"><Snippet text={snippet} /></span>}
      </a>
      <Menu label={`Actions for ${title || 'Untitled'}`} items={items} />
    </li>
  );
}

/** The server marks matches with two control characters. */
export function Snippet({ text }) {
  return text.split('\u0001').map((part, i) => {
    if (i === 0) return part;
    const [match, ...rest] = part.split('\u0002');
    return <span key={i}><mark>{match}</mark>{rest.join('')}</span>;
  });
}

function Rename({ conversation, onClose }) {
  const [title, setTitle] = useState(conversation.title);
  const save = async () => {
    onClose();
    const changed = await change(conversation.id, { title: title.trim() });
    if (changed && current.peek()?.id === changed.id) current.value = { ...current.peek(), title: changed.title };
  };
  return (
    <Dialog title="Rename" onClose={onClose} onSubmit={save}>
      <label>Title<input value={title} maxLength={200} onInput={(event) => setTitle(event.target.value)} required /></label>
      <Buttons onClose={onClose} />
    </Dialog>
  );
}

function Move({ conversation, onClose }) {
  const [folder, setFolder] = useState(conversation.folder ?? '');
  const save = () => (onClose(), change(conversation.id, { folder: folder.trim() || null }));
  return (
    <Dialog title="Move to folder" onClose={onClose} onSubmit={save}>
      <label>
        Folder
        <input value={folder} maxLength={80} list="folders" placeholder="Name; empty for none" onInput={(event) => setFolder(event.target.value)} />
      </label>
      <datalist id="folders">{folders.value.map((name) => <option key={name} value={name} />)}</datalist>
      {folders.value.length > 0 && (
        <div class="chips">
          {folders.value.map((name) => <button type="button" key={name} class={name === folder ? 'chip on' : 'chip'} onClick={() => setFolder(name)}><Icon name="folder" />{name}</button>)}
        </div>
      )}
      <Buttons onClose={onClose} />
    </Dialog>
  );
}

function Buttons({ onClose }) {
  return (
    <div class="buttons">
      <button type="button" class="plain" onClick={onClose}>Cancel</button>
      <button type="submit" class="primary">Save</button>
    </div>
  );
}
