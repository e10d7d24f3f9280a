import { join } from "node:path";
import {
  credentials,
  makeGenericClientConstructor,
  type ServiceDefinition,
  type ServiceError,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { Api } from "./api-client.ts";
import { Refusal } from "./api-error.ts";
import { callMethod } from "./grpc.ts";
import { Rest } from "./http.ts";
import { refusalOf, shown, wired } from "./over-grpc.ts";
import { queryOf } from "./over-rest.ts";

const ROOT = join(import.meta.dirname, "../../../../..");

/** The name that existing clients call the service by. */
const PUBLIC = "chainguard.platform.vulnerabilities.v1.Advisories";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Shown = any;

/** Version 1's advisories as the caller of an Api sees them, over the same protocol. */
export class AdvisoriesV1 {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  create(parentId: string, advisory: object): Promise<Shown> {
    const request = { parentId, advisory };
    return this.#call("Create", request, ["POST", "advisories", request]);
  }

  list(filter: object = {}): Promise<Shown> {
    return this.#call("List", filter, ["GET", `advisories?${queryOf(filter)}`]);
  }

  update(id: string, advisory: object): Promise<Shown> {
    return this.#call("Update", { ...advisory, id }, ["PUT", `advisories/${id}`, advisory]);
  }

  delete(id: string): Promise<Shown> {
    return this.#call("Delete", { id }, ["DELETE", `advisories/${id}`]);
  }

  addEvent(parentId: string, advisoryEvent: object): Promise<Shown> {
    const path = `advisories/${parentId}/events`;
    return this.#call("CreateAdvisoryEvent", { parentId, advisoryEvent }, [
      "POST",
      path,
      { advisoryEvent },
    ]);
  }

  events(parentId: string): Promise<Shown> {
    return this.#call("ListAdvisoryEvents", { parentId }, ["GET", `advisories/${parentId}/events`]);
  }

  updateEvent(id: string, event: object): Promise<Shown> {
    const path = `advisory_events/${id}`;
    return this.#call("UpdateAdvisoryEvent", { ...event, id }, ["PUT", path, event]);
  }

  #call(method: string, request: object, rest: readonly [string, string, object?]) {
    return this.#api.protocol === "REST"
      ? this.#overRest(...rest)
      : this.#overGrpc(method, request);
  }

  async #overRest(verb: string, path: string, body?: object): Promise<Shown> {
    const { url, token } = this.#api;
    const answer = await new Rest(url, token).send(verb, `/vulnerabilities/v1/${path}`, body);
    if (answer.status === 200) return answer.body;
    const { code, message, details } = answer.body;
    throw new Refusal(code, message, details);
  }

  /** With an independent client, under the public name. */
  async #overGrpc(method: string, request: object): Promise<Shown> {
    const { url, token } = this.#api;
    const client = new Advisories(new URL(url).host, credentials.createInsecure());
    try {
      return shown(await callMethod(client, token, method, wired(request) as object));
    } catch (error) {
      throw refusalOf(error as ServiceError);
    } finally {
      client.close();
    }
  }
}

const Advisories = makeGenericClientConstructor(publicDefinition(), PUBLIC);

function publicDefinition(): ServiceDefinition {
  const loaded = loadSync("wharf/vulnerabilities/v1/advisories.proto", {
    includeDirs: [join(ROOT, "proto"), join(ROOT, "node_modules/google-proto-files")],
    longs: String,
    enums: String,
    defaults: true,
    oneofs: true,
  });
  const own = loaded["wharf.vulnerabilities.v1.Advisories"] as ServiceDefinition;
  const named = Object.entries(own).map(([name, method]) => {
    return [name, { ...method, path: `/${PUBLIC}/${name}` }] as const;
  });
  return Object.fromEntries(named);
}
