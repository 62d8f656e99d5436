// A modal question. The browser's own <dialog> keeps the focus inside and closes on Escape.

import { useEffect, useRef } from 'preact/hooks';

export function Dialog({ title, onClose, onSubmit, children }) {
  const box = useRef(null);
  useEffect(() => {
    box.current.showModal();
    box.current.querySelector('input, select, textarea')?.select?.();
  }, []);
  const submit = (event) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <dialog ref={box} aria-label={title} onCancel={(event) => (event.preventDefault(), onClose?.())}>
      <form onSubmit={submit}>
        <h2>{title}</h2>
        {children}
      </form>
    </dialog>
  );
}
