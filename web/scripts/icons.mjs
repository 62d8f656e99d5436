// Draws icon-192.png and icon-512.png: the tally of icon.svg, without a rasteriser to install.
//
// Each pixel is coloured by its distance to the strokes, which also gives smooth edges. The PNGs have no round corners and
// their drawing stays within the inner 80 %, because phones cut icons to a shape of their own ("maskable").

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';

const src = join(dirname(fileURLToPath(import.meta.url)), '../src');
const GROUND = [29, 43, 38];
const STROKES = [
  ...[18, 27.3, 36.7, 46].map((x) => ({ from: [x, 18], to: [x, 46], colour: [244, 241, 234] })),
  { from: [11, 42], to: [53, 22], colour: [95, 196, 155] },
];
const HALF = 2.3;

for (const size of [192, 512]) writeFileSync(join(src, `icon-${size}.png`), png(size));

function png(size) {
  const rows = Buffer.alloc(size * (1 + 3 * size));
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const at = y * (1 + 3 * size) + 1 + 3 * x;
      // 0.9: a little smaller than in the SVG, for the shapes of phones.
      const to = (pixel) => ((pixel + 0.5) * (64 / size) - 32) / 0.9 + 32;
      Buffer.from(colour(to(x), to(y), size / 64)).copy(rows, at);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const magic = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([magic, ...parts]);
}

function colour(x, y, scale) {
  let out = GROUND;
  for (const { from, to, colour } of STROKES) {
    const cover = Math.min(1, Math.max(0, (HALF - distance(x, y, from, to)) * scale + 0.5));
    out = out.map((value, i) => Math.round(value + (colour[i] - value) * cover));
  }
  return out;
}

function distance(x, y, [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

function chunk(kind, data) {
  const body = Buffer.concat([Buffer.from(kind), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), out.length - 4);
  return out;
}

