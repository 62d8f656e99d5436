// A conversation is a tree: each message names its parent, and a question that was edited or an answer that was retried
// stands beside the old one. People see one path through it.

/**
 * The path from the first question down. `nodes` are `{id, parent, created}` in the order in which they were made;
 * `chosen` says which child of a parent (by id, `null` for the top) the person wants; the newest otherwise.
 * Each step is `{id, siblings, place}`.
 */
export function pathThrough(nodes, chosen) {
  const children = new Map();
  for (const node of nodes) {
    const parent = node.parent ?? null;
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(node.id);
  }
  const path = [];
  const seen = new Set();
  let at = null;
  while (children.has(at)) {
    const siblings = children.get(at);
    const wanted = siblings.indexOf(chosen.get(at));
    const place = wanted < 0 ? siblings.length - 1 : wanted;
    const id = siblings[place];
    // An import could name a message as its own ancestor.
    if (seen.has(id)) break;
    seen.add(id);
    path.push({ id, siblings, place });
    at = id;
  }
  return path;
}

/** The choices that lead to a message: its own and those of its ancestors. */
export function choicesTo(nodes, id) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const choices = new Map();
  for (let node = byId.get(id); node && !choices.has(node.parent ?? null); node = byId.get(node.parent)) {
    choices.set(node.parent ?? null, node.id);
  }
  return choices;
}
