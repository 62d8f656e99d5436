// Asks for the key that the server was started with.

import { useState } from 'preact/hooks';
import { enterKey, keyWanted } from '../api.js';
import { Dialog } from './Dialog.jsx';

export function KeyPrompt() {
  const [key, setKey] = useState('');
  if (!keyWanted.value) return null;
  return (
    <Dialog title="This Reckon needs a key" onSubmit={() => key.trim() && (enterKey(key.trim()), setKey(''))}>
      <p>{keyWanted.value}</p>
      <label>
        Key
        <input type="password" autocomplete="current-password" value={key} onInput={(event) => setKey(event.target.value)} required />
      </label>
      <p class="small">It was set where the server was started, and is kept in this browser only.</p>
      <div class="buttons"><button type="submit" class="primary">Continue</button></div>
    </Dialog>
  );
}
