import { Autocomplete } from "@base-ui/react/autocomplete";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, useRead } from "../../api/client.ts";
import { useSettled } from "../../api/pages.ts";
import { type ExposureChoice, exposureChoices } from "../../app/exposure-choices.ts";
import { exposureTexts } from "../../texts/exposure.ts";

const { search: words } = exposureTexts;

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
  const choices = query === "" || data === undefined ? [] : exposureChoices(group, data);
  const go = (choice: ExposureChoice) => {
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
        itemToStringValue={(choice: ExposureChoice) => choice.label}
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
              {(choice: ExposureChoice) => (
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
