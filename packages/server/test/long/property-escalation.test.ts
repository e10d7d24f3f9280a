import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { type Answer, Http } from "../support/client/http.ts";
import { type AccessModel, heldAt, type Item } from "../support/oracle/access-model.ts";
import { checkNoEscalation, snapshot } from "../support/oracle/escalation.ts";
import { FIXED } from "../support/oracle/random.ts";
import { build, pick, plans } from "../support/oracle/random-plan.ts";
import { DirectStore } from "../support/server/direct-store.ts";
import { type StoreKind, TestServer } from "../support/server/test-server.ts";

/** The capabilities to change access, and one to gain. */
const CAPABILITIES = [
  "CAP_IAM_GROUPS_LIST",
  "CAP_IAM_GROUPS_CREATE",
  "CAP_IAM_GROUPS_UPDATE",
  "CAP_IAM_GROUPS_DELETE",
  "CAP_IAM_ROLES_CREATE",
  "CAP_IAM_ROLES_UPDATE",
  "CAP_IAM_ROLES_DELETE",
  "CAP_IAM_ROLE_BINDINGS_CREATE",
  "CAP_IAM_ROLE_BINDINGS_UPDATE",
  "CAP_IAM_ROLE_BINDINGS_DELETE",
  "CAP_IAM_IDENTITY_CREATE",
  "CAP_IAM_IDENTITY_UPDATE",
  "CAP_IAM_IDENTITY_DELETE",
  "CAP_REPO_DELETE",
];

const OPERATIONS = [
  "createGroup",
  "createGroupByName",
  "createOrganization",
  "deleteGroup",
  "createIdentity",
  "updateIdentity",
  "updateIdentityWhole",
  "deleteIdentity",
  "createRole",
  "updateRole",
  "updateRoleWhole",
  "deleteRole",
  "createBinding",
  "createBindings",
  "updateBinding",
  "updateBindingToOwner",
  "deleteBinding",
] as const;

type Operation = (typeof OPERATIONS)[number];

/** A step that someone tries, whose operands are numbers. */
const steps = fc.noBias(
  fc.record({
    actor: fc.nat(9_999),
    operation: fc.constantFrom<Operation>(...OPERATIONS),
    a: fc.nat(9_999),
    b: fc.nat(9_999),
    c: fc.nat(9_999),
    capabilities: fc.subarray(CAPABILITIES, { minLength: 1, maxLength: 5 }),
  }),
);
/** Few groups, and roles that can be used in all of them, so that much can be tried. */
const worlds = plans(CAPABILITIES).map((plan) => ({
  ...plan,
  groups: plan.groups.slice(0, 9),
  roles: plan.roles.map((role) => ({ ...role, at: role.at % 3 === 0 ? role.at : 0 })),
}));

/** Each additional organization makes every later snapshot slower. */
const MAX_ORGANIZATIONS = 3;

type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

const PATH = "/iam/v2beta1";

/** The choice of an actor: mostly things within reach and capabilities that it holds, but not always. */
function choose(world: AccessModel, actor: string, { a, b, c, capabilities }: Step) {
  const held = (uid: string) => heldAt(world, actor, uid);
  const near = <T extends Item>(items: readonly T[], number: number): T => {
    const within = items.filter(({ uid }) => held(uid).size > 0);
    return pick(number % 4 === 0 || within.length === 0 ? items : within, number);
  };
  const group = near(world.groups, a);
  const ownRole = near(world.roles, b);
  const givable = (uid: string, more: readonly string[]) => {
    const mine = capabilities.filter((one) => held(uid).has(one) || more.includes(one));
    return b % 3 === 0 || mine.length === 0 ? capabilities : mine;
  };
  const cheap = world.roles.filter((role) =>
    role.capabilities.every((one) => held(group.uid).has(one)),
  );
  return {
    group,
    identity: near(world.identities, c),
    ownRole,
    role: pick(b % 3 === 0 || cheap.length === 0 ? world.roles : cheap, b),
    binding: near(world.roleBindings, a)?.uid ?? `${group.uid}/${"0".repeat(16)}`,
    capabilities: givable(group.uid, []),
    otherCapabilities: givable(ownRole.uid, ownRole.capabilities),
  };
}

