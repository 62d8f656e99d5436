// What a new chat shows: a few questions to begin with, and what the marks mean.

import { MARKS } from '../receipt.js';
import { write } from './draft.js';
import { Icon } from './Icon.jsx';
import { Tally } from './Sidebar.jsx';

const EXAMPLES = [
  'I bought a bike for 749 euros with 19% VAT included. How much VAT is that?',
  '12 boxes of 8 rolls, 37 sold. How many are left?',
  'Write a Python function that lists the primes below n.',
  'Anna is older than Ben, Ben is older than Cleo. Who is the youngest?',
];

export function Welcome() {
  const use = (text) => () => {
    write(text);
    document.getElementById('composer')?.focus();
  };
  return (
    <div class="welcome">
      <Tally />
      <h2>What shall we work out?</h2>
      <p class="lead">Everything stays on this computer. Numbers are computed again before you rely on them.</p>
      <div class="examples">{EXAMPLES.map((text) => <button type="button" key={text} onClick={use(text)}>{text}</button>)}</div>
      <dl class="legend" aria-label="What the marks mean">
        {Object.entries(MARKS).map(([state, { word, icon, about }]) => (
          <div key={state} class={`mark ${state}`}><dt class="chip"><Icon name={icon} />{word}</dt><dd>{about}</dd></div>
        ))}
      </dl>
    </div>
  );
}
