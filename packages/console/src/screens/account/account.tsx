import { Link } from "@tanstack/react-router";
import { api, useRead } from "../../api/client.ts";
import { accountTexts } from "../../texts/account.ts";
import { texts } from "../../texts/common.ts";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Password } from "./password.tsx";
import { Profile } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";

/** The person's own account: who they are, what they sign in with, and where they are signed in. */
export function Screen() {
  const { data, error } = useRead(api.sessions.getCredentials, {});
  return (
    <Page
      title={texts.shell.account}
      command={{ cli: "wharf auth sessions list", rest: "/auth/v1/sessions" }}
    >
      {error !== null && <Failed error={error} />}
      {error === null && data === undefined && <Loading />}
      {data !== undefined && (
        <>
          <Profile credentials={data} />
          {data.username ? (
            <>
              <Password credentials={data} />
              <Passkeys credentials={data} />
            </>
          ) : (
            <section aria-labelledby="credentials">
              <h2 id="credentials">{accountTexts.credentials}</h2>
              <p className="lead">{accountTexts.atProvider(data.identityProviderName)}</p>
            </section>
          )}
        </>
      )}
      <Sessions />
      <section aria-labelledby="operator">
        <h2 id="operator">{accountTexts.operator}</h2>
        <p>
          {accountTexts.operatorText} <Link to="/operator">{accountTexts.operatorLink}</Link>
        </p>
      </section>
    </Page>
  );
}
