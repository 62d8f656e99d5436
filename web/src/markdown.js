// Markdown to tokens, with formulas: `$x$`, `$$x$$`, `\(x\)`, `\[x\]`.

import { Marked } from 'marked';

/** Money is not a formula: an opening `$` has no space behind it, a closing one none before it and no digit behind it. */
const DOLLAR = /^\$(?![\s$])((?:\\.|[^\\$\n])*?[^\s\\$]|[^\s\\$])\$(?!\d)/;
const INLINE = [
  { rule: /^\\\(([\s\S]+?)\\\)/, display: false },
  { rule: /^\\\[([\s\S]+?)\\\]/, display: true },
  { rule: /^\$\$(?!\$)([^$]+?)\$\$/, display: true },
  { rule: DOLLAR, display: false },
];
const BLOCK = [/^ {0,3}\$\$\s*([^$]+?)\s*\$\$[ \t]*(?:\n|$)/, /^ {0,3}\\\[\s*([\s\S]+?)\s*\\\][ \t]*(?:\n|$)/];

const inlineMath = {
  name: 'inlineMath',
  level: 'inline',
  start: (text) => text.match(/\$|\\[([]/)?.index,
  tokenizer(text) {
    for (const { rule, display } of INLINE) {
      const found = rule.exec(text);
      if (found) return { type: 'inlineMath', raw: found[0], text: found[1].trim(), display };
    }
    return undefined;
  },
};

const blockMath = {
  name: 'blockMath',
  level: 'block',
  start: (text) => text.match(/^ {0,3}(?:\$\$|\\\[)/m)?.index,
  tokenizer(text) {
    for (const rule of BLOCK) {
      const found = rule.exec(text);
      if (found) return { type: 'blockMath', raw: found[0], text: found[1], display: true };
    }
    return undefined;
  },
};

const marked = new Marked({ gfm: true });
marked.use({ extensions: [inlineMath, blockMath] });

/** Deeply nested quotes or lists from a broken model would exhaust the stack; such a text is shown as it is. */
export function tokensOf(text) {
  try {
    return marked.lexer(text);
  } catch {
    return [{ type: 'code', raw: text, text, lang: '' }];
  }
}

const decoder = document.createElement('textarea');

/** `&copy;` as ©. A textarea takes any text as text: nothing in it is ever run or loaded. */
export function decoded(text) {
  return text.replace(/&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,30});/g, (entity) => {
    decoder.innerHTML = entity;
    return decoder.value;
  });
}
