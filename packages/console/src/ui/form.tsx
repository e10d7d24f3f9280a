import { lazy, type ReactNode, Suspense, useRef, useState } from "react";
import { texts } from "../texts/common.ts";
import type { Submit } from "./form-base.tsx";
import { Icon, type IconName } from "./icons.tsx";

/** Dialogs and their focus handling are loaded after the first screen is shown. */
const OpenFormDialog = lazy(async () => ({
  default: (await import("./form-dialog.tsx")).OpenFormDialog,
}));

export interface FormDialogProps {
  /** The text of the button that sends it. */
  readonly submit: string;
  /** The content of the button that opens it; by default the text of the button that sends it. */
  readonly trigger?: ReactNode;
  readonly icon?: IconName;
  /** By default the text of the button that sends it. */
  readonly title?: string;
  readonly isDangerous?: boolean;
  /** Whether it contains more than a few fields. */
  readonly isWide?: boolean;
  readonly onSubmit: Submit;
  readonly children: ReactNode;
}

/** A button that opens a dialog with a form, which stays open, with its values, until the server accepts it. */
export function FormDialog({
  className = "button",
  submit,
  trigger = submit,
  icon,
  title = submit,
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
        {icon && <Icon name={icon} />}
        {trigger}
      </button>
      {open && (
        <Suspense>
          <OpenFormDialog
            {...dialog}
            title={title}
            submit={submit}
            opener={opener}
            close={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}

/** A dialog that creates a resource. */
export function CreateDialog(props: Omit<FormDialogProps, "icon">) {
  return <FormDialog icon="plus" {...props} />;
}

/** A dialog that edits a resource. */
export function EditDialog({
  isSmall = false,
  ...props
}: Omit<FormDialogProps, "submit"> & { readonly trigger: string; readonly isSmall?: boolean }) {
  return <FormDialog submit={texts.save} className={quiet(isSmall)} {...props} />;
}

/** The class of a button of secondary importance. */
export function quiet(isSmall: boolean): string {
  return isSmall ? "button quiet small" : "button quiet";
}
