import { accountTexts } from "../../texts/account.ts";

const words = accountTexts.passkeys;

/** Whether the browser can create passkeys. */
export function canCreatePasskeys(): boolean {
  return typeof globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON === "function";
}

/** Why a browser has created none, by the name of its error. */
const REASONS: Readonly<Record<string, string>> = {
  NotAllowedError: words.canceled,
  InvalidStateError: words.exists,
  SecurityError: words.wrongOrigin,
  NotSupportedError: words.unsupported,
};

/** Has the browser create a passkey; returns its response for the server. */
export async function createPasskey(
  options: PublicKeyCredentialCreationOptionsJSON,
): Promise<unknown> {
  try {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const credential = await navigator.credentials.create({ publicKey });
    return (credential as PublicKeyCredential).toJSON();
  } catch (error) {
    const { name } = error as Error;
    throw new Error(REASONS[name] ?? words.failed, { cause: error });
  }
}
