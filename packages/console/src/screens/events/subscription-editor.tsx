import { Link } from "@tanstack/react-router";
import type { EventFilterJson, SubscriptionJson } from "@wharf/contract/messages";
import { useState } from "react";
import { api, useChange } from "../../api/client.ts";
import { screenLink } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { subscriptionTexts } from "../../texts/subscriptions.ts";
import { TextField } from "../../ui/fields.tsx";
import type { Submit } from "../../ui/form-base.tsx";
import { isWholeNumber } from "../../ui/numbers.ts";
import { Page } from "../../ui/page.tsx";
import { PageForm } from "../../ui/page-form.tsx";
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
  const [filters, setFilters] = useState<readonly EventFilterJson[] | undefined>(
    subscription?.filters ?? [],
  );
  const uid = subscription?.uid;
  const save = useSave(group, uid, filters);
  return (
    <Page
      title={
        subscription === undefined
          ? subscriptionTexts.create
          : subscriptionTexts.editTitle(nameOf(subscription))
      }
      group={group}
      command={{ cli: commandOf(group, uid) }}
    >
      <PageForm
        className="editor"
        label={subscriptionTexts.destination}
        submit={uid === undefined ? subscriptionTexts.create : texts.save}
        canSubmit={filters !== undefined}
        secondary={
          <Link
            className="button quiet"
            {...(uid === undefined
              ? screenLink("subscriptions", group)
              : screenLink("subscription", uid))}
          >
            {texts.cancel}
          </Link>
        }
        onSubmit={save}
      >
        <div className="editor-fields">
          <Destination subscription={subscription} />
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
      </PageForm>
    </Page>
  );
}

/** Sends the form: creates a subscription, or updates the one of a uid. Invalid filters cannot be sent. */
function useSave(
  group: string,
  uid: string | undefined,
  filters: readonly EventFilterJson[] | undefined,
): Submit {
  const create = useChange(api.subscriptions.create);
  const update = useChange(api.subscriptions.update);
  return async (text) => {
    if (filters === undefined) return;
    const fields = {
      sink: text("sink"),
      name: text("name"),
      description: text("description"),
      maxConcurrency: Number(text("maxConcurrency")),
      filters: [...filters],
    };
    const saved =
      uid === undefined
        ? await create.mutateAsync({ parent: group, subscription: fields })
        : await update.mutateAsync({ subscription: { uid, ...fields } });
    return {
      message: uid === undefined ? subscriptionTexts.created : subscriptionTexts.saved,
      open: { ...screenLink("subscription", saved.uid ?? ""), search: {} },
    };
  };
}

/** The command that does the same. */
function commandOf(group: string, uid: string | undefined): string {
  return uid === undefined
    ? `wharf events subscriptions create URL --parent ${group} --type 'iam.*'`
    : `wharf events subscriptions update ${uid} --type 'iam.*'`;
}

/** The receiver, and how many requests it accepts at once. */
function Destination({ subscription }: { readonly subscription: SubscriptionJson | undefined }) {
  return (
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
        name="maxConcurrency"
        label={subscriptionTexts.concurrency}
        hint={subscriptionTexts.concurrencyHint}
        value={String(subscription?.maxConcurrency ?? 1)}
        check={(text) =>
          isWholeNumber(text, 1, 64) ? undefined : subscriptionTexts.concurrencyProblem
        }
      />
    </section>
  );
}

/** The name of a subscription, or its URL: names are optional. */
export function nameOf({ name, sink = "" }: SubscriptionJson): string {
  return name || sink;
}
