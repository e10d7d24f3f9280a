import type { SubscriptionJson } from "@wharf/contract/messages";
import { useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { useListSearch, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { subscriptionTexts } from "../../texts/subscriptions.ts";
import { Facts } from "../../ui/facts.tsx";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Age } from "../../ui/time.tsx";
import { Uid } from "../../ui/uid.tsx";
import { DeliveryChart } from "./delivery-chart.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { FilterSummary } from "./filter-summary.tsx";
import { useIdentityNames } from "./names.tsx";
import { StateBadge } from "./state-badge.tsx";
import { SubscriptionActions } from "./subscription-actions.tsx";
import { nameOf, SubscriptionEditor } from "./subscription-editor.tsx";
import { SubscriptionHealth } from "./subscription-health.tsx";

/** One subscription: its health, its settings, and what was sent. */
export function Screen() {
  const { uid: group, resource: uid } = useScreenLocation();
  const [search, setSearch] = useListSearch();
  const { can } = useAccess();
  const [secret, setSecret] = useState("");
  const { data: subscription, error } = useRead(api.subscriptions.get, { uid });
  if (error !== null || subscription === undefined) {
    return (
      <Page title={texts.screens.subscriptions} group={group}>
        {error === null ? <Loading /> : <Failed error={error} />}
      </Page>
    );
  }
  const canUpdate = can("subscriptions.update", group);
  if (search.edit !== undefined && canUpdate) {
    return <SubscriptionEditor group={group} subscription={subscription} />;
  }
  return (
    <Page
      title={nameOf(subscription)}
      group={group}
      command={{
        cli: `wharf events subscriptions describe ${uid}`,
        rest: `/events/v2beta1/subscriptions/${uid}`,
      }}
      actions={
        <SubscriptionActions
          subscription={subscription}
          group={group}
          onEdit={() => setSearch({ edit: "yes" })}
          onSecret={setSecret}
        />
      }
    >
      {subscription.description && <p className="lead">{subscription.description}</p>}
      {secret !== "" && (
        <ShownOnce
          title={subscriptionTexts.once}
          text={subscriptionTexts.onceText}
          secret={secret}
          done={subscriptionTexts.onceDone}
          onDone={() => setSecret("")}
        />
      )}
      <div className="panels">
        <SubscriptionHealth subscription={subscription} />
        <Settings subscription={subscription} />
      </div>
      <DeliveryChart uid={uid} />
      <DeliveryLog subscription={uid} canUpdate={canUpdate} />
    </Page>
  );
}

function Settings({ subscription }: { readonly subscription: SubscriptionJson }) {
  const { authorizedBy = "", sink, filters = [], maxConcurrency, secretTime } = subscription;
  const names = useIdentityNames([authorizedBy]);
  return (
    <section className="panel" aria-labelledby="settings">
      <h2 id="settings">{subscriptionTexts.settings}</h2>
      <Facts
        facts={{
          [texts.columns.state]: <StateBadge subscription={subscription} />,
          [subscriptionTexts.sink]: <code>{sink}</code>,
          [subscriptionTexts.events]: <FilterSummary filters={filters} />,
          [subscriptionTexts.concurrency]: maxConcurrency || 1,
          [subscriptionTexts.rights]: names.get(authorizedBy) || <Uid uid={authorizedBy} />,
          [subscriptionTexts.secret]: secretTime ? (
            <>
              {subscriptionTexts.secretSince} <Age time={secretTime} />
            </>
          ) : (
            subscriptionTexts.noSecret
          ),
        }}
      />
    </section>
  );
}
