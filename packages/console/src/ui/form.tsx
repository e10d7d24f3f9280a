import { Dialog } from "@base-ui/react/dialog";
import { Field } from "@base-ui/react/field";
import { WharfError } from "@wharf/client/json";
import { type ReactNode, useState } from "react";
import { texts } from "../texts.ts";
import { Failed } from "./feedback.tsx";

/** A dialog with a form. It stays open, with what was entered, until the server has accepted it. */
export function FormDialog({
  trigger,
  title,
  submit,
  isDangerous = false,
  onSubmit,
  children,
}: {
  readonly trigger: ReactNode;
  readonly title: string;
  /** The text of the button. */
  readonly submit: string;
  readonly isDangerous?: boolean;
  /** Rejects with the error to show. */
  readonly onSubmit: (text: (name: string) => string) => Promise<unknown>;
  readonly children: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const send = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    setBusy(true);
    setError(undefined);
    try {
      await onSubmit((name) => String(data.get(name) ?? "").trim());
      setOpen(false);
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => {
        setOpen(next);
        setError(undefined);
      }}
    >
      <Dialog.Trigger render={trigger as never} />
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title className="dialog-title">{title}</Dialog.Title>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              send(event.currentTarget);
            }}
          >
            {children}
            {error !== undefined && <Failed error={error} />}
            <div className="dialog-actions">
              <Dialog.Close className="button quiet">{texts.cancel}</Dialog.Close>
              <button
                type="submit"
                className={isDangerous ? "button danger" : "button"}
                disabled={isBusy}
              >
                {submit}
              </button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

export function TextField({
  name,
  label,
  hint,
  value = "",
  isRequired = false,
}: {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value?: string | undefined;
  readonly isRequired?: boolean;
}) {
  return (
    <Field.Root className="field" name={name}>
      <Field.Label>{label}</Field.Label>
      <Field.Control
        defaultValue={value}
        required={isRequired}
        autoComplete="off"
        spellCheck={false}
      />
      {hint !== undefined && <Field.Description className="hint">{hint}</Field.Description>}
    </Field.Root>
  );
}

/** A fixed choice. */
export function SelectField({
  name,
  label,
  choices,
}: {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
}) {
  return (
    <div className="field">
      <label>
        {label}
        <select name={name}>
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** Whether the server denied something for want of a right. */
export const isDenied = (error: unknown): boolean =>
  error instanceof WharfError && error.code === "PERMISSION_DENIED";
