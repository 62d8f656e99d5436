// A button that opens a list of actions. Arrow keys move, Escape closes and gives the focus back.

import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './Icon.jsx';

/** `items` are `{name, icon, run, danger}`. */
export function Menu({ label, items }) {
  const [place, setPlace] = useState(null);
  const button = useRef(null);
  const list = useRef(null);
  const close = (back) => {
    setPlace(null);
    if (back) button.current?.focus();
  };
  const onOpen = (event) => {
    event.preventDefault();
    event.stopPropagation();
    const box = button.current.getBoundingClientRect();
    const height = items.length * 40 + 16;
    const top = box.bottom + height > innerHeight ? Math.max(8, box.top - height) : box.bottom + 4;
    // Fixed to the window, because the list around it scrolls and would cut it off.
    setPlace(place ? null : { top: `${top}px`, left: `${Math.max(8, Math.min(box.right - 200, innerWidth - 208))}px` });
  };
  useEffect(() => {
    if (!place) return undefined;
    list.current.querySelector('button').focus();
    const outside = (event) => list.current?.contains(event.target) || button.current?.contains(event.target) || close();
    const shut = () => close();
    document.addEventListener('pointerdown', outside, true);
    addEventListener('resize', shut);
    return () => {
      document.removeEventListener('pointerdown', outside, true);
      removeEventListener('resize', shut);
    };
  }, [place]);
  const onKey = (event) => {
    const buttons = [...list.current.querySelectorAll('button')];
    const at = buttons.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) buttons[(at + step + buttons.length) % buttons.length].focus();
    else if (event.key === 'Escape') close(true);
    else if (event.key === 'Tab') return close();
    else return undefined;
    event.preventDefault();
    event.stopPropagation();
    return undefined;
  };
  return (
    <>
      <button ref={button} type="button" class="quiet more" aria-label={label} title={label} aria-haspopup="menu" aria-expanded={!!place} onClick={onOpen}>
        <Icon name="more" />
      </button>
      {place && (
        <div ref={list} class="menu" role="menu" style={place} onKeyDown={onKey}>
          {items.map(({ name, icon, run, danger }) => (
            <button type="button" role="menuitem" key={name} class={danger ? 'danger' : null} onClick={() => (close(true), run())}>
              <Icon name={icon} />{name}
            </button>
          ))}
        </div>
      )}
    </>
  );
}
