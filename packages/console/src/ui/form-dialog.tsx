import { Dialog } from "@base-ui/react/dialog";
import { type RefObject, useEffect, useRef, useState } from "react";
import { texts } from "../texts/common.ts";
import type { FormDialogProps } from "./form.tsx";
import { FormBase } from "./form-base.tsx";
import { isDenied } from "./lasting-error.ts";
import { Modal } from "./modal.tsx";
import { useSending } from "./sending.ts";
import { toast } from "./toast.tsx";

/**
 * The open dialog of a form, loaded when one is first opened. The focus returns to its button; if that was deleted, no
 * other control gets it. Escape and a click outside discard edited values only when repeated.
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
}: FormDialogProps & {
  readonly title: string;
  readonly close: () => void;
  /** The button that opened it. */
  readonly opener: RefObject<HTMLElement | null>;
}) {
  const sending = useSending();
  const isEdited = useRef(false);
  const [isLeaving, setLeaving] = useState(false);
  const isEnding = useNotSavedMessage();
  const leave = (isExplicit: boolean) => {
    if (isEdited.current && !isExplicit && !isLeaving) return setLeaving(true);
    isEnding.current = true;
    sending.forget();
    close();
  };
  return (
    <Modal
      className={isWide ? "wide" : ""}
      close={leave}
      finalFocus={() => opener.current ?? false}
    >
      <Dialog.Title className="dialog-title">{title}</Dialog.Title>
      <FormBase
        sending={sending}
        onEnter={() => {
          isEdited.current = true;
          setLeaving(false);
        }}
        onSubmit={async (...entered) => {
          isEnding.current = true;
          try {
            return await onSubmit(...entered);
          } catch (error) {
            // A denial stays visible when the dialog is closed, and explains it.
            isEnding.current = isDenied(error);
            throw error;
          }
        }}
        onAccepted={close}
        actions={(isBusy) => (
          <>
            {isLeaving && (
              <p className="note" role="alert">
                {texts.form.leave}
              </p>
            )}
            <div className="dialog-actions">
              <Dialog.Close className="button quiet">
                {isLeaving ? texts.form.discard : texts.cancel}
              </Dialog.Close>
              <button
                type="submit"
                className={isDangerous ? "button danger" : "button"}
                aria-disabled={isBusy}
              >
                {submit}
              </button>
            </div>
          </>
        )}
      >
        {children}
      </FormBase>
    </Modal>
  );
}

/**
 * A dialog disappears with the button that opened it: when a right is revoked, or somebody else deletes the resource.
 * The user gets a message then. Set the result while the dialog ends, or may end, for another reason.
 */
function useNotSavedMessage(): RefObject<boolean> {
  const isEnding = useRef(false);
  useEffect(() => {
    const { href } = window.location;
    return () => {
      if (!isEnding.current && window.location.href === href) toast(texts.form.notSaved);
    };
  }, []);
  return isEnding;
}
