// Which answer's receipt is open.

import { signal } from '@preact/signals';

/** Id of the message; null is none. */
export const shown = signal(null);
