// Files that are put into a question: text only, as a fenced block that carries the file's name.

export const LARGEST = 256 * 1024;

const KINDS = {
  txt: 'text', md: 'markdown', csv: 'csv', tsv: 'tsv', json: 'json', jsonl: 'json', yaml: 'yaml', yml: 'yaml', toml: 'toml',
  ini: 'ini', cfg: 'ini', conf: 'ini', log: 'text', xml: 'xml', html: 'html', htm: 'html', svg: 'xml', css: 'css', scss: 'css',
  js: 'javascript', mjs: 'javascript', cjs: 'javascript', jsx: 'javascript', ts: 'typescript', tsx: 'typescript',
  py: 'python', rs: 'rust', go: 'go', java: 'java', kt: 'kotlin', c: 'c', h: 'c', cc: 'cpp', cpp: 'cpp', hpp: 'cpp', cs: 'csharp',
  rb: 'ruby', php: 'php', pl: 'perl', lua: 'lua', r: 'r', swift: 'swift', scala: 'scala', sh: 'bash', bash: 'bash', zsh: 'bash',
  ps1: 'powershell', sql: 'sql', tex: 'latex', bib: 'latex', rst: 'text', diff: 'diff', patch: 'diff', vue: 'html', dockerfile: 'dockerfile',
  makefile: 'makefile', env: 'ini', srt: 'text', ipynb: 'json',
};

/** `{name, language, text}`, or `{name, problem}` with a sentence for the person. */
export async function attachmentOf(file) {
  const name = file.name || 'pasted.txt';
  const ending = (name.includes('.') ? name.split('.').pop() : name).toLowerCase();
  const language = KINDS[ending] ?? (file.type.startsWith('text/') ? 'text' : null);
  const other = unreadable(file.type, ending);
  if (other && !language) return { name, problem: `${name}: this model cannot read ${other} yet.` };
  if (file.size > LARGEST) return { name, problem: `${name} has ${sizeText(file.size)}; up to ${sizeText(LARGEST)} can be read.` };
  const text = await decoded(file);
  if (text === null) return { name, problem: `${name} is not a text file; this model can only read text.` };
  return { name, language: language ?? 'text', text };
}

function unreadable(type, ending) {
  if (type.startsWith('image/') || /^(png|jpe?g|gif|webp|heic|bmp|tiff?)$/.test(ending)) return 'images';
  if (type.startsWith('audio/') || /^(mp3|wav|ogg|m4a|flac|opus)$/.test(ending)) return 'sound';
  if (type.startsWith('video/') || /^(mp4|mov|webm|mkv|avi)$/.test(ending)) return 'video';
  if (type === 'application/pdf' || ending === 'pdf') return 'PDF files';
  if (/^(docx?|xlsx?|pptx?|odt|ods|odp|pages|numbers)$/.test(ending)) return 'office files';
  if (/^(zip|gz|tar|7z|rar|bz2|xz)$/.test(ending)) return 'archives';
  return null;
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
  const blocks = files.map(({ name, language, text }) => {
    const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
    const fence = '`'.repeat(longest + 1);
    return `${fence}${language} file="${name.replace(/["`\n\r]/g, '_')}"\n${text.replace(/\n?$/, '\n')}${fence}`;
  });
  return [question.trim(), ...blocks].filter(Boolean).join('\n\n');
}

/** A question taken apart again for showing: `[{text}]` and `[{name, language, text}]` in their order. */
export function partsOf(content) {
  const parts = [];
  const fence = /^(`{3,})([\w+-]*) file="([^"\n]*)"\n([\s\S]*?)\n?^\1[ \t]*$/gm;
  let at = 0;
  for (const found of content.matchAll(fence)) {
    parts.push({ text: content.slice(at, found.index).trim() });
    parts.push({ name: found[3], language: found[2], text: found[4] });
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
