import type { IdentityJson, TestIdentityResponseJson } from "@wharf/contract/messages";
import { useState } from "react";
import { capabilityName } from "../../api/capabilities.ts";
import { api, client } from "../../api/client.ts";
import { useGroupNames } from "../../api/group-names.ts";
import { identityTexts } from "../../texts/identities.ts";
import { TextArea } from "../../ui/fields.tsx";
import { PageForm } from "../../ui/page-form.tsx";
import { Warnings } from "./preview.tsx";

const words = identityTexts.test;

/** Explains why a token is accepted or rejected. The token is in this form only: not in the URL, nor in a cache. */
export function TestToken({ identity: { uid = "" } }: { readonly identity: IdentityJson }) {
  const [verdict, setVerdict] = useState<TestIdentityResponseJson>();
  const [count, setCount] = useState(0);
  return (
    <>
      <p className="lead">{words.lead}</p>
      <PageForm
        label={words.submit}
        submit={words.submit}
        onSubmit={async (text) => {
          setVerdict(undefined);
          setVerdict(await client.call(api.identities.test, { uid, token: text("token") }));
          setCount(count + 1);
        }}
      >
        <TextArea key={count} name="token" label={words.token} hint={words.tokenHint} isRequired />
      </PageForm>
      <div aria-live="polite">{verdict !== undefined && <Verdict verdict={verdict} />}</div>
    </>
  );
}

function Verdict({ verdict }: { readonly verdict: TestIdentityResponseJson }) {
  const { allowed = false, checks = [], grants = [], warnings = [] } = verdict;
  const failed = checks.filter(({ ok }) => !ok).map(({ claim = "" }) => claim);
  return (
    <section aria-labelledby="verdict">
      <h2 id="verdict">
        <span className={allowed ? "badge good" : "badge bad"}>
          {allowed ? identityTexts.accepted : identityTexts.rejected}
        </span>{" "}
        {allowed ? words.allowed : words.denied}
      </h2>
      {failed.length > 0 && <p>{words.deniedText(failed.join(", "))}</p>}
      <Checks checks={checks} />
      <Warnings title={words.warnings} warnings={warnings} />
      {allowed && <Grants grants={grants} />}
    </section>
  );
}

function Checks({ checks }: { readonly checks: NonNullable<TestIdentityResponseJson["checks"]> }) {
  return (
    <div className="table-frame">
      <table aria-label={words.check}>
        <thead>
          <tr>
            {[words.check, words.result, words.expected, words.found].map((header) => (
              <th key={header} scope="col">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {checks.map(({ claim = "", ok, expected, found }) => (
            <tr key={`${claim} ${expected}`}>
              <td data-label={words.check}>
                <code>{claim}</code>
              </td>
              <td data-label={words.result}>
                <span className={ok ? "badge good" : "badge bad"}>
                  {ok ? words.ok : words.failed}
                </span>
              </td>
              <td data-label={words.expected}>
                <code>{expected}</code>
              </td>
              <td data-label={words.found}>
                {found ? <code>{found}</code> : <span className="soft">{words.absent}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Grants({ grants }: { readonly grants: NonNullable<TestIdentityResponseJson["grants"]> }) {
  const { pathTo } = useGroupNames(grants.map(({ group = "" }) => group));
  return (
    <>
      <h3>{words.grants}</h3>
      {grants.length === 0 && <p>{words.noGrants}</p>}
      {grants.map(({ group = "", capabilities = [] }) => (
        <details key={group} open={grants.length === 1}>
          <summary>{`${pathTo(group)} (${capabilities.length})`}</summary>
          <ul className="capabilities">
            {capabilities.map((one) => (
              <li key={one}>
                <code>{capabilityName(one)}</code>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}
