/** Callers with many requests in flight do not delay others, and cannot fill the queue for them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from "node:http2";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { onEachStore, type World } from "./support/world/world.ts";

/** Requests that one caller has in flight. */
const IN_FLIGHT = 64;

/** The queue is in use as soon as two requests are there in one tick. */
const SLICES = { sliceMs: 0 };

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** A caller with an HTTP/2 connection of its own: all its requests arrive together. */
class Client {
  readonly #session: ClientHttp2Session;
  readonly #token: string;

  constructor(world: World, token: string) {
    this.#session = connect(world.server.url);
    world.onStop(() => this.#session.destroy());
    this.#token = token;
  }

  async get(path: string): Promise<Answer> {
    const sent = this.#session.request({ ":path": path, authorization: `Bearer ${this.#token}` });
    const body = text(sent);
    const [headers] = (await once(sent, "response")) as [
      IncomingHttpHeaders & IncomingHttpStatusHeader,
    ];
    const status = headers[":status"] ?? 0;
    return { status, retryAfter: headers["retry-after"], body: await body };
  }

  many(path: string): Promise<Answer>[] {
    return Array.from({ length: IN_FLIGHT }, () => this.get(path));
  }
}

/** An owner of a new organization. */
async function owner(world: World) {
  const organization = await world.organization();
  const { uid } = await world.operator().identities.create(organization, {
    name: world.name("owner"),
    claimMatch: { issuer: "https://issuer.example.com", subject: world.name("subject") },
  });
  await world.bind(organization, uid, "owner");
  const check = `/iam/v2beta1/access:check?resource=${organization}&capability=groups.list`;
  const get = `/iam/v2beta1/groups/${organization}`;
  const client = new Client(world, await world.signer.token(uid));
  // Authenticated once, the caller is cached before a request begins.
  await succeeds(client.get(get));
  return { organization, client, check, get };
}

async function succeeds(answer: Promise<Answer>): Promise<void> {
  const { status, body } = await answer;
  assert.equal(status, 200, body);
}

onEachStore(
  "many requests in flight",
  (world) => {
    test("of one caller are overtaken by those of others", async () => {
      const { organization, client, check, get } = await owner(world);
      const { token } = await world.member({ [organization]: "viewer" });
      const colleague = new Client(world, token);
      const other = await owner(world);
      await succeeds(colleague.get(get));
      const answered: string[] = [];
      const note = async (name: string, answer: Promise<Answer>) => {
        await succeeds(answer);
        answered.push(name);
      };
      const many = client.many(check).map((answer) => note("one of many", answer));
      await Promise.race(many);
      await Promise.all([
        ...many,
        note("a colleague", colleague.get(get)),
        note("another organization", other.client.get(other.get)),
        note("another method", client.get(get)),
      ]);
      assert.equal(answered.at(-1), "one of many", answered.join(", "));
    });
  },
  { limits: SLICES },
);

onEachStore(
  "more requests than may wait",
  (world) => {
    test("are rejected, and those of another organization are not", async () => {
      const { client, check } = await owner(world);
      const other = await owner(world);
      const many = client.many(check);
      const others = Array.from({ length: 4 }, () => succeeds(other.client.get(other.get)));
      const rejected = (await Promise.all(many)).filter(({ status }) => status !== 200);
      assert.ok(rejected.length > 0, "some are rejected");
      for (const { status, retryAfter, body } of rejected) {
        assert.deepEqual([status, retryAfter], [429, "1"], body);
        assert.equal(JSON.parse(body).code, 8, "RESOURCE_EXHAUSTED");
      }
      assert.ok(rejected.length < IN_FLIGHT, "others are served");
      await Promise.all(others);
      await succeeds(client.get(check));
    });
  },
  { limits: { ...SLICES, waitingPerOwner: 8 } },
);
