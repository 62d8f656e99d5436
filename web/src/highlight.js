// Colours for code. Only the languages that people paste most; the rest is shown plain.

import core from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const LANGUAGES = {
  bash, c, cpp, csharp, css, diff, go, ini, java, javascript, json, markdown, php, python, ruby, rust, sql, typescript, xml, yaml,
};
for (const [name, language] of Object.entries(LANGUAGES)) core.registerLanguage(name, language);

/** Colouring is linear, but a pasted log of a megabyte would still hold up the page. */
const LONGEST = 60_000;

/** HTML of the code, in which everything but `<span class>` is escaped; null where it is to be shown as it is. */
export function highlighted(code, language) {
  if (!language || code.length > LONGEST || !core.getLanguage(language)) return null;
  return core.highlight(code, { language, ignoreIllegals: true }).value;
}

/** For the label above a block. */
export function languageName(language) {
  return core.getLanguage(language)?.name?.split(',')[0] ?? language;
}

const ENDINGS = {
  python: 'py', javascript: 'js', typescript: 'ts', bash: 'sh', shell: 'sh', rust: 'rs', ruby: 'rb', csharp: 'cs', markdown: 'md',
  yaml: 'yml', text: 'txt', plaintext: 'txt', latex: 'tex', golang: 'go', kotlin: 'kt', html: 'html', makefile: 'mk',
};

export function endingOf(language) {
  if (!language) return 'txt';
  return ENDINGS[language] ?? ENDINGS[core.getLanguage(language)?.name?.toLowerCase()] ?? (/^\w{1,10}$/.test(language) ? language : 'txt');
}
