// Short messages at the lower edge, and the line for screen readers.

import { notices, spoken } from '../notice.js';
import { Icon } from './Icon.jsx';

export function Notices() {
  return (
    <>
      <div class="offscreen" aria-live="polite" role="status">{spoken.value}</div>
      <div class="notices" role="status">
        {notices.value.map(({ id, text, action, kind, close }) => (
          <div key={id} class={`notice ${kind}`}>
            <span>{text}</span>
            {action && <button type="button" onClick={() => (close(), action.run())}>{action.name}</button>}
            <button type="button" class="quiet" aria-label="Dismiss" onClick={close}><Icon name="close" /></button>
          </div>
        ))}
      </div>
    </>
  );
}
