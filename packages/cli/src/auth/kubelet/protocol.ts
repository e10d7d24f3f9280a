/**
 * The protocol of the kubelet's image credential providers: a request on standard input, a response on standard
 * output, both JSON.
 */
import { usageError } from "../../errors.ts";
import { isObject } from "../../is-object.ts";

const API_VERSION = "credentialprovider.kubelet.k8s.io/v1";

/** The registry of images whose names have none. */
const DEFAULT_REGISTRY = "docker.io";

export interface CredentialRequest {
  /** The host of the image's registry, with its port. */
  readonly registry: string;
  /** The token of the pod's service account; kubelets send none for static pods. */
  readonly token: string | undefined;
  /** Annotations of the service account: those that the kubelet's configuration names. */
  readonly annotations: Readonly<Record<string, unknown>>;
}

export interface Credentials {
  readonly registry: string;
  readonly username: string;
  readonly password: string;
  /** For how long the kubelet may use them. */
  readonly seconds: number;
}

export function readRequest(text: string): CredentialRequest {
  const request = parse(text);
  const { apiVersion, kind, image, serviceAccountToken, serviceAccountAnnotations } = request;
  if (apiVersion !== API_VERSION || kind !== "CredentialProviderRequest") {
    throw usageError(
      `standard input is not a CredentialProviderRequest of ${API_VERSION}`,
      "set apiVersion of the provider in the kubelet's CredentialProviderConfig",
    );
  }
  if (typeof image !== "string" || image === "") throw usageError("image: is missing");
  const isToken = typeof serviceAccountToken === "string" && serviceAccountToken !== "";
  return {
    registry: registryOfImage(image),
    token: isToken ? serviceAccountToken : undefined,
    annotations: isObject(serviceAccountAnnotations) ? serviceAccountAnnotations : {},
  };
}

/** The response with credentials, or with none: then the kubelet pulls without. */
export function responseText(credentials: Credentials | undefined): string {
  const auth =
    credentials === undefined
      ? {}
      : {
          [credentials.registry]: {
            username: credentials.username,
            password: credentials.password,
          },
        };
  return JSON.stringify({
    apiVersion: API_VERSION,
    kind: "CredentialProviderResponse",
    cacheKeyType: "Registry",
    cacheDuration: `${credentials?.seconds ?? 0}s`,
    auth,
  });
}

/** As container runtimes do: a first component without a dot or a port is part of the path. */
function registryOfImage(image: string): string {
  const [first = "", ...rest] = image.split("/");
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  return isHost ? first.toLowerCase() : DEFAULT_REGISTRY;
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The text may contain a token: it is not quoted.
  }
  throw usageError("standard input is not a JSON object");
}
