import { WharfError } from "@wharf/client/json";
import type { ReactNode } from "react";
import { texts } from "../texts/common.ts";

/** What went wrong, in one sentence, with what support needs to find it. */
export function Failed({ error }: { readonly error: Error }) {
  const request = requestOf(error);
  return (
    <div className="failed" role="alert">
      <p>{sentenceOf(error)}</p>
      {request !== undefined && <p className="soft">{request}</p>}
    </div>
  );
}

/** What the logs have about the request of an error; undefined if it had none. */
export function requestOf(error: Error): ReactNode {
  const id = error instanceof WharfError ? error.requestId : undefined;
  if (id === undefined) return undefined;
  return (
    <>
      {texts.errors.request} <code>{id}</code>
    </>
  );
}

/** The message of an error without its code, as a sentence. */
export function sentenceOf(error: Error): string {
  if (error instanceof WharfError && error.fieldViolations.length > 0) {
    return sentence(error.fieldViolations.map(({ description }) => description).join("; "));
  }
  const { message } = error;
  const text =
    error instanceof WharfError ? message.slice(message.indexOf(": ") + 1).trim() : message;
  const [, missing] = DENIED.exec(text) ?? [];
  return missing === undefined ? sentence(text) : texts.errors.denied(missing);
}

/** Denials name the uid at which capabilities are missing; people see where they are. */
const DENIED = /^needs ([a-z_., ]+) at "[0-9a-f/]+"/;

/** A text as a sentence. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;
}

/** Stands for content that is on its way. */
export function Loading() {
  return (
    <div className="loading" role="status">
      <span className="unseen">{texts.loading}</span>
    </div>
  );
}

/** A list without rows tells what would be in it, and how to get there. */
export function Empty({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}
