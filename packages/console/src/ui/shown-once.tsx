import { useEffect, useRef } from "react";
import { Code } from "./code.tsx";

/** A secret that only this response contains. */
export function ShownOnce({
  title,
  text,
  secret,
  done,
  onDone,
}: {
  readonly title: string;
  readonly text: string;
  readonly secret: string;
  /** The text of the button that hides it for good. */
  readonly done: string;
  readonly onDone: () => void;
}) {
  const panel = useRef<HTMLElement>(null);
  // The dialog that created it returns the focus to its button first.
  useEffect(() => {
    const frame = requestAnimationFrame(() => setTimeout(() => panel.current?.focus()));
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <section className="shown-once" aria-label={title} tabIndex={-1} ref={panel}>
      <h2>{title}</h2>
      <p>{text}</p>
      <Code text={secret} />
      <div>
        <button type="button" className="button quiet small" onClick={onDone}>
          {done}
        </button>
      </div>
    </section>
  );
}
