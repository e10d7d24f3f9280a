import { literalIdentityUid, PingService } from "@wharf/contract";
import { ApiError } from "../support/client/api-error.ts";
import { exchange } from "../support/client/tokens.ts";
import { roleNamed } from "../support/world/world.ts";
import { type ErrorText, failed, type Ground, invalid, plain } from "./table.ts";

/** Exchanges a token of a member of the organization. */
async function exchanged(
  { world, org }: Ground,
  parameters: Record<string, string>,
): Promise<void> {
  const { token } = await world.member({ [org]: "viewer" });
  const { status, code, message, details } = await exchange(world.server.url, token, parameters);
  if (status !== 200) throw new ApiError(code, message, details);
}

/** Errors of authentication, access control and registration, and of unknown methods. */
export const CALLERS: readonly ErrorText[] = [
  [
    "a method cannot be a dry run",
    ({ api }) => api.trying().call(PingService, "Ping"),
    invalid({
      "wharf-dry-run":
        "wharf.ping.v2beta1.PingService/Ping cannot be a dry run: it is none of the writes that can be rolled back",
    }),
  ],
  [
    "a caller lacks a capability at a scope",
    async ({ as, org }) => {
      await (await as("groups.list")).groups.update(org, { name: "x" });
    },
    plain("PERMISSION_DENIED", 'needs groups.update at "{uid}"'),
  ],
  [
    "a caller lacks capabilities of a role",
    async ({ as, world, org }) => {
      const { uid } = await world.member();
      const ofKind = (kind: string) =>
        ["create", "update", "delete", "list"].map((verb) => `${kind}.${verb}`);
      const roleUid = await world.role(org, [...ofKind("repo"), ...ofKind("tag"), "groups.list"]);
      const api = await as("role_bindings.create", "roles.list");
      await api.roleBindings.create(org, { identityUid: uid, roleUid });
    },
    plain(
      "PERMISSION_DENIED",
      'needs groups.list, repo.create, repo.update, repo.list, repo.delete, tag.create, tag.update, tag.list and 1 more at "{uid}"',
    ),
  ],
  [
    "a caller cannot read the role whose capabilities it lacks",
    async ({ as, world, org }) => {
      const { uid } = await world.member();
      const roleUid = await world.role(org, ["repo.delete"]);
      await (await as("role_bindings.create")).roleBindings.create(org, {
        identityUid: uid,
        roleUid,
      });
    },
    plain("PERMISSION_DENIED", 'needs every capability of the role at "{uid}"'),
  ],
  [
    "a caller lacks what an identity holds",
    async ({ as, world, org }) => {
      const { uid } = await world.member({ [org]: ["repo.delete"] });
      const api = await as("identity.update");
      const theirs = await world
        .operator()
        .identities.create(org, { name: "x", claimMatch: { issuer: "https://a.b", subject: "s" } });
      await world.bind(org, theirs.uid, "owner");
      await api.identities.update(theirs.uid, {
        claimMatch: { issuer: "https://a.b", subject: uid },
      });
    },
    plain("PERMISSION_DENIED", "needs every capability that the identity holds"),
  ],
  [
    "a request has no token",
    ({ api }) => api.as("").groups.list(),
    plain("UNAUTHENTICATED", "a bearer token is required"),
  ],
  [
    "a token is malformed",
    ({ api }) => api.as("nonsense").groups.list(),
    plain("UNAUTHENTICATED", "the token is malformed"),
  ],
  [
    "a token has expired",
    async ({ api, world }) => {
      const { uid } = await world.member();
      await api.as(await world.signer.token(uid, { now: 0 })).groups.list();
    },
    plain("UNAUTHENTICATED", "the token has expired"),
  ],
  [
    "a token was issued in the future",
    async ({ api, world }) => {
      const { uid } = await world.member();
      await api.as(await world.signer.token(uid, { now: Date.now() + 3_600_000 })).groups.list();
    },
    plain("UNAUTHENTICATED", "the token was issued in the future: check the clocks of all servers"),
  ],
  [
    "the identity of a token does not exist",
    async ({ api, world }) => {
      await api.as(await world.signer.token("1".repeat(40))).groups.list();
    },
    plain("UNAUTHENTICATED", "the token's identity does not exist"),
  ],
  [
    "a method is not supported",
    ({ rest }) => rest("GET", "/registry/v1/buildstatus"),
    plain(
      "UNIMPLEMENTED",
      "chainguard.platform.registry.Registry/GetBuildStatus is not supported by this server",
    ),
  ],
  [
    "a path has no such HTTP method",
    ({ rest }) => rest("PUT", "/iam/v2beta1/groups"),
    plain("UNIMPLEMENTED", "method PUT is not allowed at this path"),
  ],
  [
    "a path is unknown",
    ({ rest }) => rest("GET", "/iam/v9/nothing"),
    plain("NOT_FOUND", "no route matches this path"),
  ],
  [
    "a down-scoped token creates an organization",
    async ({ api, world, org }) => {
      const { uid } = await world.member({ [org]: "owner" });
      const token = await world.signer.token(uid, { boundary: { [org]: ["groups.create"] } });
      await api.as(token).groups.create("", { name: "x" });
    },
    plain(
      "PERMISSION_DENIED",
      "a down-scoped token cannot create an organization: its creator becomes the owner",
    ),
  ],
  [
    "a caller deletes the account of another",
    async ({ world, rest }) => {
      await rest(
        "DELETE",
        `/auth/v1/delete/${"0".repeat(40)}`,
        undefined,
        (await world.member()).token,
      );
    },
    plain(
      "PERMISSION_DENIED",
      "only people can delete their identity, and only their own, with a token that is not down-scoped",
    ),
  ],
  [
    "the code of an invite is unknown",
    async ({ world, rest }) => {
      await rest("POST", "/auth/v1/register", { code: "nonsense" }, (await world.member()).token);
    },
    plain("PERMISSION_DENIED", 'invalid "code"'),
  ],
  [
    "an invite is for another address",
    async ({ api, world, rest, org }) => {
      const invite = { roleUid: roleNamed("viewer"), ttl: "3600s", email: "ida@acme.example" };
      const { code } = await api.groupInvites.create(org, invite);
      await rest("POST", "/auth/v1/register", { code }, (await world.member()).token);
    },
    plain(
      "PERMISSION_DENIED",
      "the invite is for another e-mail address, or yours is not verified",
    ),
  ],
  [
    "the anonymous identity is updated",
    async ({ api }) => {
      await api.identities.update(literalIdentityUid("wharf", "anyone"), { name: "me" });
    },
    failed("BUILT_IN_IDENTITY", "the identity of anonymous callers cannot be changed or deleted"),
  ],
  [
    "an exchange has no audience",
    (ground) => exchanged(ground, {}),
    invalid({ aud: "Audience must be specified" }),
  ],
  [
    "an audience is foreign",
    (ground) => exchanged(ground, { aud: "https://other.example.com" }),
    invalid({ aud: '"https://other.example.com" is not an audience of this installation' }),
  ],
  [
    "a scope is not a group of the identity",
    (ground) => exchanged(ground, { aud: ground.world.server.url, scope: "nowhere" }),
    invalid({ scopes: '"nowhere" is not a group in which the identity holds a capability' }),
  ],
  [
    "a scope is ambiguous",
    async (ground) => {
      const { world, org } = ground;
      await world.group(await world.group(org), "twice");
      await world.group(await world.group(org), "twice");
      await exchanged(ground, { aud: world.server.url, scope: "twice" });
    },
    invalid({ scopes: 'several groups are named "twice": use a uid' }),
  ],
  [
    "a capability of an exchange is unknown",
    (ground) => exchanged(ground, { aud: ground.world.server.url, cap: "color.list" }),
    invalid({ cap: '"color.list" is not a capability' }),
  ],
  [
    "a down-scoped token signs out everywhere",
    async ({ world, rest }) => {
      const { access_token } = await world.login.logIn("ada");
      const parameters = { aud: world.server.url, cap: "groups.list" };
      const { token } = await exchange(world.server.url, access_token, parameters);
      await rest("POST", "/auth/v1/logout", { everywhere: true }, token);
    },
    plain("PERMISSION_DENIED", "a down-scoped token can end only its own session"),
  ],
  [
    "an idempotency key is invalid",
    ({ api, org }) => api.keyed("a b").groups.create(org, { name: "x" }),
    invalid({
      "idempotency-key":
        "idempotency-key must have 1 to 255 visible ASCII characters, in double quotes or without",
    }),
  ],
];
