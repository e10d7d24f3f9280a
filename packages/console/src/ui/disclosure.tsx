import { type ReactNode, useId } from "react";

/** A button with a panel that the browser opens, closes and returns the focus from by itself (the popover attribute). */
export function Disclosure({
  label,
  title,
  content,
  className = "button quiet",
  children,
}: {
  /** The accessible name of the button. */
  readonly label: string;
  /** The accessible name of the panel. */
  readonly title: string;
  readonly content: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <div className="disclosure">
      <button type="button" className={className} aria-label={label} popoverTarget={id}>
        {content}
      </button>
      <div id={id} popover="auto" className="popover" role="dialog" aria-label={title}>
        {children}
      </div>
    </div>
  );
}
