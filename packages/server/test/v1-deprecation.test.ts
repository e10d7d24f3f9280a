import assert from "node:assert/strict";
import { connect } from "node:http2";
import { test } from "node:test";
import { Client, credentials, Metadata, type StatusObject } from "@grpc/grpc-js";
import { Http } from "./support/client/http.ts";
import { onStore, type World } from "./support/world/world.ts";

const NOTICES = {
  deprecation: "@1798761600",
  sunset: "Thu, 01 Jul 2027 00:00:00 GMT",
  link: '<https://docs.example.com/v2>; rel="deprecation"',
};

const NONE = { deprecation: null, sunset: null, link: null };

type DeprecationHeaders = Record<keyof typeof NOTICES, string | null>;

function picked(read: (name: string) => string | null | undefined): DeprecationHeaders {
  const names = Object.keys(NOTICES) as (keyof typeof NOTICES)[];
  return Object.fromEntries(names.map((name) => [name, read(name) ?? null])) as DeprecationHeaders;
}

async function overHttp1(world: World, path: string, token = world.operator().token) {
  const { headers } = await new Http(world.server.url, token).get(path);
  return picked((name) => headers.get(name));
}

async function overHttp2(world: World, path: string): Promise<DeprecationHeaders> {
  const session = connect(world.server.url);
  try {
    const authorization = `Bearer ${world.operator().token}`;
    const stream = session.request({ ":path": path, authorization });
    const headers = await new Promise<Record<string, string>>((resolve, reject) => {
      stream.on("response", (got) => resolve(got as Record<string, string>));
      stream.on("error", reject);
    });
    stream.resume();
    return picked((name) => headers[name]);
  } finally {
    session.close();
  }
}

