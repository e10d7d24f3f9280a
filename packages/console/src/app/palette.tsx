import { Autocomplete } from "@base-ui/react/autocomplete";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccess } from "../api/access.ts";
import { api, useRead } from "../api/client.ts";
import { useGroupNames } from "../api/group-names.ts";
import { usePages, useSettled } from "../api/pages.ts";
import { texts } from "../texts/common.ts";
import { Modal } from "../ui/modal.tsx";
import { exposureChoices } from "./exposure-choices.ts";
import { parentOf, rootOf, screenLink, useScreenLocation } from "./location.ts";
import { GROUP_SCREENS, type GroupScreenName } from "./screens.ts";

interface Choice {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly to: { readonly to: string; readonly params?: object; readonly search?: object };
}

const GROUPS_PER_PAGE = 20;

/** Vulnerabilities, packages and images, of each as many. */
const FOUND_OF_EACH = 5;

/** The next page is loaded this far from the end. */
const NEAR_PIXELS = 100;

/** The open command palette: loaded when it is first opened. */
export function Palette({ close }: { readonly close: () => void }) {
  return (
    <Modal className="palette" label={texts.palette.title} close={close}>
      <Search close={close} />
    </Modal>
  );
}

function Search({ close }: { readonly close: () => void }) {
  const [text, setText] = useState("");
  const { uid } = useScreenLocation();
  const navigate = useNavigate();
  const wanted = text.trim().toLowerCase();
  const settled = useSettled(wanted);
  // The API finds the beginnings of names; pages are matched here.
  const found = usePages(
    api.groups.list,
    { namePrefix: settled, pageSize: GROUPS_PER_PAGE, orderBy: "name" },
    ({ groups }) => groups,
    { enabled: settled !== "" },
  );
  const groups = found.rows.filter(({ name = "" }) => name.startsWith(wanted));
  const exposed = useExposed(uid, settled, wanted);
  const { pathTo } = useGroupNames(groups.map(({ uid = "" }) => uid));
  const choices: Choice[] = [
    ...pages(uid).filter(({ label }) => label.toLowerCase().includes(wanted)),
    ...groups.map((group) => ({
      id: group.uid ?? "",
      label: group.name ?? "",
      hint: group.uid?.includes("/")
        ? pathTo(parentOf(group.uid))
        : texts.palette.group(group.uid ?? ""),
      to: screenLink("folders", group.uid ?? ""),
    })),
    ...exposed.choices,
  ];
  const go = ({ to }: Choice) => {
    close();
    navigate(to as never);
  };
  return (
    <Autocomplete.Root
      items={choices}
      itemToStringValue={(choice: Choice) => choice.label}
      value={text}
      onValueChange={setText}
      filter={null}
      open
      inline
      autoHighlight="always"
      onItemHighlighted={(choice: Choice | undefined) => {
        if (choice && choice === choices.at(-1) && found.hasMore) found.more();
      }}
    >
      <Autocomplete.Input
        className="palette-input"
        placeholder={texts.palette.placeholder}
        aria-label={texts.palette.title}
      />
      <Autocomplete.Empty className="palette-empty">
        {found.isLoading || exposed.isLoading || settled !== wanted
          ? texts.palette.searching
          : texts.palette.nothing}
      </Autocomplete.Empty>
      <Autocomplete.List
        className="palette-list"
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          const isNearBottom = scrollHeight - scrollTop - clientHeight < NEAR_PIXELS;
          if (isNearBottom && found.hasMore) found.more();
        }}
      >
        {(choice: Choice) => (
          <Autocomplete.Item
            key={choice.id}
            value={choice}
            className="item"
            onClick={() => go(choice)}
          >
            <span>{choice.label}</span>
            <small>{choice.hint}</small>
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

/** Search results in the current organization, or in the current folder of a caller without rights above it. */
function useExposed(uid: string, settled: string, wanted: string) {
  const { can } = useAccess();
  const organization = rootOf(uid);
  const group = can("vuln_report.list", organization) ? organization : uid;
  const enabled = uid !== "" && settled !== "" && can("vuln_report.list", group);
  const request = { uidp: { descendantsOf: group }, query: settled, limit: FOUND_OF_EACH };
  const { data, isFetching, isPlaceholderData } = useRead(api.inventory.searchExposure, request, {
    enabled,
  });
  const isCurrent = enabled && settled === wanted && !isPlaceholderData;
  const choices = isCurrent && data !== undefined ? exposureChoices(group, data) : [];
  return {
    isLoading: enabled && isFetching,
    choices: choices.map(({ kind, hint, ...one }) => ({ ...one, hint: `${kind}: ${hint}` })),
  };
}

function pages(uid: string): Choice[] {
  const here =
    uid === ""
      ? []
      : (Object.keys(GROUP_SCREENS) as GroupScreenName[]).map((screen) => ({
          id: screen,
          label: texts.screens[screen],
          hint: texts.palette.here,
          to: screenLink(screen, uid),
        }));
  return [
    ...here,
    {
      id: "organizations",
      label: texts.screens.organizations,
      hint: texts.palette.page,
      to: { to: "/organizations" },
    },
    {
      id: "account",
      label: texts.shell.account,
      hint: texts.palette.page,
      to: { to: "/account" },
    },
  ];
}
