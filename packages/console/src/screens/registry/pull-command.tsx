import { useId, useState } from "react";
import { api, useRead } from "../../api/client.ts";
import { parentOf, pathOf } from "../../app/location.ts";
import { imageTexts } from "../../texts/registry.ts";
import { Code } from "../../ui/code.tsx";
import { attachedName, pushName } from "./image-name.ts";

type Tool = keyof typeof imageTexts.tools;

/** The tool that a person prefers, kept by the browser. */
const PREFERRED = "pull with";

/** The command that pulls an image, with the host and path that registries know it by. */
export function PullCommand({
  repo,
  name,
  reference,
}: {
  readonly repo: string;
  readonly name: string;
  /** `:TAG` or `@DIGEST`. */
  readonly reference: string;
}) {
  const id = useId();
  const image = useImageName(repo, name);
  const [tool, setTool] = useState<Tool>(preferred);
  if (image === undefined) return null;
  const choose = (next: Tool) => {
    localStorage.setItem(PREFERRED, next);
    setTool(next);
  };
  const target = tool === "crane" ? ` ${name.split("/").at(-1)}.tar` : "";
  return (
    <div className="pull">
      <fieldset className="choice" aria-label={imageTexts.pullWith}>
        {(Object.keys(imageTexts.tools) as Tool[]).map((one) => (
          <label key={one}>
            <input type="radio" name={id} checked={one === tool} onChange={() => choose(one)} />
            {imageTexts.tools[one]}
          </label>
        ))}
      </fieldset>
      <Code text={`${tool} pull ${image}${reference}${target}`} />
    </div>
  );
}

function preferred(): Tool {
  const stored = localStorage.getItem(PREFERRED) ?? "";
  return Object.hasOwn(imageTexts.tools, stored) ? (stored as Tool) : "docker";
}

/** The name of a repo's images for clients; undefined until it is loaded. */
export function useImageName(repo: string, name: string): string | undefined {
  const path = pathOf(parentOf(repo));
  const groups = useRead(api.groups.list, { uidp: { ids: path }, pageSize: path.length });
  const { data } = useRead(api.images.listLocations, { repoUid: repo });
  const installation = useRead(api.installation.get, {});
  if (data === undefined) return undefined;
  const [host] = installation.data?.registryHosts ?? [];
  return attachedName(data.locations) ?? pushName(host, path, groups.data?.groups, name);
}
