import { credentialKinds } from "../store/tables/login/local-accounts.ts";
import type { LoginDeps } from "./login.ts";
import type { SignInWays } from "./pages/sign-in.ts";
import { shownProviders } from "./providers/find-provider.ts";

/** The ways to sign in that exist now: a form for something that nobody has leads nowhere. */
export async function signInWays(deps: LoginDeps): Promise<SignInWays> {
  const { settings } = deps;
  const { reader } = deps.store;
  const none = { password: false, passkey: false };
  const local = settings.localAccounts ? await credentialKinds(reader) : none;
  return { providers: await shownProviders(deps), ...local };
}
