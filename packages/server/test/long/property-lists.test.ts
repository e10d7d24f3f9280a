import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { ApiClient, type Protocol } from "../support/client/api-client.ts";
import { closeGrpc } from "../support/client/grpc.ts";
import { Http } from "../support/client/http.ts";
import {
  type AccessModel,
  type BindingItem,
  expected,
  type Item,
  isOrdered,
  KINDS,
  type Kind,
  LIST_CAPABILITY,
  type ListFilter,
  maySee,
  OPERATOR,
  parentOf,
  placeOf,
  type SortKey,
} from "../support/oracle/access-model.ts";
import {
  checkWalk,
  fetchAll,
  fetchPage,
  type ListQuery,
  type Walk,
} from "../support/oracle/pages.ts";
import { FIXED } from "../support/oracle/random.ts";
import { all, build, NAMES, pick, plans } from "../support/oracle/random-plan.ts";
import { DirectStore } from "../support/server/direct-store.ts";
import { STORES, TestServer } from "../support/server/test-server.ts";

/** Roles are made of what lists ask for, and of something that they do not. */
const CAPABILITIES = [...Object.values(LIST_CAPABILITY), "CAP_IAM_GROUPS_CREATE", "CAP_REPO_LIST"];

const NOWHERE = `${"0".repeat(40)}/${"1".repeat(16)}`;

const FILTERS = [
  "descendants_of",
  "children_of",
  "ancestors_of",
  "in_root",
  "ids",
  "name",
] as const;
const BINDING_FILTERS = [...FILTERS.slice(0, 5), "identity", "role", "group"] as const;

/** A query of a world, whose operands are numbers. */
const questions = fc.noBias(
  fc.record({
    caller: fc.nat(999),
    kind: fc.constantFrom(...KINDS),
    /** The item that the filters match. */
    target: fc.nat(999),
    filters: fc.array(fc.nat(999), { maxLength: 3 }),
    astray: fc.nat(9),
    key: fc.constantFrom<SortKey>("uid", "name", "created_at", "updated_at"),
    descending: fc.boolean(),
    protocol: fc.constantFrom<Protocol>("REST", "REST", "gRPC"),
    walk: fc.constantFrom<Walk>("cursor", "skip", "both"),
    sizes: fc.array(fc.integer({ min: 2, max: 9 }), { minLength: 1, maxLength: 3 }),
    skips: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 3 }),
  }),
);

type Question = typeof questions extends fc.Arbitrary<infer T> ? T : never;

/** Everyone whom a world binds to a role at least once, and the operator. */
function callerOf({ caller }: Question, world: AccessModel): string {
  const bound = new Set(world.roleBindings.map((binding) => binding.identityUid));
  return pick([OPERATOR, ...bound, ...bound], caller);
}

function filterOf(
  question: Question,
  world: AccessModel,
  root: string,
  caller: string,
): ListFilter {
  const { kind, target, filters, astray } = question;
  const seen = expected(world, caller, kind, caller === OPERATOR ? { descendants_of: root } : {});
  const item = pick(seen.length > 0 && astray > 0 ? seen : world[kind], target);
  // Tops that the caller sees are a different matter from tops that it sees parts of.
  const above =
    kind === "accountAssociations" ? [item.uid, ...ancestors(item.uid)] : ancestors(item.uid);
  const within = above.filter((uid) => maySee(world, caller, kind, uid));
  const tops = within.length > 0 && target % 4 > 0 ? within : above;
  const place = kind === "groups" ? item.uid : parentOf(kind, item.uid);
  const below = world.groups.filter((group) => group.uid.startsWith(`${place}/`));
  const every: ListFilter = {
    descendants_of: tops.length > 0 && astray > 1 ? pick(tops, target) : NOWHERE,
    children_of: parentOf(kind, item.uid) || root,
    ancestors_of: below.length > 0 ? pick(below, target).uid : `${place || root}/${"2".repeat(16)}`,
    in_root: true,
    ids: [item.uid, ...[1, 2, 3, 4, 5].map((n) => pick(world[kind], target * n).uid), NOWHERE],
    name: item.name ?? "",
    identity: (item as BindingItem).identityUid,
    role: (item as BindingItem).roleUid,
    group: placeOf(item.uid),
  };
  const names = kind === "roleBindings" ? BINDING_FILTERS : FILTERS;
  const chosen = filters.map((at) => pick<keyof ListFilter>(names, at));
  return {
    ...Object.fromEntries(chosen.map((name) => [name, every[name]])),
    // The operator sees what other runs have made as well.
    ...(caller === OPERATOR ? { descendants_of: root } : {}),
  };
}

