// "‹ 2/3 ›": switches between versions of a question or an answer.

import { choose } from '../thread.js';
import { Icon } from './Icon.jsx';

export function Siblings({ step, what }) {
  const { siblings, place } = step;
  if (siblings.length < 2) return null;
  const to = (next) => () => choose(siblings[next]);
  return (
    <span class="siblings" role="group" aria-label={`Versions of this ${what}`}>
      <button type="button" class="tool" disabled={place === 0} onClick={to(place - 1)} aria-label={`Previous ${what}`}><Icon name="left" /></button>
      <span class="place">{place + 1}/{siblings.length}</span>
      <button type="button" class="tool" disabled={place === siblings.length - 1} onClick={to(place + 1)} aria-label={`Next ${what}`}><Icon name="right" /></button>
    </span>
  );
}
