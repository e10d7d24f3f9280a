import { AccountProviderType, CheckStatus } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import { failed } from "../../errors.ts";
import type { checkDefinition } from "./commands.ts";
import { readProvider } from "./providers.ts";
import { groupUid } from "./set.ts";

const TYPES: Readonly<Record<string, AccountProviderType>> = {
  aws: AccountProviderType.AMAZON,
  gcp: AccountProviderType.GOOGLE,
  azure: AccountProviderType.AZURE,
};

export const run: Run<typeof checkDefinition> = async (context, args) => {
  const provider = readProvider(args.provider, Object.keys(TYPES));
  const uid = await groupUid(context, args.group);
  const { accountAssociations } = await context.client();
  const request = { uid, providerType: TYPES[provider] as AccountProviderType };
  const verdict = await context.progress(`asking ${provider}`, () =>
    accountAssociations.check(request, { signal: context.signal }),
  );
  await context.out.one(
    verdict,
    [
      { header: "Status", value: ({ status }) => CheckStatus[status] },
      { header: "Reason", value: ({ reason }) => reason },
      { header: "Message", value: ({ message }) => message },
    ],
    { id: ({ status }) => CheckStatus[status] ?? "" },
  );
  if (verdict.status !== CheckStatus.READY) {
    throw failed(`there are no credentials to be had at ${provider}: ${verdict.reason}`);
  }
};
