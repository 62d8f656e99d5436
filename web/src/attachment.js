// Files that come with a question. Text becomes a fenced block that carries the file's name; pictures, sound and documents
// are kept by the server, and a line of the question refers to each: `[photo.jpg](attachment:file-…)`.

import { request } from './api.js';

export const LARGEST = 256 * 1024;
/** What the server keeps, in bytes. */
export const LARGEST_KEPT = 32 * 1024 ** 2;

const KINDS = {
  txt: 'text', md: 'markdown', csv: 'csv', tsv: 'tsv', json: 'json', jsonl: 'json', yaml: 'yaml', yml: 'yaml', toml: 'toml',
  ini: 'ini', cfg: 'ini', conf: 'ini', log: 'text', xml: 'xml', html: 'html', htm: 'html', svg: 'xml', css: 'css', scss: 'css',
  js: 'javascript', mjs: 'javascript', cjs: 'javascript', jsx: 'javascript', ts: 'typescript', tsx: 'typescript',
  py: 'python', rs: 'rust', go: 'go', java: 'java', kt: 'kotlin', c: 'c', h: 'c', cc: 'cpp', cpp: 'cpp', hpp: 'cpp', cs: 'csharp',
  rb: 'ruby', php: 'php', pl: 'perl', lua: 'lua', r: 'r', swift: 'swift', scala: 'scala', sh: 'bash', bash: 'bash', zsh: 'bash',
  ps1: 'powershell', sql: 'sql', tex: 'latex', bib: 'latex', rst: 'text', diff: 'diff', patch: 'diff', vue: 'html', dockerfile: 'dockerfile',
  makefile: 'makefile', env: 'ini', srt: 'text', ipynb: 'json',
};

/**
 * `{name, language, text}` of a text, `{name, family, file}` of what the server is to keep, or `{name, problem}` with a
 * sentence for the person. `model` is the one that will be asked, as the server describes it.
 */
export async function attachmentOf(file, model) {
  const name = file.name || 'pasted.txt';
  const ending = endingOf(name);
  const language = KINDS[ending] ?? (file.type.startsWith('text/') ? 'text' : null);
  const family = language ? null : familyOf(file.type, ending);
  if (family) {
    // Of a model that is not loaded nobody knows whether it has eyes and ears.
    if (family === 'picture' && model?.loaded && !model.sees) return { name, problem: `${name}: ${model.name} cannot see pictures; it reads text and documents.` };
    if (family === 'sound' && model?.loaded && !model.hears) return { name, problem: `${name}: ${model.name} cannot hear; it reads text and documents.` };
    if (file.size > LARGEST_KEPT) return { name, problem: `${name} has ${sizeText(file.size)}; up to ${sizeText(LARGEST_KEPT)} can be read.` };
    return { name, family, file };
  }
  const other = language ? null : unreadable(file.type, ending);
  if (other) return { name, problem: `${name}: ${other} cannot be read here.` };
  if (file.size > LARGEST) return { name, problem: `${name} has ${sizeText(file.size)}; up to ${sizeText(LARGEST)} can be read.` };
  const text = await decoded(file);
  if (text === null) return { name, problem: `${name} is of a kind that cannot be read here.` };
  return { name, language: language ?? 'text', text };
}

const endingOf = (name) => (name.includes('.') ? name.split('.').pop() : name).toLowerCase();

/** Whether the file with this name is a picture that a browser can show. */
export const isPicture = (name) => /^(png|jpe?g|gif|webp)$/.test(endingOf(name));

function familyOf(type, ending) {
  if (/^image\/(png|jpeg|gif|webp)$/.test(type) || isPicture(`.${ending}`)) return 'picture';
  if (type.startsWith('audio/') || /^(mp3|wav|ogg|oga|opus|m4a|flac|aac|weba)$/.test(ending)) return 'sound';
  if (type === 'application/pdf' || /^(pdf|docx|xlsx|eml)$/.test(ending)) return 'document';
  return null;
}

function unreadable(type, ending) {
  if (type.startsWith('image/') || /^(heic|heif|avif|bmp|tiff?)$/.test(ending)) return 'pictures of this kind (save it as JPEG or PNG)';
  if (type.startsWith('video/') || /^(mp4|mov|webm|mkv|avi)$/.test(ending)) return 'videos';
  if (/^(doc|xls|pptx?|odt|ods|odp|pages|numbers)$/.test(ending)) return 'files of this office program (save it as PDF, DOCX or XLSX)';
  if (/^(zip|gz|tar|7z|rar|bz2|xz)$/.test(ending)) return 'archives';
  return null;
}

/** Has the server keep a file; `{name, id, family, bytes}`. */
export async function kept({ name, file }) {
  const response = await request('POST', `attachments?name=${encodeURIComponent(name)}`, { raw: file });
  return response.json();
}

/** The bytes of a file that the server keeps. */
export async function bytesOf(id) {
  return (await request('GET', `attachments/${id}`)).blob();
}

async function decoded(file) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** The question with its files behind it. A fence is longer than any run of backticks in the file. */
export function withAttachments(question, files) {
  const blocks = files.map(({ name, id, language, text }) => {
    if (id) return reference(name, id);
    const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
    const fence = '`'.repeat(longest + 1);
    return `${fence}${language} file="${name.replace(/["`\n\r]/g, '_')}"\n${text.replace(/\n?$/, '\n')}${fence}`;
  });
  return [question.trim(), ...blocks].filter(Boolean).join('\n\n');
}

const reference = (name, id) => `[${name.replace(/[[\]\n\r]/g, '_')}](attachment:${id})`;

/** A question taken apart again for showing: `{text}`, `{name, language, text}` and `{name, id}` in their order. */
export function partsOf(content) {
  const parts = [];
  const file = /^(`{3,})([\w+-]*) file="([^"\n]*)"\n([\s\S]*?)\n?^\1[ \t]*$|^\[([^\]\n]*)\]\(attachment:(file-[0-9a-f]{24})\)[ \t]*$/gm;
  let at = 0;
  for (const found of content.matchAll(file)) {
    parts.push({ text: content.slice(at, found.index).trim() });
    parts.push(found[6] ? { name: found[5], id: found[6] } : { name: found[3], language: found[2], text: found[4] });
    at = found.index + found[0].length;
  }
  parts.push({ text: content.slice(at).trim() });
  return parts.filter((part) => part.name || part.text);
}

export function sizeText(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} kB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}
