// The mark under an answer. Sign and word, never colour alone; a click opens the receipt.

import { MARKS, markLine, wasOf } from '../receipt.js';
import { Icon } from './Icon.jsx';
import { shown } from './shown.js';

export function Mark({ message }) {
  const { mark, receipt, id } = message;
  const kind = MARKS[mark?.state];
  if (!kind && !receipt) return null;
  const open = shown.value === id;
  const toggle = () => (shown.value = open ? null : id);
  if (!kind) {
    return <button type="button" class="mark none" aria-expanded={open} onClick={toggle}><span class="chip"><Icon name="receipt" />Receipt</span></button>;
  }
  const was = wasOf(message);
  const line = markLine(mark, was) || (was ? '' : kind.about);
  return (
    <button type="button" class={`mark ${mark.state}`} aria-expanded={open} onClick={toggle} title="Show the receipt">
      <span class="chip"><Icon name={kind.icon} />{kind.word}</span>
      <span class="why">
        {was && <>was <del>{was}</del>{line && ' · '}</>}
        {line}
      </span>
    </button>
  );
}
