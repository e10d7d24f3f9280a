/** Nobody's body is read before their credentials: the requests here never send theirs. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { checkError, checkHealthy, parseAnswer } from "./support/client/raw.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";

const GROUP = "0123456789abcdef0123456789abcdef01234567";
const PROVIDER = `${GROUP}/0123456789abcdef`;
const CREATE = "/wharf.iam.v2beta1.GroupsService/CreateGroup";
const WAITS = { timeout: 120_000 };

const PATHS = [
  ["POST", "/iam/v2beta1/groups", "application/json"],
  ["PATCH", `/iam/v2beta1/groups/${GROUP}`, "application/json"],
  ["PUT", `/iam/v1/groups/${GROUP}`, "application/json"],
  ["POST", `/vulnerabilities/v2beta1/advisories/${GROUP}:import`, "application/json"],
  ["POST", CREATE, "application/grpc-web+proto"],
  ["POST", CREATE, "application/grpc-web-text"],
  ["POST", `/scim/v2/${PROVIDER}/Users`, "application/scim+json"],
  ["PATCH", `/scim/v2/${PROVIDER}/Groups/x`, "application/scim+json"],
  ["POST", "/registry/notifications", "application/json"],
] as const;

for (const store of STORES) {
  describe(`requests without valid credentials, on ${store}`, () => {
    let server: TestServer;
    let credentials: Record<string, string[]>;
    before(async () => {
      const flags = [
        "--registry-urls",
        "registry.example.com=http://127.0.0.1:9",
        "--reconcile-minutes",
        "0",
      ];
      server = await TestServer.start({ store, flags, ownProcess: true });
      const [header, content] = (await server.token()).split(".");
      credentials = {
        "no token": [],
        "no such scheme": ["Authorization: Basic YTpi"],
        "a malformed token": ["Authorization: Bearer x.y.z"],
        "a forged token": [`Authorization: Bearer ${header}.${content}.${"A".repeat(86)}`],
      };
    });
    after(() => server.stop());

    for (const [method, path, type] of PATHS) {
      test(`${method} ${path} (${type}) is rejected from its headers`, WAITS, async () => {
        for (const [what, fields] of Object.entries(credentials)) {
          const lines = [
            `${method} ${path} HTTP/1.1`,
            "Host: 127.0.0.1",
            `Content-Type: ${type}`,
            "Content-Length: 4000000",
            ...fields,
          ];
          const { status, head, body } = await heard(lines);
          assert.match(head, /^connection: close$/im, what);
          if (type.includes("grpc-web")) {
            const text = type.includes("text") ? Buffer.from(`${body}`, "base64") : body;
            assert.match(`${text}`, /grpc-status: 16/, what);
            continue;
          }
          assert.equal(status, 401, what);
          if (path.startsWith("/iam/")) checkError(status, JSON.parse(`${body}`), what);
        }
        await checkHealthy(server);
      });
    }

    test("so is gRPC", WAITS, async (t) => {
      const session = connectHttp2(server.url);
      t.after(() => session.destroy());
      for (const [what, fields] of Object.entries(credentials)) {
        const headers = {
          ":method": "POST",
          ":path": CREATE,
          "content-type": "application/grpc",
          ...Object.fromEntries(fields.map((field) => field.split(": "))),
        };
        const stream = session.request(headers, { endStream: false });
        stream.on("error", () => {});
        const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
        assert.equal(answer["grpc-status"], "16", what);
      }
    });

    test("public methods accept 64 KiB", WAITS, async () => {
      const form = (path: string, body: string) =>
        fetch(server.url + path, { method: "POST", body: new URLSearchParams(body) });
      const body = (bytes: number) => `a=${"x".repeat(bytes - 2)}`;
      const paths = ["/sts/exchange", "/oauth/token", "/token", "/oauth/local", "/setup", "/reset"];
      for (const path of paths) {
        const small = await form(path, body(64 * 1024));
        assert.ok(small.status !== 413 && small.status < 500, `${path} ${small.status}`);
        assert.equal((await form(path, body(64 * 1024 + 1))).status, 413, path);
        const many = await form(path, "a=1&".repeat(2_000));
        assert.equal(many.status, 400, path);
      }
      await checkHealthy(server);
    });

    test("a caller whose token is valid is asked for the body", WAITS, async () => {
      const token = await server.token();
      const lines = [
        "POST /iam/v2beta1/groups HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Length: 12",
        "Connection: close",
        "Expect: 100-continue",
        `Authorization: Bearer ${token}`,
      ];
      const { status, body } = await heard(lines, '{"name":"a"}');
      assert.equal(status, 200, `${body}`);
    });

    /** The answer to a head, and to a body that is sent after `100 Continue`. */
    async function heard(lines: readonly string[], body = "") {
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname);
      const chunks: Buffer[] = [];
      socket.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (chunk.includes("100 Continue")) socket.write(body);
      });
      socket.on("error", () => {});
      socket.write(`${lines.join("\r\n")}\r\n\r\n`);
      await once(socket, "close");
      const answer = parseAnswer(Buffer.concat(chunks));
      assert.ok(answer, "there is an answer");
      return answer;
    }
  });
}
