import { WharfError } from "@wharf/client/json";
import type { ReactNode } from "react";
import { texts } from "../texts/common.ts";
import { sentenceOf } from "./error-text.ts";

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
