import type { UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { texts } from "../texts/common.ts";
import { FormDialog, quiet } from "./form.tsx";
import type { Accepted } from "./form-base.tsx";

/** A dialog that confirms one request without fields to fill in, such as a deletion. */
export function ConfirmDialog<Input, Output>({
  change,
  request,
  onDone,
  message,
  open,
  submit = texts.delete,
  isDangerous = true,
  isSmall = false,
  className = quiet(isSmall),
  ...dialog
}: {
  readonly change: Pick<UseMutationResult<Output, Error, Input, unknown>, "mutateAsync">;
  readonly request: Input;
  readonly onDone?: (output: Output) => void;
  /** The text of both buttons, unless `trigger` has the one that opens it. */
  readonly submit?: string;
  readonly trigger?: string;
  readonly title?: string;
  readonly isDangerous?: boolean;
  readonly isSmall?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
} & Accepted) {
  return (
    <FormDialog
      submit={submit}
      isDangerous={isDangerous}
      className={className}
      onSubmit={async () => {
        const output = await change.mutateAsync(request);
        onDone?.(output);
        return { ...(message !== undefined && { message }), ...(open && { open }) };
      }}
      {...dialog}
    />
  );
}
