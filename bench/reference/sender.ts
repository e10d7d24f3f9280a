/** A bare sender: signs and posts the same bytes, with as many requests at a time, and stores nothing. */
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { Agent, request } from "node:http";
import { doJobs } from "../program.ts";

export interface SendJob {
  readonly url: string;
  readonly count: number;
  readonly concurrency: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const token = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const webhook = generateKeyPairSync("ed25519").privateKey;

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

function signed(headers: SendJob["headers"], body: string): Record<string, string> {
  const digest = createHash("sha256").update(body).digest("hex");
  const claims = { aud: "customer", sub: "webhook:group", webhook: { digest } };
  const content = `${encoded({ alg: "ES256", typ: "JWT" })}.${encoded(claims)}`;
  const key = { key: token, dsaEncoding: "ieee-p1363" } as const;
  const proof = sign("sha256", Buffer.from(content), key).toString("base64url");
  const signature = sign(null, Buffer.from(`id.1.${body}`), webhook).toString("base64");
  return {
    ...headers,
    authorization: `Bearer ${content}.${proof}`,
    "webhook-signature": `v1a,${signature}`,
  };
}

doJobs(async ({ url, count, concurrency, headers, body }: SendJob): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  let left = count;
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const outgoing = request(
        url,
        { method: "POST", agent, headers: signed(headers, body) },
        (response) => {
          response.resume();
          response.on("end", resolve);
        },
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await post();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  agent.destroy();
  return count;
});
