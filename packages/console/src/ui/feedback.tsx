import { WharfError } from "@wharf/client/json";
import type { ReactNode } from "react";
import { texts } from "../texts/common.ts";

/** An error message of one sentence, with the request ID that the server's log has. */
export function Failed({
  error,
  text = sentenceOf(error),
}: {
  readonly error: Error;
  readonly text?: string;
}) {
  const request = requestOf(error);
  return (
    <div className="failed" role="alert">
      <p>{text}</p>
      {request !== undefined && <p className="soft">{request}</p>}
    </div>
  );
}

/** The request ID of an error; undefined if there was no response. */
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

/** Denials name the capabilities and a uid; the screen shows the path of that uid already. */
const DENIED = /^needs ([a-z_., ]+) at "[0-9a-f/]+"/;

/** Capitalizes a text and ends it with a period. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;
}

/** Placeholder of content that is being loaded. */
export function Loading() {
  return (
    <div className="loading" role="status">
      <span className="unseen">{texts.loading}</span>
    </div>
  );
}

/** Placeholder of an empty list: its purpose, and the action that adds the first row. */
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
