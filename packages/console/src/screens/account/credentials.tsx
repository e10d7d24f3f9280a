import type { PersonPasskeyJson } from "@wharf/contract/messages";
import { api, useRead } from "../../api/client.ts";
import { accountTexts } from "../../texts/account.ts";
import { texts } from "../../texts/common.ts";
import { Facts } from "../../ui/facts.tsx";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { Age } from "../../ui/time.tsx";

/** What the person signs in with, and the way to change it. */
export function Credentials() {
  const { data, error } = useRead(api.sessions.getCredentials, {});
  return (
    <section aria-labelledby="credentials">
      <h2 id="credentials">{accountTexts.credentials}</h2>
      {error !== null && <Failed error={error} />}
      {error === null && data === undefined && <Loading />}
      {data !== undefined && !data.username && <p>{accountTexts.atProvider}</p>}
      {data?.username && (
        <>
          <Facts
            facts={{
              [accountTexts.username]: data.username,
              [accountTexts.password]: data.hasPassword
                ? accountTexts.hasPassword
                : accountTexts.noPassword,
              [accountTexts.passkeys]: <Passkeys passkeys={data.passkeys ?? []} />,
            }}
          />
          <p>
            {accountTexts.manageText} <a href="/account">{accountTexts.manage}</a>
          </p>
        </>
      )}
    </section>
  );
}

function Passkeys({ passkeys }: { readonly passkeys: readonly PersonPasskeyJson[] }) {
  if (passkeys.length === 0) return accountTexts.noPasskeys;
  return (
    <ul>
      {passkeys.map(({ name, createTime, lastUsedTime }) => (
        <li key={`${name} ${createTime}`}>
          {name}
          <small className="soft">
            {texts.columns.created} <Age time={createTime} />
            {lastUsedTime && (
              <>
                {", "}
                {texts.columns.lastSeen} <Age time={lastUsedTime} />
              </>
            )}
          </small>
        </li>
      ))}
    </ul>
  );
}
