// What HTML may come out of a message. Markdown itself never becomes HTML here (see view/Markdown.jsx); this is for the
// two things that are HTML by nature: tags that a model writes into its Markdown, and MathML.

import createPurifier from 'dompurify';

const purifier = createPurifier(window);

// No ids and no names, or content could pretend to be a part of the page; no styles, no images, no forms, no media.
const TAGS = [
  'b', 'strong', 'i', 'em', 'u', 's', 'del', 'ins', 'mark', 'small', 'sub', 'sup', 'kbd', 'code', 'pre', 'br', 'hr', 'p', 'div', 'span',
  'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'blockquote', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6',
  'details', 'summary',
];

/**
 * Harmless tags without their attributes; all else becomes text. The purifier is the second fence: it would remove a
 * `<style>` or a `<base>` too, but only after the browser has parsed it and reported a breach of the page's policy.
 */
export function pureHtml(html) {
  const plain = html.replace(/<!--[\s\S]*?(?:-->|$)/g, '').replace(/<(?:(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?\/?>)?/gi, (whole, end, name) => {
    const tag = name?.toLowerCase();
    return TAGS.includes(tag) ? `<${end}${tag}>` : whole.replace('<', '&lt;');
  });
  return purifier.sanitize(plain, { ALLOWED_TAGS: TAGS, ALLOWED_ATTR: [], ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false });
}

const MATH_TAGS = [
  'math', 'semantics', 'mrow', 'mi', 'mn', 'mo', 'ms', 'mtext', 'mspace', 'mfrac', 'msqrt', 'mroot', 'mstyle', 'merror', 'mpadded', 'mphantom',
  'menclose', 'msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover', 'mmultiscripts', 'mprescripts', 'mtable', 'mtr', 'mtd', 'span',
];
const MATH_ATTRIBUTES = [
  'accent', 'accentunder', 'columnalign', 'columnspacing', 'columnlines', 'depth', 'display', 'displaystyle', 'fence', 'height', 'linethickness',
  'lspace', 'mathbackground', 'mathcolor', 'mathsize', 'mathvariant', 'maxsize', 'minsize', 'movablelimits', 'notation', 'rowlines',
  'rowspacing', 'rspace', 'scriptlevel', 'separator', 'stretchy', 'symmetric', 'voffset', 'width', 'xmlns',
];

export function pureMath(html) {
  return purifier.sanitize(html, { ALLOWED_TAGS: MATH_TAGS, ALLOWED_ATTR: MATH_ATTRIBUTES, ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false });
}

/** The address if a click on it is harmless; null otherwise. */
export function safeAddress(address) {
  // Browsers drop these characters before they look at the scheme: "java\tscript:" is "javascript:".
  const plain = String(address ?? '').replace(/[\u0000-\u0020\u007f]/g, '');
  if (!/^(https?:\/\/|mailto:)/i.test(plain)) return null;
  try {
    return new URL(plain).href;
  } catch {
    return null;
  }
}
