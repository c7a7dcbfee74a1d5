# The image of a fleet: `evenshare ingest`, `jobs`, `serve`, `migrate` against a ClickHouse server. It leaves out the
# optional embedded engine (chDB, 540 MB), so `evenshare up` needs `store.kind: server` in here too.

FROM node:20.20.2-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
# Everything: the compilers are development dependencies and some of them come as optional packages per platform.
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:20.20.2-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM node:20.20.2-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /src/dist ./dist
COPY package.json LICENSE NOTICE ./
# The image's own user "node", by number so that an orchestrator can see that it is not root. It may write its reports, and
# nothing in /app.
RUN install -d -o 1000 -g 1000 /var/lib/evenshare/reports
USER 1000:1000
EXPOSE 8484
# Ready, not merely alive: each role answers on `http.port`, 8484 unless the configuration says otherwise.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8484/readyz', { signal: AbortSignal.timeout(4000) }).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/cli/main.js"]
CMD ["--help"]
