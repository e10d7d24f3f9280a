import { create } from "@bufbuild/protobuf";
import { type CheckIssuerRequest, CheckIssuerResponseSchema } from "@wharf/contract";
import type { ResourceStore } from "../../engine/catalog.ts";
import { issuerProblem } from "../../iam/identity-providers.ts";
import { invalidArgument, notFound, WharfError } from "../../lib/errors.ts";
import { KeyedSemaphore } from "../../lib/scheduling/semaphore.ts";
import { shareOf } from "../../lib/scheduling/share.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { IssuerPolicy } from "../../sts/issuers/issuer-policy.ts";
import type { ProviderLogin } from "./provider-login.ts";

/** Checks of one share at a time: each makes the server open connections to an address of their choice. */
const CONCURRENCY = 2;

/** The handler of CheckIssuer. */
export function checkIssuerMethod(
  deps: ResourceStore,
  policy: IssuerPolicy,
  providers: ProviderLogin,
): Handler {
  const running = new KeyedSemaphore({
    perKey: CONCURRENCY,
    maxQueuedPerKey: 0,
    rejection: () => new WharfError("RESOURCE_EXHAUSTED", "too many checks at once: try again"),
  });
  const { groups } = deps.catalog;
  return async (call, message) => {
    const { parent, issuer } = message as CheckIssuerRequest;
    const problem = issuerProblem(policy, issuer);
    if (problem !== undefined) {
      throw invalidArgument({ field: "issuer", description: `issuer ${problem}` });
    }
    if ((await groups.find(deps.store.reader, parent)) === undefined) {
      throw notFound(groups.typeName, parent);
    }
    const found = await running.run(shareOf(call).key, () =>
      providers.check(issuer, parent).then(
        (authorizationEndpoint) => ({ authorizationEndpoint }),
        // Without the words of the code: the check itself succeeded.
        ({ message: text }: Error) => ({ problem: text.slice(text.indexOf(": ") + 2) }),
      ),
    );
    return messageReply(CheckIssuerResponseSchema, create(CheckIssuerResponseSchema, found));
  };
}
