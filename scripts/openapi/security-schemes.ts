import type { Schema } from "./part.ts";

/** Authentication methods of requests, by the name that operations refer to. */
export const SECURITY_SCHEMES: Readonly<Record<string, Schema>> = {
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "A token of this installation, valid for one hour: from `/sts/exchange`, or of a person who signed in.",
  },
  subjectToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The OIDC token of a platform or identity provider, which is exchanged.",
  },
  basic: {
    type: "http",
    scheme: "basic",
    description: "A pull token, or `_token` and a token of this installation as the password.",
  },
  registryToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A token for one registry, from `/token`.",
  },
  scimToken: {
    type: "http",
    scheme: "bearer",
    description: "The SCIM token of the identity provider.",
  },
  webhookSecret: {
    type: "http",
    scheme: "bearer",
    description:
      "The webhook secret of the installation, which `wharf admin registry-secret` prints.",
  },
};
