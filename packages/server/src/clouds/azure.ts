import {
  type Answers,
  type Attempt,
  exchange,
  members,
  notReady,
  type Outcome,
  oauthRefusal,
} from "./exchange.ts";

/** The audience that Microsoft prescribes for tokens that applications trust. */
const AUDIENCE = "api://AzureADTokenExchange";

const ANSWERS: Answers = {
  provider: "Azure",
  granted: (json) => typeof members(json).access_token === "string",
  refusal: oauthRefusal,
};

/**
 * Gets a token of each application that the tenant keeps for us. Ready when all of them are.
 *
 * @example const outcome = await tryAzure(attempt);
 */
export async function tryAzure({ association, settings, sign }: Attempt): Promise<Outcome> {
  const { azure } = association;
  if (azure === undefined) {
    return notReady("NOT_CONFIGURED", "the association names no Azure tenant");
  }
  const url = `${settings.azureLoginEndpoint}/${azure.tenantId}/oauth2/v2.0/token`;
  const clients = Object.entries(azure.clientIds).sort(([a], [b]) => (a < b ? -1 : 1));
  const outcomes = await Promise.all(
    clients.map(async ([component, clientId]): Promise<Outcome> => {
      const form = {
        grant_type: "client_credentials",
        client_id: clientId,
        scope: "https://management.azure.com/.default",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: await sign(AUDIENCE),
      };
      const outcome = await exchange(url, form, ANSWERS);
      return outcome.ready ? outcome : notReady(outcome.reason, `${component}: ${outcome.message}`);
    }),
  );
  return outcomes.find((outcome) => !outcome.ready) ?? { ready: true };
}
