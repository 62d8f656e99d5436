// A block of code with its buttons: copy, save, and run where the language is Python.

import { useState } from 'preact/hooks';
import { memo } from './memo.js';
import { call } from '../api.js';
import { copy, saveBlob } from '../clipboard.js';
import { endingOf, highlighted, languageName } from '../highlight.js';
import { fileName } from '../library.js';
import { Icon } from './Icon.jsx';

const PYTHON = new Set(['python', 'py', 'python3']);

export function CodeBlock({ code, info, growing, name }) {
  const language = info.match(/^[\w+#.-]+/)?.[0].toLowerCase() ?? '';
  const [copied, setCopied] = useState(false);
  const [run, setRun] = useState(null);
  const onCopy = async () => {
    setCopied(await copy(code));
    setTimeout(() => setCopied(false), 1600);
  };
  const onSave = () => saveBlob(new Blob([code.replace(/\n?$/, '\n')], { type: 'text/plain' }), savedName(code, info, language, name));
  const onRun = async () => {
    setRun({ busy: true });
    try {
      setRun(await call('POST', 'run', { code, language: 'python' }));
    } catch (error) {
      setRun({ ok: false, error: error.message });
    }
  };
  return (
    <figure class="code">
      <figcaption>
        <span class="language">{language ? languageName(language) : 'text'}</span>
        {!growing && (
          <span class="tools">
            {PYTHON.has(language) && (
              <button type="button" class="tool run" onClick={onRun} disabled={run?.busy} title="Run in the sandbox: no files, no network">
                <Icon name="run" />{run?.busy ? 'Running…' : 'Run'}
              </button>
            )}
            <button type="button" class="tool" onClick={onSave} title="Save as a file"><Icon name="save" />Save</button>
            <button type="button" class="tool" onClick={onCopy} title="Copy the code">
              <Icon name={copied ? 'check' : 'copy'} />{copied ? 'Copied' : 'Copy'}
            </button>
          </span>
        )}
      </figcaption>
      <Code code={code} language={language} />
      {run && !run.busy && <Output run={run} onClose={() => setRun(null)} />}
    </figure>
  );
}

export const Code = memo(({ code, language }) => {
  const html = highlighted(code, language);
  const inside = html === null ? { children: code } : { dangerouslySetInnerHTML: { __html: html } };
  return <pre tabIndex={0}><code {...inside} /></pre>;
});

function Output({ run, onClose }) {
  const { ok, stdout, value, error, ms } = run;
  const shown = [stdout?.replace(/\n$/, ''), value != null && value !== '' && `= ${value}`].filter(Boolean).join('\n');
  return (
    <div class={`output ${ok ? '' : 'bad'}`} role="status">
      <div class="line">
        <strong>{ok ? 'Output' : 'It failed'}</strong>
        {ms != null && <span class="small">{Math.round(ms)} ms</span>}
        <button type="button" class="tool" onClick={onClose} aria-label="Close the output"><Icon name="close" /></button>
      </div>
      {shown && <pre tabIndex={0}>{shown}</pre>}
      {error && <pre class="error" tabIndex={0}>{error}</pre>}
      {!shown && !error && <p class="small">The program printed nothing.</p>}
    </div>
  );
}

/** The name that the code itself gives, else one after the conversation. */
function savedName(code, info, language, name) {
  const told = info.match(/(?:file|title|name)="?([\w.-]+\.\w{1,8})"?/)?.[1];
  const first = code.match(/^\s*(?:#|\/\/|--|<!--|\/\*)\s*(?:file:\s*)?([\w-]+(?:\.[\w-]+)*\.\w{1,6})\s*(?:-->|\*\/)?\s*$/m);
  const above = first && code.indexOf(first[0]) < 200 ? first[1] : null;
  return told ?? above ?? `${fileName(name || 'reckon')}.${endingOf(language)}`;
}
