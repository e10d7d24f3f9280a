import type { IdentityJson } from "@wharf/contract/messages";
import { readClaims } from "@wharf/trust";
import { api, useChange } from "../../api/client.ts";
import { texts } from "../../texts/common.ts";
import { identityTexts } from "../../texts/identities.ts";
import { platformTexts } from "../../texts/platforms.ts";
import { TextArea, TextField } from "../../ui/fields.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { toast } from "../../ui/toast.tsx";
import { kindOf } from "./trust.ts";

type Text = (name: string) => string;

/** Changes a name, and which tokens an identity trusts. */
export function EditIdentity({ identity }: { readonly identity: IdentityJson }) {
  const { uid = "", name = "", description } = identity;
  const update = useChange(api.identities.update);
  return (
    <FormDialog
      title={identityTexts.editTitle(name)}
      submit={texts.save}
      trigger={identityTexts.edit}
      className="button quiet"
      onSubmit={async (text) => {
        const [field, relationship] = changed(identity, text);
        await update.mutateAsync({
          identity: {
            uid,
            name: text("name"),
            description: text("description"),
            ...relationship,
          },
          updateMask: ["name", "description", field].filter(Boolean).join(","),
        });
        toast(identityTexts.edited(text("name")));
      }}
    >
      <TextField name="name" label={identityTexts.name} value={name} isRequired />
      <TextField name="description" label={identityTexts.description} value={description} />
      <TrustFields identity={identity} />
      <p className="hint">{identityTexts.editTrust}</p>
    </FormDialog>
  );
}

function TrustFields({
  identity: { claimMatch, staticKeys, awsIdentity },
}: {
  readonly identity: IdentityJson;
}) {
  if (claimMatch) {
    return (
      <>
        <EitherField of="issuer" labels={["issuer", "issuerPattern"]} given={claimMatch} />
        <EitherField of="subject" labels={["subject", "subjectPattern"]} given={claimMatch} />
        <EitherField of="audience" labels={["audience", "audiencePattern"]} given={claimMatch} />
        <TextArea
          name="claims"
          label={identityTexts.claims}
          hint={platformTexts.any.fields.claims?.hint ?? ""}
          value={linesOf(claimMatch.claims)}
          rows={2}
        />
        <TextArea
          name="claimPatterns"
          label={identityTexts.claimPatterns}
          value={linesOf(claimMatch.claimPatterns)}
          rows={2}
        />
      </>
    );
  }
  if (staticKeys) {
    return (
      <>
        <TextField
          name="issuer"
          label={identityTexts.issuer}
          value={staticKeys.issuer}
          isRequired
        />
        <TextField
          name="subject"
          label={identityTexts.subject}
          value={staticKeys.subject}
          isRequired
        />
        <TextArea
          name="keys"
          label={identityTexts.keys}
          value={staticKeys.issuerKeys}
          rows={6}
          isRequired
        />
        <TextField
          name="expiration"
          type="date"
          label={identityTexts.expires}
          value={staticKeys.expirationTime?.slice(0, 10)}
        />
        <TextField
          name="audience"
          label={identityTexts.audience}
          value={staticKeys.audiences?.[0]}
        />
      </>
    );
  }
  return (
    <>
      <TextField
        name="account"
        label={identityTexts.account}
        value={awsIdentity?.awsAccount}
        isRequired
      />
      <EitherField of="arn" labels={["arn", "arnPattern"]} given={awsIdentity ?? {}} />
      <EitherField of="userId" labels={["userId", "userIdPattern"]} given={awsIdentity ?? {}} />
    </>
  );
}

type Either = "issuer" | "subject" | "audience" | "arn" | "userId";

/** A value or a pattern, as the identity has it now; without either, a value. */
function EitherField({
  of,
  labels: [value, pattern],
  given,
}: {
  readonly of: Either;
  readonly labels: readonly [Either, `${Either}Pattern`];
  readonly given: object;
}) {
  const known = given as Readonly<Record<string, string | undefined>>;
  const field = known[pattern] ? pattern : value;
  return (
    <TextField
      name={of}
      label={identityTexts[field]}
      value={known[field]}
      isRequired={of !== "audience"}
    />
  );
}

/** The changed relationship, and its field in the mask. */
function changed(identity: IdentityJson, text: Text): [string, Partial<IdentityJson>] {
  const { claimMatch, staticKeys, awsIdentity } = identity;
  const either = (of: Either, given: object | undefined) => {
    const known = (given ?? {}) as Readonly<Record<string, string | undefined>>;
    const entered = text(of);
    return entered === "" ? {} : { [known[`${of}Pattern`] ? `${of}Pattern` : of]: entered };
  };
  switch (kindOf(identity)) {
    case "claimMatch":
      return [
        "claim_match",
        {
          claimMatch: {
            ...either("issuer", claimMatch),
            ...either("subject", claimMatch),
            ...either("audience", claimMatch),
            claims: claimsOf(identityTexts.claims, text("claims")),
            claimPatterns: claimsOf(identityTexts.claimPatterns, text("claimPatterns")),
          },
        },
      ];
    case "pullToken":
    case "staticKeys":
      return [
        "static_keys",
        {
          staticKeys: {
            issuer: text("issuer"),
            subject: text("subject"),
            issuerKeys: text("keys"),
            ...(text("audience") && { audiences: [text("audience")] }),
            ...expirationOf(staticKeys?.expirationTime, text("expiration")),
          },
        },
      ];
    case "awsIdentity":
      return [
        "aws_identity",
        {
          awsIdentity: {
            awsAccount: text("account"),
            ...either("arn", awsIdentity),
            ...either("userId", awsIdentity),
          },
        },
      ];
    default:
      return ["", {}];
  }
}

/** The day that was entered; the exact time stays if the day does. */
function expirationOf(before: string | undefined, day: string): { expirationTime?: string } {
  if (day === "") return {};
  return { expirationTime: before?.slice(0, 10) === day ? before : `${day}T00:00:00Z` };
}

/** The entered claims. A line that is none is an error: without its claim, more tokens would be trusted. */
function claimsOf(label: string, lines: string): Record<string, string> {
  const { claims, problem } = readClaims(lines);
  if (problem !== undefined) throw new Error(`${label} ${problem}`);
  return claims;
}

function linesOf(claims: Record<string, string> | undefined): string {
  return Object.entries(claims ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}
