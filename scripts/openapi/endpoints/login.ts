import { DEVICE_CODE } from "../../../packages/server/src/login/oauth/oauth-grants.ts";
import { TOKEN_EXCHANGE } from "../../../packages/server/src/login/oauth/token-exchange-grant.ts";
import { type ApiPart, parameter, responseRef, type Schema, schemaRef, text } from "../part.ts";
import { COMMON_ERRORS, jsonResponse, protocolError } from "../responses.ts";

const TAGS = ["OAuth"];

const texts = (description: string): Schema => ({
  type: "array",
  items: { type: "string" },
  description,
});

function form(schema: string): Schema {
  return {
    required: true,
    content: { "application/x-www-form-urlencoded": { schema: schemaRef(schema) } },
  };
}

/** An error of OAuth 2.0 (RFC 6749, section 5.2). */
function oauthError(...reasons: readonly string[]): Schema {
  const description = "The request is rejected:";
  return protocolError(description, ["application/json", "OAuthError"], reasons);
}

const TEMPORARY = { "503": oauthError("temporarily_unavailable") };

/** Errors of RFC 8628, for devices that wait. */
const DEVICE = ["access_denied", "authorization_pending", "expired_token", "slow_down"];

const PAGE: Schema = {
  "200": { description: "A page.", content: { "text/html": { schema: { type: "string" } } } },
  ...COMMON_ERRORS,
};

function page(
  operationId: string,
  summary: string,
  description: string,
  parameters: readonly Schema[] = [],
): Schema {
  return {
    operationId,
    summary,
    description,
    tags: ["Pages"],
    security: [],
    parameters,
    responses: PAGE,
  };
}

