// Icons as strokes on a 20 × 20 grid; they take the colour of the text around them.

const PATHS = {
  add: 'M10 4v12M4 10h12',
  menu: 'M3 6h14M3 10h14M3 14h9',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM13 13l4 4',
  close: 'M5 5l10 10M15 5L5 15',
  more: 'M4.5 10h.01M10 10h.01M15.5 10h.01',
  send: 'M10 16V4M5 9l5-5 5 5',
  stop: 'M6 6h8v8H6z',
  attach: 'M16 9.5l-5.8 5.8a3.6 3.6 0 0 1-5.1-5.1l6.2-6.2a2.4 2.4 0 0 1 3.4 3.4l-6 6a1.2 1.2 0 0 1-1.7-1.7l5.3-5.3',
  record: 'M10 12.5a2.5 2.5 0 0 0 2.5-2.5V5.5a2.5 2.5 0 0 0-5 0V10a2.5 2.5 0 0 0 2.5 2.5ZM5 10a5 5 0 0 0 10 0M10 15v2.5',
  copy: 'M7 7V4.5h8.5V13H13M4.5 7H13v8.5H4.5z',
  save: 'M10 3.5V12M6.5 8.8L10 12.3l3.5-3.5M4 16h12',
  run: 'M6.5 4.5l9 5.5-9 5.5z',
  retry: 'M15.8 8A6 6 0 1 0 16 11.5M16 4v4h-4',
  edit: 'M4 16l.8-3.5L13.5 3.8l2.7 2.7L7.5 15.2 4 16Z',
  left: 'M12 5l-5 5 5 5',
  right: 'M8 5l5 5-5 5',
  down: 'M5 8l5 5 5-5',
  bottom: 'M10 4v12M5 11l5 5 5-5',
  check: 'M4 10.5l4 4 8-9',
  doubt: 'M10 3.5L17.5 16.5H2.5zM10 8.5v3.5M10 14.3v.01',
  unchecked: 'M10 16.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM7 10h6',
  receipt: 'M5 3.5h10v13l-2.5-1.5L10 16.5l-2.5-1.5L5 16.5zM8 7.5h4M8 10.5h4',
  folder: 'M3 5.5h5l1.5 2H17v8H3z',
  trash: 'M4 6h12M8 6V4h4v2M5.5 6l.7 10h7.6l.7-10',
  settings: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  file: 'M5.5 3h6L15 6.5V17H5.5zM11.5 3v3.5H15',
  sun: 'M10 13.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4ZM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M15.7 4.3l-1.1 1.1M5.4 14.6l-1.1 1.1',
  moon: 'M16 11.8A6.5 6.5 0 0 1 8.2 4a6.5 6.5 0 1 0 7.8 7.8Z',
  auto: 'M3 4.5h14v9H3zM7 16.5h6M10 13.5v3',
  bell: 'M5.5 13.5V9a4.5 4.5 0 0 1 9 0v4.5l1.5 1H4zM8.5 16.5h3',
  import: 'M10 12V3.5M6.5 7L10 3.5 13.5 7M4 16h12',
  play: 'M6.5 4.5l9 5.5-9 5.5z',
  forward: 'M4 5l6 5-6 5zM10 5l6 5-6 5z',
};

export function Icon({ name }) {
  return <svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d={PATHS[name]} /></svg>;
}
