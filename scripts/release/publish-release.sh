#!/usr/bin/env bash
# Gives the pushed images their version, puts the Action's built folder into the tags vVERSION and vMAJOR (never on main), and makes
# the GitHub release: the changelog's section, what was tried, and checksums. Reads VERSION, DIGESTS, GITHUB_TOKEN.
set -euo pipefail
image="ghcr.io/${GITHUB_REPOSITORY,,}"
printf '%s' "$GITHUB_TOKEN" | docker login ghcr.io --username "$GITHUB_ACTOR" --password-stdin
references=()
for digest in $DIGESTS; do references+=("$image@$digest"); done
docker buildx imagetools create --tag "$image:$VERSION" --tag "$image:${VERSION%%.*}" "${references[@]}"

tar --sort=name --owner=0 --group=0 --mtime='2020-01-01 00:00Z' -C release -czf "release/causeway-action-$VERSION.tar.gz" action
npm run --silent sbom > "release/causeway-$VERSION.cdx.json"
(cd release && sha256sum ./*.tgz ./*.tar.gz ./*.json > SHA256SUMS)
node scripts/release/write-notes.mjs "$VERSION" "$image" "$DIGESTS" > release/notes.md

# A commit of its own on top of the released one: main never has what is built.
git -c advice.detachedHead=false checkout --quiet --detach
cp -r release/action dist-action
git add --force dist-action
git -c user.name='github-actions[bot]' -c user.email='41898282+github-actions[bot]@users.noreply.github.com' \
  commit --quiet --message "Add the built Action of $VERSION"
git tag "v$VERSION"
git tag --force "v${VERSION%%.*}"
header="AUTHORIZATION: basic $(printf 'x-access-token:%s' "$GITHUB_TOKEN" | base64 --wrap=0)"
remote="$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.$GITHUB_SERVER_URL/.extraheader" GIT_CONFIG_VALUE_0="$header"
git push --quiet "$remote" "refs/tags/v$VERSION"
git push --quiet --force "$remote" "refs/tags/v${VERSION%%.*}"

GH_TOKEN=$GITHUB_TOKEN gh release create "v$VERSION" --verify-tag --title "Causeway $VERSION" --notes-file release/notes.md \
  release/*.tgz release/*.tar.gz release/*.cdx.json release/SHA256SUMS
