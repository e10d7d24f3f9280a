/** Tests the requests to a receiver of events, and their verification. */
import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { after, before, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { type Received, Receiver, sdkReceiver } from "./support/events/receiver.ts";
import { onEachStore } from "./support/world/world.ts";

const TIMES = { lingerMs: 300, retryDelaysMs: [20, 40, 60], pollMs: 50, idlePollMs: 50 };

onEachStore(
  "deliveries of events",
  (world) => {
    let receiver: Receiver;
    let org: string;
    let subscription: string;
    before(async () => {
      receiver = await Receiver.start();
      org = await world.organization();
      const { subscriptions } = world.operator();
      subscription = (await subscriptions.create(org, { sink: receiver.url })).uid;
    });
    after(() => receiver.stop());

    test("an event has the attributes and the payload of the public contract", async () => {
      const group = await world.group(org, "team");
      const { headers, body, path } = await receiver.about(group, "iam.group.created.v1");
      assert.equal(path, "/events");
      assert.equal(headers["content-type"], "application/json");
      assert.equal(headers["ce-specversion"], "1.0");
      assert.equal(headers["ce-type"], "dev.chainguard.api.iam.group.created.v1");
      assert.equal(headers["ce-source"], `${world.server.url}/iam/v2beta1/groups`);
      assert.equal(headers["ce-group"], group);
      assert.equal(headers["ce-audience"], "customer");
      assert.equal(headers["ce-bodytype"], "chainguard.platform.iam.v2beta1.Group");
      assert.match(String(headers["ce-id"]), /^[0-9a-f-]{36}$/);
      assert.ok(Date.parse(String(headers["ce-time"])) > Date.now() - 60_000);
      const { actor, body: message } = JSON.parse(body);
      assert.equal(actor.subject, headers["ce-actor"]);
      assert.equal(message.uid, group);
      assert.equal(message.name, "team");
    });

    test("a call of version 1 has the message of version 1", async () => {
      const { id } = await world.operator().v1.groups.create(org, { name: "from v1" });
      const { headers, body } = await receiver.about(id);
      assert.equal(headers["ce-source"], `${world.server.url}/iam/v1/groups`);
      assert.equal(headers["ce-bodytype"], "chainguard.platform.iam.Group");
      assert.equal(JSON.parse(body).body.id, id);
    });

    test("a receiver of the public SDK accepts it, and nothing else", async () => {
      const sdk = sdkReceiver(world.server.url, org);
      const event = await receiver.about(await world.group(org), "iam.group.created.v1");
      assert.equal(await sdk(event), 200);
      const without = (...names: string[]): Received => {
        const kept = Object.entries(event.headers).filter(([name]) => !names.includes(name));
        return { ...event, headers: Object.fromEntries(kept) };
      };
      assert.equal(await sdk(without("authorization")), 401);
      assert.equal(await sdk(without("ce-id", "ce-type")), 400);
      assert.equal(await sdk({ ...event, body: `${event.body} ` }), 403);
      const elsewhere = sdkReceiver(world.server.url, await world.organization());
      assert.equal(await elsewhere(event), 403);
      const { token } = world.operator();
      const headers = { ...event.headers, authorization: `Bearer ${token}` };
      assert.equal(await sdk({ ...event, headers }), 403, "a token of another audience");
    });

    test("Standard Webhooks: the published key verifies it", async () => {
      const { headers, body } = await receiver.about(await world.group(org), "created.v1");
      const { body: published } = await world.http.get("/.well-known/webhook-keys.json");
      const [{ kty, crv, x, whpk }] = published.keys;
      assert.equal(whpk, `whpk_${Buffer.from(x, "base64url").toString("base64")}`);
      const key = createPublicKey({ key: { kty, crv, x }, format: "jwk" });
      const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
      const [version, signature = ""] = String(headers["webhook-signature"]).split(",");
      assert.equal(version, "v1a");
      assert.ok(verify(null, Buffer.from(signed), key, Buffer.from(signature, "base64")));
      assert.equal(headers["webhook-id"], headers["ce-id"]);
    });

    test("Standard Webhooks: a secret verifies it, and two do during a rotation", async () => {
      const { subscriptions } = world.operator();
      const rotate = async (request: object = {}): Promise<string> =>
        (await subscriptions.rotateSubscriptionSecret({ uid: subscription, ...request })).secret;
      const next = async () => receiver.about(await world.group(org), "created.v1");
      const verified = ({ headers, body }: Received, secret: string) => {
        const named = Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, String(value)]),
        );
        return new Webhook(secret).verify(body, named) as { body: object };
      };
      const first = await rotate();
      assert.match(first, /^whsec_/);
      verified(await next(), first);
      assert.throws(() => verified({ ...receiver.received[0] } as Received, first), "not signed");
      const second = await rotate();
      const both = await next();
      for (const secret of [first, second]) verified(both, secret);
      const third = await rotate({ overlap: "0s" });
      const one = await next();
      verified(one, third);
      assert.throws(() => verified(one, second));
      const read = await subscriptions.get(subscription);
      assert.ok(read.secretTime);
      assert.ok(!JSON.stringify(read).includes("whsec"));
      await rotate({ remove: true });
      assert.ok(!String((await next()).headers["webhook-signature"]).includes("v1,"));
    });

    test("events below the group arrive, events beside it do not", async () => {
      const below = await world.group(await world.group(org));
      await receiver.about(below);
      const other = await world.organization();
      await receiver.about(await world.group(org));
      assert.ok(!receiver.received.some(({ headers }) => headers["ce-subject"] === other));
    });

    test("a test event reaches the subscription whatever its filters, and the log shows it", async () => {
      const { subscriptions, deliveries } = world.operator();
      const never = [{ exact: { type: "none" } }];
      const filtered = await subscriptions.create(org, { sink: receiver.url, filters: never });
      const { eventId } = await subscriptions.testSubscription({ uid: filtered.uid });
      const { headers } = await receiver.about(filtered.uid, "tested.v1");
      assert.equal(headers["ce-id"], eventId);
      await subscriptions.delete(filtered.uid);
      void deliveries;
    });
  },
  { deliveryTimes: TIMES },
);
