// The address says which conversation is open: `#c/ID`, or nothing for a new one. So reload and Back just work.

import { drawer } from './view/drawer.js';
import { open, startNew } from './thread.js';
import { shown } from './view/shown.js';

export function go(id) {
  drawer.value = false;
  const hash = id ? `#c/${id}` : '#';
  if (location.hash === hash || (!id && !location.hash)) follow();
  else location.hash = hash;
}

export function follow() {
  shown.value = null;
  const id = location.hash.match(/^#c\/([\w-]+)$/)?.[1];
  if (id) open(id);
  else startNew();
}

export function startRoute() {
  addEventListener('hashchange', (event) => {
    // The skip link is an address within the page, not another conversation.
    if (location.hash === '#composer') history.replaceState(null, '', new URL(event.oldURL).hash || '#');
    else follow();
  });
  follow();
}
