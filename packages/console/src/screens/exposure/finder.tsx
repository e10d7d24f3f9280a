import { Autocomplete } from "@base-ui/react/autocomplete";
import { useNavigate } from "@tanstack/react-router";
import type { SearchExposureResponseJson } from "@wharf/contract/messages";
import { useState } from "react";
import { api, useRead } from "../../api/client.ts";
import { useSettled } from "../../api/pages.ts";
import { screenLink } from "../../app/location.ts";
import { exposureTexts, SEVERITY_NAMES } from "../../texts/exposure.ts";
import { shortDigest } from "../../ui/digest.tsx";
import { openOf } from "./model.ts";

const { search: words } = exposureTexts;

interface Choice {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly hint: string;
  readonly to: { readonly to: string; readonly params: object; readonly search?: object };
}

/** Results of each kind. */
const LIMIT = 6;

/** Finds vulnerabilities, packages and images below a group by one text, while it is typed. */
export function Finder({ group }: { readonly group: string }) {
  const [text, setText] = useState("");
  const navigate = useNavigate();
  const query = text.trim();
  const settled = useSettled(query);
  const request = { uidp: { descendantsOf: group }, query: settled, limit: LIMIT };
  const { data, isFetching } = useRead(api.inventory.searchExposure, request, {
    enabled: settled !== "",
  });
  const choices = query === "" || data === undefined ? [] : choicesOf(group, data);
  const go = (choice: Choice) => {
    setText("");
    navigate(choice.to as never);
  };
  return (
    <search className="finder">
      <Autocomplete.Root
        items={choices}
        filter={null}
        value={text}
        onValueChange={setText}
        itemToStringValue={(choice: Choice) => choice.label}
        open={query !== ""}
        // A popup of the library would hide everything else from screen readers, which can still get the focus.
        inline
        autoHighlight="always"
      >
        <Autocomplete.Input
          placeholder={words.placeholder}
          aria-label={words.label}
          aria-expanded={query !== ""}
          type="search"
          onKeyDown={({ key }) => key === "Escape" && setText("")}
        />
        {query !== "" && (
          <div className="menu finder-results" aria-busy={isFetching}>
            <Autocomplete.Empty className="palette-empty">
              {isFetching || settled !== query ? words.searching : words.nothing}
            </Autocomplete.Empty>
            <Autocomplete.List>
              {(choice: Choice) => (
                <Autocomplete.Item
                  key={choice.id}
                  value={choice}
                  className="item"
                  onClick={() => go(choice)}
                >
                  <span>{choice.label}</span>
                  <small>
                    {choice.kind}: {choice.hint}
                  </small>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </div>
        )}
      </Autocomplete.Root>
    </search>
  );
}

function choicesOf(
  group: string,
  { vulnerabilities = [], packages = [], images = [] }: SearchExposureResponseJson,
): Choice[] {
  return [
    ...vulnerabilities.map((one): Choice => {
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
      ({ ecosystem = "", name = "", images: count }): Choice => ({
        id: `package ${ecosystem} ${name}`,
        kind: words.package,
        label: name,
        hint: words.package_(ecosystem, Number(count ?? 0)),
        to: { ...screenLink("package", group), search: { package: name, ecosystem } },
      }),
    ),
    ...images.map(
      ({ repoUid = "", repoPath = "", digest = "", tags = [], severities }): Choice => ({
        id: `image ${repoUid} ${digest}`,
        kind: words.image,
        label:
          tags[0] === undefined ? `${repoPath}@${shortDigest(digest)}` : `${repoPath}:${tags[0]}`,
        hint: words.open(openOf(severities)),
        to: { ...screenLink("image", `${repoUid}/${digest}`), search: { tab: "vulnerabilities" } },
      }),
    ),
  ];
}
