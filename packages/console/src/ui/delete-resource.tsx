import type { JsonMethod } from "@wharf/client/json";
import { useChange } from "../api/client.ts";
import { parentOf, screenLink } from "../app/location.ts";
import type { GroupScreenName } from "../app/screens.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

/** Deletes the resource of a screen after a confirmation, and opens the list that contained it. */
export function DeleteResource({
  resource: { uid = "", name = "" },
  method,
  affected = [],
  list,
  words,
}: {
  readonly resource: { readonly uid?: string; readonly name?: string };
  readonly method: JsonMethod<{ uid?: string }, unknown>;
  /** Other methods whose responses the deletion changes. */
  readonly affected?: readonly JsonMethod<never, unknown>[];
  readonly list: GroupScreenName;
  readonly words: {
    readonly deleteTitle: (name: string) => string;
    readonly deleteText: string;
    readonly deleted: (name: string) => string;
  };
}) {
  const change = useChange(method, affected);
  return (
    <ConfirmDialog
      change={change}
      request={{ uid }}
      title={words.deleteTitle(name)}
      message={words.deleted(name)}
      open={screenLink(list, parentOf(uid))}
    >
      <p>{words.deleteText}</p>
    </ConfirmDialog>
  );
}
