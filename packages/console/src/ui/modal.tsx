import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useRef } from "react";

/** A dialog over everything else, from when it is rendered. */
export function Modal({
  className = "",
  label,
  close,
  finalFocus,
  children,
}: {
  readonly className?: string;
  /** Its name, where it has no title to be named by. */
  readonly label?: string;
  readonly close: () => void;
  /** What gets the focus after it; what had it before, unless given. */
  readonly finalFocus?: () => HTMLElement | false;
  readonly children: ReactNode;
}) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root open onOpenChange={(next) => next || close()}>
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

/** Where Tab would lead first; of radio buttons, to the one that is checked. */
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
