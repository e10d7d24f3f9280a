import { Dialog } from "@base-ui/react/dialog";
import { type RefObject, useEffect, useRef } from "react";
import { texts } from "../texts/common.ts";
import type { FormDialogProps } from "./form.tsx";
import { FormError } from "./form-error.tsx";
import { isDenied } from "./lasting-error.ts";
import { Modal } from "./modal.tsx";
import { useSending } from "./sending.ts";
import { toast } from "./toast.tsx";

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
  const isEnding = useSaysWhenGone(title);
  const leave = () => {
    isEnding.current = true;
    forget();
    close();
  };
  return (
    <Modal
      className={isWide ? "wide" : ""}
      close={leave}
      finalFocus={() => opener.current ?? false}
    >
      <Dialog.Title className="dialog-title">{title}</Dialog.Title>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          send(async () => {
            isEnding.current = true;
            try {
              await onSubmit((name) => String(data.get(name) ?? "").trim());
            } catch (error) {
              // A denial stays in sight when the dialog goes, and tells why.
              isEnding.current = isDenied(error);
              throw error;
            }
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
    </Modal>
  );
}

/**
 * A dialog goes with the button that opened it: when a right is revoked, or when someone else deletes what it is about.
 * Whoever was filling it in is told. Set the result while the dialog ends, or may end, for another reason.
 */
function useSaysWhenGone(title: string): RefObject<boolean> {
  const isEnding = useRef(false);
  useEffect(() => {
    const { href } = window.location;
    return () => {
      if (!isEnding.current && window.location.href === href) toast(texts.formGone(title));
    };
  }, [title]);
  return isEnding;
}
