// What the page remembers in the browser: settings, the key, drafts. Works without storage too (private windows).

const PREFIX = 'reckon.';
const fallback = new Map();

export function kept(name, otherwise) {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return fallback.get(name) ?? otherwise;
  }
}

export function keep(name, value) {
  const none = value === null || value === undefined || value === '';
  try {
    if (none) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    if (none) fallback.delete(name);
    else fallback.set(name, value);
  }
}