/** The first metadata of a call, or those of its status if there are none before it. */
function overGrpc(
  world: World,
  path: string,
  token = world.operator().token,
): Promise<DeprecationHeaders> {
  const client = new Client(new URL(world.server.url).host, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  const same = (bytes: Buffer) => bytes;
  return new Promise<DeprecationHeaders>((resolve) => {
    const heard = new Metadata();
    const call = client.makeUnaryRequest(path, same, same, Buffer.alloc(0), metadata, () => {});
    call.on("metadata", (first: Metadata) => heard.merge(first));
    call.on("status", ({ metadata: last }: StatusObject) => {
      heard.merge(last);
      resolve(picked((name) => heard.get(name)[0] as string | undefined));
    });
  }).finally(() => client.close());
}

const NOTHING = `${"0".repeat(40)}/${"1".repeat(16)}`;
const LISTS = [
  "/iam/v1/groups",
  "/registry/v1/repos",
  "/vulnerabilities/v1/advisories",
  `/vulnerabilities/v1/advisories/${NOTHING}/events`,
];
const CALLS = [
  "/wharf.iam.v1.Groups/List",
  "/chainguard.platform.iam.Groups/List",
  "/chainguard.platform.registry.Registry/ListRepos",
  "/chainguard.platform.vulnerabilities.v1.Advisories/List",
  "/wharf.vulnerabilities.v1.Advisories/ListAdvisoryEvents",
];
const SECOND = ["/iam/v2beta1/groups", "/iam/v2/groups", "/auth/v1/ok", "/openapi.json"];
const SECOND_CALLS = [
  "/wharf.iam.v2beta1.GroupsService/ListGroups",
  // Methods without successor in version 2 stay.
  "/wharf.vulnerabilities.v1.Advisories/Create",
  "/chainguard.platform.vulnerabilities.v1.Advisories/UpdateAdvisoryEvent",
];

async function metrics(world: World): Promise<string> {
  return (await fetch(`${world.server.url}/metrics`)).text();
}

onStore("sqlite", "v1 without a deprecation date", (world) => {
  test("sends no deprecation headers", async () => {
    for (const path of [...LISTS, ...SECOND]) {
      assert.deepEqual(await overHttp1(world, path), NONE, path);
      assert.deepEqual(await overHttp2(world, path), NONE, path);
    }
    for (const path of [...CALLS, ...SECOND_CALLS]) {
      assert.deepEqual(await overGrpc(world, path), NONE, path);
    }
    assert.doesNotMatch(await metrics(world), /wharf_v1_calls_total\{/);
  });
});

const FLAGS = ["--v1-deprecation", "2027-01-01", "--v1-sunset", "2027-07-01"];

onStore(
  "sqlite",
  "version 1, once it is deprecated",
  (world) => {
    test("sends deprecation headers over HTTP/1.1, HTTP/2 and gRPC", async () => {
      for (const path of LISTS) {
        assert.deepEqual(await overHttp1(world, path), NOTICES, path);
        assert.deepEqual(await overHttp2(world, path), NOTICES, path);
      }
      for (const path of CALLS) assert.deepEqual(await overGrpc(world, path), NOTICES, path);
    });

    test("sends them with errors, too", async () => {
      assert.deepEqual(await overHttp1(world, LISTS[0] as string, "nonsense"), NOTICES);
      assert.deepEqual(await overHttp1(world, "/registry/v1/settings/x"), NOTICES);
      assert.deepEqual(await overGrpc(world, CALLS[1] as string, "nonsense"), NOTICES);
    });

    test("sends them over gRPC-Web, exposed to CORS", async () => {
      const answer = await fetch(`${world.server.url}/wharf.iam.v1.Groups/List`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${world.operator().token}`,
          "content-type": "application/grpc-web+proto",
          origin: "https://console.example",
        },
        body: Buffer.alloc(5),
      });
      assert.deepEqual(
        picked((name) => answer.headers.get(name)),
        NOTICES,
      );
      const exposed = answer.headers.get("access-control-expose-headers") ?? "";
      for (const name of Object.keys(NOTICES)) assert.ok(exposed.includes(name), exposed);
    });

    test("sends them for v1 only", async () => {
      for (const path of SECOND) {
        assert.deepEqual(await overHttp1(world, path), NONE, path);
        assert.deepEqual(await overHttp2(world, path), NONE, path);
      }
      for (const path of SECOND_CALLS) assert.deepEqual(await overGrpc(world, path), NONE, path);
    });

    test("is deprecated in the OpenAPI document", async () => {
      const { paths } = (await (await fetch(`${world.server.url}/openapi.json`)).json()) as {
        paths: Record<string, Record<string, { deprecated?: boolean }>>;
      };
      const isDeprecated = (path: string, verb: string) => paths[path]?.[verb]?.deprecated ?? false;
      assert.ok(isDeprecated("/iam/v1/groups", "get"));
      assert.ok(isDeprecated("/iam/v1/groups", "post"));
      assert.ok(!isDeprecated("/iam/v2beta1/groups", "get"));
      assert.ok(!isDeprecated("/iam/v2beta1/groups", "post"));
    });

    test("counts v1 calls by caller and method", async () => {
      const org = await world.organization();
      const member = await world.member({ [org]: "viewer" });
      for (const path of [...LISTS, ...LISTS, ...SECOND])
        await overHttp1(world, path, member.token);
      await overGrpc(world, CALLS[1] as string, member.token);
      await overHttp1(world, `/registry/v1/settings/${"0".repeat(40)}`, member.token);
      const lines = (await metrics(world)).split("\n").filter((line) => line.includes(member.uid));
      const counted = (method: string, times: number) =>
        `wharf_v1_calls_total{caller="${member.uid}",method="${method}"} ${times}`;
      assert.deepEqual(lines.toSorted(), [
        counted("wharf.iam.v1.Groups/List", 3),
        counted("wharf.registry.v1.Registry/ListRepos", 2),
        counted("wharf.vulnerabilities.v1.Advisories/List", 2),
      ]);
    });
  },
  {
    flags: [
      ...FLAGS,
      ...["--v1-guide", "https://docs.example.com/v2"],
      ...["--cors-origins", "https://console.example"],
    ],
  },
);
