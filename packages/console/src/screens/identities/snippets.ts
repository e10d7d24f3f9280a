import type { PlatformName } from "@wharf/trust";
import { identityTexts } from "../../texts/identities.ts";

const words = identityTexts.use;

/** The configuration of a workload. */
interface Target {
  readonly api: string;
  readonly registry: string;
  readonly audience: string;
  readonly identity: string;
  /** The parts of a subject of Kubernetes: `system`, `serviceaccount`, namespace, name. */
  readonly serviceAccount: readonly string[];
}

interface Snippet {
  readonly title: string;
  readonly text: string;
  readonly note?: string;
}

/** The files and commands with which a workload of a platform signs in. */
export function snippetsOf(platform: PlatformName, target: Target): Snippet[] {
  switch (platform) {
    case "github":
      return [
        { title: words.workflow, text: githubWorkflow(target), note: words.action },
        { title: words.exchange, text: githubCurl(target) },
      ];
    case "gitlab":
      return [{ title: words.gitlab, text: gitlabJob(target) }];
    case "kubernetes":
      return [
        { title: words.pod, text: podOf(target) },
        { title: words.cli, text: cli(target) },
        { title: words.exchange, text: exchange(target, "$(cat /var/run/secrets/tokens/wharf)") },
      ];
    case "aws":
      return [{ title: words.cli, text: cli(target, " --identity-token FILE") }];
    default:
      return [
        { title: words.cli, text: cli(target, " --identity-token token.jwt") },
        { title: words.exchange, text: exchange(target, "$(cat token.jwt)") },
      ];
  }
}

function githubWorkflow({ api, identity, registry }: Target): string {
  return `name: publish
on:
  push:
    branches: [main]
jobs:
  publish:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      id-token: write       # lets the job request an OIDC token
    steps:
      - uses: actions/checkout@v4
      - id: wharf
        uses: acme/wharf/deploy/github-action@v0.2.0      # your copy
        with:
          api: ${api}
          identity: ${identity}
          registry: ${registry}
      - run: |
          docker build -t "${registry}/acme/app:$GITHUB_SHA" .
          docker push "${registry}/acme/app:$GITHUB_SHA"`;
}

function githubCurl({ api, identity, registry, audience }: Target): string {
  return `OIDC_TOKEN=$(curl -fsS -H "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \\
  "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${audience}" | jq -r .value)
curl -fsS -G ${api}/sts/exchange -H "Authorization: Bearer $OIDC_TOKEN" \\
  --data-urlencode "identity=${identity}" --data-urlencode "aud=${registry}" | jq -r .token |
  docker login ${registry} -u _token --password-stdin`;
}

function gitlabJob({ api, identity, registry, audience }: Target): string {
  return `publish:
  image: docker:cli
  services: [docker:dind]
  id_tokens:
    WHARF_ID_TOKEN:
      aud: ${audience}
  variables:
    WHARF_API: ${api}
    WHARF_IDENTITY: ${identity}
    REGISTRY: ${registry}
  script:
    - apk add --no-cache curl jq
    - |
      curl -fsS -G "$WHARF_API/sts/exchange" -H "Authorization: Bearer $WHARF_ID_TOKEN" \\
        --data-urlencode "identity=$WHARF_IDENTITY" --data-urlencode "aud=$REGISTRY" | jq -r .token |
        docker login "$REGISTRY" -u _token --password-stdin
    - docker build -t "$REGISTRY/acme/app:$CI_COMMIT_SHA" .
    - docker push "$REGISTRY/acme/app:$CI_COMMIT_SHA"`;
}

function podOf({ registry, audience, serviceAccount }: Target): string {
  const [, , namespace = "prod", name = "app"] = serviceAccount;
  return `apiVersion: v1
kind: Pod
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  serviceAccountName: ${name}
  containers:
    - name: ${name}
      image: ${registry}/acme/app:1
      volumeMounts:
        - { name: wharf, mountPath: /var/run/secrets/tokens, readOnly: true }
  volumes:
    - name: wharf
      projected:
        sources:
          - serviceAccountToken:
              path: wharf              # /var/run/secrets/tokens/wharf
              audience: ${audience}
              expirationSeconds: 3600`;
}

function cli({ api, identity, registry }: Target, token = ""): string {
  return `export WHARF_API=${api}
wharf auth login --identity ${identity}${token}
wharf auth configure-docker --registry ${registry}`;
}

function exchange({ api, identity }: Target, token: string): string {
  return `curl -fsS -G ${api}/sts/exchange -H "Authorization: Bearer ${token}" \\
  --data-urlencode "identity=${identity}" --data-urlencode "aud=${api}" | jq -r .token`;
}
