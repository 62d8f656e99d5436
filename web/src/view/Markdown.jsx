// A message's Markdown, drawn as elements rather than as HTML: text of the model only ever becomes text nodes, and while an
// answer grows only what changed is touched.

import { memo } from './memo.js';
import { decoded, tokensOf } from '../markdown.js';
import { pureHtml, safeAddress } from '../purity.js';
import { CodeBlock } from './CodeBlock.jsx';
import { Formula } from './Formula.jsx';

/** `growing` is true while more may come; `name` is what a saved block is called after. */
export const Markdown = memo(({ text, growing, name }) => {
  const tokens = tokensOf(text);
  const last = tokens.findLastIndex((token) => token.type !== 'space');
  const context = { name, settled: !growing };
  return <div class="prose">{tokens.map((token, i) => <Block key={i} token={token} context={context} growing={growing && i === last} />)}</div>;
});

// A block whose source is the same is not drawn again: in a growing answer that is all of them but the last. At its end
// (`settled`) all are, since the address of a link may stand below the block that uses it.
const Block = memo(
  ({ token, context, growing }) => block(token, context, growing),
  (a, b) => a.token.raw === b.token.raw && a.token.type === b.token.type && a.growing === b.growing && a.context.settled === b.context.settled && a.context.name === b.context.name,
);

function block(token, context, growing) {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      // The page has its own first heading; those of an answer stand below it.
      const Heading = `h${Math.min(6, token.depth + 2)}`;
      return <Heading class={`h${token.depth}`}>{inlines(token.tokens)}</Heading>;
    }
    case 'paragraph':
      return <p>{inlines(token.tokens)}</p>;
    case 'text':
      return token.tokens ? inlines(token.tokens) : decoded(token.text);
    case 'code':
      return <CodeBlock code={token.text} info={token.lang ?? ''} growing={growing && !closed(token.raw)} name={context.name} />;
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, context, growing)}</blockquote>;
    case 'list':
      return list(token, context, growing);
    case 'table':
      return table(token);
    case 'hr':
      return <hr />;
    case 'html':
      return <Html html={token.text} />;
    case 'blockMath':
      return <Formula source={token.text} display />;
    default:
      return token.tokens ? inlines(token.tokens) : token.raw;
  }
}

function blocks(tokens, context, growing) {
  return tokens.map((token, i) => <Block key={i} token={token} context={context} growing={growing && i === tokens.length - 1} />);
}

function closed(raw) {
  return /^ {0,3}(`{3,}|~{3,})[\s\S]*\n {0,3}\1\s*$/.test(raw) || !/^ {0,3}[`~]{3}/.test(raw);
}

function list(token, context, growing) {
  const items = token.items.map((item, i) => {
    const inner = item.tokens.filter(({ type }) => type !== 'checkbox');
    return (
      <li key={i} class={item.task ? 'task' : null}>
        {item.task && <span class="box" role="img" aria-label={item.checked ? 'done' : 'open'}>{item.checked ? '☑' : '☐'}</span>}
        {blocks(inner, context, growing && i === token.items.length - 1)}
      </li>
    );
  });
  if (!token.ordered) return <ul class={token.loose ? 'loose' : null}>{items}</ul>;
  return <ol start={token.start || 1} class={token.loose ? 'loose' : null}>{items}</ol>;
}

function table({ header, rows }) {
  const cell = (Tag) => (one, i) => <Tag key={i} class={one.align ? `to-${one.align}` : null}>{inlines(one.tokens)}</Tag>;
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead><tr>{header.map(cell('th'))}</tr></thead>
        <tbody>{rows.map((row, i) => <tr key={i}>{row.map(cell('td'))}</tr>)}</tbody>
      </table>
    </div>
  );
}

const PAIRS = new Set(['b', 'strong', 'i', 'em', 'u', 's', 'del', 'ins', 'mark', 'small', 'sub', 'sup', 'kbd', 'code']);

/** Inline tags arrive as single tokens, `<sub>` and `</sub>`: pairs of the harmless ones are put together again. */
function inlines(tokens = []) {
  const stack = [{ tag: null, out: [] }];
  const close = () => {
    const { tag: Tag, out } = stack.pop();
    stack.at(-1).out.push(<Tag>{out}</Tag>);
  };
  for (const token of tokens) {
    const [, end, name] = token.type === 'html' ? token.text.match(/^<(\/?)([a-z]+)\s*\/?>$/i) ?? [] : [];
    const tag = name?.toLowerCase();
    if (tag === 'br') stack.at(-1).out.push(<br />);
    else if (PAIRS.has(tag) && !end) stack.push({ tag, out: [] });
    else if (PAIRS.has(tag) && stack.at(-1).tag === tag) close();
    else stack.at(-1).out.push(inline(token));
  }
  while (stack.length > 1) close();
  return stack[0].out;
}

function inline(token) {
  switch (token.type) {
    case 'text':
      return decoded(token.text);
    case 'escape':
      return token.text;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'strong':
      return <strong>{inlines(token.tokens)}</strong>;
    case 'em':
      return <em>{inlines(token.tokens)}</em>;
    case 'del':
      return <del>{inlines(token.tokens)}</del>;
    case 'br':
      return <br />;
    case 'link':
      return <Link href={token.href}>{inlines(token.tokens)}</Link>;
    case 'image':
      // Never loaded: an image from elsewhere would tell that place what was asked here.
      return <Link href={token.href}>{`Image: ${decoded(token.text) || token.href}`}</Link>;
    case 'inlineMath':
      return <Formula source={token.text} display={token.display} />;
    default:
      // Tags that are not among the harmless ones are shown as what they are: text.
      return token.raw;
  }
}

function Link({ href, children }) {
  const safe = safeAddress(href);
  if (!safe) return <span>{children}</span>;
  return <a href={safe} target="_blank" rel="noopener noreferrer nofollow">{children}</a>;
}

const Html = memo(({ html }) => {
  const pure = pureHtml(html);
  // A comment leaves no empty box behind.
  return pure.trim() ? <div class="html" dangerouslySetInnerHTML={{ __html: pure }} /> : null;
});
