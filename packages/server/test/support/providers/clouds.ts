/** Token services of AWS, Google and Azure that verify tokens as the real ones do. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";

/** Credentials that must never be seen again. */
export const SECRETS = ["ASIASTANDIN", "secret-access-key", "session-token", "ya29.stand-in"];
const [KEY_ID, SECRET_KEY, SESSION, ACCESS_TOKEN] = SECRETS as [string, string, string, string];

export type Cloud = "aws" | "google" | "azure";

/** A request for credentials as it came in, read and not yet judged. */
export interface Asked {
  readonly cloud: Cloud;
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly token: string;
  claims?: JWTPayload;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

/**
 * The token services of three clouds. They verify tokens as the real ones do: keys from the discovery
 * document of the issuer that was registered, audience, times, and a subject that is trusted.
 */
export class StandInClouds {
  readonly url: string;
  readonly asked: Asked[] = [];
  /** The subject that a role, provider or application trusts, by name. */
  readonly trusted = new Map<string, string>();
  /** Answers instead of a cloud. */
  readonly instead = new Map<Cloud, (response: ServerResponse, asked: Asked) => void>();
  readonly #server: Server;
  /** The only issuer that the accounts trust. */
  issuer = "";
  /** The algorithms that they verify. */
  algorithms: readonly string[] = ["ES256"];

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => void this.#answer(request, response));
  }

  /**
   * @example const clouds = await StandInClouds.start();
   */
  static async start(): Promise<StandInClouds> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new StandInClouds(server);
  }

  /** The settings that lead a server here. */
  get flags(): string[] {
    return [
      ...["--aws-sts-endpoint", `${this.url}/aws/`],
      ...["--google-sts-endpoint", `${this.url}/google`],
      ...["--azure-login-endpoint", `${this.url}/azure`],
    ];
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, cloud, ...rest] = (request.url ?? "").split("/") as [string, Cloud, ...string[]];
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    const token = form.WebIdentityToken ?? form.subject_token ?? form.client_assertion ?? "";
    const asked: Asked = { cloud, path: `/${rest.join("/")}`, form, token };
    this.asked.push(asked);
    const instead = this.instead.get(cloud);
    if (instead !== undefined) return instead(response, asked);
    const isForm = request.headers["content-type"] === "application/x-www-form-urlencoded";
    const { status, body } =
      request.method === "POST" && isForm
        ? await { aws, google, azure }[cloud](this, asked)
        : { status: 405, body: {} };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  /** The reason for which a token is insufficient for a request; undefined if it suffices. */
  async refusal(asked: Asked, what: string, audience: string): Promise<string | undefined> {
    try {
      const document = await fetch(`${this.issuer}/.well-known/openid-configuration`);
      const { issuer, jwks_uri } = (await document.json()) as { issuer: string; jwks_uri: string };
      const keys = createRemoteJWKSet(new URL(jwks_uri));
      const algorithms = [...this.algorithms];
      const terms = { issuer, audience, requiredClaims: ["exp", "iat", "sub"], algorithms };
      const { payload } = await jwtVerify(asked.token, keys, terms);
      asked.claims = payload;
      return this.trusted.get(what) === payload.sub ? undefined : "the subject is not trusted";
    } catch (error) {
      return `the token is not valid: ${(error as Error).message}`;
    }
  }
}

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html */
async function aws(clouds: StandInClouds, asked: Asked): Promise<Answer> {
  const { form, path } = asked;
  const error = (status: number, Code: string, Message: string) => ({
    status,
    body: { Error: { Code, Message, Type: "Sender" }, RequestId: "stand-in" },
  });
  if (path !== "/" || form.Action !== "AssumeRoleWithWebIdentity" || form.Version !== "2011-06-15")
    return error(400, "InvalidAction", "Could not find operation");
  if (!/^[\w+=,.@-]{2,64}$/.test(form.RoleSessionName ?? ""))
    return error(400, "ValidationError", "RoleSessionName failed to satisfy constraint");
  const refused = await clouds.refusal(asked, form.RoleArn ?? "", "sts.amazonaws.com");
  if (refused !== undefined)
    return error(403, "AccessDenied", `Not authorized to perform sts:${form.Action}: ${refused}`);
  const Credentials = {
    AccessKeyId: KEY_ID,
    SecretAccessKey: SECRET_KEY,
    SessionToken: SESSION,
    Expiration: 1.8e9,
  };
  const result = { Credentials, SubjectFromWebIdentityToken: asked.claims?.sub };
  const body = { AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult: result } };
  return { status: 200, body };
}

/** https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token */
async function google(clouds: StandInClouds, asked: Asked): Promise<Answer> {
  const { form, path } = asked;
  if (path !== "/v1/token")
    return { status: 404, body: { error: { code: 404, status: "NOT_FOUND", message: "No." } } };
  const fixed = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    scope: "https://www.googleapis.com/auth/cloud-platform",
  };
  const wrong = Object.entries(fixed).find(([name, value]) => form[name] !== value);
  if (wrong) return oauthError("invalid_request", `Invalid value for ${wrong[0]}.`);
  const { audience = "" } = form;
  const refused = await clouds.refusal(asked, audience, `https:${audience}`);
  if (refused !== undefined) return oauthError("invalid_grant", refused);
  const issued_token_type = fixed.requested_token_type;
  const body = { access_token: ACCESS_TOKEN, issued_token_type, token_type: "Bearer" };
  return { status: 200, body: { ...body, expires_in: 3599 } };
}

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
async function azure(clouds: StandInClouds, asked: Asked): Promise<Answer> {
  const { form, path } = asked;
  const tenant = /^\/([\w.-]+)\/oauth2\/v2\.0\/token$/.exec(path)?.[1];
  const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  const isRequest =
    form.grant_type === "client_credentials" &&
    form.client_assertion_type === type &&
    form.scope?.endsWith("/.default");
  if (tenant === undefined || !isRequest) return oauthError("invalid_request", "AADSTS900144");
  const client = `${tenant} ${form.client_id}`;
  const refused = await clouds.refusal(asked, client, "api://AzureADTokenExchange");
  if (refused !== undefined)
    return oauthError("invalid_client", `AADSTS70021: ${refused}\r\nTrace ID: 1\r\nCode: 2`);
  const body = { token_type: "Bearer", expires_in: 3599, access_token: ACCESS_TOKEN };
  return { status: 200, body };
}

function oauthError(error: string, error_description: string): Answer {
  return { status: 400, body: { error, error_description } };
}
