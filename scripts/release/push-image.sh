#!/usr/bin/env bash
# Builds the image for one platform (linux/amd64) with provenance and a list of its packages, pushes it without a name, and prints
# `digest=sha256:…`. BuildKit makes both attestations itself: https://docs.docker.com/build/metadata/attestations/
set -euo pipefail
platform=$1
image="ghcr.io/${GITHUB_REPOSITORY,,}"
metadata=$(mktemp)
printf '%s' "$GITHUB_TOKEN" | docker login ghcr.io --username "$GITHUB_ACTOR" --password-stdin >&2
docker buildx create --use --driver docker-container >&2
docker buildx build . --platform "$platform" --provenance mode=max --sbom true \
  --label "org.opencontainers.image.source=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" \
  --label "org.opencontainers.image.revision=$GITHUB_SHA" \
  --output "type=image,name=$image,push-by-digest=true,name-canonical=true,push=true" --metadata-file "$metadata" >&2
node -p '`digest=${JSON.parse(fs.readFileSync(process.argv[1], "utf8"))["containerimage.digest"]}`' "$metadata"
