import { Link } from "@tanstack/react-router";
import { api, useRead } from "../../api/client.ts";
import { screenLink } from "../../app/location.ts";
import { Icon } from "../../ui/icons.tsx";

/** The way from a tag or an image to its repository. */
export function RepoLink({ uid }: { readonly uid: string }) {
  const { data } = useRead(api.repos.get, { uid });
  return (
    <Link {...screenLink("repo", uid)} className="with-icon">
      <Icon name="box" />
      {data?.name ?? `…${uid.slice(-6)}`}
    </Link>
  );
}
