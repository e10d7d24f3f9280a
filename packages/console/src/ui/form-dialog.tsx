import { Dialog } from "@base-ui/react/dialog";
import { type RefObject, useRef } from "react";
import { texts } from "../texts/common.ts";
import type { FormDialogProps } from "./form.tsx";
import { FormError } from "./form-error.tsx";
import { useSending } from "./sending.ts";

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
  const { error, isBusy, send, forget } = useSending();
  const form = useRef<HTMLFormElement>(null);
  const leave = () => {
    forget();
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
              const data = new FormData(event.currentTarget);
              send(async () => {
                await onSubmit((name) => String(data.get(name) ?? "").trim());
                close();
              });
            }}
          >
            {children}
            <FormError error={error} form={form} />
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
