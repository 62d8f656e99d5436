// Light, dark, or as the system has it.

import { theme } from '../settings.js';
import { Icon } from './Icon.jsx';

const NEXT = { auto: 'light', light: 'dark', dark: null };
const ICONS = { auto: 'auto', light: 'sun', dark: 'moon' };
const NAMES = { auto: 'as the system', light: 'light', dark: 'dark' };

export function ThemeButton() {
  const now = theme.value ?? 'auto';
  return (
    <button type="button" class="quiet" aria-label={`Colours: ${NAMES[now]}`} title={`Colours: ${NAMES[now]}`} onClick={() => (theme.value = NEXT[now])}>
      <Icon name={ICONS[now]} />
    </button>
  );
}
