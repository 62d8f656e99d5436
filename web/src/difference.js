// Word by word, what changed between two texts: the longest common subsequence of their words.

/** Cells of the table; 4 million numbers of two bytes take 8 MB for a moment. */
const LARGEST = 4_000_000;

/** `[{kind: "same" | "gone" | "new", text}]`, neighbours of one kind joined. */
export function difference(before, after) {
  return gathered(compared(words(before), words(after)));
}

/** Numbers such as 270,100,077 and 1.5 stay whole; everything else splits at spaces and signs. */
export function words(text) {
  return text.match(/\d+(?:[.,]\d+)*|[\p{L}\p{M}_]+|\s+|./gsu) ?? [];
}

function compared(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (list) => list.map((text) => ({ kind: 'same', text }));
  const middle = changed(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))];
}

function changed(a, b) {
  const gone = a.map((text) => ({ kind: 'gone', text }));
  const added = b.map((text) => ({ kind: 'new', text }));
  // Texts that have nothing to do with each other, or too long for the table: all of one, then all of the other.
  if (!a.length || !b.length || a.length * b.length > LARGEST) return [...gone, ...added];
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      common[at] = a[i] === b[j] ? common[at + width + 1] + 1 : Math.max(common[at + width], common[at + 1]);
    }
  }
  const out = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) out.push({ kind: 'same', text: a[i] }), i++, j++;
    else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) out.push(gone[i++]);
    else out.push(added[j++]);
  }
  return [...out, ...gone.slice(i), ...added.slice(j)];
}

/**
 * Joins neighbours, all that went before all that came. A space or a lone comma that two rewritten sentences happen to
 * share belongs to the change: keeping it would shred both into single words.
 */
function gathered(parts) {
  const runs = [];
  for (const { kind, text } of parts) {
    if (runs.at(-1)?.kind === kind) runs.at(-1).text += text;
    else runs.push({ kind, text });
  }
  const out = [];
  let [gone, added] = ['', ''];
  const flush = () => {
    if (gone) out.push({ kind: 'gone', text: gone });
    if (added) out.push({ kind: 'new', text: added });
    [gone, added] = ['', ''];
  };
  for (const [i, { kind, text }] of runs.entries()) {
    const between = gone && added && i + 1 < runs.length;
    if (kind === 'gone') gone += text;
    else if (kind === 'new') added += text;
    else if (between && !/[\p{L}\p{N}]{2}/u.test(text) && !text.includes('\n\n')) [gone, added] = [gone + text, added + text];
    else flush(), out.push({ kind, text });
  }
  flush();
  return out;
}
