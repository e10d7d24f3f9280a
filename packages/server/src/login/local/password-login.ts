import { audit, auditEntry, UNAUTHENTICATED } from "../../engine/audit/audit.ts";
import { Mutation } from "../../engine/write/mutation.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import {
  findAccount,
  findAccountForChange,
  type LocalAccount,
  recordPasswordFailure,
  setPasswordHash,
} from "../../store/tables/login/local-accounts.ts";
import type { HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { AttemptLimiter } from "../attempts.ts";
import { readForm } from "../browser.ts";
import { showSignIn } from "../browser-login.ts";
import { BrowserCall } from "../endpoint-call.ts";
import { type LoginDeps, redeemLogin, resumeLogin } from "../login.ts";
import type { Person } from "../people/person.ts";
import { updateLastSeen } from "../people/registration.ts";
import { afterSignIn } from "../steps.ts";
import { personOf } from "./accounts.ts";
import { normalizeUsername } from "./rules.ts";

/** The same message for every cause, so that it does not reveal whether an account exists or is locked. */
const WRONG_CREDENTIALS =
  "The username or password is wrong, or there were too many attempts: wait a while before you try again.";

/** Signs in with a username and password. */
export async function passwordLogin(
  deps: LoginDeps,
  attempts: AttemptLimiter,
  http: HttpRequest,
): Promise<HttpResponse> {
  await attempts.count("password", http.remoteAddress);
  const form = await readForm(http);
  const call = new BrowserCall(http);
  const ticket = form.get("login") ?? "";
  const login = await resumeLogin(deps, http, ticket, call.time);
  const username = form.get("username") ?? "";
  const person = await signIn(deps, call, username, form.get("password") ?? "");
  if (person === undefined) return showSignIn(deps, login, { error: WRONG_CREDENTIALS, username });
  await redeemLogin(deps, http, ticket, call.time);
  return afterSignIn(deps, call, { ...login, person });
}

/** The person with this username and password; undefined if either is wrong. */
async function signIn(
  deps: LoginDeps,
  call: Call,
  typed: string,
  password: string,
): Promise<Person | undefined> {
  const { addresses } = deps;
  const username = normalizeUsername(typed);
  const found = username ? await findAccount(deps.store.reader, username) : undefined;
  const attempt = { found, password, failureAction: "login refused", isSignedIn: false };
  return withPassword(deps, call, attempt, async (tx, account, newHash) => {
    const { identity } = account;
    await setPasswordHash(tx, identity, newHash);
    await updateLastSeen(new Mutation(call, tx, deps, { actor: identity }), identity);
    return personOf(addresses().authUrl, account, call.time);
  });
}

/** An attempt to authenticate with the password of an account. */
export interface PasswordAttempt {
  readonly found: LocalAccount | undefined;
  readonly password: string;
  /** The audit action of a failed attempt. */
  readonly failureAction: string;
  /** Whether the person is signed in. Failures of anyone else are aggregated. */
  readonly isSignedIn: boolean;
}

/**
 * Runs work if the password is right; returns undefined otherwise. Hashing is slow, so it happens before
 * the transaction; the decision uses the account as it is stored within the transaction. `newHash` is
 * the hash to store: the same one, or a new one if its parameters are outdated.
 */
export async function withPassword<T>(
  { store, audit: aggregators, passwords }: LoginDeps,
  call: Call,
  { found, password, failureAction, isSignedIn }: PasswordAttempt,
  work: (tx: Transaction, account: LocalAccount, newHash: string) => Promise<T>,
): Promise<T | undefined> {
  const hash = found?.passwordHash ?? "";
  const isRight = await passwords.verify(hash, password, call.remoteAddress);
  const isOutdated = isRight && passwords.isOutdated(hash);
  const newHash = isOutdated ? await passwords.hash(password, call.remoteAddress) : hash;
  const now = Date.now();
  const outcome = await store.write(async (tx) => {
    const account = found && (await findAccountForChange(tx, found.identity));
    // Compared with the time of the call, so that concurrent attempts are locked out, too.
    const isLocked = account !== undefined && account.lockedUntil > call.time;
    if (account !== undefined && isRight && !isLocked && account.passwordHash === hash) {
      return { value: await work(tx, account, newHash) };
    }
    if (account !== undefined && !isLocked)
      await recordPasswordFailure(tx, lockAfterFailure(account, now));
    // Never audit the username: people type passwords into its field.
    const resource = account?.identity ?? "";
    const failure = { action: failureAction, resource, code: UNAUTHENTICATED };
    if (isSignedIn) await audit(tx, call, failure);
    return { failure };
  });
  if ("value" in outcome) return outcome.value;
  const { failure } = outcome;
  if (!isSignedIn) await aggregators.anonymous.record(auditEntry(call, failure), failure.resource);
  return undefined;
}

/** After these failures, each later one locks the account for twice as long as the one before. */
const FAILURES_BEFORE_LOCK = 4;
const FIRST_LOCK_MS = 30_000;
const MAX_LOCK_MS = 15 * 60_000;

/** The state of an account after another wrong password. */
export function lockAfterFailure(
  { identity, failures }: LocalAccount,
  now: number,
): Pick<LocalAccount, "identity" | "failures" | "lockedUntil"> {
  const locks = failures - FAILURES_BEFORE_LOCK;
  const lock = locks < 0 ? 0 : Math.min(FIRST_LOCK_MS * 2 ** locks, MAX_LOCK_MS);
  return { identity, failures: failures + 1, lockedUntil: lock === 0 ? 0 : now + lock };
}