function ancestors(uid: string): string[] {
  const above = placeOf(uid);
  return above === "" ? [] : [above, ...ancestors(above)];
}

for (const store of STORES) {
  describe(`lists on ${store}`, () => {
    let server: TestServer;
    let direct: DirectStore;
    let operator: Http;
    before(async () => {
      server = await TestServer.start({ store });
      direct = await DirectStore.open(server);
      operator = new Http(server.url, await direct.token());
    });
    after(async () => {
      closeGrpc();
      await direct.close();
      assert.equal(await server.stop(), 0);
    });

    async function clientFor(caller: string, protocol: Protocol = "REST"): Promise<ApiClient> {
      const token = await (caller === OPERATOR ? direct.token() : direct.token(caller));
      return new ApiClient({ url: server.url, token, protocol });
    }

    async function checkQuestion(
      question: Question,
      world: AccessModel,
      root: string,
    ): Promise<void> {
      const caller = callerOf(question, world);
      const { kind, descending, walk, sizes, skips } = question;
      const key = kind === "roleBindings" && question.key === "name" ? "uid" : question.key;
      const filter = filterOf(question, world, root, caller);
      const query: ListQuery = { kind, filter, key, descending };
      const wanted = expected(world, caller, kind, filter);
      const rest = await clientFor(caller);
      const items = await fetchAll(rest, query, 200);
      const about = `${caller} asks ${JSON.stringify(query)}`;
      assert.deepEqual(uidsOf(items).sort(), uidsOf(wanted).sort(), about);
      assert.ok(isOrdered(items, key, descending), `order when ${about}`);
      const reversed = await fetchAll(rest, { ...query, descending: !descending }, 200);
      assert.deepEqual(uidsOf(reversed), uidsOf(items).reverse(), `the other way when ${about}`);
      const api = await clientFor(caller, question.protocol);
      await checkWalk(api, query, uidsOf(items), walk, sizes, skips);
    }

    test("return exactly what Get allows", async () => {
      const property = fc.asyncProperty(plans(CAPABILITIES), async (plan) => {
        const { world } = await build(operator, plan);
        for (const identity of world.identities.slice(0, 3)) {
          const rest = new Http(server.url, await direct.token(identity.uid));
          for (const kind of KINDS) {
            await all(world[kind], async ({ uid }) => {
              const { status } = await rest.get(`/iam/v2beta1/${kind}/${uid}`);
              const allowed = maySee(world, identity.uid, kind, uid);
              assert.equal(status, allowed ? 200 : 403, `${identity.uid} gets ${kind} ${uid}`);
            });
            const query: ListQuery = { kind, filter: {}, key: "uid", descending: false };
            const api = await clientFor(identity.uid);
            const seen = uidsOf(await fetchAll(api, query, 200));
            assert.deepEqual(seen, uidsOf(expected(world, identity.uid, kind, {})).sort());
          }
        }
      });
      await fc.assert(property, { ...FIXED, numRuns: 3 });
    });

    test("return the same rows by cursor, by skip and by both, for every filter, order and page size", async () => {
      const asked = fc.array(questions, { minLength: 40, maxLength: 60, size: "max" });
      const property = fc.asyncProperty(plans(CAPABILITIES), asked, async (plan, list) => {
        const { world, root } = await build(operator, plan);
        for (const question of list) await checkQuestion(question, world, root);
      });
      await fc.assert(property, { ...FIXED, numRuns: 12 });
    });

    test("neither miss nor repeat stable rows during concurrent changes", async () => {
      const walks = fc.array(questions, { minLength: 12, maxLength: 16, size: "max" });
      const property = fc.asyncProperty(plans(CAPABILITIES), walks, async (plan, list) => {
        const { world, root } = await build(operator, plan);
        const visitors = new Visitors(operator, world);
        const coming = visitors.keepComing();
        try {
          for (const question of list) await checkWhileChanging(question, world, root, visitors);
        } finally {
          visitors.enough();
          await coming;
        }
      });
      await fc.assert(property, { ...FIXED, numRuns: 5 });
    });

    async function checkWhileChanging(
      question: Question,
      world: AccessModel,
      root: string,
      visitors: Visitors,
    ): Promise<void> {
      const { kind, descending } = question;
      const caller = callerOf(question, world);
      const key = kind === "roleBindings" && question.key === "name" ? "uid" : question.key;
      const filter = caller === OPERATOR ? { descendants_of: root } : {};
      const query: ListQuery = { kind, filter, key, descending };
      const lasting = uidsOf(expected(world, caller, kind, filter));
      const api = await clientFor(caller);
      const items: Item[] = [];
      let pageToken = "";
      for (let step = 0; step === 0 || pageToken !== ""; step++) {
        const page = await fetchPage(api, query, {
          pageSize: pick(question.sizes, step),
          pageToken,
        });
        items.push(...page.items);
        pageToken = page.nextPageToken;
        assert.ok(page.totalCount >= lasting.length, "the total counts all that lasts");
        assert.ok(
          page.totalCount <= lasting.length + visitors.most,
          "and not more than there can be",
        );
      }
      const seen = uidsOf(items);
      const about = `${caller} asks ${JSON.stringify(query)}`;
      assert.equal(new Set(seen).size, seen.length, `repeated when ${about}`);
      assert.deepEqual(
        lasting.filter((uid) => !seen.includes(uid)),
        [],
        `missed when ${about}`,
      );
      assert.ok(isOrdered(items, key, descending), `order when ${about}`);
    }
  });
}

