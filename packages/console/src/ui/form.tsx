import { lazy, type ReactNode, Suspense, useRef, useState } from "react";
import { texts } from "../texts/common.ts";

/** Dialogs and their focus handling are loaded after the first screen is shown. */
const OpenFormDialog = lazy(async () => ({
  default: (await import("./form-dialog.tsx")).OpenFormDialog,
}));

export interface FormDialogProps {
  /** The content of the button that opens it. */
  readonly trigger: ReactNode;
  readonly title: string;
  /** The text of the button that sends it. */
  readonly submit: string;
  readonly isDangerous?: boolean;
  /** Whether it has more in it than a few fields. */
  readonly isWide?: boolean;
  /** Rejects with the error to show. */
  readonly onSubmit: (text: (name: string) => string) => Promise<unknown>;
  readonly children: ReactNode;
}

/** What the dialogs of all deletions have in common. */
export const DELETION = {
  submit: texts.delete,
  trigger: texts.delete,
  isDangerous: true,
} as const satisfies Partial<FormDialogProps>;

/** A button that opens a dialog with a form, which stays open, with what was entered, until the server accepts it. */
export function FormDialog({
  className = "button",
  trigger,
  ...dialog
}: FormDialogProps & { readonly className?: string }) {
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        ref={opener}
        type="button"
        className={className}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {trigger}
      </button>
      {open && (
        <Suspense>
          <OpenFormDialog {...dialog} opener={opener} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
