import type { ReactNode } from "react";
import { type Entered, FormBase, type Submit } from "./form-base.tsx";
import { useSending } from "./sending.ts";

/** A form that is part of its screen. */
export function PageForm({
  submit,
  label,
  className = "sheet",
  canSubmit = true,
  onEnter,
  onSubmit,
  secondary,
  children,
}: {
  /** The text of the button that sends it, or an element in its place. */
  readonly submit: ReactNode;
  /** The accessible name of the form. */
  readonly label: string;
  readonly className?: string;
  readonly canSubmit?: boolean;
  readonly onEnter?: (entered: Entered) => void;
  readonly onSubmit: Submit;
  /** Controls beside the button, such as the one that cancels. */
  readonly secondary?: ReactNode;
  readonly children: ReactNode;
}) {
  const sending = useSending();
  return (
    <FormBase
      className={className}
      label={label}
      sending={sending}
      {...(onEnter && { onEnter })}
      onSubmit={onSubmit}
      actions={(isBusy) => (
        <div className="actions">
          {typeof submit === "string" ? (
            <button type="submit" className="button" disabled={!canSubmit} aria-disabled={isBusy}>
              {submit}
            </button>
          ) : (
            submit
          )}
          {secondary}
        </div>
      )}
    >
      {children}
    </FormBase>
  );
}
