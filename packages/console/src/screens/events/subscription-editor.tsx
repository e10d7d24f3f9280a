import { useNavigate } from "@tanstack/react-router";
import type { EventFilterJson, SubscriptionJson } from "@wharf/contract/messages";
import { useState } from "react";
import { api, useChange } from "../../api/client.ts";
import { screenLink } from "../../app/place.ts";
import { texts } from "../../texts/common.ts";
import { subscriptionTexts } from "../../texts/subscriptions.ts";
import { Failed } from "../../ui/feedback.tsx";
import { TextField } from "../../ui/fields.tsx";
import { useLastingError } from "../../ui/lasting-error.ts";
import { Page } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { FilterBuilder } from "./filter-builder.tsx";
import { FilterPreview } from "./filter-preview.tsx";

/** Creates a subscription of a group, or changes one. What was entered stays when the server rejects it. */
export function SubscriptionEditor({
  group,
  subscription,
}: {
  readonly group: string;
  readonly subscription?: SubscriptionJson;
}) {
  const create = useChange(api.subscriptions.create);
  const update = useChange(api.subscriptions.update);
  const navigate = useNavigate();
  const [filters, setFilters] = useState<readonly EventFilterJson[] | undefined>(
    subscription?.filters ?? [],
  );
  const uid = subscription?.uid;
  const save = async (form: HTMLFormElement) => {
    if (filters === undefined) return;
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name) ?? "").trim();
    const fields = {
      sink: text("sink"),
      name: text("name"),
      description: text("description"),
      maxConcurrency: Number(text("concurrency")),
      filters: [...filters],
    };
    const saved =
      uid === undefined
        ? await create.mutateAsync({ parent: group, subscription: fields })
        : await update.mutateAsync({ subscription: { uid, ...fields } });
    toast(uid === undefined ? subscriptionTexts.created : subscriptionTexts.saved);
    navigate({ ...screenLink("subscription", saved.uid ?? ""), search: {} } as never);
  };
  const [error, showError] = useLastingError();
  return (
    <Page
      title={
        subscription === undefined
          ? subscriptionTexts.create
          : subscriptionTexts.editTitle(nameOf(subscription))
      }
      place={group}
      command={{
        cli:
          uid === undefined
            ? `wharf events subscriptions create URL --parent ${group} --type 'iam.*'`
            : `wharf events subscriptions update ${uid} --type 'iam.*'`,
      }}
    >
      <form
        className="editor"
        onSubmit={(event) => {
          event.preventDefault();
          showError(undefined);
          save(event.currentTarget).catch(showError);
        }}
      >
        <div className="editor-fields">
          <section className="panel" aria-labelledby="destination">
            <h2 id="destination">{subscriptionTexts.destination}</h2>
            <TextField
              name="sink"
              label={subscriptionTexts.sink}
              hint={subscriptionTexts.sinkHint}
              value={subscription?.sink}
              isRequired
            />
            <TextField name="name" label={subscriptionTexts.name} value={subscription?.name} />
            <TextField
              name="description"
              label={subscriptionTexts.description}
              value={subscription?.description}
            />
            <TextField
              name="concurrency"
              label={subscriptionTexts.concurrency}
              hint={subscriptionTexts.concurrencyHint}
              value={String(subscription?.maxConcurrency ?? 1)}
            />
          </section>
          <section className="panel" aria-labelledby="which">
            <h2 id="which">{subscriptionTexts.which}</h2>
            <FilterBuilder
              group={group}
              initial={subscription?.filters ?? []}
              onChange={setFilters}
            />
          </section>
        </div>
        <FilterPreview group={group} filters={filters} />
        <div className="editor-actions">
          {error !== undefined && <Failed error={error} />}
          <div className="actions">
            <button
              type="submit"
              className="button"
              disabled={create.isPending || update.isPending || filters === undefined}
            >
              {uid === undefined ? subscriptionTexts.create : texts.save}
            </button>
            <button
              type="button"
              className="button quiet"
              onClick={() =>
                navigate(
                  (uid === undefined
                    ? { ...screenLink("subscriptions", group), search: {} }
                    : { ...screenLink("subscription", uid), search: {} }) as never,
                )
              }
            >
              {texts.cancel}
            </button>
          </div>
        </div>
      </form>
    </Page>
  );
}

/** What a subscription is called: names are optional. */
export function nameOf({ name, sink = "" }: SubscriptionJson): string {
  return name || sink;
}