function uidsOf(items: readonly Item[]): string[] {
  return items.map((item) => item.uid);
}

/** Resources that are made everywhere and do not stay. */
class Visitors {
  /** Of each kind there are never more at a time. */
  readonly most = 24;
  readonly #operator: Http;
  readonly #world: AccessModel;
  #wanted = true;

  constructor(operator: Http, world: AccessModel) {
    this.#operator = operator;
    this.#world = world;
  }

  async keepComing(): Promise<void> {
    let turn = 0;
    while (this.#wanted) {
      // In small batches, so that readers of the lists run in between.
      const coming = Array.from({ length: 2 }, () => turn++);
      const paths = (await Promise.all(coming.map((number) => this.#come(number)))).flat();
      await Promise.all(paths.map((path) => this.#operator.delete(path)));
    }
  }

  enough(): void {
    this.#wanted = false;
  }

  async #come(number: number): Promise<string[]> {
    const { groups, identities, roles } = this.#world;
    const place = pick(groups, number * 7).uid;
    const name = pick(NAMES, number);
    const claimMatch = { issuer: "https://issuer.example.com", subject: `visitor-${number}` };
    const bodies: Record<Kind, object> = {
      groups: { name },
      identities: { name, claimMatch },
      roles: { name, capabilities: ["CAP_REPO_LIST"] },
      roleBindings: {
        // Visitors must not change what anyone may see, so they bring nothing that lists ask for.
        identityUid: pick(identities, number).uid,
        roleUid: roles.find((role) => role.name === "advisories.viewer")?.uid,
      },
      accountAssociations: { name },
    };
    const paths = await Promise.all(
      KINDS.map(async (kind) => {
        const { status, body } = await this.#operator.post(
          `/iam/v2beta1/${kind}/${place}`,
          bodies[kind],
        );
        // An association that exists is a conflict.
        if (kind === "accountAssociations" && status === 409) return [];
        assert.equal(status, 200, JSON.stringify(body));
        return [`/iam/v2beta1/${kind}/${body.uid}`];
      }),
    );
    return paths.flat();
  }
}
