import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { StandInIssuer } from "../../server/test/support/providers/issuer.ts";
import { clientOf, eventually, fails, fileWith, ids, json, runAs } from "./support/resources.ts";
import { Site } from "./support/site.ts";

const CI = ["--issuer", "https://ci.example.com", "--subject", "app"];

describe("identities", () => {
  let site: Site;
  let issuer: StandInIssuer;
  let acme: string;
  before(async () => {
    [site, issuer] = await Promise.all([Site.start(), StandInIssuer.start()]);
    acme = await site.make("organizations", "acme");
    await site.make("organizations", "beta");
  });
  after(async () => {
    await issuer.stop();
    await site.stop();
  });

  const create = async (...args: string[]) =>
    json(site, "iam", "identities", "create", ...args, "--parent", "acme");

  test("are created from claims, exactly as they are given", async () => {
    const made = await create(
      "by claims",
      "--issuer-pattern",
      "https://ci[.]example[.]com",
      "--subject-pattern",
      "app-[0-9]{1,3}",
      "--audience",
      "wharf",
      "--claim",
      "team=a, b=c",
      "--claim-pattern",
      "ref=v[0-9]{1,2},x",
    );
    assert.deepEqual(made.claimMatch, {
      issuerPattern: "https://ci[.]example[.]com",
      subjectPattern: "app-[0-9]{1,3}",
      audience: "wharf",
      claims: { team: "a, b=c" },
      claimPatterns: { ref: "v[0-9]{1,2},x" },
    });
    const shown = await site.ok("iam", "identity", "describe", "by claims");
    assert.match(shown, /^Subject: +\/app-\[0-9\]\{1,3\}\/$/m);
    const path = await site.ok("iam", "identities", "get", "acme/by claims", "-o", "id");
    assert.equal(path.trim(), made.uid);
  });

  test("are created from keys, AWS principals, services and files", async () => {
    const keys = fileWith(JSON.stringify(issuer.jwks));
    const [fixed, aws, service, yaml] = await Promise.all([
      create("by-keys", ...CI, "--issuer-keys", keys, "--expiration", "720h"),
      create(
        ...["by-aws", "--aws-account", "123456789012"],
        ...["--arn", "arn:aws:iam::123456789012:user/x", "--user-id-pattern", "AIDA.+"],
      ),
      create("by-service", "--service-principal", "catalog-syncer"),
      create(
        "-f",
        fileWith("name: by-file\nclaimMatch: {issuer: https://x.example, subject: y}\n"),
      ),
    ]);
    const life = Date.parse(fixed.staticKeys.expirationTime) - Date.now();
    assert.ok(life > 719 * 3_600_000 && life <= 720 * 3_600_000);
    assert.equal(aws.awsIdentity.arn, "arn:aws:iam::123456789012:user/x");
    assert.equal(service.servicePrincipal, "SERVICE_PRINCIPAL_CATALOG_SYNCER");
    assert.deepEqual([yaml.name, yaml.claimMatch.subject], ["by-file", "y"]);
    const byType = async (type: string) =>
      (await json(site, "iam", "ids", "ls", "--type", type, "--parent", "acme")).items;
    assert.deepEqual(
      (await byType("static")).map(({ uid }: { uid: string }) => uid),
      [fixed.uid],
    );
    assert.deepEqual(
      (await byType("aws")).map(({ uid }: { uid: string }) => uid),
      [aws.uid],
    );
  });

  test("of GitHub match both subject formats, and check numeric ids", async () => {
    const made = await create("github", "--repo", "acme/app.io", "--ref", "main");
    assert.equal(made.name, "github-acme-app.io");
    assert.deepEqual(made.claimMatch.issuer, "https://token.actions.githubusercontent.com");
    const pattern = new RegExp(`^(?:${made.claimMatch.subjectPattern})$`);
    assert.match("repo:acme/app.io:ref:refs/heads/main", pattern);
    assert.match("repo:acme@7/app.io@42:ref:refs/heads/main", pattern);
    assert.doesNotMatch("repo:acme/appXio:ref:refs/heads/main", pattern);
    assert.doesNotMatch("repo:acme/app.io:ref:refs/heads/main2", pattern);
    const strict = await site.run(
      ...["iam", "identities", "create", "github", "strict", "--repo", "acme/app"],
      ...["--environment", "prod", "--repo-id", "42", "--owner-id", "7", "--parent", "acme"],
      ...["-o", "json"],
    );
    const { claimMatch } = JSON.parse(strict.stdout);
    assert.equal(claimMatch.subjectPattern, "repo:acme(@7)?/app(@42)?:environment:prod");
    assert.deepEqual(claimMatch.claims, { repository_id: "42", repository_owner_id: "7" });
    assert.doesNotMatch(strict.stderr, /warning/);
    const github = ["iam", "identities", "create", "github", "--parent", "acme", "--repo"];
    await fails(site, 2, /--repo must be OWNER\/NAME/, ...github, "acme");
    await fails(site, 2, /mutually exclusive/, ...github, "a/b", "--ref", "x", "--pull-request");
    const wide = await site.run(...github, "acme/any");
    assert.match(wide.stderr, /every branch, tag and pull request of acme\/any is accepted/);
    assert.match(wide.stderr, /only names are checked/);
  });

  test("of GitLab, Kubernetes and AWS have the subjects of their platforms", async () => {
    const keys = fileWith(JSON.stringify(issuer.jwks));
    const [gitlab, any, kubernetes, role, user] = await Promise.all([
      create("gitlab", "--project-path", "acme/app", "--ref", "main"),
      create("gitlab", "any", "--project-path", "acme/app", "--host", "git.example.com"),
      create(
        ...["k8s", "--namespace", "prod", "--service-account", "app", "--issuer-keys", keys],
        ...["--expiration", "720h"],
      ),
      create("aws", "role", "--aws-account", "123456789012", "--aws-role", "dep.loyer"),
      create(
        ...["aws", "user", "a-user", "--aws-account", "123456789012", "--aws-user", "me"],
        ...["--user-id", "AIDAEXAMPLE"],
      ),
    ]);
    assert.equal(gitlab.claimMatch.subject, "project_path:acme/app:ref_type:branch:ref:main");
    assert.equal(any.claimMatch.issuer, "https://git.example.com");
    assert.equal(any.claimMatch.subjectPattern, "project_path:acme/app:ref_type:branch:ref:.+");
    assert.equal(kubernetes.staticKeys.subject, "system:serviceaccount:prod:app");
    assert.equal(role.name, "aws-123456789012-dep.loyer");
    const arn = new RegExp(`^(?:${role.awsIdentity.arnPattern})$`);
    assert.match("arn:aws:sts::123456789012:assumed-role/dep.loyer/session", arn);
    assert.match("arn:aws-us-gov:sts::123456789012:assumed-role/dep.loyer/session", arn);
    assert.doesNotMatch("arn:aws:sts::123456789012:assumed-role/depXloyer/session", arn);
    assert.equal(user.awsIdentity.userId, "AIDAEXAMPLE");
    const life = Date.parse(kubernetes.staticKeys.expirationTime) - Date.now();
    assert.ok(life > 719 * 3_600_000 && life <= 720 * 3_600_000);
    const pod = ["--namespace", "a", "--service-account", "b", "--parent", "acme"];
    await fails(site, 2, /--issuer is/, "iam", "identities", "create", "kubernetes", ...pod);
  });

  test("are created and bound atomically", async () => {
    const made = await create("bound", ...CI, "--role", "viewer,registry.push");
    const { items } = await json(site, "iam", "role-bindings", "list", "--identity", "bound");
    assert.deepEqual(items.map(({ role }: { role: { name: string } }) => role.name).sort(), [
      "registry.push",
      "viewer",
    ]);
    assert.equal(items[0].identity.uid, made.uid);
    await fails(
      site,
      5,
      /no role is named "nothing"/,
      ...["iam", "identities", "create", "unbound", ...CI, "--parent", "acme", "--role", "nothing"],
    );
    assert.deepEqual(await ids(site, "iam", "identities", "list", "--name", "unbound"), []);
    // Someone who may create and delete identities but does not hold what the role gives.
    await site.ok(
      ...["iam", "roles", "create", "registrar", "--parent", "acme", "--capabilities"],
      "groups.list,roles.list,identity.create,identity.delete,identity.list,role_bindings.create",
    );
    const registrar = (await create("registrar", ...CI, "--role", "registrar")).uid;
    const refused = await runAs(
      site,
      registrar,
      ...["iam", "identities", "create", "too-much", ...CI, "--parent", acme, "--role", "owner"],
    );
    assert.equal(refused.code, 4, refused.stderr);
    assert.match(refused.stderr, /the roles could not be bound, so identity too-much was deleted/);
    assert.equal(refused.stdout, "");
    assert.deepEqual(await ids(site, "iam", "identities", "list", "--name", "too-much"), []);
    // Without the capability to delete them, the error lists precisely what is left behind.
    await site.ok(...["iam", "roles", "update", "registrar", "--remove", "identity.delete"]);
    const left = await runAs(
      site,
      registrar,
      ...["iam", "identities", "create", "left", ...CI, "--parent", acme, "--role", "owner"],
    );
    const [uid] = await ids(site, "iam", "identities", "list", "--name", "left");
    assert.equal(left.code, 1);
    assert.match(
      left.stderr,
      new RegExp(`identity left \\(${uid}\\) was created, .* not be deleted`),
    );
    assert.match(left.stderr, new RegExp(`wharf iam identities delete ${uid}`));
  });

  test("are updated in part, and deleted", async () => {
    await create("changing", ...CI, "--claim", "a=b");
    const update = (...args: string[]) =>
      json(site, "iam", "identities", "update", "changing", ...args);
    const updated = await update("--subject-pattern", "app-.+", "--description", "changes");
    assert.deepEqual(updated.claimMatch, {
      issuer: "https://ci.example.com",
      subjectPattern: "app-.+",
      claims: { a: "b" },
      claimPatterns: {},
    });
    assert.equal(updated.description, "changes");
    const file = fileWith("claimMatch:\n  issuer: https://other.example\n  subject: z\n");
    const replaced = await update("-f", file);
    assert.deepEqual(replaced.claimMatch.claims, {});
    assert.equal(replaced.description, "changes");
    await fails(site, 2, /nothing to change/, "iam", "identities", "update", "changing");
    await fails(site, 2, /-y skips/, "iam", "identities", "delete", "changing");
    const gone = await site.run("iam", "identities", "rm", "changing", "-y");
    assert.deepEqual([gone.code, gone.stderr], [0, "wharf: deleted identity changing\n"]);
    await fails(site, 5, /no identity is named "changing"/, "iam", "ids", "describe", "changing");
    await fails(site, 2, /give either IDENTITIES or --expired/, "iam", "ids", "delete", "-y");
  });

  test("that have expired are listed and deleted", async () => {
    const { identities } = await clientOf(site);
    const beta = (await json(site, "iam", "orgs", "describe", "beta")).uid;
    const made = await identities.create({
      parent: beta,
      identity: {
        name: "short",
        relationship: {
          case: "staticKeys",
          value: {
            issuer: "https://x.example",
            subject: "x",
            issuerKeys: JSON.stringify(issuer.jwks),
            // Long enough for a busy machine: what has expired cannot be created.
            expirationTime: { seconds: BigInt(Math.floor(Date.now() / 1000) + 5) },
          },
        },
      },
    });
    const expired = () => ids(site, "iam", "identities", "list", "--expired", "--parent", "beta");
    await eventually(async () => (await expired()).length > 0);
    assert.deepEqual(await expired(), [made.uid]);
    await site.ok("iam", "identities", "delete", "--expired", "--parent", "beta", "-y");
    assert.deepEqual(await expired(), []);
  });

  test("are tested with a token, check by check", async () => {
    const subject = ["--issuer", issuer.url, "--subject", "the app", "--role", "registry.pull"];
    await create("tested", ...subject);
    const run = async (sub: string, ...args: string[]) =>
      site.run(
        ...["iam", "identities", "test", "tested", "--token"],
        ...[fileWith(`${await issuer.sign({ sub })}\n`), ...args],
      );
    const good = await run("the app");
    assert.equal(good.code, 0, good.stderr);
    assert.match(good.stdout, /^✓ +sub +the app +the app$/m);
    assert.match(good.stdout, /^IN +THE TOKEN CAN$/m);
    assert.match(good.stdout, /^acme +groups\.list, .*repo\.blobs\.get/m);
    const bad = await run("another");
    assert.equal(bad.code, 1);
    assert.match(bad.stdout, /^✗ +sub +the app +another$/m);
    assert.match(bad.stderr, /the token would be rejected: sub/);
    const data = JSON.parse((await run("the app", "-o", "json")).stdout);
    assert.equal(data.allowed, true);
    assert.equal(data.grants[0].group, acme);
  });

  test("of future users are looked up", async () => {
    const [uid] = await ids(
      site,
      ...["iam", "identities", "lookup", "--issuer", "https://login.example", "--subject", "1"],
    );
    assert.match(uid ?? "", /^[0-9a-f]{40}$/);
  });

  test("are rejected with invalid fields and files", async () => {
    const base = ["iam", "identities", "create", "x", "--parent", "acme"];
    await fails(site, 2, /is not an identity/, ...base, "-f", fileWith("unknown: field"));
    await fails(site, 2, /claimMatch\.issuer/, ...base, "--issuer", "x", "--subject", "y");
  });
});
