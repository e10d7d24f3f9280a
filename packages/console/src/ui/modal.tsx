import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useRef } from "react";

/** A modal dialog, open while it is rendered. */
export function Modal({
  className = "",
  label,
  close,
  finalFocus,
  children,
}: {
  readonly className?: string;
  /** Its accessible name, if it has no title. */
  readonly label?: string;
  /** Called to close it, with whether the user pressed a button for that: not Escape or a click outside. */
  readonly close: (isExplicit: boolean) => void;
  /** The element that gets the focus afterwards; by default the one that had it before. */
  readonly finalFocus?: () => HTMLElement | false;
  readonly children: ReactNode;
}) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root open onOpenChange={(next, { reason }) => next || close(reason === "close-press")}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          ref={popup}
          className={`dialog ${className}`.trim()}
          aria-label={label}
          // The library would move the focus with the next frame: keys pressed until then, letters for the search or
          // Enter once more, would go to what the dialog covers.
          initialFocus={() => {
            if (popup.current) firstStop(popup.current).focus();
            return false;
          }}
          {...(finalFocus && { finalFocus })}
        >
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The first element in tab order; of radio buttons, the checked one. */
function firstStop(dialog: HTMLElement): HTMLElement {
  const controls = dialog.querySelectorAll<HTMLElement>(
    "a[href], button, input, select, textarea, summary, [tabindex]",
  );
  const first = [...controls].find(
    (one) => one.tabIndex >= 0 && !one.matches(":disabled") && one.checkVisibility(),
  );
  if (!first?.matches("[type=radio]")) return first ?? dialog;
  return dialog.querySelector<HTMLElement>("[type=radio]:checked") ?? first;
}
