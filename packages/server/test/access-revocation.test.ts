import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Capability, IdentitySchema, isSelfOrBelow, literalIdentityUid } from "@wharf/contract";
import fc from "fast-check";
import { issueToken } from "../src/auth/token.ts";
import { identities } from "../src/iam/identities.ts";
import { addSession } from "../src/store/tables/login/sessions.ts";
import { ApiError, rejected } from "./support/client/api-error.ts";
import { FIXED } from "./support/oracle/random.ts";
import { runs } from "./support/oracle/runs.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const LIST = "groups.list";
const OTHER = "groups.create";
const MEMBERS = 3;
const ISSUER = "https://login.example.com";
const ORDERS = ["uid", "name", "created_at desc", "updated_at"];
const HOUR_MS = 3_600_000;

/** A caller with access by role bindings; people have access by a mapping of an external group as well. */
interface Holder {
  uid: string;
  token: string;
  session: string;
  exists: boolean;
}

interface Bound {
  readonly uid: string;
  readonly holder: Holder;
  readonly scope: string;
  readonly role: string;
}

onEachStore(
  "access in several processes",
  (world) => {
    /** Another process on the same store. */
    let direct: DirectStore;
    const groups: string[] = [];
    const holders: Holder[] = [];
    /** Whether each role lists groups. */
    const roles = new Map<string, boolean>();
    let bound: Bound[] = [];
    let org = "";
    let provider = "";
    let mapping: { uid: string; role: string } | undefined;

    const addPerson = async (mapped = mapping?.uid): Promise<Holder> => {
      const subject = world.name("person");
      const uid = literalIdentityUid(ISSUER, subject);
      const iss = { case: "issuer", value: ISSUER } as const;
      const sub = { case: "subject", value: subject } as const;
      const relationship = { case: "claimMatch", value: { iss, sub } } as const;
      const person = create(IdentitySchema, { uid, name: subject, relationship });
      const session = world.name("session");
      await direct.store.write(async (tx) => {
        await identities.table.insert(tx, identities.toRow(person));
        tx.accessChanged();
        await addSession(tx, {
          id: session,
          identity: uid,
          provider,
          ...{ created: Date.now(), used: Date.now(), expires: Date.now() + HOUR_MS },
          ...{ generation: 0, mappings: JSON.stringify(mapped ? [mapped] : []) },
          ...{ person: JSON.stringify({ clientId: "wharf" }), remoteAddress: "", userAgent: "" },
        });
      });
      const { url } = world.server;
      const content = { subject: uid, audiences: [url], boundary: undefined, session };
      const addresses = { baseUrl: url, authUrl: url };
      const { token } = issueToken(world.signer.keys, addresses, content, Date.now());
      return { uid, token, session, exists: true };
    };
    const addHolder = async (): Promise<Holder> => {
      return { ...(await world.member()), session: "", exists: true };
    };

    before(async () => {
      direct = await DirectStore.open(world.server);
      org = await world.organization();
      for (const root of [org, await world.organization()]) {
        groups.push(root);
        for (let at = 0; at < 3; at++) {
          const folder = await world.group(root);
          groups.push(folder, await world.group(folder), await world.group(folder));
        }
      }
      roles.set(roleNamed("viewer"), true);
      for (let at = 0; at < 2; at++) roles.set(await world.role(org, [LIST]), true);
      const oidc = { issuer: ISSUER, clientId: "wharf", pkceEnabled: true };
      const body = { name: "idp", defaultRole: roleNamed("viewer"), oidc };
      provider = (await world.operator().identityProviders.create(org, body)).uid;
      const [, role = ""] = roles.keys();
      const mapped = { externalGroupId: "staff", roleUid: role };
      const { uid } = await world.operator().externalGroupRoleMappings.create(provider, mapped);
      mapping = { uid, role };
      for (let at = 0; at < MEMBERS; at++) holders.push(await addHolder());
      holders.push(await addPerson());
    });
    after(() => direct.close());

    const sees = (holder: Holder, group: string): boolean => {
      if (!holder.exists) return false;
      const isMapped = holder.session !== "" && mapping !== undefined && roles.get(mapping.role);
      if (isMapped && isSelfOrBelow(group, org)) return true;
      // A sign-in through a provider counts in the organization of the provider.
      if (holder.session !== "" && !isSelfOrBelow(group, org)) return false;
      return bound.some(
        (one) => one.holder === holder && isSelfOrBelow(group, one.scope) && roles.get(one.role),
      );
    };

    const step = fc.record({
      action: fc.constantFrom("bind", "bind", "bind", "unbind", "unbind", "role", "leave", "map"),
      one: fc.nat(),
      two: fc.nat(),
      three: fc.nat(),
    });
    type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
    const pick = <T>(all: readonly T[], number: number) => all[number % all.length] as T;

    const change = async ({ action, one, two, three }: Step) => {
      const api = world.operator();
      const holder = pick(holders, one);
      if (action === "bind" && holder.exists) {
        const scope = pick(groups, two);
        const usable = [...roles.keys()].slice(0, isSelfOrBelow(scope, org) ? 3 : 1);
        const role = pick(usable, three);
        const isBound = bound.some(
          (b) => b.holder === holder && b.scope === scope && b.role === role,
        );
        if (isBound) return;
        const binding = { identityUid: holder.uid, roleUid: role };
        const { uid } = await api.roleBindings.create(scope, binding);
        bound.push({ uid, holder, scope, role });
      }
      const known = pick(bound, one);
      if (action === "unbind" && known !== undefined) {
        await api.roleBindings.delete(known.uid);
        bound = bound.filter((b) => b !== known);
      }
      if (action === "role") {
        const uid = pick([...roles.keys()].slice(1), two);
        const lists = three % 2 === 0;
        await api.roles.update(uid, { capabilities: [lists ? LIST : OTHER] }, ["capabilities"]);
        roles.set(uid, lists);
      }
      if (action === "leave" && holder.exists) {
        await api.identities.delete(holder.uid);
        holder.exists = false;
        bound = bound.filter((b) => b.holder !== holder);
      }
      if (action === "map" && mapping !== undefined && two % 4 === 0) {
        await api.externalGroupRoleMappings.delete(mapping.uid);
        mapping = undefined;
      }
    };

    /** Compares what a holder may do, in both processes, with the model. */
    const check = async (holder: Holder, number: number) => {
      const expected = groups.filter((group) => sees(holder, group)).sort();
      const { uid, session } = holder;
      const grants = await direct.engine.access.grantsOf(uid, undefined, session);
      assert.equal(grants !== undefined, holder.exists);
      const held = groups.filter((one) => grants?.holds([Capability.CAP_IAM_GROUPS_LIST], one));
      assert.deepEqual(held.sort(), expected);
      const api = world.operator().as(holder.token);
      const request = { orderBy: pick(ORDERS, number), pageSize: 200, skip: number % 2 };
      const page = await api.groups.list(request).catch((error) => {
        assert.ok(error instanceof ApiError && error.code === 16, String(error));
      });
      assert.equal(page !== undefined, holder.exists);
      if (page === undefined) return;
      const listed = page.groups.map((one: { uid: string }) => one.uid);
      assert.equal(page.totalCount, String(expected.length));
      assert.equal(listed.length, Math.max(expected.length - request.skip, 0));
      for (const one of listed) assert.ok(expected.includes(one), `${one} is visible`);
      const group = pick(groups, number);
      const got = await api.groups.get(group).catch(() => undefined);
      assert.equal(got !== undefined, expected.includes(group));
    };

    /** Without bindings and sessions to delete with it, which change access themselves. */
    test("the deletion of an identity or a mapping alone ends access", async () => {
      const api = world.operator();
      const visible = async ({ token }: Holder): Promise<number | undefined> => {
        const page = await api.as(token).groups.list({ pageSize: 1 });
        return page.groups.length;
      };
      const member = await addHolder();
      assert.equal(await visible(member), 0);
      await api.identities.delete(member.uid);
      assert.equal((await rejected(visible(member))).code, 16);

      const body = { externalGroupId: "guests", roleUid: roleNamed("viewer") };
      const { uid } = await api.externalGroupRoleMappings.create(provider, body);
      const person = await addPerson(uid);
      assert.equal(await visible(person), 1);
      await api.externalGroupRoleMappings.delete(uid);
      assert.equal(await visible(person), 0);
    });

    test("the next request has exactly the access that is left", async () => {
      const property = fc.asyncProperty(
        fc.array(step, { minLength: 15, maxLength: 30 }),
        async (all) => {
          for (const one of all) {
            await change(one);
            // Identities that the change concerns, and others.
            for (const holder of holders) await check(holder, one.two);
            for (const [at, holder] of holders.entries()) {
              if (!holder.exists)
                holders[at] = holder.session ? await addPerson() : await addHolder();
            }
          }
        },
      );
      await fc.assert(property, { ...FIXED, numRuns: runs(1, 12) });
    });
  },
  { limits: { manyRanges: 2 } },
);
