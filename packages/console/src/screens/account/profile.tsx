import type { PersonCredentialsJson } from "@wharf/contract/messages";
import { api, useRead } from "../../api/client.ts";
import { usePerson } from "../../api/me.ts";
import { accountTexts } from "../../texts/account.ts";
import { Code } from "../../ui/code.tsx";
import { Facts } from "../../ui/facts.tsx";

/** The name of the person, how they signed in, and the uid that they give to others. */
export function Profile({ credentials }: { readonly credentials: PersonCredentialsJson }) {
  const person = usePerson();
  const { data } = useRead(api.auth.validate, {});
  return (
    <section aria-label={accountTexts.profile}>
      <Facts
        facts={{
          [accountTexts.name]: person?.name,
          [accountTexts.email]: data?.email !== person?.name && data?.email,
          [accountTexts.signedInWith]: credentials.identityProviderName || accountTexts.local,
          [accountTexts.uid]: person && <Code text={person.identity} />,
        }}
      />
    </section>
  );
}
