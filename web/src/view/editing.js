// Which question is being edited.

import { signal } from '@preact/signals';

export const editing = signal(null);
