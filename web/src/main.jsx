// Starts the page.

import { render } from 'preact';
import { refreshList } from './library.js';
import { go, startRoute } from './route.js';
import { startServer } from './server.js';
import './settings.js';
import { App } from './view/App.jsx';

startRoute();
render(<App />, document.getElementById('app'));
startServer();
refreshList();

// The list may have changed on another device meanwhile.
document.addEventListener('visibilitychange', () => document.hidden || refreshList());

if ('serviceWorker' in navigator && window.isSecureContext) {
  navigator.serviceWorker.register('sw.js').catch(() => {
    // The page works without; only opening it offline does not.
  });
  navigator.serviceWorker.addEventListener('message', ({ data }) => data?.open && go(data.open));
}
