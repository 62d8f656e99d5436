// A formula. KaTeX is fetched with the first one; until it is there, the source is shown.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { memo } from './memo.js';
import { pureMath } from '../purity.js';

const typesetter = signal(null);
let loading = null;

function load() {
  loading ??= import('./katex.js').then(
    (module) => (typesetter.value = module.mathml),
    // Offline before it was ever needed: the source stays readable, and the next formula tries again.
    () => (loading = null),
  );
}

export const Formula = memo(({ source, display }) => {
  useEffect(() => load(), []);
  const html = typesetter.value && typeset(typesetter.value, source, display);
  const Tag = display ? 'div' : 'span';
  const kind = display ? 'formula display' : 'formula';
  if (!html) return <code class={`${kind} pending`}>{source}</code>;
  return <Tag class={kind} dangerouslySetInnerHTML={{ __html: html }} />;
});

function typeset(mathml, source, display) {
  try {
    return pureMath(mathml(source, display));
  } catch {
    return null;
  }
}
