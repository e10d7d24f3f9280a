import { clientName, isBrowser } from "@wharf/contract/client-name";
import type { PersonSessionJson } from "@wharf/contract/messages";
import { api, client, useChange } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { signOut } from "../../api/session.ts";
import { accountTexts } from "../../texts/account.ts";
import { texts } from "../../texts/common.ts";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { Age } from "../../ui/time.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import { Entries, Entry } from "./entries.tsx";

const words = accountTexts.sessions;

/** Sessions of the person: that of this browser first, then the others, the newest first. */
export function Sessions() {
  const { rows, total, error, hasMore, more } = usePages(
    api.sessions.list,
    { pageSize: 50 },
    ({ sessions }) => sessions,
  );
  const sorted = [
    ...rows.filter(({ current }) => current),
    ...rows.filter(({ current }) => !current),
  ];
  return (
    <section aria-labelledby="sessions">
      <div className="page-head">
        <h2 id="sessions">{words.title}</h2>
        <SignOutEverywhere />
      </div>
      <p className="lead">{words.text}</p>
      {error !== null && <Failed error={error} />}
      {error === null && total === undefined && <Loading />}
      {sorted.length > 0 && (
        <Entries label={words.title}>
          {sorted.map((session) => (
            <SessionEntry key={session.id} session={session} />
          ))}
        </Entries>
      )}
      {hasMore && (
        <div>
          <button type="button" className="button quiet" onClick={more}>
            {texts.more}
          </button>
        </div>
      )}
    </section>
  );
}

function SessionEntry({ session }: { readonly session: PersonSessionJson }) {
  const { id = "", userAgent = "", remoteAddress, createTime, lastUsedTime, current } = session;
  const end = useChange(api.sessions.end);
  const name = clientName(userAgent);
  return (
    <Entry
      icon={isBrowser(userAgent) ? "window" : "terminal"}
      name={
        <>
          <span title={userAgent}>{name}</span>
          {current && <span className="badge good">{words.current}</span>}
        </>
      }
      details={[
        remoteAddress && <span title={words.address}>{remoteAddress}</span>,
        <>
          {words.signedIn} <Age time={createTime} />
        </>,
        <>
          {words.lastUsed} <Age time={lastUsedTime} />
        </>,
        <>
          {words.expires} <Age time={session.expireTime} />
        </>,
      ]}
    >
      {!current && (
        <button
          type="button"
          className="button quiet small"
          onClick={() => end.mutateAsync({ id }).then(() => toast(words.ended), toastError)}
        >
          {words.end}
          <span className="unseen"> {words.of(name, remoteAddress)}</span>
        </button>
      )}
    </Entry>
  );
}

function SignOutEverywhere() {
  return (
    <FormDialog
      trigger={words.everywhere}
      className="button quiet small"
      title={words.everywhereTitle}
      submit={words.everywhere}
      isDangerous
      onSubmit={async () => {
        await client.call(api.sessions.logout, { everywhere: true });
        await signOut();
      }}
    >
      <p>{words.everywhereText}</p>
    </FormDialog>
  );
}
