// Whether the list of conversations is out, on a phone.

import { signal } from '@preact/signals';

export const drawer = signal(false);
