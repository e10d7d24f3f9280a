import { Popover } from "@base-ui/react/popover";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Session, signOut } from "../api/session.ts";
import { texts } from "../texts.ts";
import { Icon } from "../ui/icons.tsx";

/** Who is signed in, and the way out. */
export function AccountMenu({ person }: { readonly person: Session }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        className="button quiet account"
        aria-label={texts.shell.accountOf(person.name)}
      >
        <Icon name="person" />
        <span className="name">{person.name}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end">
          <Popover.Popup className="popover account-menu" aria-label={texts.shell.account}>
            <Link to="/account" className="button quiet" onClick={() => setOpen(false)}>
              {texts.shell.account}
            </Link>
            <button type="button" className="button quiet" onClick={() => signOut()}>
              {texts.shell.signOut}
            </button>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
