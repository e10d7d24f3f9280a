import type { FindingJson } from "@wharf/contract/messages";
import { useAccess } from "../../../api/access.ts";
import { api, useChange } from "../../../api/client.ts";
import { useExposureRefresh } from "../../../api/exposure.ts";
import { useGroupNames } from "../../../api/group-names.ts";
import { parentOf, pathOf } from "../../../app/location.ts";
import { decisionTexts } from "../../../texts/decisions.ts";
import { CheckField, SelectField } from "../../../ui/fields.tsx";
import { FormDialog } from "../../../ui/form.tsx";
import { imageName } from "../model.ts";
import { DecisionFields, decisionOf } from "./fields.tsx";

/** A dialog that records a decision about a finding. */
export function Decide({ finding }: { readonly finding: FindingJson }) {
  const create = useChange(api.decisions.create);
  const refresh = useExposureRefresh();
  const { vulnerability = "", repoUid = "", digest = "", package: found = {} } = finding;
  return (
    <FormDialog
      submit={decisionTexts.decide}
      title={decisionTexts.decideOn(vulnerability)}
      className="button quiet small"
      onSubmit={async (text) => {
        const scope = text("scope");
        const purl = found.purl?.replace(/[@?#].*$/s, "") ?? "";
        await create.mutateAsync({
          parent: scope === "image" ? repoUid : scope,
          decision: {
            ...decisionOf(text),
            vulnerability,
            ...(scope === "image" && { digest }),
            ...(text("onlyPackage") === "on" && purl !== "" && { package: purl }),
          },
        });
        refresh();
        return { message: decisionTexts.created };
      }}
    >
      <DecisionFields />
      <Scope finding={finding} />
      <CheckField name="onlyPackage" label={decisionTexts.onlyPackage(found.name ?? "")} />
      <p className="soft">{decisionTexts.review}</p>
    </FormDialog>
  );
}

/** The images that a decision can be about: this one, those of its repository, those below its groups. */
function Scope({ finding }: { readonly finding: FindingJson }) {
  const { can } = useAccess();
  const { repoUid = "", repoPath = "" } = finding;
  const groups = pathOf(parentOf(repoUid)).filter((uid) => can("advisories.create", uid));
  const { pathTo } = useGroupNames(groups);
  return (
    <SelectField
      name="scope"
      label={decisionTexts.scope}
      value={repoUid}
      options={{
        image: decisionTexts.image(imageName(finding)),
        [repoUid]: decisionTexts.repo(repoPath),
        ...Object.fromEntries(
          groups.reverse().map((uid) => [uid, decisionTexts.group(pathTo(uid))]),
        ),
      }}
    />
  );
}
