import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, useRead } from "../api/client.ts";
import { texts } from "../texts/common.ts";
import { usePlace } from "./place.ts";
import { PLACE_SCREENS, type PlaceScreenName } from "./screens.ts";

interface Choice {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly to: string;
  readonly uid?: string;
}

/** The open command palette: loaded when it is first opened. */
export function Palette({ close }: { readonly close: () => void }) {
  return (
    <Dialog.Root open onOpenChange={(next) => next || close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette" aria-label={texts.palette.title}>
          <Search close={close} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Search({ close }: { readonly close: () => void }) {
  const [text, setText] = useState("");
  const { uid } = usePlace();
  const navigate = useNavigate();
  const wanted = text.trim().toLowerCase();
  // The API matches whole names; pages are matched here.
  const found = useRead(
    api.groups.list,
    { name: wanted, pageSize: 20 },
    { enabled: wanted !== "" },
  );
  const groups = wanted === "" ? [] : (found.data?.groups ?? []);
  const choices: Choice[] = [
    ...pages(uid).filter(({ label }) => label.toLowerCase().includes(wanted)),
    ...groups.map((group) => ({
      id: group.uid ?? "",
      label: group.name ?? "",
      hint: texts.palette.group(group.uid ?? ""),
      to: "/folders/$",
      uid: group.uid ?? "",
    })),
  ];
  const go = ({ to, uid: at }: Choice) => {
    close();
    navigate({ to, ...(at !== undefined && { params: { _splat: at } }) } as never);
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
    >
      <Autocomplete.Input
        className="palette-input"
        placeholder={texts.palette.placeholder}
        aria-label={texts.palette.title}
      />
      <Autocomplete.Empty className="palette-empty">{texts.palette.nothing}</Autocomplete.Empty>
      <Autocomplete.List className="palette-list">
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

function pages(uid: string): Choice[] {
  const here =
    uid === ""
      ? []
      : (Object.keys(PLACE_SCREENS) as PlaceScreenName[]).map((screen) => ({
          id: screen,
          label: texts.screens[screen],
          hint: texts.palette.here,
          to: `/${screen}/$`,
          uid,
        }));
  return [
    ...here,
    {
      id: "organizations",
      label: texts.screens.organizations,
      hint: texts.palette.page,
      to: "/organizations",
    },
    { id: "account", label: texts.shell.account, hint: texts.palette.page, to: "/account" },
  ];
}
