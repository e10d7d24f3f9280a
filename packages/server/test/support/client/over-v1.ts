import assert from "node:assert/strict";
import type { ServiceError } from "@grpc/grpc-js";
import type { Protocol } from "./api-client.ts";
import { type HttpRequest, Refusal } from "./api-error.ts";
import { grpcCallV1, type OwnName, type PublicName } from "./grpc-v1.ts";
import { Rest } from "./http.ts";
import { refusalOf, shown, wired } from "./over-grpc.ts";
import { STATUS } from "./over-rest.ts";

/** Who calls, where, over what. */
export interface Caller {
  readonly protocol: Protocol;
  readonly url: string;
  readonly token: string;
}

/** One call of version 1, as each protocol has it. */
export interface CallV1 {
  readonly service: PublicName | OwnName;
  readonly method: string;
  readonly request: object;
  /** Its path begins after the host. */
  readonly http: HttpRequest;
}

/**
 * Makes a call of version 1 and shows its answer as REST would. Rejects with a Refusal.
 *
 * @example await callV1(api, { service: "chainguard.platform.iam.Groups", method: "List", … });
 */
export async function callV1(
  { protocol, url, token }: Caller,
  { service, method, request, http }: CallV1,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
): Promise<any> {
  if (protocol === "gRPC") {
    const done = grpcCallV1(url, token, service, method, wired(request) as object);
    return done.then(shown, (error: ServiceError) => {
      throw refusalOf(error);
    });
  }
  const answer = await new Rest(url, token).send(http.method, http.path, http.body);
  if (answer.status === 200) return answer.body;
  const { code, message, details } = answer.body;
  assert.equal(answer.status, STATUS[code], `${http.method} ${http.path}: ${message}`);
  throw new Refusal(code, message, details);
}
