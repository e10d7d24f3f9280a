import assert from "node:assert/strict";
import { before, test } from "node:test";
import { AccessService } from "@wharf/contract";
import { ANONYMOUS_UID } from "../src/auth/caller.ts";
import type { Answer, ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { exchange } from "./support/client/tokens.ts";
import { type Member, onEachStore, roleNamed } from "./support/world/world.ts";

const BINDING = "ACCESS_GRANT_KIND_ROLE_BINDING";
const MAPPING = "ACCESS_GRANT_KIND_GROUP_MAPPING";

const check = (api: ApiClient, resource: string, capability: string, identity = "") =>
  api.call(AccessService, "CheckAccess", { resource, capability, identity });
const list = (api: ApiClient, request: object) => api.call(AccessService, "ListAccess", request);
const namesOf = ({ grants }: Answer) =>
  grants.map(({ identity, role, group }: Answer) => [identity?.name, role.name, group.name]);

onEachStore(
  "access explained",
  (world) => {
    let org: string;
    let folder: string;
    let owner: Member;
    let viewer: Member;
    before(async () => {
      org = await world.organization("acme");
      folder = await world.group(org, "web");
      owner = await world.member({ [org]: "owner" });
      viewer = await world.member({ [folder]: "viewer" });
    });

    world.rule("a grant is explained by its binding, with its role and its group", async (api) => {
      const own = await check(api.as(viewer.token), folder, "CAP_REPO_LIST");
      assert.equal(own.allowed, true);
      assert.equal(own.reason, "allowed by the role viewer at web");
      assert.deepEqual(own.token, { session: "", actor: "", downScoped: false });
      const [grant] = own.grants;
      assert.equal(grant.kind, BINDING);
      assert.deepEqual([grant.inherited, grant.obstacle], [false, "ACCESS_OBSTACLE_UNSPECIFIED"]);
      assert.ok(grant.uid.startsWith(`${folder}/`));
      assert.ok(grant.capabilities.includes("CAP_REPO_LIST"));
      const inherited = await check(
        api.as(owner.token),
        `${folder}/${"0".repeat(16)}`,
        "CAP_TAG_DELETE",
      );
      assert.equal(inherited.reason, "allowed by the role owner at acme, inherited");
      const operator = await check(api, folder, "CAP_TAG_DELETE");
      assert.equal(operator.reason, "allowed for the operator, who may do everything");
    });

    world.rule("a denial names the role that helps and who can grant it", async (api) => {
      const { allowed, reason, remedy, grants } = await check(
        api.as(viewer.token),
        folder,
        "CAP_REPO_DELETE",
      );
      assert.deepEqual([allowed, grants], [false, []]);
      assert.match(
        reason,
        /^denied: needs repo\.delete at web; an owner of web can grant the role /,
      );
      assert.equal(remedy.group, folder);
      assert.ok(remedy.roles.some(({ name }: Answer) => name === "editor"));
      // The bindings of the owner are above what the viewer may read.
      assert.deepEqual(remedy.grantors, []);
      const seen = await check(api.as(owner.token), folder, "CAP_REPO_DELETE", viewer.uid);
      assert.deepEqual(
        seen.remedy.grantors.map(({ uid }: Answer) => uid),
        [owner.uid],
      );
      assert.equal(seen.remedy.groupPath, "acme/web");
      const reserved = await check(api.as(viewer.token), folder, "CAP_REPO_INTERNAL_ADMIN");
      assert.match(reserved.reason, /it takes the operator's token/);
    });

    world.rule("strangers learn nothing, and the same of what does not exist", async (api) => {
      const stranger = api.as((await world.member()).token);
      const missing = `${org}/${"0".repeat(16)}`;
      const answers = await Promise.all(
        [folder, missing].map((uid) => check(stranger, uid, "CAP_REPO_LIST")),
      );
      const [there, nowhere] = answers.map((answer, at) =>
        JSON.stringify(answer).replaceAll([folder, missing][at] as string, "UID"),
      );
      assert.equal(there, nowhere);
      assert.equal(answers[0].remedy.group, "");
      for (const identity of [viewer.uid, missing]) {
        const other = await rejected(check(stranger, folder, "CAP_REPO_LIST", identity));
        assert.equal(other.code, 7);
      }
      assert.equal((await rejected(list(stranger, { resource: folder }))).code, 7);
      assert.deepEqual((await list(stranger, { identity: viewer.uid })).grants, []);
    });

    world.rule("grants above what the caller may read have no names", async (api) => {
      const reader = api.as(
        (await world.member({ [folder]: ["role_bindings.list", "repo.list"] })).token,
      );
      // Readable in a binding of the folder, and owner of everything above it.
      await world.bind(folder, owner.uid, "console_viewer");
      const seen = await check(reader, folder, "CAP_TAG_DELETE", owner.uid);
      assert.deepEqual([seen.allowed, seen.hiddenGrant, seen.grants], [true, true, []]);
      assert.equal(seen.reason, "allowed by a grant that you may not read");
      assert.ok(!JSON.stringify(seen).includes(`"${org}"`));
      const listed = await list(reader, { resource: folder });
      assert.equal(listed.hiddenAbove, true);
      assert.ok(listed.grants.every(({ group }: Answer) => group.uid === folder));
      // Contents of roles need roles.list, except for built-in ones.
      const custom = await world.role(org, ["tag.delete"]);
      const { uid } = await api.roleBindings.create(folder, {
        identityUid: viewer.uid,
        roleUid: custom,
      });
      const { grants } = await list(reader, { resource: folder, capability: "CAP_TAG_DELETE" });
      assert.deepEqual(
        grants.map((grant: Answer) => [grant.uid, grant.capabilities]),
        [[uid, []]],
      );
      await api.roleBindings.delete(uid);
    });

    world.rule(
      "an identity that the caller cannot read is denied as one that does not exist",
      async (api) => {
        const elsewhere = await world.member({ [await world.organization()]: "viewer" });
        const asOwner = api.as(owner.token);
        const texts = await Promise.all(
          [elsewhere.uid, `${elsewhere.uid}/${"0".repeat(16)}`].map(async (uid) => {
            const { code, message } = await rejected(check(asOwner, org, "CAP_REPO_LIST", uid));
            assert.equal(code, 7);
            return message.replaceAll(uid, "UID");
          }),
        );
        assert.equal(texts[0], texts[1]);
        const own = await rejected(
          check(asOwner, org, "CAP_REPO_LIST", `${org}/${"0".repeat(16)}`),
        );
        assert.equal(own.code, 5);
      },
    );

    world.rule("a down-scoped token is the reason of a denial", async (api) => {
      const aud = world.server.url;
      const { token } = await exchange(aud, owner.token, { aud, cap: "repo.list" });
      const denied = await check(api.as(token), org, "CAP_TAG_DELETE");
      assert.deepEqual([denied.allowed, denied.token.downScoped], [false, true]);
      assert.equal(denied.grants[0].obstacle, "ACCESS_OBSTACLE_TOKEN_SCOPE");
      assert.match(denied.reason, /^denied: the token was issued for a scope without it/);
      assert.equal((await check(api.as(token), org, "CAP_REPO_LIST")).allowed, true);
    });

    world.rule("what anyone may pull is public", async (api) => {
      const open = await world.group(org);
      const stranger = api.as((await world.member()).token);
      assert.equal((await check(stranger, open, "CAP_REPO_BLOBS_GET")).public, false);
      const part = await world.bind(open, ANONYMOUS_UID, ["repo.list", "repo.blobs.get"]);
      assert.equal(
        (await check(stranger, open, "CAP_REPO_BLOBS_GET")).public,
        false,
        "no manifests",
      );
      await api.roleBindings.delete(part);
      const { uid } = await api.roleBindings.create(open, {
        identityUid: ANONYMOUS_UID,
        roleUid: roleNamed("registry.pull"),
      });
      const answer = await check(stranger, open, "CAP_REPO_BLOBS_GET");
      assert.deepEqual([answer.allowed, answer.public], [false, true]);
      assert.match(answer.reason, /pulls and feeds there are public$/);
      const anyone = await check(api, open, "CAP_REPO_BLOBS_GET", ANONYMOUS_UID);
      assert.equal(anyone.allowed, true);
      await api.roleBindings.delete(uid);
    });

    world.rule("requests are validated", async (api) => {
      for (const [request, field] of [
        [{ resource: "x", capability: "CAP_REPO_LIST" }, "resource"],
        [{ resource: org }, "capability"],
        [{ resource: org, capability: "CAP_REPO_LIST", identity: "x" }, "identity"],
      ] as const) {
        const error = await rejected(api.call(AccessService, "CheckAccess", request));
        assert.deepEqual([error.code, Object.keys(error.fields)], [3, [field]]);
      }
      assert.deepEqual(Object.keys((await rejected(list(api, {}))).fields), ["resource"]);
      assert.deepEqual(
        Object.keys((await rejected(list(api, { resource: org, pageToken: "x" }))).fields),
        ["pageToken"],
      );
    });

    world.rule("lists page through groups in order, with the exact total", async (api) => {
      const top = await world.organization("top");
      const middle = await world.group(top, "middle");
      const leaf = await world.group(middle, "leaf");
      const bound: string[] = [];
      for (const group of [top, middle, leaf]) {
        for (const role of ["viewer", "editor"]) {
          bound.push(
            (
              await api.roleBindings.create(group, {
                identityUid: viewer.uid,
                roleUid: roleNamed(role),
              })
            ).uid,
          );
          bound.push(
            (
              await api.roleBindings.create(group, {
                identityUid: owner.uid,
                roleUid: roleNamed(role),
              })
            ).uid,
          );
        }
      }
      const walk = async (request: object) => {
        const uids: string[] = [];
        let pageToken = "";
        do {
          const page: Answer = await list(api, { ...request, pageSize: 5, pageToken });
          uids.push(...page.grants.map(({ uid }: Answer) => uid));
          assert.equal(page.totalCount, String((await list(api, request)).grants.length));
          pageToken = page.nextPageToken;
        } while (pageToken !== "");
        return uids;
      };
      assert.deepEqual(await walk({ resource: leaf }), bound);
      assert.deepEqual(await walk({ resource: middle }), bound.slice(0, 8));
      const editors = await walk({ resource: leaf, capability: "CAP_REPO_DELETE" });
      assert.deepEqual(
        editors,
        bound.filter((_, at) => at % 4 > 1),
      );
      const owned = await walk({ resource: leaf, identity: owner.uid });
      assert.deepEqual(new Set(owned), new Set(bound.filter((_, at) => at % 2 === 1)));
      const all = await list(api, { identity: owner.uid, pageSize: 200 });
      assert.ok(owned.every((uid) => all.grants.some((grant: Answer) => grant.uid === uid)));
      // From any position on, across groups.
      const { grants, skipped } = await list(api, { resource: leaf, skip: 7, pageSize: 3 });
      assert.deepEqual([grants.map(({ uid }: Answer) => uid), skipped], [bound.slice(7, 10), 7]);
      const first = await list(api, { resource: leaf, pageSize: 5 });
      const next = await list(api, {
        resource: leaf,
        pageSize: 5,
        skip: 3,
        pageToken: first.nextPageToken,
      });
      assert.deepEqual(
        next.grants.map(({ uid }: Answer) => uid),
        bound.slice(8),
      );
    });

    test("group mappings count while a session has them", async () => {
      const api = world.operator();
      const { organization, provider } = world.login;
      const mapping = await api.externalGroupRoleMappings.create(provider, {
        externalGroupId: "builders",
        roleUid: roleNamed("registry.push"),
      });
      const { access_token: token } = await world.login.logIn("ada");
      const own = await check(api.as(token), organization, "CAP_TAG_CREATE");
      assert.equal(
        own.reason,
        'allowed by the role registry.push of the external group "builders" at acme.example',
      );
      assert.notEqual(own.token.session, "");
      const asked = await check(api, organization, "CAP_TAG_CREATE", own.identity);
      assert.deepEqual(
        asked.grants.map(({ kind, uid }: Answer) => [kind, uid]),
        [[MAPPING, mapping.uid]],
      );
      const rows = await list(api, { resource: organization, capability: "CAP_TAG_CREATE" });
      assert.deepEqual(namesOf(rows), [[undefined, "registry.push", "acme.example"]]);
      const ofAda = await list(api, { identity: own.identity });
      assert.deepEqual(
        namesOf(ofAda).map(([, role]: string[]) => role),
        ["viewer", "registry.push"],
      );
      // Roles elsewhere do not count in a session of this provider.
      const elsewhere = await world.organization("elsewhere");
      await world.bind(elsewhere, own.identity, "owner");
      const denied = await check(api.as(token), elsewhere, "CAP_REPO_LIST");
      assert.deepEqual(
        [denied.allowed, denied.grants[0].obstacle],
        [false, "ACCESS_OBSTACLE_SIGN_IN"],
      );
      assert.equal((await check(api, elsewhere, "CAP_REPO_LIST", own.identity)).allowed, true);
      await api.externalGroupRoleMappings.delete(mapping.uid);
      const after = await check(api.as(token), organization, "CAP_TAG_CREATE");
      assert.deepEqual([after.allowed, after.grants], [false, []]);
    });
  },
  { login: true },
);
