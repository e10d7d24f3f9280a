import { useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, client } from "../../api/client.ts";
import { providerTexts } from "../../texts/providers.ts";
import { sentenceOf } from "../../ui/error-text.ts";

const { check: labels } = providerTexts;

/** Has the server read what the issuer in the form publishes, before anything is saved. */
export function CheckIssuer({ parent }: { readonly parent: string }) {
  const { can } = useAccess();
  const [isBusy, setBusy] = useState(false);
  const [result, setResult] = useState<{ readonly tone: string; readonly text: string }>();
  if (!can("identity_providers.create", parent)) return null;
  const check = async (form: HTMLFormElement | null) => {
    const issuer = String(form ? (new FormData(form).get("issuer") ?? "") : "").trim();
    setBusy(true);
    setResult(
      await client.call(api.identityProviders.checkIssuer, { parent, issuer }).then(
        ({ problem, authorizationEndpoint = "" }) =>
          problem
            ? { tone: "failed", text: problem }
            : { tone: "passed", text: labels.passed(authorizationEndpoint) },
        (error: Error) => ({ tone: "failed", text: sentenceOf(error) }),
      ),
    );
    setBusy(false);
  };
  return (
    <>
      <div className="actions">
        <button
          type="button"
          className="button quiet small"
          disabled={isBusy}
          onClick={({ currentTarget }) => check(currentTarget.form)}
        >
          {labels.test}
        </button>
      </div>
      <div role="status">{result && <p className={`${result.tone} wrap`}>{result.text}</p>}</div>
    </>
  );
}
