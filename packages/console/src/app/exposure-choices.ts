import type { SearchExposureResponseJson } from "@wharf/contract/messages";
import { exposureTexts, SEVERITY_NAMES } from "../texts/exposure.ts";
import { shortDigest } from "../ui/digest.tsx";
import { screenLink } from "./location.ts";

const { search: words } = exposureTexts;

/** A place in the console that a search has found. */
export interface ExposureChoice {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly hint: string;
  readonly to: { readonly to: string; readonly params: object; readonly search?: object };
}

/** Vulnerabilities, packages and images of a group as places to go to. */
export function exposureChoices(
  group: string,
  { vulnerabilities = [], packages = [], images = [] }: SearchExposureResponseJson,
): ExposureChoice[] {
  return [
    ...vulnerabilities.map((one): ExposureChoice => {
      const { vulnerability = "", severity = "FINDING_SEVERITY_UNSPECIFIED" } = one;
      const counts = exposureTexts.images(Number(one.images ?? 0), Number(one.imagesInUse ?? 0));
      return {
        id: `vulnerability ${vulnerability}`,
        kind: words.vulnerability,
        label: vulnerability,
        hint: `${SEVERITY_NAMES[severity]}, ${counts}`,
        to: screenLink("vulnerability", `${group}/${vulnerability}`),
      };
    }),
    ...packages.map(
      ({ ecosystem = "", name = "", images: count }): ExposureChoice => ({
        id: `package ${ecosystem} ${name}`,
        kind: words.package,
        label: name,
        hint: words.package_(ecosystem, Number(count ?? 0)),
        to: { ...screenLink("package", group), search: { package: name, ecosystem } },
      }),
    ),
    ...images.map(
      ({
        repoUid = "",
        repoPath = "",
        digest = "",
        tags = [],
        severities = [],
      }): ExposureChoice => ({
        id: `image ${repoUid} ${digest}`,
        kind: words.image,
        label:
          tags[0] === undefined ? `${repoPath}@${shortDigest(digest)}` : `${repoPath}:${tags[0]}`,
        hint: words.open(severities.reduce((sum, { open }) => sum + Number(open ?? 0), 0)),
        to: { ...screenLink("image", `${repoUid}/${digest}`), search: { tab: "vulnerabilities" } },
      }),
    ),
  ];
}
