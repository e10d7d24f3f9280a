import {
  type Attempt,
  type CredentialCheck,
  exchange,
  members,
  notReady,
  oauthErrorText,
  type ResponseFormat,
} from "./exchange.ts";

/** The audience that Microsoft requires for federated credentials. */
const AUDIENCE = "api://AzureADTokenExchange";

const FORMAT: ResponseFormat = {
  provider: "Azure",
  hasCredentials: (json) => typeof members(json).access_token === "string",
  errorText: oauthErrorText,
};

/** Gets a token of each application that the association names. All of them must succeed. */
export async function tryAzure({
  association,
  settings,
  sign,
  traceparent,
}: Attempt): Promise<CredentialCheck> {
  const { azure } = association;
  if (azure === undefined) {
    return notReady("NOT_CONFIGURED", "the association names no Azure tenant");
  }
  const url = `${settings.azureLoginEndpoint}/${azure.tenantId}/oauth2/v2.0/token`;
  const clients = Object.entries(azure.clientIds).sort(([a], [b]) => (a < b ? -1 : 1));
  const outcomes = await Promise.all(
    clients.map(async ([component, clientId]): Promise<CredentialCheck> => {
      const form = {
        grant_type: "client_credentials",
        client_id: clientId,
        scope: "https://management.azure.com/.default",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: await sign(AUDIENCE),
      };
      const outcome = await exchange(url, form, FORMAT, traceparent);
      return outcome.ready ? outcome : notReady(outcome.reason, `${component}: ${outcome.message}`);
    }),
  );
  return outcomes.find((outcome) => !outcome.ready) ?? { ready: true };
}
