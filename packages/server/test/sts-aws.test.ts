import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { TestServer } from "./support/server/test-server.ts";

const CALLER = {
  Account: "123456789012",
  Arn: "arn:aws:sts::123456789012:assumed-role/ci/run",
  UserId: "AROA:run",
};
const ALL_SIGNED = "accept;chainguard-audience;chainguard-identity;host;x-amz-date";
const without = (name: string) =>
  ALL_SIGNED.split(";")
    .filter((one) => one !== name)
    .join(";");
const GOOD_SIGNATURE = "0123456789abcdef".repeat(4);
const WRONG_SIGNATURE = "beef".repeat(16);

/** Speaks as AWS does: knows one good signature, and whose it is. */
function standInAws(asked: IncomingMessage[]): Server {
  return createServer((request, response) => {
    asked.push(request);
    const signed = request.headers.authorization?.endsWith(`Signature=${GOOD_SIGNATURE}`);
    response.writeHead(signed ? 200 : 403, { "content-type": "application/json" });
    response.end(
      JSON.stringify(
        signed
          ? { GetCallerIdentityResponse: { GetCallerIdentityResult: CALLER } }
          : { Error: { Code: "SignatureDoesNotMatch" } },
      ),
    );
  });
}

describe("an identity with an AWS relationship", () => {
  let aws: Server;
  let server: TestServer;
  let operator: Http;
  let identity: string;
  let host: string;
  const asked: IncomingMessage[] = [];
  before(async () => {
    aws = standInAws(asked).listen(0, "127.0.0.1");
    await once(aws, "listening");
    host = `127.0.0.1:${(aws.address() as AddressInfo).port}`;
    server = await TestServer.start({ flags: ["--aws-sts-endpoint", `http://${host}`] });
    operator = new Http(server.url, await server.token());
    const org = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
    const awsIdentity = {
      awsAccount: CALLER.Account,
      arnPattern: "arn:aws:sts::123456789012:assumed-role/ci/.*",
      userIdPattern: "AROA:.*",
    };
    const made = await operator.post(`/iam/v2beta1/identities/${org}`, { name: "ci", awsIdentity });
    identity = made.body.uid;
  });
  after(async () => {
    aws.close();
    await server.stop();
  });

  interface Parts {
    line?: string;
    headers?: Record<string, string>;
    signedHeaders?: string;
    signature?: string;
    extra?: string;
    /** Changes the Authorization header. */
    rewrite?: (authorization: string) => string;
  }

  /** The time so many minutes from now, as AWS writes it. */
  const minutes = (count: number) =>
    new Date(Date.now() + count * 60_000).toISOString().replace(/[-:]|\.\d+/g, "");

  /** A signed request as clients write it down. */
  function token({
    line,
    headers = {},
    signedHeaders,
    signature = GOOD_SIGNATURE,
    extra = "",
    rewrite = (authorization) => authorization,
  }: Parts = {}): string {
    // The credential is of the day that the request says, which may not be today.
    const date = headers["X-Amz-Date"] ?? minutes(0);
    const all = {
      Host: host,
      Accept: "application/json",
      "X-Amz-Date": date,
      "Chainguard-Audience": server.url,
      "Chainguard-Identity": identity,
      ...headers,
    };
    const names = signedHeaders ?? ALL_SIGNED;
    const credential = `Credential=AKIA/${date.slice(0, 8)}/us-east-1/sts/aws4_request`;
    const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`;
    const first = line ?? "POST /?Action=GetCallerIdentity&Version=2011-06-15 HTTP/1.1";
    const lines = Object.entries({ ...all, Authorization: rewrite(authorization) }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    return Buffer.from(`${[first, ...lines].join("\r\n")}${extra}\r\n\r\n`).toString("base64url");
  }

  const ask = (text: string) => exchange(server.url, text, { aud: server.url, identity });

  test("gets a token once AWS has confirmed the signer", async () => {
    const made = await ask(token());
    assert.equal(made.status, 200, made.message);
    assert.equal(made.claims.sub, identity);
    assert.equal(
      asked.at(-1)?.headers["chainguard-identity"],
      identity,
      "the bound headers are replayed",
    );
  });

  const refused: readonly (readonly [what: string, parts: () => Parts, why: RegExp])[] = [
    [
      "a signature that AWS does not accept",
      () => ({ signature: WRONG_SIGNATURE }),
      /AWS does not accept/,
    ],
    [
      "a request for another audience",
      () => ({ headers: { "Chainguard-Audience": "https://other.example" } }),
      /invalid "aud"/,
    ],
    [
      "a request for another identity",
      () => ({ headers: { "Chainguard-Identity": "someone else" } }),
      /invalid "identity"/,
    ],
    [
      "a request to another host",
      () => ({ headers: { Host: "sts.evil.example" } }),
      /invalid "host"/,
    ],
    ["an old request", () => ({ headers: { "X-Amz-Date": minutes(-16) } }), /expired/],
    ["a request from the future", () => ({ headers: { "X-Amz-Date": minutes(6) } }), /future/],
    [
      "an audience that is not signed",
      () => ({ signedHeaders: "chainguard-identity;host;x-amz-date" }),
      /malformed/,
    ],
    [
      "a date that is not signed",
      () => ({ signedHeaders: "chainguard-audience;chainguard-identity;host" }),
      /malformed/,
    ],
    ["a date that is none", () => ({ headers: { "X-Amz-Date": "20261399T000000Z" } }), /malformed/],
    ["a header twice", () => ({ extra: "\r\nHost: sts.evil.example" }), /malformed/],
    [
      "an identity under both names",
      () => ({
        extra: "\r\nWharf-Identity: other",
        signedHeaders: ALL_SIGNED.replace("host;", "host;wharf-identity;"),
      }),
      /malformed/,
    ],
    [
      "the signed headers twice",
      () => ({
        rewrite: (text) => text.replace("SignedHeaders=", "SignedHeaders=host, SignedHeaders="),
      }),
      /malformed/,
    ],
    [
      "signed headers hidden in the credential",
      () => ({
        signedHeaders: "host;x-amz-date",
        rewrite: (text) => text.replace("Credential=", `Credential=SignedHeaders=${ALL_SIGNED}/`),
      }),
      /malformed/,
    ],
    ["two signatures", () => ({ rewrite: (text) => `Signature=aa, ${text}` }), /malformed/],
    ["an unknown parameter", () => ({ rewrite: (text) => `${text}, X=1` }), /malformed/],
    ["an empty parameter", () => ({ rewrite: (text) => `${text},` }), /malformed/],
    ["no signed headers", () => ({ signedHeaders: "" }), /malformed/],
    ["a signed header that is empty", () => ({ signedHeaders: `;${ALL_SIGNED}` }), /malformed/],
    ["a signed header twice", () => ({ signedHeaders: `accept;${ALL_SIGNED}` }), /malformed/],
    [
      "signed headers out of order",
      () => ({ signedHeaders: ALL_SIGNED.split(";").reverse().join(";") }),
      /malformed/,
    ],
    [
      "a signed header that is missing",
      () => ({ signedHeaders: `${ALL_SIGNED};x-b` }),
      /malformed/,
    ],
    ["a host that is not signed", () => ({ signedHeaders: without("host") }), /malformed/],
    [
      "an identity that is not signed",
      () => ({ signedHeaders: without("chainguard-identity") }),
      /malformed/,
    ],
    [
      "two audiences",
      () => ({ headers: { "Wharf-Audience": server.url }, signedHeaders: ALL_SIGNED }),
      /malformed/,
    ],
    [
      "a credential of another day",
      () => ({ rewrite: (text) => text.replace(/\/\d{8}\//, "/20200101/") }),
      /malformed/,
    ],
    [
      "a credential for another service",
      () => ({ rewrite: (text) => text.replace("/sts/", "/iam/") }),
      /malformed/,
    ],
    [
      "another algorithm",
      () => ({ rewrite: (text) => text.replace("AWS4-HMAC", "AWS4-ECDSA") }),
      /malformed/,
    ],
    [
      "another action",
      () => ({ line: "POST /?Action=AssumeRole&Version=2011-06-15 HTTP/1.1" }),
      /malformed/,
    ],
    [
      "another method",
      () => ({ line: "GET /?Action=GetCallerIdentity&Version=2011-06-15 HTTP/1.1" }),
      /malformed/,
    ],
  ];
  for (const [what, parts, why] of refused) {
    test(`is rejected with ${what}`, async () => {
      const { status, message } = await ask(token(parts()));
      assert.equal(status, 401, message);
      assert.match(message, why);
    });
  }

  test("accepts equivalent parameter encodings and base64 padding", async () => {
    const rewrite = (text: string) => {
      const [algorithm = "", ...rest] = text.split(" ");
      const parameters = rest.join("").split(",").reverse();
      return `${algorithm} ${parameters.join(",")}`;
    };
    // The stand-in knows the signature at the end only.
    const signatureLast = (text: string) => {
      const [algorithm, signature, signed, credential] = rewrite(text).split(/[ ,]/);
      return `${algorithm} ${signed},${credential},${signature}`;
    };
    assert.equal((await ask(token({ rewrite: signatureLast }))).status, 200);
    const text = token();
    const padded = Buffer.from(text, "base64url").toString("base64");
    const urlSafe = padded.replaceAll("+", "-").replaceAll("/", "_");
    assert.equal((await ask(urlSafe)).status, 200);
    assert.equal((await ask(`${text}===`)).status, 401);
  });

  test("has one digest in the audit log, for every encoding of the request", async () => {
    const spelled = [
      token(),
      token({ headers: { "X-Unsigned": "1" } }),
      token({ headers: { Accept: "application/json  " } }),
    ];
    assert.equal(new Set(spelled).size, spelled.length);
    for (const text of spelled) assert.equal((await ask(text)).status, 200);
    const { DatabaseSync } = await import("node:sqlite");
    const store = new DatabaseSync(`${server.data}/wharf.db`, { readOnly: true });
    const sql = "SELECT detail FROM audit WHERE method LIKE '%/Exchange' ORDER BY id DESC LIMIT 3";
    const rows = store.prepare(sql).all();
    store.close();
    const digests = rows.map(({ detail }) => JSON.parse(String(detail)).tokenSha256);
    assert.deepEqual(digests, Array(3).fill(hash("sha256", GOOD_SIGNATURE)));
  });

  test("is rejected when AWS names another principal", async () => {
    const { Arn } = CALLER;
    CALLER.Arn = "arn:aws:sts::123456789012:assumed-role/other/run";
    const { status, message } = await ask(token());
    CALLER.Arn = Arn;
    assert.equal(status, 403);
    assert.match(message, /invalid "aws-arn"/);
  });

  const checked = async (text: string) => {
    const { status, body } = await operator.post(`/iam/v2beta1/identities/${identity}:test`, {
      token: text,
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body as { allowed: boolean; checks: { claim: string; found: string; ok: boolean }[] };
  };

  test("reports every check in a test", async () => {
    const { allowed, checks } = await checked(token());
    assert.equal(allowed, true, JSON.stringify(checks));
    assert.deepEqual(
      checks.map(({ claim }) => claim),
      ["host", "aud", "identity", "x-amz-date", "signature", "aws-acct", "aws-arn", "aws-user-id"],
    );
    assert.equal(checks.at(-2)?.found, CALLER.Arn);
    assert.equal((await checked("UE9TVA")).checks[0]?.claim, "token");
  });

  test("is not sent to AWS by a test that fails earlier", async () => {
    const before = asked.length;
    const headers = { "X-Amz-Date": minutes(-16), "Chainguard-Identity": "someone else" };
    const { allowed, checks } = await checked(token({ headers }));
    assert.equal(allowed, false);
    const failed = checks.filter(({ ok }) => !ok).map(({ claim }) => claim);
    assert.deepEqual(failed.slice(0, 3), ["identity", "x-amz-date", "signature"]);
    assert.equal(asked.length, before);
    const { checks: unsigned } = await checked(token({ signature: WRONG_SIGNATURE }));
    const signature = unsigned.find(({ claim }) => claim === "signature");
    assert.equal(signature?.found, "not accepted");
  });
});
