// Builds `dist` from `src`. Same sources and lock file, same bytes: no dates, no paths, files in sorted order.

import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(web, 'dist');
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

const common = {
  absWorkingDir: web,
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['chrome105', 'firefox115', 'safari16'],
  charset: 'utf8',
  legalComments: 'none',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  metafile: true,
};

// KaTeX is a build of its own with a fixed name, so that the page can load it on the first formula.
const built = await Promise.all([
  build({ ...common, entryPoints: { app: 'src/main.jsx' }, external: ['./katex.js'] }),
  build({ ...common, entryPoints: { katex: 'src/katex.js' } }),
  build({ ...common, entryPoints: { app: 'src/style/app.css' } }),
]);

for (const file of ['index.html', 'manifest.webmanifest', 'icon.svg', 'icon-192.png', 'icon-512.png']) {
  cpSync(join(web, 'src', file), join(dist, file));
}

// What the service worker keeps. `./` is index.html under the address people use.
const shell = ['app.css', 'app.js', 'icon-192.png', 'icon-512.png', 'icon.svg', 'index.html', 'katex.js', 'manifest.webmanifest'];
const digest = createHash('sha256');
for (const file of shell) digest.update(file).update(readFileSync(join(dist, file)));
const files = JSON.stringify(['./', ...shell.map((file) => `./${file}`)]);
const head = `const VERSION = '${digest.digest('hex').slice(0, 16)}';\nconst FILES = ${files};\n`;
writeFileSync(join(dist, 'sw.js'), head + readFileSync(join(web, 'src/sw.js'), 'utf8'));

// Licences of every package that has bytes in the bundles.
const packages = new Set();
for (const { metafile } of built) {
  for (const input of Object.keys(metafile.inputs)) {
    const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (found) packages.add(found[1]);
  }
}
const notices = [...packages].sort().map((name) => {
  const folder = join(web, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file)).sort();
  if (!files.length) throw new Error(`${name} has no licence file`);
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').replace(/\r\n/g, '\n').trim());
  return `${name} ${version} (${license})\n\n${text.join('\n\n')}\n`;
});
const rule = `\n${'-'.repeat(80)}\n\n`;
writeFileSync(join(dist, 'LICENSES.txt'), `Packages that are part of app.js and katex.js.\n${rule}${notices.join(rule)}`);

if (!existsSync(join(dist, 'app.js'))) throw new Error('no app.js');
