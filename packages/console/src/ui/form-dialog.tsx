import { Dialog } from "@base-ui/react/dialog";
import { type RefObject, useRef, useState } from "react";
import { texts } from "../texts/common.ts";
import { Failed } from "./feedback.tsx";
import type { FormDialogProps } from "./form.tsx";
import { useLastingError } from "./lasting-error.ts";
import { isSignInNeeded, SignInAgain } from "./sign-in-again.tsx";

/**
 * The open dialog of a form: loaded when one is first opened. The focus returns to its button; where that is gone with
 * what was deleted, no other one is meant.
 */
export function OpenFormDialog({
  title,
  submit,
  isDangerous = false,
  isWide = false,
  onSubmit,
  close,
  opener,
  children,
}: Omit<FormDialogProps, "trigger"> & {
  readonly close: () => void;
  /** The button that opened it. */
  readonly opener: RefObject<HTMLElement | null>;
}) {
  const [error, setError] = useLastingError();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const send = async (form: HTMLFormElement) => {
    if (isBusy) return;
    const data = new FormData(form);
    setBusy(true);
    setError(undefined);
    try {
      await onSubmit((name) => String(data.get(name) ?? "").trim());
      close();
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setBusy(false);
    }
  };
  const leave = () => {
    setError(undefined);
    close();
  };
  return (
    <Dialog.Root open onOpenChange={(next) => next || leave()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          className={isWide ? "dialog wide" : "dialog"}
          finalFocus={() => opener.current ?? false}
        >
          <Dialog.Title className="dialog-title">{title}</Dialog.Title>
          <form
            ref={form}
            onSubmit={(event) => {
              event.preventDefault();
              send(event.currentTarget);
            }}
          >
            {children}
            {error !== undefined &&
              (isSignInNeeded(error) ? (
                <SignInAgain onDone={() => form.current?.requestSubmit()} />
              ) : (
                <Failed error={error} />
              ))}
            <div className="dialog-actions">
              <Dialog.Close className="button quiet">{texts.cancel}</Dialog.Close>
              <button
                type="submit"
                className={isDangerous ? "button danger" : "button"}
                aria-disabled={isBusy}
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
