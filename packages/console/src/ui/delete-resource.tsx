import { useNavigate } from "@tanstack/react-router";
import type { JsonMethod } from "@wharf/client/json";
import { useChange } from "../api/client.ts";
import { parentOf, screenLink } from "../app/place.ts";
import type { PlaceScreenName } from "../app/screens.ts";
import { DELETION, FormDialog } from "./form.tsx";
import { toast } from "./toast.tsx";

/** Deletes the resource of a screen after a confirmation, and leads to the list that it was in. */
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
  readonly list: PlaceScreenName;
  readonly words: {
    readonly deleteTitle: (name: string) => string;
    readonly deleteText: string;
    readonly deleted: (name: string) => string;
  };
}) {
  const remove = useChange(method, affected);
  const navigate = useNavigate();
  return (
    <FormDialog
      title={words.deleteTitle(name)}
      {...DELETION}
      className="button quiet"
      onSubmit={async () => {
        await remove.mutateAsync({ uid });
        toast(words.deleted(name));
        navigate(screenLink(list, parentOf(uid)) as never);
      }}
    >
      <p>{words.deleteText}</p>
    </FormDialog>
  );
}