function attempt(rest: Http, world: AccessModel, actor: string, step: Step): Promise<Answer> {
  const { operation, a, b, c } = step;
  const { groups, identities, roles } = world;
  const choice = choose(world, actor, step);
  const { group, identity, role, ownRole, binding, capabilities, otherCapabilities } = choice;
  const bound = { identityUid: identity.uid, roleUid: role.uid };
  const claimMatch = { issuer: "https://elsewhere.example.com", subject: `taken ${b}` };
  // Fields that only the service sets, in the hope that it lets a caller set them.
  const sneaked = { uid: pick(groups, b).uid, group: { uid: pick(groups, c).uid } };
  switch (operation) {
    case "createGroup":
      return rest.post(`${PATH}/groups/${group.uid}`, { name: `g ${b}` });
    case "createGroupByName":
      return rest.post(`${PATH}/groups/${encodeURIComponent(group.name ?? "")}`, {
        name: `g ${b}`,
      });
    case "createOrganization":
      return rest.post(`${PATH}/groups`, { name: `org ${b}` });
    case "deleteGroup":
      return rest.delete(`${PATH}/groups/${group.uid}`);
    case "createIdentity":
      return rest.post(`${PATH}/identities/${group.uid}`, { name: "i", claimMatch, ...sneaked });
    case "updateIdentity":
      return rest.patch(`${PATH}/identities/${identity.uid}`, { claimMatch });
    case "updateIdentityWhole":
      return rest.patch(`${PATH}/identities/${identity.uid}?updateMask=*`, {
        name: "i",
        claimMatch,
      });
    case "deleteIdentity":
      return rest.delete(`${PATH}/identities/${identity.uid}`);
    case "createRole":
      return rest.post(`${PATH}/roles/${group.uid}`, { name: "r", capabilities, ...sneaked });
    case "updateRole":
      return rest.patch(`${PATH}/roles/${ownRole.uid}`, { capabilities: otherCapabilities });
    case "updateRoleWhole":
      return rest.patch(`${PATH}/roles/${ownRole.uid}?updateMask=*`, {
        name: "r",
        capabilities: otherCapabilities,
      });
    case "deleteRole":
      return rest.delete(`${PATH}/roles/${ownRole.uid}`);
    case "createBinding":
      return rest.post(`${PATH}/roleBindings/${group.uid}`, { ...bound, ...sneaked });
    case "createBindings": {
      const more = { ...bound, identityUid: pick(identities, a).uid };
      const requests = [{ roleBinding: bound }, { parent: group.uid, roleBinding: more }];
      return rest.post(`${PATH}/roleBindings:batchCreate`, { parent: group.uid, requests });
    }
    case "updateBinding":
      return rest.patch(`${PATH}/roleBindings/${binding}`, bound);
    case "updateBindingToOwner": {
      const owner = roles.find((one) => one.name === "owner" && !one.uid.includes("/"));
      return rest.patch(`${PATH}/roleBindings/${binding}`, { roleUid: owner?.uid });
    }
    case "deleteBinding":
      return rest.delete(`${PATH}/roleBindings/${binding}`);
  }
}

function suite(store: StoreKind, numRuns: number): void {
  describe(`escalation on ${store}`, () => {
    let server: TestServer;
    let direct: DirectStore;
    let operatorToken: string;
    before(async () => {
      server = await TestServer.start({ store });
      direct = await DirectStore.open(server);
      operatorToken = await direct.token();
    });
    after(async () => {
      await direct.close();
      assert.equal(await server.stop(), 0);
    });

    test("is impossible for every caller, by any sequence of requests", async () => {
      let [succeeded, refused] = [0, 0];
      const tries = fc.array(steps, { minLength: 70, maxLength: 70 });
      const property = fc.asyncProperty(worlds, tries, async (plan, list) => {
        const built = await build(new Http(server.url, operatorToken), plan);
        const roots = [built.root];
        let world = built.world;
        for (const [turn, step] of list.entries()) {
          const founds = step.operation === "createOrganization";
          if (founds && roots.length === MAX_ORGANIZATIONS) continue;
          const { actor, status, body } = await take(step, world);
          assert.ok(status < 500, `${step.operation}: ${status} ${JSON.stringify(body)}`);
          if (status === 200) succeeded += 1;
          else refused += 1;
          if (status !== 200) continue;
          if (founds) roots.push(body.uid);
          const next = await snapshot(server.url, operatorToken, roots, world);
          checkNoEscalation(`step ${turn} ${step.operation} by ${actor}`, actor, world, next);
          world = next;
        }
      });
      await fc.assert(property, { ...FIXED, numRuns });
      // A suite in which everything is refused, or nothing, would prove nothing.
      assert.ok(succeeded > 10 * numRuns, `only ${succeeded} steps succeeded`);
      assert.ok(refused > succeeded, `only ${refused} steps were refused`);
    });

    async function take(step: Step, world: AccessModel): Promise<Answer & { actor: string }> {
      const bound = new Set(world.roleBindings.map((binding) => binding.identityUid));
      const able = world.identities.filter((identity) => bound.has(identity.uid));
      const actor = pick(able.length > 0 ? able : world.identities, step.actor)?.uid;
      if (actor === undefined) return { actor: "", status: 404, body: {}, headers: new Headers() };
      const rest = new Http(server.url, await direct.token(actor));
      return { actor, ...(await attempt(rest, world, actor, step)) };
    }
  });
}

suite("sqlite", 12);
suite("postgres", 8);
