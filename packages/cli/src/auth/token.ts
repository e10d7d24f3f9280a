import type { Run } from "../command/types.ts";
import type { tokenDefinition } from "./commands.ts";
import { tokenFor } from "./source.ts";

export const run: Run<typeof tokenDefinition> = async (context, { scope, capabilities }) => {
  const { settings, environment, err, out } = context;
  const { token } = await tokenFor(settings.audience, settings, environment, err);
  if (scope.length === 0 && capabilities.length === 0) return out.text(token);
  const [{ issuerAt }, { exchanged }] = await Promise.all([
    import("./issuer.ts"),
    import("./renew.ts"),
  ]);
  const { wharf } = issuerAt(settings.issuer, err);
  const narrowing = { scopes: scope, capabilities };
  out.text((await exchanged(wharf, token, settings.audience, "", narrowing)).token);
};
