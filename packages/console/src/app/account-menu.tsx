import { Link } from "@tanstack/react-router";
import { type Session, signOut } from "../api/session.ts";
import { texts } from "../texts/common.ts";
import { Disclosure } from "../ui/disclosure.tsx";
import { Icon } from "../ui/icons.tsx";
import { toastError } from "../ui/toast.tsx";
import { ThemeChoice } from "./theme-choice.tsx";

/** The menu of the user: account, theme, sign-out. */
export function AccountMenu({ person }: { readonly person: Session }) {
  return (
    <Disclosure
      label={texts.shell.accountOf(person.name)}
      title={texts.shell.account}
      content={
        <>
          <Icon name="person" />
          <span className="name">{person.name}</span>
        </>
      }
    >
      <ThemeChoice />
      <Link to="/account" className="button quiet">
        {texts.shell.account}
      </Link>
      <button type="button" className="button quiet" onClick={() => signOut().catch(toastError)}>
        {texts.shell.signOut}
      </button>
    </Disclosure>
  );
}
