import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import { IdentityProvidersService } from "@wharf/contract";
import { identityProvidersV1 } from "@wharf/contract/v1";
import { type Adapted, adapt, type Invoke, type Translation } from "./adapter.ts";
import { alike } from "./wire-compatible.ts";

const { IdentityProviders } = identityProvidersV1;

const NAMES = { identityProviderUid: "identityProviderId" };

/**
 * The methods of provisioning as version 1 has them. They differ from those of version 2 in nothing
 * but the name of one field.
 *
 * @example handlers.push(...scimMethods(invoke));
 */
export function scimMethods(invoke: Invoke): Adapted[] {
  const { method: old } = IdentityProviders;
  const { method: now } = IdentityProvidersService;
  return [
    same(invoke, old.generateScimToken, now.generateScimToken),
    same(invoke, old.regenerateScimToken, now.regenerateScimToken),
    same(invoke, old.revokeScimToken, now.revokeScimToken),
    same(invoke, old.setScimEnabled, now.setScimEnabled),
  ];
}

function same<
  In1 extends DescMessage,
  Out1 extends DescMessage,
  In2 extends DescMessage,
  Out2 extends DescMessage,
>(invoke: Invoke, method: DescMethodUnary<In1, Out1>, onto: DescMethodUnary<In2, Out2>): Adapted {
  const [request, answer] = [alike(method.input, onto.input), alike(onto.output, method.output)];
  const translation = { method, onto, request, answer, names: NAMES };
  return adapt(invoke, translation as Translation<In1, Out1, In2, Out2>);
}
