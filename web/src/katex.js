// The part of the page that is only loaded when a message has a formula. MathML needs no fonts, no style sheet and no
// `style` attributes, which the page's security policy would refuse.

import katex from 'katex';

export function mathml(source, display) {
  return katex.renderToString(source, {
    output: 'mathml',
    displayMode: display,
    throwOnError: false,
    // Links, images, HTML attributes: a model has no business with these in a formula.
    trust: false,
    maxExpand: 500,
    maxSize: 20,
    strict: 'ignore',
  });
}
