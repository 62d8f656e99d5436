// The format of a text/event-stream, as far as Reckon's server uses it.

/** Takes pieces of a text/event-stream and calls `emit` for every whole event. */
export function eventParser(emit) {
  let rest = '';
  let event = { id: '', event: 'message', data: [] };
  const line = (text) => {
    if (text === '') {
      if (event.data.length) emit({ ...event, data: parsed(event.data.join('\n')) });
      event = { id: '', event: 'message', data: [] };
      return;
    }
    const colon = text.indexOf(':');
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') event.data.push(value);
    else if (field === 'id' || field === 'event') event[field] = value;
  };
  return (piece) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop();
    for (const text of lines) line(text.endsWith('\r') ? text.slice(0, -1) : text);
  };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
