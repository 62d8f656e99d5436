// A browser for the tests. Playwright is not a dependency of the page: `PLAYWRIGHT` names a folder with `playwright-core`
// in its node_modules, `CHROMIUM` a browser where it is not in the usual place.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export async function launch() {
  const { chromium } = load();
  const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const executablePath = places.find((place) => place && existsSync(place));
  return chromium.launch({ executablePath, args: FLAGS });
}

function load() {
  for (const place of [process.env.PLAYWRIGHT, join(here, '..'), process.cwd()]) {
    try {
      return createRequire(join(place ?? here, 'x.js'))('playwright-core');
    } catch {
      // Not there; the next place.
    }
  }
  console.error('These tests need playwright-core: npm install it in a folder of its own, and set PLAYWRIGHT to that folder.');
  process.exit(2);
}

/** A page that notes everything it should not do. */
export async function watchedPage(browser, base, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, acceptDownloads: true, ...options });
  const notes = { outside: [], policy: [], errors: [], dialogs: [] };
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => console.error(`POLICY ${event.violatedDirective} ${event.blockedURI}`));
  });
  const page = await context.newPage();
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !/^(data|blob):/.test(url)) notes.outside.push(url);
  });
  page.on('console', (message) => {
    const text = message.text();
    if (/POLICY|Content Security Policy/.test(text)) notes.policy.push(text);
  });
  page.on('pageerror', (error) => notes.errors.push(String(error.stack ?? error)));
  page.on('dialog', (dialog) => (notes.dialogs.push(dialog.message()), dialog.dismiss()));
  return { page, context, notes };
}
