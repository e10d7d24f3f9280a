import { platformTexts as words } from "../../../texts/platforms.ts";
import { escapePattern, nameFrom } from "../trust.ts";
import { KEYS, option, type Platform, subjectOf } from "./platform.ts";

export const gitlab: Platform = {
  label: words.gitlab.label,
  lead: words.gitlab.lead,
  fields: [
    {
      name: "project",
      label: words.gitlab.project,
      hint: words.gitlab.projectHint,
      isRequired: true,
    },
    { name: "refType", label: words.gitlab.refType, options: words.gitlab.refTypes },
    { name: "ref", label: words.gitlab.ref, hint: words.gitlab.refHint },
    { name: "host", label: words.host, hint: words.gitlab.hostHint },
    KEYS,
  ],
  draft(values) {
    const { project = "", refType = "branch", ref = "", host } = values;
    const path = project || "acme/app";
    const prefix = `project_path:${path}:ref_type:${refType}:ref:`;
    const pattern = ref === "" ? `${escapePattern(prefix)}.+` : "";
    const at = (type: string, name: string, from = path) =>
      `project_path:${from}:ref_type:${type}:ref:${name}`;
    return {
      name: nameFrom("gitlab", ...project.split("/")),
      description: project && words.gitlab.description(project),
      relationship: subjectOf(
        `https://${host || "gitlab.com"}`,
        `${prefix}${ref}`,
        values,
        pattern,
      ),
      samples: [
        { subject: at(refType, ref || "main"), what: words.gitlab.samples.ref },
        { subject: at("branch", "feature"), what: words.gitlab.samples.branch },
        { subject: at("tag", "v1.0.0"), what: words.gitlab.samples.tag },
        {
          subject: at(refType, ref || "main", `${path.split("/")[0]}/other`),
          what: words.gitlab.samples.other,
        },
      ],
      warnings: values.keys && ref === "" ? [words.gitlab.keysNeedRef] : [],
      command: [
        "gitlab",
        ...option("project-path", project || "GROUP/PROJECT"),
        ...(refType === "tag" ? ["--ref-type", "tag"] : []),
        ...option("ref", ref),
        ...option("host", host),
        ...(values.keys ? ["--issuer-keys", "jwks.json"] : []),
      ],
    };
  },
};