/** The OAuth endpoints, and the pages that people open; not what forms and scripts of pages send. */
export const LOGIN_PART: ApiPart = {
  tags: [
    {
      name: "OAuth",
      description:
        "Sign-in of people by OAuth 2.0: authorization code with PKCE, device code, refresh token, token exchange.",
    },
    { name: "Pages", description: "Pages that people open in a browser." },
  ],
  paths: {
    "/oauth": {
      get: {
        operationId: "authorize",
        summary: "Start sign-in",
        description:
          "The authorization endpoint: shows the sign-in page and then redirects to `redirect_uri` with a code.",
        tags: TAGS,
        security: [],
        parameters: [
          parameter("query", "response_type", "Always `code`."),
          parameter("query", "redirect_uri", "A loopback address of the client."),
          parameter("query", "code_challenge", "The PKCE challenge (RFC 7636)."),
          parameter("query", "code_challenge_method", "Always `S256`."),
          parameter("query", "state", "Returned unchanged."),
          parameter("query", "client_id", "Name of the client; the audience of its ID token."),
          parameter("query", "nonce", "Returned in the ID token."),
          parameter(
            "query",
            "idp_id",
            "UID of an identity provider, or name of a verified organization.",
          ),
          parameter("query", "invite", "Code of an invite to accept."),
          parameter(
            "query",
            "audience",
            "Audiences of the token, comma-separated. Default: the API.",
          ),
          parameter(
            "query",
            "scope",
            "UIDs or names of groups to which the token is restricted. `openid` asks for an ID token.",
          ),
        ],
        responses: {
          ...PAGE,
          "302": { description: "To the identity provider, or back to the client." },
        },
      },
    },
    "/oauth/callback": {
      get: page(
        "authorizationCallback",
        "Return from an identity provider",
        "Where identity providers send browsers back to. Register this address with the provider.",
        [
          parameter("query", "code", "The code of the provider."),
          parameter("query", "state", "The state that the provider was given."),
          parameter("query", "error", "The error of the provider."),
        ],
      ),
    },
    "/oauth/token": {
      post: {
        operationId: "token",
        summary: "Get tokens",
        description:
          "The OAuth 2.0 token endpoint. `grant_type` decides which of the other fields it needs.",
        tags: TAGS,
        security: [],
        requestBody: form("TokenRequest"),
        responses: {
          "200": jsonResponse("The tokens.", schemaRef("TokenResponse")),
          "400": oauthError(
            "invalid_grant",
            "invalid_request",
            "unsupported_grant_type",
            ...DEVICE,
          ),
          ...TEMPORARY,
          ...COMMON_ERRORS,
        },
      },
    },
    "/oauth/userinfo": Object.fromEntries(
      ["get", "post"].map((method) => [
        method,
        {
          operationId: `userinfo${method === "get" ? "" : "Post"}`,
          summary: "Claims of the person",
          description: "The userinfo endpoint of OpenID Connect, with an access token as bearer.",
          tags: TAGS,
          security: [{ bearer: [] }],
          responses: {
            "200": jsonResponse("The claims.", schemaRef("UserInfo")),
            "401": responseRef("Unauthenticated"),
            ...COMMON_ERRORS,
          },
        },
      ]),
    ),
    "/oauth/device_authorization": {
      post: {
        operationId: "deviceAuthorization",
        summary: "Start sign-in of a device",
        description: "The device authorization endpoint (RFC 8628).",
        tags: TAGS,
        security: [],
        requestBody: form("DeviceAuthorizationRequest"),
        responses: {
          "200": jsonResponse("The codes.", schemaRef("DeviceAuthorization")),
          "400": oauthError("invalid_request"),
          ...TEMPORARY,
          ...COMMON_ERRORS,
        },
      },
    },
    "/orgcheck": {
      get: {
        operationId: "organizationCheck",
        summary: "Check organization",
        description:
          "Whether a verified organization of this name has an identity provider to sign in with.",
        tags: TAGS,
        security: [],
        parameters: [parameter("query", "name", "Name of the organization.", { required: true })],
        responses: {
          "200": jsonResponse("Whether it has one.", { type: "boolean" }),
          ...COMMON_ERRORS,
        },
      },
    },
    "/": { get: page("welcomePage", "Start page", "Links to what people can do here.") },
    "/console": {
      get: {
        ...page("consolePage", "Console", "Leads to the web console at `/console/`."),
        responses: { "308": { description: "To the console." }, ...COMMON_ERRORS },
      },
    },
    "/docs": {
      get: {
        ...page("docsPage", "API reference", "Leads to the API reference at `/docs/`."),
        responses: { "308": { description: "To the API reference." }, ...COMMON_ERRORS },
      },
    },
    "/setup": {
      get: page(
        "setupPage",
        "Set up",
        "Creates the first organization and its owner, with the setup code.",
      ),
    },
    "/reset": {
      get: page(
        "resetPage",
        "Reset account",
        "Replaces the credentials of a local account, with a reset code.",
      ),
    },
    "/account": {
      get: page("accountPage", "Account", "Leads to the account screen of the console."),
    },
    "/device": {
      get: page(
        "devicePage",
        "Connect device",
        "Where people enter the code that a device shows.",
        [parameter("query", "user_code", "The code, to fill it in.")],
      ),
    },
  },
  schemas: {
    OAuthError: {
      type: "object",
      description: "An error of OAuth 2.0.",
      required: ["error"],
      properties: {
        error: text("Error code, such as `invalid_grant` or `authorization_pending`."),
        error_description: text("What is wrong, for people."),
      },
    },
    TokenRequest: {
      type: "object",
      description: "A request to the token endpoint.",
      required: ["grant_type"],
      properties: {
        grant_type: {
          type: "string",
          description: "How the client got the right to a token.",
          enum: ["authorization_code", "refresh_token", DEVICE_CODE, TOKEN_EXCHANGE],
        },
        code: text("Authorization code."),
        client_id: text("Name of the client, the same as in the request that started the sign-in."),
        code_verifier: text("PKCE verifier."),
        redirect_uri: text("The address that the code was sent to."),
        refresh_token: text("Refresh token. Each works once."),
        device_code: text("Device code."),
        subject_token: text("Token to exchange."),
        subject_token_type: text(
          "Type of the token to exchange, such as `urn:ietf:params:oauth:token-type:jwt`.",
        ),
        requested_token_type: text("Always `urn:ietf:params:oauth:token-type:jwt`."),
        identity: text("UID of the identity to assume."),
        identity_provider: text("UID of the identity provider that issued the token."),
        audience: texts("Audiences of the new token. Default: the API."),
        resource: texts("Further audiences."),
        scope: text("Capabilities to which the new token is restricted, separated by spaces."),
        scopes: texts("UIDs of the groups to which the new token is restricted."),
      },
    },
    TokenResponse: {
      type: "object",
      description: "Tokens, as RFC 6749 and RFC 8693 name them.",
      required: ["access_token", "token_type", "expires_in"],
      properties: {
        access_token: text("The token for the API."),
        token_type: text("Always `Bearer`."),
        expires_in: { type: "integer", description: "Seconds until it expires." },
        refresh_token: text("Renews the access token."),
        id_token: text("An ID token, for device sign-ins and for the scope `openid`."),
        issued_token_type: text("For token exchange."),
        scope: text("The capabilities to which the token is restricted."),
      },
    },
    UserInfo: {
      type: "object",
      description: "Claims of a person. Workloads have the subject only.",
      required: ["sub"],
      properties: {
        sub: text("UID of the identity."),
        name: text("Full name."),
        given_name: text("First name."),
        family_name: text("Last name."),
        picture: text("URL of a picture."),
        email: text("Email address."),
        email_verified: { type: "boolean", description: "Whether the provider has verified it." },
      },
    },
    DeviceAuthorizationRequest: {
      type: "object",
      description: "What a device wants to sign in for.",
      properties: {
        client_id: text("Name of the device, shown to the person; the audience of its ID token."),
        audience: texts("Audiences of the token. Default: the API."),
      },
    },
    DeviceAuthorization: {
      type: "object",
      description: "The codes of a sign-in that has started.",
      required: ["device_code", "user_code", "verification_uri", "expires_in", "interval"],
      properties: {
        device_code: text("The code that the device polls the token endpoint with."),
        user_code: text("The code that the device shows."),
        verification_uri: text("Where the person enters the code."),
        verification_uri_complete: text("The same with the code filled in."),
        expires_in: { type: "integer", description: "Seconds until the codes expire." },
        interval: { type: "integer", description: "Seconds between two polls." },
      },
    },
  },
};
