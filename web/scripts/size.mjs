// Fails if the first visit loads more than the budget: the page, its script, its style and its icon, as gzip sends them.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const BUDGET = 110_000;
const dist = join(dirname(fileURLToPath(import.meta.url)), '../dist');
const gzip = (file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;
const line = (name, bytes) => console.log(`${name.padEnd(28)}${String(bytes).padStart(8)}`);

let total = 0;
for (const file of ['index.html', 'app.js', 'app.css', 'icon.svg']) {
  line(file, gzip(file));
  total += gzip(file);
}
line('first load, gzip', total);
line('budget', BUDGET);
line('katex.js (on first formula)', gzip('katex.js'));
if (total > BUDGET) {
  console.error(`The first load is ${total - BUDGET} bytes over its budget.`);
  process.exit(1);
}
