import { type FormEvent, type ReactNode, useRef } from "react";
import { FormError } from "./form-error.tsx";
import { useSending } from "./sending.ts";

/** What was entered in a form, by the name of the field. */
export type Entered = Readonly<Record<string, string | undefined>>;

/** A form that is a part of its screen. It keeps what was entered until the server accepts it. */
export function PageForm({
  submit,
  label,
  onEnter,
  onSubmit,
  children,
}: {
  /** The text of the button that sends it, or what stands in its place. */
  readonly submit: ReactNode;
  /** The accessible name of the form. */
  readonly label: string;
  /** Is told of every change. */
  readonly onEnter?: (entered: Entered) => void;
  /** Rejects with the error to show. */
  readonly onSubmit: (entered: Entered) => Promise<unknown>;
  readonly children: ReactNode;
}) {
  const { error, isBusy, send } = useSending();
  const form = useRef<HTMLFormElement>(null);
  return (
    <form
      ref={form}
      className="sheet"
      aria-label={label}
      autoComplete="off"
      onInput={(event) => onEnter?.(enteredIn(event))}
      onSubmit={(event) => {
        event.preventDefault();
        const entered = enteredIn(event);
        send(async () => {
          await onSubmit(entered);
        });
      }}
    >
      {children}
      <FormError error={error} form={form} />
      <div className="actions">
        {typeof submit === "string" ? (
          <button type="submit" className="button" aria-disabled={isBusy}>
            {submit}
          </button>
        ) : (
          submit
        )}
      </div>
    </form>
  );
}

function enteredIn({ currentTarget }: FormEvent<HTMLFormElement>): Entered {
  const entries = [...new FormData(currentTarget)];
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value).trim()]));
}
