import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Area } from "../support/area.ts";
import type { ConsoleSite } from "../support/site.ts";

/** A receiver that accepts events about groups, and no others. */
async function receiver(): Promise<string> {
  const server = createServer((request, response) => {
    const isGroup = String(request.headers["ce-type"]).includes(".group.");
    response.writeHead(isGroup ? 200 : 503, { "content-type": "text/plain" });
    response.end(isGroup ? "ok" : "the queue of this service is full, try again later");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // The test ends without waiting for it.
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/wharf/events`;
}

/** Waits until the receiver has answered something. */
async function answered({ world: { http } }: ConsoleSite, subscription: string): Promise<object> {
  for (;;) {
    const { body } = await http.get(`/events/v2beta1/deliveries/${subscription}`);
    const found = body.deliveries?.find(({ attempts = [] }) => attempts.length > 0);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const ACTIVITY: Area = {
  async fill(site, organization) {
    const { http } = site.world;
    const path = `/events/v2beta1/subscriptions/${organization}`;
    const { body: subscription } = await http.post(path, {
      name: "deployments",
      description: "tells the deployment service about new folders, identities and bindings",
      sink: await receiver(),
      filters: [
        { any: [{ glob: { type: "*.iam.group.*" } }, { glob: { type: "*.iam.identity.*" } }] },
      ],
    });
    await http.post(path, {
      sink: "http://127.0.0.1:9/archive",
      state: "SUBSCRIPTION_STATE_PAUSED",
    });
    for (const name of ["frontend", "payments"]) {
      await http.post(`/iam/v2beta1/groups/${organization}`, { name });
    }
    await http.post(`/iam/v2beta1/identities/${organization}`, {
      name: "nightly",
      claimMatch: { issuer: "https://ci.example.com", subject: "nightly" },
    });
    const { body } = await http.get(`/iam/v2beta1/groups?name=payments`);
    const [{ uid }] = body.groups;
    await http.patch(`/iam/v2beta1/groups/${uid}`, { description: "invoices and refunds" });
    const delivery = (await answered(site, subscription.uid)) as { id: string; eventId: string };
    const { body: log } = await http.get(
      `/audit/v2beta1/entries?filter.method=UpdateGroup&filter.resource=${uid}`,
    );
    return {
      organization,
      subscription: subscription.uid,
      delivery: `${subscription.uid}/${delivery.id}?event=${delivery.eventId}`,
      event: `${uid}/${delivery.eventId}`,
      entry: `${organization}/${log.entries[0].uid}`,
    };
  },
  screens: {
    events: ({ organization }) => `events/${organization}`,
    event: ({ event }) => `event/${event}`,
    subscriptions: ({ organization }) => `subscriptions/${organization}`,
    "subscription-new": ({ organization }) => `subscriptions/${organization}?create=yes`,
    subscription: ({ subscription }) => `subscription/${subscription}`,
    "subscription-edit": ({ subscription }) => `subscription/${subscription}?edit=yes`,
    delivery: ({ delivery }) => `delivery/${delivery}`,
    "audit-log": ({ organization }) => `audit/${organization}?chart=yes`,
    "audit-entry": ({ entry }) => `audit-entry/${entry}`,
    "api-reference": () => "../docs/",
    "api-operation": () => "../docs/operation/GroupsService_CreateGroup",
    "api-schema": () => "../docs/schema/Identity",
    "audit-verify": ({ organization }) => `audit/${organization}?verify=yes`,
  },
  empty: ["subscriptions"],
  failing: ["subscriptions", "events", "audit"],
};
