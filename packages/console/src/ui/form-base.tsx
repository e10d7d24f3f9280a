import { useNavigate } from "@tanstack/react-router";
import { WharfError } from "@wharf/client/json";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { texts } from "../texts/common.ts";
import { sentence } from "../texts/sentence.ts";
import { Failed } from "./feedback.tsx";
import type { Sending } from "./sending.ts";
import { isSignInNeeded, SessionEnded, SignInAgain } from "./sign-in-again.tsx";
import { toast } from "./toast.tsx";
import { assignViolations, messageOf, type Problems } from "./violations.ts";

/** Values of a form by the names of its controls, without surrounding white space. */
export type Entered = Readonly<Record<string, string | undefined>>;

/** Effects of an accepted form: a message that confirms it, and the screen it leads to. */
export interface Accepted {
  readonly message?: string;
  readonly open?: { readonly to: string; readonly params?: object; readonly search?: object };
}

/** Sends a form. Rejects with the error to show. */
export type Submit = (
  text: (name: string) => string,
  entered: Entered,
  // biome-ignore lint/suspicious/noConfusingVoidType: a promise of void is that of a function without return
) => Promise<Accepted | void>;

/** Problems that the server reported, for the fields inside a form. */
const ReportedProblems = createContext<Problems>({});

/** The problem that the server reported for a control, until its value is edited. */
export function useReported(name: string): string | undefined {
  return useContext(ReportedProblems)[name];
}

/**
 * Base of all forms. It sends once at a time and keeps the values until the server accepts them. Field violations
 * are shown at their controls, the first of which gets the focus; other errors are shown above the buttons. After a
 * recent sign-in that was missing, it is sent again.
 */
export function FormBase({
  className,
  label,
  sending: { error, isBusy, send },
  onEnter,
  onSubmit,
  onAccepted,
  children,
  actions,
}: {
  readonly className?: string;
  /** Accessible name, for a form without a dialog. */
  readonly label?: string;
  readonly sending: Sending;
  /** Called with the values after each edit. */
  readonly onEnter?: (entered: Entered) => void;
  readonly onSubmit: Submit;
  readonly onAccepted?: () => void;
  readonly children: ReactNode;
  /** The buttons, by whether a request is running. */
  readonly actions: (isBusy: boolean) => ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const navigate = useNavigate();
  const [edited, setEdited] = useState<ReadonlySet<string>>(new Set());
  const controls = [...(form.current?.elements ?? [])].map((one) => (one as HTMLInputElement).name);
  const violations = error instanceof WharfError ? error.fieldViolations : [];
  const { problems, unassigned } = assignViolations(violations, controls);
  const open = Object.entries(problems).filter(([name]) => !edited.has(name));
  useEffect(() => {
    if (error !== undefined) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [error]);
  return (
    <form
      ref={form}
      className={className}
      aria-label={label}
      autoComplete="off"
      onInput={({ currentTarget, target }) => {
        if (error !== undefined) setEdited(new Set([...edited, (target as HTMLInputElement).name]));
        onEnter?.(enteredIn(currentTarget));
      }}
      onSubmit={(event) => {
        event.preventDefault();
        const entered = enteredIn(event.currentTarget);
        send(async () => {
          setEdited(new Set());
          const accepted = await onSubmit((name) => entered[name] ?? "", entered);
          if (accepted?.message !== undefined) toast(accepted.message);
          if (accepted?.open !== undefined) navigate(accepted.open as never);
          onAccepted?.();
        });
      }}
    >
      <ReportedProblems
        value={Object.fromEntries(
          open.map(([name, problem]) => [
            name,
            sentence(messageOf(problem, texts.form.notAllowed)),
          ]),
        )}
      >
        {children}
      </ReportedProblems>
      <SessionEnded />
      {error !== undefined &&
        (isSignInNeeded(error) ? (
          <SignInAgain onDone={() => form.current?.requestSubmit()} />
        ) : violations.length > 0 && unassigned.length === 0 ? (
          open.length > 0 && (
            <Failed
              error={error}
              text={texts.form.check(open.map(([name]) => labelOf(form.current, name)))}
            />
          )
        ) : (
          <Failed error={error} />
        ))}
      {actions(isBusy)}
    </form>
  );
}

/** The label of a control; its name if it has none. */
function labelOf(form: HTMLFormElement | null, name: string): string {
  const field = form
    ?.querySelector(`[name="${CSS.escape(name)}"]`)
    ?.closest(".field, .check-field");
  return field?.querySelector("label")?.textContent?.trim() || name;
}

function enteredIn(form: HTMLFormElement): Entered {
  const entries = [...new FormData(form)];
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value).trim()]));
}
