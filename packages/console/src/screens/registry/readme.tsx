import { WharfError } from "@wharf/client/json";
import { lazy, Suspense, useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, useChange, useRead } from "../../api/client.ts";
import { texts } from "../../texts/common.ts";
import { imageTexts } from "../../texts/registry.ts";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { toast } from "../../ui/toast.tsx";
import { Withheld } from "../../ui/withheld.tsx";

/** Capabilities for editing a README. */
const CAPABILITIES = ["repo.update", "repo.internal.admin"] as const;

/** The parser is loaded with the first README. */
const Markdown = lazy(async () => ({ default: (await import("../../ui/markdown.tsx")).Markdown }));

/** The README of a repository. */
export function Readme({ repo }: { readonly repo: string }) {
  const { data, error } = useRead(api.repos.getReadme, { uid: repo });
  const { can } = useAccess();
  const [isEditing, setEditing] = useState(false);
  const isMissing = error instanceof WharfError && error.code === "NOT_FOUND";
  if (error !== null && !isMissing) return <Failed error={error} />;
  if (data === undefined && !isMissing) return <Loading />;
  const content = data?.content ?? "";
  if (isEditing) return <Editor repo={repo} content={content} close={() => setEditing(false)} />;
  const label = content === "" ? imageTexts.writeReadme : imageTexts.editReadme;
  const missing = CAPABILITIES.find((capability) => !can(capability, repo));
  const edit =
    missing === undefined ? (
      <button type="button" className="button quiet" onClick={() => setEditing(true)}>
        {label}
      </button>
    ) : (
      <Withheld label={label} capability={missing} />
    );
  if (content === "") {
    return (
      <Empty title={imageTexts.noReadme} action={edit}>
        {imageTexts.noReadmeText}
      </Empty>
    );
  }
  return (
    <>
      <Suspense fallback={<Loading />}>
        <Markdown text={content} />
      </Suspense>
      <div>{edit}</div>
    </>
  );
}

/** An editor with a preview. It keeps the text until the server has accepted it. */
function Editor({
  repo,
  content,
  close,
}: {
  readonly repo: string;
  readonly content: string;
  readonly close: () => void;
}) {
  const update = useChange(api.repos.updateReadme);
  const [text, setText] = useState(content);
  const save = async () => {
    try {
      await update.mutateAsync({ repoReadme: { uid: repo, content: text } });
    } catch {
      // Shown below.
      return;
    }
    toast(imageTexts.saved);
    close();
  };
  return (
    <form
      className="editor"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <div className="editor two">
        <div className="field">
          <label htmlFor="readme">{imageTexts.readme}</label>
          <textarea
            id="readme"
            className="source"
            rows={20}
            value={text}
            aria-describedby="readme-hint"
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <p id="readme-hint" className="hint">
            {imageTexts.readmeHint}
          </p>
        </div>
        <section aria-label={imageTexts.preview}>
          <h2>{imageTexts.preview}</h2>
          <Suspense fallback={<Loading />}>
            <Markdown text={text} />
          </Suspense>
        </section>
      </div>
      {update.error !== null && <Failed error={update.error} />}
      <div className="row-actions">
        <button type="submit" className="button" disabled={update.isPending}>
          {texts.save}
        </button>
        <button type="button" className="button quiet" onClick={close}>
          {texts.cancel}
        </button>
      </div>
    </form>
  );
}
