import type { SubscriptionJson, SubscriptionStateJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { screenLink } from "../../app/location.ts";
import { subscriptionTexts } from "../../texts/subscriptions.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Disclosure } from "../../ui/disclosure.tsx";
import { SelectField } from "../../ui/fields.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import { nameOf } from "./subscription-editor.tsx";

/** The actions of a subscription. */
export function SubscriptionActions({
  subscription,
  group,
  onEdit,
  onSecret,
}: {
  readonly subscription: SubscriptionJson;
  readonly group: string;
  readonly onEdit: () => void;
  readonly onSecret: (secret: string) => void;
}) {
  const { uid = "", state } = subscription;
  const { can } = useAccess();
  const test = useChange(api.subscriptions.test, [api.deliveries.list]);
  const update = useChange(api.subscriptions.update, [], ({ subscription }) => subscription);
  const isActive = state === "SUBSCRIPTION_STATE_ACTIVE";
  const setState = (next: SubscriptionStateJson, done: string) =>
    update.mutateAsync({ subscription: { uid, state: next } }).then(() => toast(done), toastError);
  const sendTest = () =>
    test.mutateAsync({ uid }).then(() => toast(subscriptionTexts.tested), toastError);
  return (
    <>
      {can("subscriptions.update", group) && (
        <>
          <button
            type="button"
            className="button"
            disabled={test.isPending || !isActive}
            onClick={sendTest}
          >
            <Icon name="send" />
            {subscriptionTexts.test}
          </button>
          <button
            type="button"
            className="button quiet"
            disabled={update.isPending}
            onClick={() =>
              isActive
                ? setState("SUBSCRIPTION_STATE_PAUSED", subscriptionTexts.paused)
                : setState("SUBSCRIPTION_STATE_ACTIVE", subscriptionTexts.resumed)
            }
          >
            {isActive ? subscriptionTexts.pause : subscriptionTexts.resume}
          </button>
          <button type="button" className="button quiet" onClick={onEdit}>
            {subscriptionTexts.edit}
          </button>
          <SecretActions subscription={subscription} onSecret={onSecret} />
        </>
      )}
      {can("subscriptions.delete", group) && <Delete subscription={subscription} group={group} />}
    </>
  );
}

function SecretActions({
  subscription: { uid = "", secretTime },
  onSecret,
}: {
  readonly subscription: SubscriptionJson;
  readonly onSecret: (secret: string) => void;
}) {
  const rotate = useChange(api.subscriptions.rotateSecret);
  if (secretTime === undefined) {
    return (
      <ConfirmDialog
        change={rotate}
        request={{ uid }}
        submit={subscriptionTexts.generate}
        isDangerous={false}
        onDone={({ secret = "" }) => onSecret(secret)}
      >
        <p>{subscriptionTexts.generateText}</p>
      </ConfirmDialog>
    );
  }
  return (
    <Disclosure
      label={subscriptionTexts.secret}
      title={subscriptionTexts.secret}
      content={subscriptionTexts.secret}
    >
      <FormDialog
        submit={subscriptionTexts.rotate}
        className="button quiet"
        onSubmit={async (text) =>
          onSecret((await rotate.mutateAsync({ uid, overlap: text("overlap") })).secret ?? "")
        }
      >
        <p>{subscriptionTexts.rotateText}</p>
        <SelectField
          name="overlap"
          label={subscriptionTexts.overlap}
          options={subscriptionTexts.overlaps}
          value="86400s"
        />
      </FormDialog>
      <ConfirmDialog
        change={rotate}
        request={{ uid, remove: true }}
        submit={subscriptionTexts.removeSecret}
        message={subscriptionTexts.secretRemoved}
      >
        <p>{subscriptionTexts.removeSecretText}</p>
      </ConfirmDialog>
    </Disclosure>
  );
}

function Delete({
  subscription,
  group,
}: {
  readonly subscription: SubscriptionJson;
  readonly group: string;
}) {
  const remove = useChange(api.subscriptions.delete);
  const name = nameOf(subscription);
  return (
    <ConfirmDialog
      change={remove}
      request={{ uid: subscription.uid ?? "" }}
      title={subscriptionTexts.deleteTitle(name)}
      message={subscriptionTexts.deleted(name)}
      open={screenLink("subscriptions", group)}
    >
      <p>{subscriptionTexts.deleteText}</p>
    </ConfirmDialog>
  );
}
