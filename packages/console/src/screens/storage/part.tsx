import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { storageTexts } from "../../texts/storage.ts";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { isDenied } from "../../ui/lasting-error.ts";

/** The part of a screen that one read fills: its content, or the reason for none. A denied read is a sentence, not an error. */
export function Part<Data>({
  query: { data, error, isFetching, refetch },
  denied,
  children,
}: {
  readonly query: Pick<UseQueryResult<Data, Error>, "data" | "error" | "isFetching" | "refetch">;
  readonly denied: string;
  readonly children: (data: Data) => ReactNode;
}) {
  if (isDenied(error)) return <p className="note">{denied}</p>;
  if (error !== null) return <Retry error={error} isBusy={isFetching} retry={refetch} />;
  if (data === undefined) return <Loading />;
  return children(data);
}

/** An error, and a button that repeats the request. */
export function Retry({
  error,
  isBusy,
  retry,
}: {
  readonly error: Error;
  readonly isBusy: boolean;
  readonly retry: () => unknown;
}) {
  return (
    <>
      <Failed error={error} />
      <button type="button" className="button quiet" disabled={isBusy} onClick={() => retry()}>
        {storageTexts.retry}
      </button>
    </>
  );
}
