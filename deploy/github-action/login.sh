#!/usr/bin/env bash
# Exchanges the OIDC token of a job of GitHub Actions for tokens of Wharf, and signs Docker in to the registry.
# Needs curl and jq, which GitHub's runners have.
set -euo pipefail

# In the form that the runner reads as one command, whatever a server has answered.
fail() {
  local message=${1//'%'/'%25'}
  message=${message//$'\r'/'%0D'}
  echo "::error title=Wharf::${message//$'\n'/'%0A'}"
  exit 1
}

# A token is one line of these characters: others would add outputs, commands of the runner or options of curl.
is_token() { [[ $1 =~ ^[A-Za-z0-9._~+/=-]+$ ]]; }

api=${WHARF_API%/}
# The job's token opens what the identity may do: it is never sent without TLS.
[[ $api =~ ^https://[A-Za-z0-9.:_-]+$ ]] || fail "api must be an https URL such as https://wharf.example.com"
[[ $WHARF_IDENTITY =~ ^[0-9a-f]{40}(/[0-9a-f]{16})*$ ]] || fail "identity must be the UID of an identity"
[[ ${WHARF_REGISTRY:-} =~ ^[A-Za-z0-9.:_-]*$ ]] || fail "registry must be a host such as registry.example.com"
if [[ -z ${ACTIONS_ID_TOKEN_REQUEST_URL:-} || -z ${ACTIONS_ID_TOKEN_REQUEST_TOKEN:-} ]]; then
  fail "this job cannot request an OIDC token: add 'permissions: id-token: write' to the job, and to the job that calls a reusable workflow. Pull requests from forks never get one"
fi

host=${api#*://}
audience=${WHARF_OIDC_AUDIENCE:-${host%:*}}
# Tokens are never arguments: other processes can read those.
header() { printf 'header = "Authorization: Bearer %s"\n' "$1"; }

oidc=$(header "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" |
  curl --silent --show-error --fail --retry 3 --config - --get --data-urlencode "audience=$audience" \
    "$ACTIONS_ID_TOKEN_REQUEST_URL" | jq --raw-output '.value // empty') ||
  fail "GitHub did not issue an OIDC token"
is_token "$oidc" || fail "GitHub did not issue an OIDC token"
echo "::add-mask::$oidc"

# Prints a token for an audience.
exchange() {
  local answer token
  answer=$(header "$oidc" | curl --silent --show-error --proto =https --retry 3 --config - --get \
    --data-urlencode "identity=$WHARF_IDENTITY" --data-urlencode "aud=$1" "$api/sts/exchange") ||
    fail "$api cannot be reached"
  if token=$(jq --exit-status --raw-output '.token // empty' <<<"$answer" 2> /dev/null); then
    is_token "$token" || fail "$api answered with something else than a token"
    echo "$token"
    return
  fi
  fail "exchange rejected: $(jq --raw-output '.message // "no answer of Wharf"' <<<"$answer" 2> /dev/null || echo "no answer of Wharf"). 'wharf iam identities test' compares a token with the identity"
}

token=$(exchange "$api") || { echo "$token"; exit 1; }
echo "::add-mask::$token"
echo "token=$token" >> "$GITHUB_OUTPUT"
{
  echo "WHARF_API=$api"
  echo "WHARF_IDENTITY=$WHARF_IDENTITY"
} >> "$GITHUB_ENV"
echo "Signed in to $api as $WHARF_IDENTITY"

[[ -n ${WHARF_REGISTRY:-} ]] || exit 0
password=$(exchange "$WHARF_REGISTRY") || { echo "$password"; exit 1; }
echo "::add-mask::$password"
folder=${DOCKER_CONFIG:-$HOME/.docker}
mkdir -p "$folder"
umask 077
[[ -s $folder/config.json ]] || echo '{}' > "$folder/config.json"
printf '_token:%s' "$password" | base64 -w0 |
  jq --raw-input --slurp --arg registry "$WHARF_REGISTRY" --slurpfile config "$folder/config.json" \
    '. as $auth | $config[0] | .auths[$registry] = { auth: $auth }' > "$folder/config.json.new"
mv "$folder/config.json.new" "$folder/config.json"
echo "Docker is signed in to $WHARF_REGISTRY for an hour"
