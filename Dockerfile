# The image brings its own Node 24 and what is installed, so the launcher (the `causeway` on its PATH) only starts the program.
# With a GitHub App (the first start shows the page /setup, which creates it):
#   docker run -p 3000:3000 -e PUBLIC_URL=https://causeway.example.com -v causeway:/data IMAGE
# It needs no more than this allows: --read-only --cap-drop ALL --security-opt no-new-privileges
# Local mode listens on loopback only, and loopback is the container's own. On Linux, share the host's:
#   docker run --network host -e HOST=127.0.0.1 -e PROJECTS=/projects/shop -v ~/code/shop:/projects/shop:ro -v causeway:/data IMAGE
# The base is named by its major version, not by a digest, so that every build takes its security fixes. To build the same image
# twice, pin both lines (`docker buildx imagetools inspect node:24-slim` shows the digest); Dependabot keeps such a pin fresh.
FROM node:24-slim AS packages
WORKDIR /causeway
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends git ca-certificates \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /causeway
COPY --from=packages /causeway/node_modules node_modules
COPY package.json LICENSE app.yml ./
COPY bin bin
COPY scripts/run.mjs scripts/run.mjs
COPY packages packages
COPY src src
COPY demo demo
# Projects, records and compiled code live in the volume; besides that there is only a socket, in /tmp or, if that is not writable, in /dev/shm. The root
# file system can be read-only.
# NODE_USE_ENV_PROXY: Node's fetch uses HTTPS_PROXY only when this is set.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data NODE_USE_ENV_PROXY=1 NODE_COMPILE_CACHE=/data/cache/compiled
RUN mkdir /data && chown 65532:65532 /data && ln -s /causeway/bin/causeway /usr/local/bin/causeway
VOLUME /data
USER 65532:65532
EXPOSE 3000
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:3000/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.ts", "serve"]
